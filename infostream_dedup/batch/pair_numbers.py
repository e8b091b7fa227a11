"""Sort and unite pairs of documents as single numbers: sorting rows of two takes several times as long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ordinals = tuple[NDArray[np.int64], NDArray[np.int64]]

__all__ = ["by_later", "united"]


def united(one: Ordinals, other: Ordinals, documents: int) -> Ordinals:
    """Return pairs that are in either list, each once, in the order of (first, second).

    Args:
        one: int64, ordinals of both documents of each pair, usually ordered and distinct already.
        other: likewise, in any order and far fewer; nearly all of them are in ``one``.
        documents: number of documents.
    """
    numbers, others = one[0] * documents + one[1], np.unique(other[0] * documents + other[1])
    if np.any(numbers[1:] <= numbers[:-1]):
        numbers = np.unique(numbers)
        one = _split(numbers, documents)
    places = np.searchsorted(numbers, others)
    missing = others != np.append(numbers, -1)[places]
    if not np.any(missing):
        return one
    first, second = _split(others[missing], documents)
    return np.insert(one[0], places[missing], first), np.insert(one[1], places[missing], second)


def by_later(a: NDArray[np.int64], b: NDArray[np.int64], documents: int) -> Ordinals:
    """Return pairs in the order of (b, a).

    Args:
        a: int64 (pairs,), ordinals.
        b: int64 (pairs,), ordinals.
        documents: number of documents.
    """
    numbers = b * documents + a
    if np.all(numbers[1:] >= numbers[:-1]):
        return a, b
    b, a = _split(np.sort(numbers), documents)
    return a, b


def _split(numbers: NDArray[np.int64], documents: int) -> Ordinals:
    """Return the two ordinals that make up each number, the first times the number of documents plus the second.

    ``np.divmod`` would take several times as long.
    """
    first = numbers // max(documents, 1)
    return first, numbers - first * documents
