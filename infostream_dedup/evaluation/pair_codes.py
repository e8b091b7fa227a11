"""Unordered pairs of documents as single numbers, so that sets of pairs are sorted arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["both_of", "codes_of", "places_in"]


def codes_of(a: NDArray[np.int64], b: NDArray[np.int64], documents: int) -> NDArray[np.int64]:
    """Code of each pair: smaller ordinal times the number of documents plus larger ordinal.

    Args:
        a: int64 (pairs,), ordinals, 0 to documents - 1.
        b: int64 (pairs,), ordinals.
        documents: size of the collection, at most 3 * 10^9 so that codes fit.

    Returns:
        int64 (pairs,), in the order given; sorting codes sorts pairs by (smaller, larger).
    """
    return np.minimum(a, b).astype(np.int64) * documents + np.maximum(a, b)


def both_of(codes: NDArray[np.int64], documents: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Smaller and larger ordinal of each pair."""
    a, b = np.divmod(codes, max(documents, 1))
    return a, b


def places_in(codes: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of the wanted pairs stands among the codes; pairs that are not there are left out.

    Args:
        codes: int64, ascending.
        wanted: int64.
    """
    places = np.searchsorted(codes, wanted)
    inside = places < len(codes)
    found = places[inside]
    return np.asarray(found[codes[found] == wanted[inside]], dtype=np.int64)
