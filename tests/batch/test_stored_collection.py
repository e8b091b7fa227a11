"""Sweeps over a store, against sweeps over the documents themselves."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from infostream_dedup import Document, api, pairs, sweep
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import ConfigurationError, NoInputError
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch import linking
from infostream_dedup.runs.batch.answering import part_into
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.stored_collection import WeighedCollection, epoch_statistics, stored_collection
from infostream_dedup.runs.batch.sweeping import sweep_collection
from infostream_dedup.sample import documents_path
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store


def ingested(path, documents, **settings):
    with Deduplicator.open(path, StreamSettings(window_days=None, **settings)) as stream:
        stream.process(documents)
    return path


@pytest.fixture(scope="module")
def documents():
    return list(read_documents(documents_path()))


@pytest.fixture(scope="module")
def store(documents, tmp_path_factory):
    return ingested(tmp_path_factory.mktemp("stored") / "s.db", documents)


@pytest.fixture(scope="module")
def epochs(documents, tmp_path_factory):
    settings = {"terms": Settings(representation="stem"), "first_epoch": 50, "epoch_documents": 50}
    return ingested(tmp_path_factory.mktemp("epochs") / "s.db", documents, **settings)


def rows(result):
    return [row.as_dict() for row in result.rows]


@pytest.mark.parametrize("score", ["count", "share"])
@pytest.mark.parametrize(
    ("n", "target"), [(12, "text"), (12, "signature"), (7, "text"), (5, "signature"), (8, "top:10")]
)
def test_the_sweep_over_a_store_is_that_over_its_documents_by_the_same_statistics(documents, store, score, n, target):
    settings = Settings(n=n, k=n // 2, target=target, score=score)
    weighed = WeighedCollection(collect(documents), epoch_statistics(f"{store}:0"))
    expected = sweep_collection(weighed, settings, ["morph"])
    found = api.sweep_store(store, n=n, target=target, score=score)
    assert rows(found) == rows(expected)
    assert (found.recommended_k, found.reason, found.groups) == (
        expected.recommended_k, expected.reason, expected.groups,
    )  # fmt: skip
    assert found.documents == expected.documents
    # A stored collection knows no dates and addresses.
    unknown = dict.fromkeys(("published_a", "published_b", "url_a", "url_b"))
    assert found.examples == [replace(example, **unknown) for example in expected.examples]
    assert (score == "share") or any(row.measures.links for row in found.rows)


def test_each_document_keeps_the_terms_of_its_epoch(documents, epochs):
    collection = stored_collection(epochs)
    key_terms = collection.key_terms(collection.settings({}))
    for epoch in (0, 2, 3):
        part = slice(50 * epoch, 50 * (epoch + 1))
        weighed = WeighedCollection(collect(documents[part]), epoch_statistics(f"{epochs}:{epoch}"))
        expected = weighed.key_terms(Settings(representation="stem"))
        for row in range(len(weighed)):
            assert key_terms.terms_of(part.start + row) == expected.terms_of(row)
    assert collection.notes == [
        "s.db: documents 0 to 198 of the stream, weighed when they came in by the statistics of epochs 0 to 3"
    ]


def test_a_range_of_the_clock_is_swept(documents, store):
    with Store.open(store, read_only=True) as opened:
        clocks = opened.documents(0, len(documents)).clocks.tolist()
    middle = datetime.fromtimestamp(clocks[100] // 10**6, UTC)
    first = clocks.index(next(clock for clock in clocks if clock >= middle.timestamp() * 10**6))
    later, earlier = (stored_collection(store, **{name: middle}) for name in ("since", "until"))
    assert [one.id for one in later.documents] == [one.id for one in documents[first:]]
    assert [one.id for one in earlier.documents] == [one.id for one in documents[:first]]
    everything = api.sweep_store(store, since=middle, until=middle)
    assert (everything.documents, everything.notes) == ({}, ["s.db: no documents from that time"])
    assert not any(row.measures.links for row in everything.rows)


@pytest.mark.parametrize(("asked", "message"), [
    ({"representation": "morph"}, "representation is 'morph', but documents of the store were weighed with"),
    ({"weighting": "tfidf"}, "weighting is 'tfidf'"), ({"df_min": 5}, "df_min is 5"),
    ({"background": False}, "background is False"),
    ({"n": 13}, "n is 13, but documents of the store keep 12 key terms each"),
    ({"target": "top:13"}, "target is 'top:13', but documents of the store keep 12 key terms and the set"),
    ({"preset": "best"}, "n is 30"), ({"ks": [13]}, "13 is more than the 12 key terms"),
    ({"ks": [3], "score": "share"}, "the share score has thresholds and no k"),
])  # fmt: skip
def test_what_a_store_cannot_give_is_refused(epochs, asked, message):
    with pytest.raises(ConfigurationError, match=message):
        api.sweep_store(epochs, **asked)


def test_deleted_signatures_are_named(documents, tmp_path):
    with Deduplicator.open(
        tmp_path / "s.db", StreamSettings(window_documents=20, first_epoch=50, epoch_documents=50)
    ) as stream:
        stream.process(documents)
        stream.process([])
    with Store.open(tmp_path / "s.db") as opened:
        below = opened.expire().below
        moment = datetime.fromtimestamp(int(opened.documents(below, below + 1).clocks[0]) // 10**6 + 1, UTC)
    with pytest.raises(
        ConfigurationError, match=f"documents 0 to {below - 1} of the stream have been deleted"
    ) as failure:
        stored_collection(tmp_path / "s.db")
    assert "begin with since 20" in str(failure.value)
    assert 0 < len(stored_collection(tmp_path / "s.db", since=moment)) <= len(documents) - below


def test_forgotten_documents_are_left_out(documents, tmp_path):
    path = ingested(tmp_path / "s.db", documents[:40])
    with Store.open(path) as opened:
        opened.forget(documents[7].id)
    collection = stored_collection(path)
    assert [one.id for one in collection.documents] == [one.id for one in documents[:40] if one.id != documents[7].id]
    assert collection.notes[1] == "s.db: 1 documents that have been forgotten are left out"


def test_statistics_of_an_epoch(store):
    for name in ("s.db", f"{store}:x", f"{store}:", ":3", f"{store}:-1"):
        with pytest.raises(ConfigurationError, match="is not of the form STORE:EPOCH"):
            epoch_statistics(name)
    with pytest.raises(ConfigurationError, match="the store's latest epoch is 0"):
        epoch_statistics(f"{store}:1")
    with pytest.raises(NoInputError):
        epoch_statistics("none.db:0")
    statistics = epoch_statistics(f"{store}:0")
    assert statistics.settings({"k": None}) == Settings(k=6)
    with pytest.raises(ConfigurationError, match="representation is 'stem', but "):
        statistics.settings({"representation": "stem"})


def test_a_store_that_keeps_evidence_counts_the_copies_of_its_documents(documents, tmp_path):
    path = tmp_path / "judged.db"
    with Deduplicator.open(path) as stream:
        stream.process(documents)
    found = api.sweep_store(path)
    expected = api.sweep(documents, representations=["morph"])
    # The same documents, so the same census; which of them are linked depends on the statistics.
    assert {row.estimated["copies"] for one in (found, expected) for row in one.rows} == {164}
    assert found.without_labels["morph"]["universe"] == expected.without_labels["morph"]["universe"]
    assert found.reason["morph"].split(":")[0] == expected.reason["morph"].split(":")[0]
    bare = api.sweep_store(ingested(tmp_path / "bare.db", documents))
    assert (bare.recommended_k, bare.advice["morph"].chosen_by) == ({"morph": 6}, "consistency")


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


@pytest.mark.parametrize(("time", "hours", "day"), [
    (datetime(1, 1, 1, tzinfo=UTC), -5, "0001-01-01"), (datetime(1, 1, 1, tzinfo=UTC), 5, "0001-01-01"),
    (datetime(9999, 12, 31, 23, tzinfo=UTC), 9, "9999-12-31"), (datetime(999, 5, 1, 3, tzinfo=UTC), -5, "0999-04-30"),
])  # fmt: skip
def test_days_at_the_ends_of_the_calendar(time, hours, day):
    zone = timezone(timedelta(hours=hours))
    documents = [Document(id="a", text="", time=time)]
    assert list(part_into(documents, "day", files={}, zone=zone)) == [day]
    assert list(part_into(documents, "month", files={}, zone=zone)) == [day[:7]]
