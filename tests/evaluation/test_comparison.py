"""The comparison of methods: both protocols, overlap, notes, examples."""

import json

import pytest

from infostream_dedup import compare, read_documents
from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.lab.evaluation.collection_scores import evaluate_collection
from infostream_dedup.lab.evaluation.comparison import compare_methods
from infostream_dedup.lab.evaluation.labels import labels_of
from infostream_dedup.lab.methods import Texts
from infostream_dedup.sample import documents_path, labels_path

STORY = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром, сообщили местные журналисты."
OTHER = "Сборная выиграла эстафету на чемпионате мира. Тренер похвалил команду за скорость и точную стрельбу."
DOCUMENTS = [
    {"id": "1", "text": STORY, "family": "f"}, {"id": "2", "text": STORY, "family": "f"},
    {"id": "3", "text": f"{STORY} Билеты проданы.", "family": "f"}, {"id": "4", "text": OTHER, "family": "g"},
    {"id": "5", "text": OTHER, "family": "h"},
]  # fmt: skip
LABELS = labels_of([{"a": "1", "b": "2", "label": "dup"}, {"a": "1", "b": "3", "label": "dup"}])


@pytest.fixture(scope="module")
def sample():
    return Texts(list(read_documents(documents_path())))


def _row(found, name):
    return next(row.as_dict() for row in found.rows if row.run.name == name)


def test_labels_by_hand():
    found = compare(DOCUMENTS, labels=LABELS, methods=["md5", "long-sent"], resamples=10)
    assert (found.protocol, found.pool, found.documents) == ("labels", None, 5)
    md5, long_sent = _row(found, "md5"), _row(found, "long-sent")
    # 1-2 is true; 4-5 is of two families; the unlisted 2-3 of one family is not counted.
    assert (md5["pairs"], md5["tp"], md5["fp"], md5["fn"]) == (2, 1, 1, 1)
    assert (md5["precision"], md5["recall"], md5["f1"]) == (0.5, 0.5, 0.5)
    assert md5["low"] <= md5["f1"] <= md5["high"]
    assert (long_sent["pairs"], long_sent["tp"], long_sent["fp"], long_sent["fn"]) == (4, 2, 1, 0)
    assert found.dice == [[1.0, pytest.approx(4 / 6)], [pytest.approx(4 / 6), 1.0]]
    assert [row.only for row in found.rows] == [0, 2]
    assert (long_sent["symmetry"], long_sent["transitivity"]) == (None, 1.0)
    assert (md5["symmetry"], md5["transitivity"]) == (None, None)


def test_linked_and_judged_pairs_and_groups_by_hand():
    found = compare(DOCUMENTS, labels=LABELS, methods=["long-sent"], resamples=10)
    row = _row(found, "long-sent")
    # Linked: 1-2, 1-3, 2-3 and 4-5; the unlisted 2-3 is not judged.
    assert (row["linked"], row["judged"]) == (4, 3)
    # Groups 1 2 3 and 4 5; true groups 1 2 3, 4, 5.
    assert (row["bcubed_precision"], row["bcubed_recall"]) == (pytest.approx(4 / 5), 1.0)
    assert row["pairwise_f1"] == pytest.approx(6 / 7)
    assert found.has_best


def test_without_families_only_a_closed_world_has_a_best_method():
    bare = [{name: value for name, value in row.items() if name != "family"} for row in DOCUMENTS]
    opened = compare(bare, labels=LABELS, methods=["long-sent"], resamples=10)
    row = _row(opened, "long-sent")
    assert (row["linked"], row["judged"], row["precision"], row["ari"]) == (4, 2, 1.0, None)
    assert not opened.has_best
    assert "no method is called the best" in opened.notes[0]
    closed = compare(bare, labels=LABELS, methods=["long-sent"], resamples=10, closed=True)
    row = _row(closed, "long-sent")
    assert (row["linked"], row["judged"], row["precision"]) == (4, 4, 0.5)
    assert (closed.has_best, closed.notes, closed.configuration["closed"]) == (True, [], True)
    assert row["pairwise_f1"] == pytest.approx(6 / 7)
    with pytest.raises(ConfigurationError, match="closed"):
        compare(bare, methods=["long-sent"], closed=True)


def test_pool_by_hand():
    found = compare(DOCUMENTS, methods=["md5", "long-sent"], pool="all")
    assert (found.protocol, found.pool.pairs, found.pool.verified) == ("pool", 4, 4)
    assert [(row.figures["precision"], row.figures["recall"]) for row in found.rows] == [(1.0, 0.5), (1.0, 1.0)]


