"""How far methods find the same pairs: Dice coefficients, and pairs that one method alone finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["dice", "dice_matrix", "found_alone", "found_by"]


def dice(one: NDArray[np.int64], other: NDArray[np.int64]) -> float | None:
    """2 |A ∩ B| / (|A| + |B|), what Zelenkov and Segalovich write as "2·A·B/(A+B)".

    Args:
        one: int64, distinct codes of pairs.
        other: int64, distinct codes of pairs.

    Returns:
        0 to 1; ``None`` where both are empty.

    Example:
        >>> dice(np.array([1, 2, 3]), np.array([3]))
        0.5
    """
    whole = len(one) + len(other)
    return 2 * len(np.intersect1d(one, other, assume_unique=True)) / whole if whole else None


def dice_matrix(codes: Sequence[NDArray[np.int64]]) -> list[list[float | None]]:
    """Dice coefficient of every two methods, symmetric.

    Args:
        codes: for each method int64, distinct codes of its pairs.
    """
    found: list[list[float | None]] = [[None] * len(codes) for _ in codes]
    for row, one in enumerate(codes):
        for column in range(row, len(codes)):
            found[row][column] = found[column][row] = dice(one, codes[column])
    return found


def found_by(
    codes: Sequence[NDArray[np.int64]], pairs: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Which method finds which pair.

    Args:
        codes: for each method int64, ascending codes of its pairs.
        pairs: int64, ascending codes to look at; by default all that any method finds.

    Returns:
        The codes of the pairs, int64 (pairs,), ascending, and bool (pairs, methods).
    """
    if pairs is None:
        pairs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *codes]))
    found = np.zeros((len(pairs), len(codes)), dtype=np.bool_)
    for column, own in enumerate(codes):
        found[:, column] = np.isin(pairs, own, assume_unique=True)
    return pairs, found


def found_alone(codes: Sequence[NDArray[np.int64]]) -> list[int]:
    """For each method how many of its pairs no other method finds."""
    _, found = found_by(codes)
    alone = found[found.sum(axis=1) == 1]
    return [int(number) for number in alone.sum(axis=0)]
