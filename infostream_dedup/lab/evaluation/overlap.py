"""Overlap of methods: Dice coefficients of the pairs they find, and pairs that only one method finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["dice", "dice_matrix", "found_alone", "found_by"]


def dice(one: NDArray[np.int64], other: NDArray[np.int64]) -> float | None:
    """Return 2 |A ∩ B| / (|A| + |B|), which Zelenkov and Segalovich write as "2·A·B/(A+B)".

    Args:
        one: int64 (pairs,), distinct codes of pairs.
        other: int64 (pairs,), distinct codes of pairs.

    Returns:
        0 to 1; ``None`` if both are empty.

    Example:
        >>> dice(np.array([1, 2, 3]), np.array([3]))
        0.5
    """
    whole = len(one) + len(other)
    return 2 * len(np.intersect1d(one, other, assume_unique=True)) / whole if whole else None


def dice_matrix(codes: Sequence[NDArray[np.int64]]) -> list[list[float | None]]:
    """Return the symmetric matrix of Dice coefficients of every two methods.

    Args:
        codes: for each method, int64 (pairs,), distinct codes of its pairs.
    """
    found: list[list[float | None]] = [[None] * len(codes) for _ in codes]
    for row, one in enumerate(codes):
        for column in range(row, len(codes)):
            found[row][column] = found[column][row] = dice(one, codes[column])
    return found


def found_by(codes: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Determine which method finds which pair.

    Args:
        codes: for each method, int64 (pairs,), ascending codes of its pairs.

    Returns:
        The codes of all pairs that any method finds, int64 (pairs,), ascending, and bool (pairs, methods), whether the
        method finds the pair.
    """
    pairs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *codes]))
    found = np.zeros((len(pairs), len(codes)), dtype=np.bool_)
    for column, own in enumerate(codes):
        found[:, column] = np.isin(pairs, own, assume_unique=True)
    return pairs, found


def found_alone(codes: Sequence[NDArray[np.int64]]) -> list[int]:
    """Return for each method the number of its pairs that no other method finds."""
    _, found = found_by(codes)
    alone = found[found.sum(axis=1) == 1]
    return [int(number) for number in alone.sum(axis=0)]
