"""Scores of predicted pairs and groups, their intervals, and what evaluate makes of them."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infostream_dedup import dedup, pairs, read_documents, sweep
from infostream_dedup import evaluate as api_evaluate
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab import scores as scoring
from infostream_dedup.lab.labels import Kin, Truth, labels_of, truth_of
from infostream_dedup.lab.methods import Texts
from infostream_dedup.links.pair_rules import need
from infostream_dedup.model import Document, Language, Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.sample import documents_path, labels_path


def _counts(rows: list[list[int]]) -> sp.csr_array:
    return sp.csr_array(np.array(rows, dtype=np.uint8))


def test_pairs_by_count() -> None:
    counts = _counts([[0, 7, 6], [5, 0, 0], [2, 0, 0]])
    both = scoring.predicted_by_count(counts, np.array([12, 12, 12]), n=12)
    assert (both.codes.tolist(), both.grades.tolist()) == ([1, 2], [5, 2])
    assert (both.steps, both.step_name) == (tuple(range(1, 13)), "k")
    either = scoring.predicted_by_count(counts, np.array([12, 12, 4]), n=12, rule="either")
    assert either.grades.tolist() == [7, 12]  # of four key terms six met: enough at every k
    assert scoring.predicted_by_count(
        counts, np.array([12, 12, 4]), n=12, rule="either", short="strict"
    ).grades.tolist() == [7, 6]


def test_pairs_by_share() -> None:
    counts = _counts([[0, 4, 3], [3, 0, 0], [2, 0, 0]])
    matched = sp.csr_array(np.array([[0, 50, 90], [30, 0, 0], [80, 0, 0]], dtype=np.int64))
    found = scoring.predicted_by_share(counts, matched, np.array([100, 100, 100]), thresholds=(0.25, 0.5))
    assert (found.codes.tolist(), found.grades.tolist()) == ([1], [1])
    assert (found.steps, found.step_name) == ((0.25, 0.5), "threshold")


def test_pairs_of_a_method_without_threshold() -> None:
    found = scoring.predicted_pairs(np.array([2, 0, 1]), np.array([1, 1, 2]), 3)
    assert (found.codes.tolist(), found.grades.tolist(), found.steps) == ([1, 5], [1, 1], (1,))


@pytest.mark.parametrize(("given_counts", "expected"), [
    (scoring.Scores(6, 2, 4, 9), (0.75, 0.6, 2 / 3)), (scoring.Scores(0, 0, 4, 0), (None, 0.0, 0.0)),
    (scoring.Scores(0, 3, 0, 3), (0.0, None, 0.0)), (scoring.Scores(0, 0, 0, 0), (None, None, None)),
])  # fmt: skip
def test_figures_by_hand(given_counts: scoring.Scores, expected: tuple[float | None, ...]) -> None:
    assert (given_counts.precision, given_counts.recall, given_counts.f1) == expected


def _truth(families: Sequence[str | None], listed: dict[tuple[int, int], str], **options: Any) -> Truth:
    documents = [Document(id=str(at), text="", extra={"family": family}) for at, family in enumerate(families)]
    labels = labels_of([{"a": str(a), "b": str(b), "label": label} for (a, b), label in listed.items()])
    languages: list[Language] = options.pop("languages", ["ru"] * len(families))
    return truth_of(documents, languages, labels, **options)


@given(st.data(), st.sampled_from(["both", "either"]), st.sampled_from(["scaled", "strict"]))
def test_scores_agree_with_brute_force(data: st.DataObject, rule: str, short: str) -> None:
    size, n = data.draw(st.integers(2, 6)), 5
    families = data.draw(st.lists(st.sampled_from(["f", "g", "h", None]), min_size=size, max_size=size))
    labelled = [(a, b) for a in range(size) for b in range(a)]
    labels = st.sampled_from(["dup", "different", "similar"])
    truth = _truth(families, data.draw(st.dictionaries(st.sampled_from(labelled), labels)))
    sizes = np.array(data.draw(st.lists(st.integers(0, n), min_size=size, max_size=size)))
    rows = [[0 if a == b else data.draw(st.integers(0, int(sizes[a]))) for b in range(size)] for a in range(size)]
    predictions = scoring.predicted_by_count(_counts(rows), sizes, n=n, rule=rule, short=short)
    verdicts, in_scope = truth.judge(predictions.codes), truth.in_scope(predictions.codes)
    found = scoring.scores(predictions, verdicts, len(truth.positives), in_scope)
    for k in range(1, n + 1):
        tp = fp = linked = 0
        for a in range(size):
            for b in range(a + 1, size):
                least = need(k, sizes[[a]], sizes[[b]], n=n, short=short)[0]
                ways = (rows[a][b] >= least, rows[b][a] >= least)
                if all(ways) if rule == "both" else any(ways):
                    verdict = truth.judge(np.array([a * size + b]))[0]
                    tp, fp, linked = tp + (verdict == 1), fp + (verdict == -1), linked + 1
        assert found[k - 1] == scoring.Scores(tp, fp, len(truth.positives) - tp, linked)


def _predictions(pairs: dict[tuple[int, int], int], documents: int, steps: int) -> scoring.Predictions:
    codes = sorted((a * documents + b, grade) for (a, b), grade in pairs.items())
    return scoring.Predictions(
        np.array([code for code, _ in codes], dtype=np.int64), np.array([grade for _, grade in codes], dtype=np.uint8),
        tuple(range(1, steps + 1)), "k",
    )  # fmt: skip


def _slowly(predictions: scoring.Predictions, truth: Truth, step: int, resamples: int) -> list[tuple[int, int, int]]:
    """tp, fp, positives of the same drawn collections, pair by pair."""
    stories = int(truth.stories.max()) + 1
    generator = np.random.PCG64(0)
    verdicts = truth.judge(predictions.codes)
    found = []
    for _ in range(resamples):
        drawn = [int(number) % stories for number in generator.random_raw(stories)]
        counts = {0: 0, 1: 0, -1: 0}
        for code, grade, verdict in zip(predictions.codes, predictions.grades, verdicts, strict=True):
            one, other = truth.stories[int(code) // truth.documents], truth.stories[int(code) % truth.documents]
            times = drawn.count(one) if one == other else drawn.count(one) * drawn.count(other)
            counts[int(verdict)] += times if grade >= step else 0
        positives = sum(drawn.count(truth.stories[int(code) // truth.documents]) for code in truth.positives)
        found.append((counts[1], counts[-1], positives))
    return found


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_agrees_with_drawing_stories_and_counting_pairs(data: st.DataObject) -> None:
    size, steps, resamples = 8, 3, 130
    families = data.draw(st.lists(st.sampled_from([*"fghi", ""]), min_size=size, max_size=size))
    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    labels = st.sampled_from(["dup", "dup", "different"])
    truth = _truth(families, data.draw(st.dictionaries(st.sampled_from(pairs), labels, min_size=3)))
    predictions = _predictions(
        data.draw(st.dictionaries(st.sampled_from(pairs), st.integers(1, steps), min_size=3)), size, steps
    )
    assume(truth.stories.max() >= 1)
    verdicts = truth.judge(predictions.codes)
    estimates = scoring.scores(predictions, verdicts, len(truth.positives), np.ones(len(verdicts), bool))
    for step, found in enumerate(
        scoring.intervals(predictions, verdicts, truth, estimates, resamples=resamples), start=1
    ):
        drawn = _slowly(predictions, truth, step, resamples)
        estimate = estimates[step - 1].f1
        f1 = [2 * tp / (tp + fp + positives) for tp, fp, positives in drawn if tp + fp + positives]
        if estimate is None or not f1:
            assert found.f1 is None
            continue
        low, high = np.quantile(f1, (0.025, 0.975))
        assert found.f1 == pytest.approx((min(low, estimate), max(high, estimate)), abs=1e-12)


def test_one_story_gives_no_interval() -> None:
    truth = _truth("ff", {(0, 1): "dup"})
    predictions = _predictions({(0, 1): 1}, 2, 1)
    verdicts = truth.judge(predictions.codes)
    estimates = scoring.scores(predictions, verdicts, len(truth.positives), np.ones(len(verdicts), bool))
    assert scoring.intervals(predictions, verdicts, truth, estimates) == [scoring.Intervals(None, None, None)]


# Measures of groups: worked by hand, by their definitions over documents, and beside scikit-learn.
def test_an_open_world_has_no_figures() -> None:
    assert scoring.group_scores(np.array([0, 0]), _truth([None, None], {(0, 1): "dup"})) is None


def test_a_listed_pair_that_is_neither_true_nor_false_does_not_spoil_its_group() -> None:
    found = scoring.group_scores(np.array([0, 0]), _truth(["f", "g"], {(0, 1): "similar"}))
    assert (found.bcubed_precision, found.pairwise_f1) == (1.0, None)


def _by_definition(groups: list[int], truth: Truth) -> list[float | None]:
    """Every measure from every pair of documents, one by one."""
    size, classes = truth.documents, truth.classes().tolist()
    taking = np.flatnonzero(truth.takes_part()).tolist()

    def right(a: int, b: int) -> bool:
        return a == b or (
            classes[a] == classes[b] and bool(truth.in_scope(np.array([min(a, b) * size + max(a, b)]))[0])
        )

    def counted(a: int, b: int) -> bool:
        return right(a, b) or bool(truth.judge(np.array([min(a, b) * size + max(a, b)]))[0])

    precision = recall = Fraction(0)
    for a in taking:
        group = [b for b in taking if groups[a] == groups[b] and counted(a, b)]
        precision += Fraction(sum(right(a, b) for b in group), len(group)) / len(taking)
        true = [b for b in taking if right(a, b)]
        recall += Fraction(sum(groups[a] == groups[b] for b in true), len(true)) / len(taking)
    cells = {(one, other): 0 for one in (False, True) for other in (False, True)}
    for a, b in combinations(taking, 2):
        if counted(a, b):
            cells[right(a, b), groups[a] == groups[b]] += 1
    tp, fn, fp, tn = cells[True, True], cells[True, False], cells[False, True], cells[False, False]
    pairs, true_pairs, linked = tp + fn + fp + tn, tp + fn, tp + fp
    expected = Fraction(true_pairs * linked, pairs) if pairs else Fraction(0)
    most = Fraction(true_pairs + linked, 2)
    f1 = Fraction(2 * tp, true_pairs + linked) if true_pairs + linked else None
    found = [precision, recall, 2 * precision * recall / (precision + recall)]
    found += [Fraction(1) if fp == fn == 0 else (tp - expected) / (most - expected)]
    return [*map(float, found), None if f1 is None else float(f1)]


@given(st.data())
def test_agrees_with_the_definitions(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 7))
    closed = data.draw(st.booleans())
    families = data.draw(st.lists(st.sampled_from(["f", "g", "h", None]), min_size=size, max_size=size))
    pairs = list(combinations(range(size), 2))
    listed = data.draw(st.dictionaries(st.sampled_from(pairs), st.sampled_from(["dup", "different", "similar"])))
    languages = data.draw(st.lists(st.sampled_from(["ru", "uk", "en"]), min_size=size, max_size=size))
    asked = data.draw(st.sampled_from([None, "ru", "ru-uk", "ru,uk"]))
    kin = [Kin("f", "g")] if any(families) and data.draw(st.booleans()) else []
    truth = _truth(families, listed, closed=closed, languages=languages, language_pairs=asked, kin=kin)
    groups = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    found = scoring.group_scores(np.array(groups), truth)
    if found is None:
        assert not truth.takes_part().any()
    else:
        assert list(found.as_dict().values()) == pytest.approx(_by_definition(groups, truth))


def _evaluation(
    grades: dict[tuple[int, int], int],
    recommended: float | None,
    steps: tuple[float, ...] = (4, 5, 6, 7),
    name: str = "k",
) -> scoring.Evaluation:
    codes = np.array(sorted(5 * a + b for a, b in grades), dtype=np.int64)
    by_code = {5 * a + b: grade for (a, b), grade in grades.items()}
    values = np.array([by_code[code] for code in codes.tolist()], dtype=np.uint8)
    truth = _truth("ffggh", {(0, 1): "dup", (2, 3): "dup"}, languages=["uk"] * 5)
    return scoring.evaluate(
        scoring.Predictions(codes, values, steps, name), truth, recommended=recommended, resamples=50
    )


GRADES = {(0, 1): 4, (2, 3): 3, (0, 4): 1, (1, 4): 2}


def test_the_best_row_and_the_recommended_one() -> None:
    found = _evaluation(GRADES, 5)
    assert (found.best.step, found.recommended.step, found.recommended.refused) == (6, 5, False)
    assert found.share_of_best == pytest.approx(0.8)


def test_where_nothing_is_true_no_row_is_best() -> None:
    """It was k = 1, "with F1 0.000", as if another k were worse."""
    rows = [{"id": str(number), "text": "Мост через реку Днепр открыли вчера после ремонта."} for number in "12"]
    labels = labels_of([{"a": "1", "b": "2", "label": "similar"}])
    found = scoring.evaluate_collection(collect([Document(**row) for row in rows]), labels, Settings(), resamples=5)
    assert [found.best, found.share_of_best] == [None, None]
    assert found.notes == ["no pair counts as true: positive is dup, the labels are similar"]


def test_of_equal_rows_the_smallest_step_is_best() -> None:
    assert _evaluation({(0, 1): 3, (2, 3): 3}, 6).best.step == 4


def test_a_refusal_is_judged_as_six() -> None:
    row = _evaluation(GRADES, None).recommended
    assert (row.step, row.refused, row.as_dict()["refused"]) == (6, True, True)
    assert _evaluation(GRADES, None, (1, 2, 3, 4)).recommended.step == 4


def test_plain_values() -> None:
    found = _evaluation(GRADES, 6).as_dict()
    assert list(found) == ["rows", "best", "recommended", "judged", "groups"]
    names = ["k", "tp", "fp", "fn", "precision", "recall", "f1", "low", "high", "linked", "judged"]
    assert list(found["rows"][0]) == names
    assert (found["judged"], found["groups"]) == (None, None)
    assert found["best"] == found["recommended"] == found["rows"][2]
    row = found["rows"][0]
    assert (row["k"], row["precision"], row["recall"], row["f1"]) == (4, 0.5, 1.0, pytest.approx(2 / 3))
    assert 0 <= row["low"] <= row["f1"] <= row["high"] <= 1


def test_thresholds_have_their_own_column() -> None:
    steps = tuple(step / 20 for step in (6, 7, 8, 9))
    assert _evaluation(GRADES, 0.40, steps, "threshold").recommended.as_dict()["threshold"] == 0.4
    with pytest.raises(ConfigurationError, match="a refusal is judged as a k"):
        _evaluation(GRADES, None, steps, "threshold")


def test_a_recommended_step_that_was_not_evaluated_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="recommended k is 9, which was not evaluated; known are 4, 5, 6, 7"):
        _evaluation(GRADES, 9)


def test_evaluate_recommends_by_the_rule_of_sweep(tmp_path: Path) -> None:
    # Copies of one text in which a word or none is changed: more than fifty, so the count decides for both.
    words = [f"слово{chr(1072 + i % 32)}{chr(1072 + i // 32)}" for i in range(400)]
    documents = [
        {"id": f"{text}-{copy}", "text": " ".join(words[40 * text : 40 * text + 40 - copy]), "lang": "ru"}
        for text in range(10)
        for copy in range(5)
    ]
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"a": "0-0", "b": "0-1", "label": "dup"}\n{"a": "0-0", "b": "1-1", "label": "different"}\n')
    swept = sweep(documents, representations=["stem"])
    found = api_evaluate(documents, labels, representation="stem")
    assert swept.reason["stem"].startswith(("counted:", "estimated:"))
    assert (found.recommended.step, found.recommended.refused) == (swept.recommended_k["stem"], False)


# Preset judged beside labels: its pairs, restricted to kinds, and its groups.
def test_the_pairs_are_those_that_pairs_lists() -> None:
    listed = {(row.a, row.b): row for row in pairs(str(documents_path()), preset="judged", terms=False, kinds="all")}
    found = api_evaluate(str(documents_path()), labels_path(), representation="stem")
    assert found.judged.scores.linked == sum(row.kind != "same-story" for row in listed.values())
    stories = api_evaluate(str(documents_path()), labels_path(), kinds=["same-story"]).judged
    assert stories.scores.linked == sum(row.kind == "same-story" for row in listed.values()) > 0
    copies = api_evaluate(str(documents_path()), labels_path(), kinds=["copy"]).judged
    assert copies.scores.linked == sum(row.kind == "copy" for row in listed.values()) < len(listed)
    assert copies.scores.tp + copies.scores.fn == found.judged.scores.tp + found.judged.scores.fn


def test_the_groups_are_those_that_dedup_makes(tmp_path: Path) -> None:
    out = tmp_path / "annotated.jsonl"
    dedup(str(documents_path()), out, preset="judged", annotate=True)
    group = {document.id: str(document.extra["group"]) for document in read_documents(str(out))}
    texts = Texts(list(read_documents(documents_path())))
    expected = scoring.group_scores(
        np.unique(list(group.values()), return_inverse=True)[1], scoring.TruthRules().truth(texts, labels_path())
    )
    assert api_evaluate(str(documents_path()), labels_path()).groups == expected
    assert expected.bcubed_f1 > 0.9


def test_unknown_kinds_are_refused_before_anything_is_read() -> None:
    with pytest.raises(ConfigurationError, match="expected one or more of related, copy"):
        api_evaluate("no such file", "no labels", kinds=["copies"])


@pytest.mark.corpus
def test_copies_of_a_topical_collection_in_a_closed_world(corpora: Path) -> None:
    found = api_evaluate(
        corpora / "slavictopics.docs.jsonl.gz", corpora / "slavictopics.labels.jsonl.gz", positive=("dup", "similar"),
        closed=True, kinds=["copy"],
    )  # fmt: skip
    assert found.judged.scores.judged == found.judged.scores.linked
    assert (found.judged.scores.precision or 0) >= 0.98
    six = found.rows[5]
    # Open, with dup alone as right, this row shows a precision of .975.
    assert (six.scores.linked, (six.scores.precision or 0) < 0.1) == (six.scores.judged, True)
    reprints = api_evaluate(
        corpora / "slavictopics.docs.jsonl.gz", corpora / "slavictopics.labels.jsonl.gz", closed=True,
        kinds=["copy", "contained"],
    )  # fmt: skip
    assert reprints.judged.scores.fn == 0
