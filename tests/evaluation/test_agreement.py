import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.lab.evaluation.agreement import rank_correlation


def test_by_hand() -> None:
    # ranks 1 2 3 4 against 2 1 4 3: 1 - 6 * 4 / (4 * 15)
    assert rank_correlation([1, 2, 3, 4], [0.2, 0.1, 0.9, 0.8]) == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("one", "other"), [([1, 2], [1, 2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, None, 3], [4, None, 5, 6]), ([], [])]
)
def test_undefined(one: list[float | None], other: list[float | None]) -> None:
    assert rank_correlation(one, other) is None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_agrees_with_scipy(places: list[tuple[int, int]]) -> None:
    one, other = [x for x, _ in places], [y for _, y in places]
    found = rank_correlation(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(scipy.stats.spearmanr(one, other).statistic)
