"""Dice coefficients and pairs found by one method alone, by hand and by plain sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.lab.evaluation.comparison import dice, dice_matrix, found_alone, found_by

CODES = st.lists(st.sets(st.integers(0, 15)), min_size=1, max_size=5)


def _arrays(sets: list[set[int]]) -> list[np.ndarray]:
    return [np.array(sorted(one), dtype=np.int64) for one in sets]


def test_dice_by_hand() -> None:
    one, other, nothing = _arrays([{1, 2, 3}, {2, 3, 4, 5}, set()])
    assert dice(one, other) == pytest.approx(4 / 7)
    assert dice(one, one) == 1
    assert dice(one, nothing) == 0
    assert dice(nothing, nothing) is None


def test_who_finds_what() -> None:
    pairs, found = found_by(_arrays([{3, 7}, {7}, {9}]))
    assert pairs.tolist() == [3, 7, 9]
    assert found.tolist() == [[True, False, False], [True, True, False], [False, False, True]]
    assert found_alone(_arrays([{3, 7}, {7}, {9}])) == [1, 0, 1]


@given(CODES)
def test_as_plain_sets_say(sets: list[set[int]]) -> None:
    arrays = _arrays(sets)
    table = dice_matrix(arrays)
    for row, one in enumerate(sets):
        for column, other in enumerate(sets):
            whole = len(one) + len(other)
            assert table[row][column] == (2 * len(one & other) / whole if whole else None)
    others = [set().union(*(sets[two] for two in range(len(sets)) if two != one)) for one in range(len(sets))]
    assert found_alone(arrays) == [len(one - rest) for one, rest in zip(sets, others, strict=True)]
