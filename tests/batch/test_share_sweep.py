"""What a sweep of shares says of links that were not stored."""

from infostream_dedup import pairs, sweep
from infostream_dedup.runs.batch import linking
from infostream_dedup.sample import documents_path


def test_links_that_were_not_stored_are_reported(monkeypatch):
    asked = {"representations": ["stem"], "score": "share"}
    assert sweep(str(documents_path()), **asked).notes == []
    monkeypatch.setattr(linking, "MOST_LINKS", 0)
    (note,) = sweep(str(documents_path()), **asked).notes
    assert "fewer than 4 common terms" in note


def test_a_sweep_and_pairs_agree_about_a_share_that_equals_the_threshold():
    ends = ("олото", "улина", "ерново", "арнита", "иломер", "ытивод")
    words = [first + end for first in "бвгдж" for end in ends]
    # Each word is in two documents, so that all weigh the same: 11 of the 20 words of the first are in the second.
    texts = [words[:20], words[9:29], words[:9] + words[20:29]]
    documents = [{"id": str(place), "text": " ".join(text), "lang": "ru"} for place, text in enumerate(texts)]
    documents += [{"id": str(place), "text": "заяц", "lang": "ru"} for place in range(3, 30)]
    asked = {"n": 20, "score": "share", "background": False}
    rows = {row.measures.threshold: row for row in sweep(documents, representations=["stem"], **asked).rows}
    assert rows[0.55].measures.reciprocal == 2
    assert rows[0.55].as_dict()["copy_recall"] == 1.0
    (pair,) = pairs(documents, representation="stem", threshold=0.55, **asked)
    assert (pair.a, pair.b, pair.share_forward, pair.relation) == ("0", "1", 0.55, "equal")
