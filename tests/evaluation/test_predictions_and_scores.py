import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.lab.evaluation.labels import Truth, both_of, codes_of, labels_of, places_in, truth_of
from infostream_dedup.lab.evaluation.scores import (
    Scores,
    predicted_by_count,
    predicted_by_share,
    predicted_pairs,
    scores,
)
from infostream_dedup.links.pair_rules import need
from infostream_dedup.model import Document


def _counts(rows: list[list[int]]) -> sp.csr_array:
    return sp.csr_array(np.array(rows, dtype=np.uint8))


def test_codes_are_unordered_and_can_be_undone() -> None:
    codes = codes_of(np.array([4, 0]), np.array([1, 3]), 5)
    assert codes.tolist() == [9, 3]
    assert [part.tolist() for part in both_of(codes, 5)] == [[1, 0], [4, 3]]


def test_places_of_pairs_that_are_there() -> None:
    assert places_in(np.array([2, 5, 9]), np.array([9, 3, 2, 11])).tolist() == [2, 0]
    assert places_in(np.zeros(0, dtype=np.int64), np.array([1])).tolist() == []


def test_pairs_by_count() -> None:
    counts = _counts([[0, 7, 6], [5, 0, 0], [2, 0, 0]])
    both = predicted_by_count(counts, np.array([12, 12, 12]), n=12)
    assert (both.codes.tolist(), both.grades.tolist()) == ([1, 2], [5, 2])
    assert (both.steps, both.step_name) == (tuple(range(1, 13)), "k")
    either = predicted_by_count(counts, np.array([12, 12, 4]), n=12, rule="either")
    assert either.grades.tolist() == [7, 12]  # of four key terms six met: enough at every k
    assert predicted_by_count(counts, np.array([12, 12, 4]), n=12, rule="either", short="strict").grades.tolist() == [
        7,
        6,
    ]


def test_pairs_by_share() -> None:
    counts = _counts([[0, 4, 3], [3, 0, 0], [2, 0, 0]])
    matched = sp.csr_array(np.array([[0, 50, 90], [30, 0, 0], [80, 0, 0]], dtype=np.int64))
    found = predicted_by_share(counts, matched, np.array([100, 100, 100]), thresholds=(0.25, 0.5))
    assert (found.codes.tolist(), found.grades.tolist()) == ([1], [1])
    assert (found.steps, found.step_name) == ((0.25, 0.5), "threshold")


def test_pairs_of_a_method_without_threshold() -> None:
    found = predicted_pairs(np.array([2, 0, 1]), np.array([1, 1, 2]), 3)
    assert (found.codes.tolist(), found.grades.tolist(), found.steps) == ([1, 5], [1, 1], (1,))


@pytest.mark.parametrize(("given_counts", "expected"), [
    (Scores(6, 2, 4, 9), (0.75, 0.6, 2 / 3)), (Scores(0, 0, 4, 0), (None, 0.0, 0.0)),
    (Scores(0, 3, 0, 3), (0.0, None, 0.0)), (Scores(0, 0, 0, 0), (None, None, None)),
])  # fmt: skip
def test_figures_by_hand(given_counts: Scores, expected: tuple[float | None, ...]) -> None:
    assert (given_counts.precision, given_counts.recall, given_counts.f1) == expected


def _random_truth(data: st.DataObject, size: int) -> Truth:
    families = data.draw(st.lists(st.sampled_from(["f", "g", "h", None]), min_size=size, max_size=size))
    documents = [Document(id=str(number), text="", extra={"family": family}) for number, family in enumerate(families)]
    pairs = [(a, b) for a in range(size) for b in range(a)]
    listed = data.draw(st.dictionaries(st.sampled_from(pairs), st.sampled_from(["dup", "different", "similar"])))
    labels = labels_of([{"a": str(a), "b": str(b), "label": label} for (a, b), label in listed.items()])
    return truth_of(documents, ["ru"] * size, labels)


@given(st.data(), st.sampled_from(["both", "either"]), st.sampled_from(["scaled", "strict"]))
def test_scores_agree_with_brute_force(data: st.DataObject, rule: str, short: str) -> None:
    size, n = data.draw(st.integers(2, 6)), 5
    truth = _random_truth(data, size)
    sizes = np.array(data.draw(st.lists(st.integers(0, n), min_size=size, max_size=size)))
    rows = [[0 if a == b else data.draw(st.integers(0, int(sizes[a]))) for b in range(size)] for a in range(size)]
    predictions = predicted_by_count(_counts(rows), sizes, n=n, rule=rule, short=short)
    verdicts, in_scope = truth.judge(predictions.codes), truth.in_scope(predictions.codes)
    found = scores(predictions, verdicts, len(truth.positives), in_scope)

    for k in range(1, n + 1):
        tp = fp = linked = 0
        for a in range(size):
            for b in range(a + 1, size):
                least = need(k, sizes[[a]], sizes[[b]], n=n, short=short)[0]
                ways = (rows[a][b] >= least, rows[b][a] >= least)
                if all(ways) if rule == "both" else any(ways):
                    verdict = truth.judge(np.array([a * size + b]))[0]
                    tp, fp, linked = tp + (verdict == 1), fp + (verdict == -1), linked + 1
        assert found[k - 1] == Scores(tp, fp, len(truth.positives) - tp, linked)
