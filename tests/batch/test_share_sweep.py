"""What a sweep of shares says of links that were not stored."""

from infostream_dedup import sweep
from infostream_dedup.batch import linking
from infostream_dedup.sample import documents_path


def test_links_that_were_not_stored_are_reported(monkeypatch):
    asked = {"representations": ["stem"], "score": "share"}
    assert sweep(str(documents_path()), **asked).notes == []
    monkeypatch.setattr(linking, "MOST_LINKS", 0)
    (note,) = sweep(str(documents_path()), **asked).notes
    assert "fewer than 4 common terms" in note
