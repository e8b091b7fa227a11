"""Sort and unite pairs of documents as single numbers: sorting rows of two takes several times as long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ordinals = tuple[NDArray[np.int64], NDArray[np.int64]]

__all__ = ["by_later", "united"]


def united(numbers: NDArray[np.int64], others: NDArray[np.int64], documents: int) -> Ordinals:
    """Return pairs that are in either list, each once and in order; a pair is one number, see ``_split``.

    Args:
        numbers: int64, usually ascending and distinct already.
        others: int64, far fewer; nearly all of them are among ``numbers``.
        documents: number of documents.
    """
    if np.any(numbers[1:] <= numbers[:-1]):
        numbers = np.unique(numbers)
    others = np.unique(others)
    places = np.searchsorted(numbers, others)
    missing = others != np.append(numbers, -1)[places]
    return _split(np.insert(numbers, places[missing], others[missing]) if np.any(missing) else numbers, documents)


def by_later(a: NDArray[np.int64], b: NDArray[np.int64], documents: int) -> Ordinals:
    """Return pairs in the order of (b, a).

    Args:
        a: int64 (pairs,), ordinals.
        b: int64 (pairs,), ordinals.
        documents: number of documents.
    """
    b, a = _split(np.sort(b * documents + a), documents)
    return a, b


def _split(numbers: NDArray[np.int64], documents: int) -> Ordinals:
    """Return the two ordinals that make up each number, the first times the number of documents plus the second.

    ``np.divmod`` would take several times as long.
    """
    first = numbers // max(documents, 1)
    return first, numbers - first * documents
