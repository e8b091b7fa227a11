"""Encodes unordered pairs of documents as single numbers, so that a set of pairs is a sorted array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["both_of", "codes_of", "places_in"]


def codes_of(a: NDArray[np.int64], b: NDArray[np.int64], documents: int) -> NDArray[np.int64]:
    """Return the code of each pair: smaller ordinal times the number of documents, plus larger ordinal.

    Args:
        a: int64 (pairs,), ordinals of one document of each pair, 0 to documents - 1.
        b: int64 (pairs,), ordinals of the other document.
        documents: number of documents, at most 3 * 10^9 so that codes fit.

    Returns:
        int64 (pairs,), in the order given; sorting codes sorts pairs by (smaller, larger).
    """
    return np.minimum(a, b).astype(np.int64) * documents + np.maximum(a, b)


def both_of(codes: NDArray[np.int64], documents: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the smaller and the larger ordinal of each pair, each int64 (pairs,)."""
    a, b = np.divmod(codes, max(documents, 1))
    return a, b


def places_in(codes: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices of the wanted pairs among the codes, leaving out pairs that are absent.

    Args:
        codes: int64 (pairs,), ascending codes.
        wanted: int64 (wanted,), codes to look for.
    """
    places = np.searchsorted(codes, wanted)
    inside = places < len(codes)
    found = places[inside]
    return np.asarray(found[codes[found] == wanted[inside]], dtype=np.int64)
