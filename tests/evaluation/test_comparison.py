"""The comparison of methods: both protocols, overlap, coverage, runs, examples."""

import builtins
from importlib import import_module
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import compare, read_documents
from infostream_dedup.errors import BadDataError, ConfigurationError, MissingExtraError
from infostream_dedup.lab import comparison
from infostream_dedup.lab.comparison import compare_methods
from infostream_dedup.lab.labels import labels_of
from infostream_dedup.lab.methods import Pairs, Texts
from infostream_dedup.lab.scores import evaluate_collection
from infostream_dedup.links.compiled.totals import sweep_counts
from infostream_dedup.model import Document
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


# The pool protocol on four texts whose similarities are known.


# 0 and 1 share 8 of 10 letters in order: 2 * 8 / 20 = .80, just enough. 2 and 3 are equal.
TEXTS = ["абвгдежзик", "абвгдежзлм", "снег", "снег"]


def _codes(*pairs: tuple[int, int]) -> np.ndarray:
    return np.array(sorted(4 * a + b for a, b in pairs), dtype=np.int64)


def test_the_threshold_itself_is_alike() -> None:
    alike = comparison.alike_pairs(TEXTS, _codes((0, 1), (0, 2), (1, 3), (2, 3)))
    assert alike.tolist() == _codes((0, 1), (2, 3)).tolist()


def test_precision_and_recall_against_the_verified_pool() -> None:
    alike = comparison.alike_pairs(TEXTS, _codes((0, 1), (0, 2), (2, 3)))
    one, two = (comparison.pool_figures(codes, alike, alike) for codes in (_codes((0, 1), (0, 2)), _codes((2, 3))))
    assert one == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "tp": 1, "fp": 1, "fn": 1, "alike": 0.5}
    assert (two["precision"], two["recall"], two["f1"]) == (1.0, 0.5, pytest.approx(2 / 3))


def test_what_a_method_finds_beyond_the_pool_is_false_but_may_be_alike() -> None:
    outside = comparison.pool_figures(_codes((0, 1), (2, 3)), _codes((0, 1)), _codes((0, 1), (2, 3)))
    assert (outside["precision"], outside["recall"], outside["alike"]) == (0.5, 1.0, 1.0)
    assert comparison.pool_figures(_codes((0, 1)), _codes(), _codes())["precision"] is None


# A pool that verifies no pair gives no precision, instead of one of 0.
def test_an_empty_pool_says_nothing_about_precision():
    texts = ["Снег идёт в Киеве третий день подряд", "Мэр открыл новый мост через широкую реку", "Цены на хлеб выросли"]
    rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    found = compare(rows, methods=["md5", "key-terms-stem"], protocol="pool")
    assert found.pool.verified == 0
    assert {(row["precision"], row["recall"], row["f1"]) for row in found.as_rows()} == {(None, None, None)}


# Dice coefficients and pairs found by one method alone, by hand and by plain sets.
CODES = st.lists(st.sets(st.integers(0, 15)), min_size=1, max_size=5)


def _arrays(sets: list[set[int]]) -> list[np.ndarray]:
    return [np.array(sorted(one), dtype=np.int64) for one in sets]


def test_dice_by_hand() -> None:
    share = pytest.approx(4 / 7)
    found = comparison.dice_matrix(_arrays([{1, 2, 3}, {2, 3, 4, 5}, set()]))
    assert found == [[1.0, share, 0.0], [share, 1.0, 0.0], [0.0, 0.0, None]]


def test_who_finds_what() -> None:
    pairs, found = comparison.found_by(_arrays([{3, 7}, {7}, {9}]))
    assert pairs.tolist() == [3, 7, 9]
    assert found.tolist() == [[True, False, False], [True, True, False], [False, False, True]]
    assert comparison.found_alone(_arrays([{3, 7}, {7}, {9}])) == [1, 0, 1]


@given(CODES)
def test_as_plain_sets_say(sets: list[set[int]]) -> None:
    arrays = _arrays(sets)
    table = comparison.dice_matrix(arrays)
    for row, one in enumerate(sets):
        for column, other in enumerate(sets):
            whole = len(one) + len(other)
            assert table[row][column] == (2 * len(one & other) / whole if whole else None)
    others = [set().union(*(sets[two] for two in range(len(sets)) if two != one)) for one in range(len(sets))]
    assert comparison.found_alone(arrays) == [len(one - rest) for one, rest in zip(sets, others, strict=True)]


