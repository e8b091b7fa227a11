from __future__ import annotations

import pytest

from reports.rank_correlation import rank_correlation


def test_by_hand() -> None:
    # ranks 1 2 3 4 against 2 1 4 3: 1 - 6 * 4 / (4 * 15)
    assert rank_correlation([1, 2, 3, 4], [0.2, 0.1, 0.9, 0.8]) == pytest.approx(0.6)


def test_equal_values_share_their_rank() -> None:
    # ranks 1.5 1.5 3 against 1 2 3: covariance 1.5, spreads 1.5 and 2
    assert rank_correlation([5, 5, 9], [1, 2, 3]) == pytest.approx(1.5 / 3**0.5)


@pytest.mark.parametrize(
    ("one", "other"), [([1, 2], [1, 2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, None, 3], [4, None, 5, 6]), ([], [])]
)
def test_undefined(one: list[float | None], other: list[float | None]) -> None:
    assert rank_correlation(one, other) is None
