"""The pool protocol on four texts whose similarities are known."""

import numpy as np
import pytest

from infostream_dedup.lab.evaluation.comparison import alike_pairs, pool_of, pool_score

# 0 and 1 share 8 of 10 letters in order: 2 * 8 / 20 = .80, just enough. 2 and 3 are equal.
TEXTS = ["абвгдежзик", "абвгдежзлм", "снег", "снег"]


def _codes(*pairs: tuple[int, int]) -> np.ndarray:
    return np.array(sorted(4 * a + b for a, b in pairs), dtype=np.int64)


def test_the_threshold_itself_is_alike() -> None:
    everything = _codes((0, 1), (0, 2), (1, 3), (2, 3))
    assert alike_pairs(TEXTS, everything).tolist() == _codes((0, 1), (2, 3)).tolist()


def test_precision_and_recall_against_the_verified_pool() -> None:
    found = {"one": _codes((0, 1), (0, 2)), "two": _codes((2, 3))}
    alike = alike_pairs(TEXTS, _codes((0, 1), (0, 2), (2, 3)))
    pool = pool_of(found, alike)
    assert (len(pool.pairs), len(pool.verified), pool.methods) == (3, 2, ("one", "two"))
    one, two = (pool_score(codes, pool, alike) for codes in found.values())
    assert (one.scores.precision, one.scores.recall, one.scores.f1) == (0.5, 0.5, 0.5)
    assert (two.scores.precision, two.scores.recall) == (1.0, 0.5)
    assert two.scores.f1 == pytest.approx(2 / 3)


def test_what_a_method_finds_beyond_the_pool_is_false_but_may_be_alike() -> None:
    pool = pool_of({"one": _codes((0, 1))}, _codes((0, 1)))
    outside = pool_score(_codes((0, 1), (2, 3)), pool, _codes((0, 1), (2, 3)))
    assert (outside.scores.precision, outside.scores.recall, outside.alike) == (0.5, 1.0, 1.0)
