"""What a sweep in a work folder says without labels, against one in memory."""

import pytest

from infostream_dedup import sweep
from infostream_dedup.errors import UsageError
from infostream_dedup.lab.estimation import sweep_estimator
from infostream_dedup.sample import documents_path


@pytest.mark.parametrize("representation", ["stem", "morph"])
def test_copies_are_counted_and_duplicates_estimated_as_in_memory(tmp_path, representation):
    names = {"representations": [representation], "estimate": True, "examples": False}
    expected = sweep(str(documents_path()), **names)
    found = sweep(str(documents_path()), workdir=tmp_path / "work", memory="2GB", **names)
    assert [row.estimated for row in found.rows] == [row.estimated for row in expected.rows]
    assert (found.recommended_k, found.reason) == (expected.recommended_k, expected.reason)
    assert found.without_labels == expected.without_labels
    assert expected.without_labels[representation]["copies"]["pairs"] > 0
    # What an interrupted run had read is read again.
    again = sweep(str(documents_path()), workdir=tmp_path / "work", memory="2GB", **names)
    assert [row.estimated for row in again.rows] == [row.estimated for row in expected.rows]


def test_evidence_that_does_not_fit_is_refused_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_estimator, "_DOCUMENT_BYTES", 100_000_000)
    with pytest.raises(UsageError, match=r"does not fit into 2.0 GB: give more \(memory\)"):
        sweep(str(documents_path()), workdir=tmp_path, memory="2GB", representations=["stem"], estimate=True)
