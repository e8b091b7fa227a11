"""Pairs as numbers, against sorted lists of tuples."""

import numpy as np
import pytest

from infostream_dedup.runs.batch.judging import by_later, united

_DOCUMENTS = 9


def pairs(seed: int, count: int) -> list[tuple[int, int]]:
    draw = np.random.default_rng(seed)
    return [(int(a), int(b)) for a, b in draw.integers(0, _DOCUMENTS, (count, 2))]


def ends(given: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.array(given, dtype=np.int64).reshape(-1, 2).T
    return a, b


@pytest.mark.parametrize(("seed", "count", "more"), [(1, 0, 0), (1, 0, 3), (2, 20, 0), (3, 20, 5), (4, 40, 40)])
def test_pairs_of_either_list_are_united(seed: int, count: int, more: int) -> None:
    one, other = sorted(set(pairs(seed, count))), list(dict.fromkeys(pairs(seed + 10, more)))
    a, b = united(ends(one), ends(other))
    assert list(zip(a.tolist(), b.tolist(), strict=True)) == sorted({*one, *other})


def test_pairs_are_sorted_by_the_later_document() -> None:
    given = pairs(5, 30)
    expected = sorted(given, key=lambda pair: pair[::-1])
    for order in (given, expected):
        first, second = by_later(*ends(order), _DOCUMENTS)
        assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected
