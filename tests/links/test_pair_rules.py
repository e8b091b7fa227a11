from fractions import Fraction
from math import ceil

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.pair_rules import count_grades, need, pair_grades, share_grades


def _matrix(entries: dict[tuple[int, int], int], documents: int, dtype: type = np.uint8) -> sp.csr_array:
    dense = np.zeros((documents, documents), dtype=dtype)
    for place, value in entries.items():
        dense[place] = value
    return sp.csr_array(dense)


@pytest.mark.parametrize(("k", "expected_by_size"), [
    # sizes        0  1  2  3  4  5  6  7  8  9 10 11 12
    (1, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]), (2, [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]),
    (3, [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]), (4, [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4]),
    (6, [3, 3, 3, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6]), (8, [3, 3, 3, 3, 3, 4, 4, 5, 6, 6, 7, 8, 8]),
    (12, [3, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
])  # fmt: skip
def test_need_of_short_documents(k: int, expected_by_size: list[int]) -> None:
    sizes = np.arange(13)
    assert need(k, sizes, np.full(13, 12), n=12).tolist() == expected_by_size
    assert need(k, np.full(13, 12), sizes, n=12).tolist() == expected_by_size
    assert need(k, sizes, sizes, n=12, short="strict").tolist() == [k] * 13


@given(st.integers(1, 60), st.data())
def test_need_follows_the_definition(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    shorter = min(a, b)
    expected = k if shorter >= n else max(min(3, k), ceil(Fraction(k * shorter, n)))
    assert need(k, np.array([a]), np.array([b]), n=n).tolist() == [expected]


@given(st.integers(1, 20), st.sampled_from(["scaled", "strict"]), st.data())
def test_a_grade_is_the_last_k_at_which_a_link_holds(n: int, short: str, data: st.DataObject) -> None:
    sizes = np.array(data.draw(st.lists(st.integers(0, n), min_size=2, max_size=2)))
    count = data.draw(st.integers(1, n))
    grades = count_grades(_matrix({(0, 1): count}, 2), sizes, n=n, short=short)
    holds = [k for k in range(1, n + 1) if count >= need(k, sizes[:1], sizes[1:], n=n, short=short)[0]]
    assert holds == list(range(1, int(grades[0, 1]) + 1))


def test_a_short_document_is_linked_with_fewer_terms() -> None:
    counts = _matrix({(0, 1): 4, (1, 0): 4, (0, 2): 4, (2, 0): 4}, 3)
    sizes = np.array([12, 8, 12])
    grades = count_grades(counts, sizes, n=12)
    assert (grades[0, 1], grades[0, 2]) == (6, 4)
    assert count_grades(counts, sizes, n=12, short="strict")[0, 1] == 4


def test_share_grades_count_the_thresholds_reached() -> None:
    counts = _matrix({(0, 1): 5, (1, 0): 3, (0, 2): 2}, 3)
    matched = _matrix({(0, 1): 400, (1, 0): 450, (0, 2): 900}, 3, np.int64)
    own = np.array([1000, 500, 700])
    grades = share_grades(counts, matched, own, thresholds=(0.2, 0.4, 0.6, 0.95), min_terms=3)
    assert grades[0, 1] == 2  # .40 exactly reaches .40
    assert grades[1, 0] == 3  # .90
    assert grades[0, 2] == 0  # too few terms


def test_a_share_that_equals_a_threshold_reaches_it() -> None:
    # 0.55 * 100 is more than 55 in floating point.
    for step in range(1, 21):
        grades = share_grades(
            _matrix({(0, 1): 20}, 2), _matrix({(0, 1): 5 * step}, 2, np.int64), np.array([100, 100]),
            thresholds=(round(0.05 * step, 2),), min_terms=3,
        )  # fmt: skip
        assert grades[0, 1] == 1


def test_both_takes_the_weaker_direction_and_either_the_stronger() -> None:
    grades = _matrix({(0, 1): 7, (1, 0): 5, (0, 2): 3, (2, 1): 9}, 3)
    both, either = pair_grades(grades, "both"), pair_grades(grades, "either")
    assert both.toarray().tolist() == [[0, 5, 0], [0, 0, 0], [0, 0, 0]]
    assert either.toarray().tolist() == [[0, 7, 3], [0, 0, 9], [0, 0, 0]]
    assert (both.nnz, either.nnz) == (1, 3)


def test_links_that_hold_nowhere_are_not_pairs() -> None:
    counts = _matrix({(0, 1): 2, (1, 0): 2}, 2)
    grades = share_grades(counts, counts.astype(np.int64), np.array([2, 2]), thresholds=(0.5,), min_terms=3)
    assert grades.nnz == 2
    assert pair_grades(grades, "either").nnz == 0


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="expected both or either"):
        pair_grades(_matrix({}, 2), "any")