def test_key_terms_fare_as_in_evaluate(sample):
    from infostream_dedup.model import Settings
    from infostream_dedup.runs.batch.collection import collect

    row = _row(compare_methods(sample, labels=labels_path(), methods=["key-terms-morph"]), "key-terms-morph")
    expected = evaluate_collection(collect(read_documents(documents_path())), labels_path(), Settings()).rows[5]
    assert expected.step == 6
    names = ("tp", "fp", "fn", "precision", "recall", "f1", "low", "high")
    assert {name: row[name] for name in names} == {name: expected.as_dict()[name] for name in names}


def test_the_preset_best_can_be_written_as_a_method(sample):
    from infostream_dedup.model import Settings
    from infostream_dedup.runs.batch.collection import collect

    name = "key-terms-morph:n=30:score=share"
    row = _row(compare_methods(sample, labels=labels_path(), methods=[name]), name)
    collection = collect(read_documents(documents_path()))
    expected = evaluate_collection(collection, labels_path(), Settings.of(preset="best")).recommended.as_dict()
    assert {name: row[name] for name in ("tp", "fp", "fn")} == {name: expected[name] for name in ("tp", "fp", "fn")}


def test_equal_runs_give_equal_results_but_for_times(sample):
    names = ["tf", "spotsigs", "key-terms-stem", "descr-words"]
    one, other = (
        compare_methods(sample, methods=names, examples=True, disagreements=10).as_dict(times=False) for _ in range(2)
    )
    assert json.dumps(one) == json.dumps(other)


def test_documents_can_be_in_any_order(sample):
    names = ["tf", "long-sent", "shingles", "three-plus-two", "key-terms-stem"]
    reverse = Texts(sample.documents[::-1])
    one, other = (compare_methods(texts, methods=names).as_dict(times=False)["rows"] for texts in (sample, reverse))
    assert one == other


def test_examples_are_ids_and_features(sample):
    found = compare_methods(sample, methods=["md5", "tf", "shingles"], examples=True, disagreements=7)
    ids = {document.id for document in sample.documents}
    assert len(found.disagreements) == 7
    assert 1 <= len(found.agreements) <= 5
    for pair in (*found.agreements, *found.disagreements):
        assert {pair.a, pair.b} <= ids
        assert 0 < len(pair.found_by) <= 3
    assert all(len(pair.found_by) < 3 for pair in found.disagreements)


def test_labelled_pairs_are_not_drawn_again(sample):
    rows = [pair.as_dict() for pair in compare_methods(sample, methods=["tf", "dsc"], disagreements=500).disagreements]
    judged = labels_of([row | {"label": "dup"} for row in rows[:30]])
    left = compare_methods(sample, methods=["tf", "dsc"], labels=judged, disagreements=500, resamples=5).disagreements
    assert {(row["a"], row["b"]) for row in rows[30:]} == {(pair.a, pair.b) for pair in left}


def test_notes_say_when_no_label_counts():
    labels = labels_of([{"a": "1", "b": "2", "label": "similar"}, {"a": "1", "b": "4", "label": "different"}])
    rows = [{name: value for name, value in row.items() if name != "family"} for row in DOCUMENTS]
    found = compare(rows, labels=labels, methods=["md5"], resamples=5)
    assert found.notes[0] == "no pair counts as true: positive is dup, the labels are different, similar"
    assert "name no family" in found.notes[1]
    assert compare(rows, labels=labels, methods=["md5"], positive=["similar"]).rows[0].figures["f1"] == 1


@pytest.mark.parametrize(("options", "message"), [
    ({"protocol": "labels"}, "the protocol labels needs labels"),
    ({"protocol": "trec"}, "protocol is 'trec'; expected one of labels, pool"),
    ({"pool": "a1"}, "pool is 'a1'; expected one of a0-a10, all"), ({"lang": "ru"}, "apply to labels only"),
    ({"methods": ["md6"]}, "method is 'md6'"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(ConfigurationError, match=message):
        compare(DOCUMENTS, **options)


def test_labels_of_other_documents_are_refused():
    with pytest.raises(BadDataError, match="not among the 5 documents"):
        compare(DOCUMENTS, labels=labels_of([{"a": "1", "b": "9", "label": "dup"}]), methods=["md5"])
