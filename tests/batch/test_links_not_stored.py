"""A sweep whose lowest links are too many to be stored."""

import pytest

from infostream_dedup import sweep
from infostream_dedup.runs.batch import linking
from infostream_dedup.sample import documents_path


def test_k_whose_links_are_too_many_to_store_still_have_rows(monkeypatch):
    # Without the lowest links, estimates are made from other candidates.
    stored = sweep(documents_path(), representations=["stem"], estimate=False).rows
    monkeypatch.setattr(linking, "MOST_LINKS", 10)
    unstored = sweep(documents_path(), representations=["stem"], estimate=False)
    assert [row.measures.k for row in unstored.rows] == list(range(1, 13))
    for ours, plain in zip(unstored.rows[:3], stored[:3], strict=True):
        assert (ours.measures.links, ours.measures.reciprocal, ours.measures.paths, ours.measures.symmetry) == (
            plain.measures.links, plain.measures.reciprocal, plain.measures.paths, plain.measures.symmetry,
        )  # fmt: skip
        assert ours.measures.sampled
        error = ours.measures.transitivity_error
        assert ours.measures.transitivity == pytest.approx(plain.measures.transitivity, abs=5 * error)
    assert unstored.rows[3:] == stored[3:]


def test_every_long_step_shows_its_progress(monkeypatch):
    monkeypatch.setattr(linking, "MOST_LINKS", 10)
    told = []
    sweep(documents_path(), representations=["stem"], progress=lambda name, done, of: told.append((name, done, of)))
    last = {name: (done, of) for name, done, of in told}
    assert {"reading", "matching", "counting links", "measuring", "sweep"} <= set(last)
    assert all(done == of for name, (done, of) in last.items() if name != "sweep stem")
    assert last["measuring"] == (9, 9)