# Joint coverage of methods, by hand and by trying all.
def test_methods_that_complement_each_other_come_first():
    codes = {"a": np.array([1, 2, 3]), "b": np.array([1, 2, 3, 9]), "c": np.array([4]), "d": np.array([5, 8])}
    rows = comparison.joint_coverage(codes, np.array([1, 2, 3, 4, 5, 6]), most=2)
    assert [(row.methods, row.pairs, row.true) for row in rows] == [
        (("a", "c"), 4, 4), (("a", "d"), 5, 4), (("a", "c", "d"), 6, 5), (("b", "c", "d"), 7, 5),
    ]  # fmt: skip
    assert (rows[0].recall, rows[0].best_alone) == (round(4 / 6, 6), 0.5)


SETS = st.lists(st.sets(st.integers(0, 12)), min_size=2, max_size=5)


@given(SETS, st.sets(st.integers(0, 12)))
def test_the_best_is_the_best_of_all(found, true):
    codes = {f"m{place}": np.array(sorted(own), dtype=np.int64) for place, own in enumerate(found)}
    for size in (2, 3):
        rows = comparison.joint_coverage(codes, np.array(sorted(true), dtype=np.int64), sizes=(size,), most=1)
        adding = []
        for chosen in combinations(found, size):
            whole = len(set().union(*chosen) & true)
            fewer = [len(set().union(*rest) & true) for rest in combinations(chosen, size - 1)]
            if whole > max(fewer):
                adding.append(whole)
        assert [row.true for row in rows] == ([max(adding)] if adding else [])


# Which pairs are drawn for an expert, and what is told of them.
DISAGREEMENT_SETS = st.lists(st.sets(st.integers(0, 30)), min_size=1, max_size=4)


def _found(*sets: set[int]) -> dict[str, np.ndarray]:
    return {f"m{number}": np.array(sorted(one), dtype=np.int64) for number, one in enumerate(sets)}


def test_every_kind_of_disagreement_has_its_turn() -> None:
    many = set(range(10, 20))
    drawn = comparison.disputed(_found({1, 2, 3} | many, {1, 2, 3, 4}, {1, 5, 6}), 5)
    # Kinds by size: only m0 (10 pairs), m0 and m1 (2, 3), only m2 (5, 6), only m1 (4); 1 is found by all.
    assert [value in many for value in drawn.tolist()] == [True, False, False, False, True]
    assert drawn[1] in (2, 3) or drawn[1] in (5, 6)
    assert 4 in drawn


@given(DISAGREEMENT_SETS, st.integers(1, 40), st.sets(st.integers(0, 30)))
def test_drawn_pairs_are_disputed_unknown_and_distinct(sets: list[set[int]], number: int, known: set[int]) -> None:
    drawn = comparison.disputed(_found(*sets), number, known=np.array(sorted(known), dtype=np.int64)).tolist()
    possible = set().union(*sets) - set.intersection(*sets) - known
    assert set(drawn) <= possible
    assert len(set(drawn)) == len(drawn) == min(number, len(possible))


@given(DISAGREEMENT_SETS)
def test_a_shorter_draw_begins_a_longer_one(sets: list[set[int]]) -> None:
    found = _found(*sets)
    assert comparison.disputed(found, 3).tolist() == comparison.disputed(found, 9).tolist()[:3]


def test_agreed_pairs_are_those_of_the_most_methods() -> None:
    assert comparison.agreed(_found({1, 2, 3}, {2, 3}, {3, 4}), 5).tolist() == [3]
    assert comparison.agreed(_found(set(range(10)), set(range(10))), 5).tolist() == [0, 2, 4, 6, 8]
    assert comparison.agreed(_found(set(), set()), 5).tolist() == []


@pytest.fixture
def texts() -> Texts:
    story = "Мэр города Приозёрска торжественно открыл новый мост через реку Сухону."
    more = "Движение по мосту откроют завтра утром, сообщили журналисты городской газеты."
    return Texts(
        [
            Document(id="а", text=f"{story} {more}", lang="ru"), Document(id="б", text=f"{story} {more}", lang="ru"),
            Document(id="в", text=f"{story} Погода испортилась.", lang="ru"), Document(id="г", text="", lang="ru"),
        ]
    )  # fmt: skip


