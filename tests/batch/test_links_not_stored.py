"""Sweeps whose lowest links are too many to be stored, and of shares."""

import pytest

from infostream_dedup import pairs, sweep
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
