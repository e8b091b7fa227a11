"""Samples pairs by a hash of the pair, so that a sample does not depend on the order in which pairs are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DrawnPairs", "are_kept", "hash_of_pairs", "thinned"]

_GOLDEN: Final = 0x9E3779B97F4A7C15
_ALL_BITS: Final = 0xFFFFFFFFFFFFFFFF


class DrawnPairs:
    """Keeps the pairs with the smallest hashes, in whatever order pairs are added.

    Args:
        most: maximum number of pairs to keep.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = np.zeros((3, 0), dtype=np.uint64)
        self.total = 0

    def add(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> None:
        """Add pairs, each at most once."""
        self.total += len(a)
        hashes = hash_of_pairs(a, b)
        if self._kept.shape[1] == self._most > 0:
            # The kept pairs are in the order of their hashes.
            small = hashes <= self._kept[0, -1]
            a, b, hashes = a[small], b[small], hashes[small]
        new = np.stack([hashes, a.astype(np.uint64), b.astype(np.uint64)])
        both = np.concatenate([self._kept, new], axis=1)
        if both.shape[1] >= self._most:
            both = both[:, np.lexsort((both[2], both[1], both[0]))[: self._most]]
        self._kept = both

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ordinals of the pairs, sorted by the later document."""
        _, a, b = self._kept.astype(np.int64)
        order = np.lexsort((a, b))
        return a[order], b[order]


def hash_of_pairs(a: NDArray[np.signedinteger], b: NDArray[np.signedinteger], *, seed: int = 0) -> NDArray[np.uint64]:
    """Uint64 (pairs,), evenly distributed; depends only on the two ordinals and the seed."""
    state = a.astype(np.uint64) << np.uint64(32) | b.astype(np.uint64)
    state ^= np.uint64(seed * _GOLDEN & _ALL_BITS)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
    return state ^ (state >> np.uint64(31))


def are_kept(a: NDArray[np.signedinteger], b: NDArray[np.signedinteger], halvings: int) -> NDArray[np.bool_]:
    """Whether pairs remain after a number of halvings: bool (pairs,)."""
    hashes = hash_of_pairs(a, b)
    return hashes >> np.uint64(64 - halvings) == 0 if halvings else np.ones(len(hashes), dtype=np.bool_)


def thinned(
    a: NDArray[np.signedinteger], b: NDArray[np.signedinteger], *, halvings: int, most: int
) -> tuple[NDArray[np.int64], int]:
    """Halve pairs by their hashes until there are at most ``most``, as if one thread had found all of them.

    Args:
        a: (pairs,), ordinals.
        b: (pairs,), ordinals.
        halvings: maximum number of halvings that the pairs of a thread have seen.
        most: maximum number of pairs that one thread keeps.

    Returns:
        int64, indexes of the pairs that remain, ascending; and the number of halvings.
    """
    while True:
        kept = are_kept(a, b, halvings)
        if np.count_nonzero(kept) <= most:
            return np.flatnonzero(kept), halvings
        halvings += 1