def test_features_by_hand(texts: Texts) -> None:
    found = {"x": np.array([1, 2, 3], dtype=np.int64), "y": np.array([1, 6], dtype=np.int64)}
    equal, part, none = comparison.compared_pairs(texts, found, np.array([1, 2, 3]))
    assert (equal.a, equal.b, equal.found_by, equal.of_kind) == ("а", "б", ["x", "y"], 1)
    assert (equal.features.similarity, equal.features.jaccard5, equal.features.same_sentences) == (1.0, 1.0, 2)
    # Words: 10 + 10 against 10 + 2; 5-grams: 16 against 8, of which the 6 of the first sentence meet.
    assert (part.features.same_sentences, part.features.containment5) == (1, pytest.approx(6 / 8))
    assert part.features.jaccard5 == pytest.approx(6 / 18)
    assert (part.found_by, part.of_kind) == (["x"], 2)
    assert (none.features.jaccard5, none.features.containment5, none.features.terms) == (0.0, 0.0, [])


# Several methods on one collection: pairs, relations, costs.
RUNS_STORY = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."


def _pairs(pairs: list[tuple[int, int]], *, directed: bool) -> Pairs:
    a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Pairs(a, b, np.ones(len(pairs)), directed=directed)


def test_symmetric_pairs_are_links_both_ways() -> None:
    found = sweep_counts(comparison.relation_of(_pairs([(0, 1), (1, 2)], directed=False), 4), [1])[0]
    assert (found.links, found.symmetry, found.paths, found.transitivity) == (4, 1.0, 2, 0.0)


def test_directed_pairs_are_links_one_way() -> None:
    found = sweep_counts(comparison.relation_of(_pairs([(0, 2), (1, 2), (2, 1), (0, 1)], directed=True), 4), [1])[0]
    # Two of four links are returned; the paths 0-2-1 and 0-1-2 are closed.
    assert (found.symmetry, found.paths, found.transitivity) == (0.5, 2, 1.0)


def test_a_directed_method_gives_unordered_pairs_and_its_own_symmetry() -> None:
    texts = Texts.of(RUNS_STORY, f"Вчера был снег, а сегодня дождь и ветер. {RUNS_STORY} Билеты давно проданы.", "Снег")
    run = comparison.run_methods(texts, ["shingles:measure=containment"]).runs[0]
    assert run.codes.tolist() == [1]
    assert (run.measures.links, run.measures.symmetry) == (1, 0.0)


def test_a_method_does_not_profit_from_another(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("infostream_dedup.lab.methods")
    made: list[int] = []
    shingles = module.shingles
    monkeypatch.setattr(
        module, "shingles", lambda words, w, **more: made.append(len(words)) or shingles(words, w, **more)
    )
    comparison.run_methods(Texts.of(*[RUNS_STORY] * 30), ["shingles", "dsc"])
    # Each warms up on 20 documents and then cuts its own shingles of all 30.
    assert made == [20, 30, 20, 30]


def test_a_package_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    importing = builtins.__import__

    def without(name: str, *more: object, **others: object) -> object:
        if name == "datasketch":
            raise ImportError(name)
        return importing(name, *more, **others)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    texts = Texts.of(RUNS_STORY, RUNS_STORY)
    found = comparison.run_methods(texts)
    assert "minhash" not in [run.name for run in found.runs]
    assert "[compare]" in found.missing["minhash"]
    with pytest.raises(MissingExtraError, match="datasketch"):
        comparison.run_methods(texts, ["minhash"])


def test_growth_is_the_exponent_of_doubling() -> None:
    assert comparison.growth(comparison.Cost(9, 2.0), comparison.Cost(1, 1.0)) == 1
    assert comparison.growth(comparison.Cost(9, 2.0), comparison.Cost(1, 0.01)) is None


def test_growth_is_measured_only_when_asked_for() -> None:
    texts = Texts(list(read_documents(documents_path())))
    assert comparison.run_methods(texts, ["tf"]).runs[0].growth is None
    run = comparison.run_methods(texts, ["key-terms-stem"], with_growth=True).runs[0]
    assert run.growth is None or run.growth > -5
