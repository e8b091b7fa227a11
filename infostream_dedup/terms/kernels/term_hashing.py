"""Two independent 64-bit hashes of words in UTF-8."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays.mixing import GOLDEN
from infostream_dedup.machine.compiling import compiled, inlined

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["hash_terms"]


@inlined
def _finalize(mixed: np.uint64, first: np.uint64, second: np.uint64) -> np.uint64:
    """Spread every bit over the whole word: the finalizer of MurmurHash3 with the given factors."""
    mixed = (mixed ^ (mixed >> np.uint64(33))) * first
    mixed = (mixed ^ (mixed >> np.uint64(33))) * second
    return mixed ^ (mixed >> np.uint64(33))


@compiled
def hash_terms(pool: Vector[np.uint8], starts: Vector[np.int64], hashes: Table[np.uint64]) -> None:
    """Write both hashes of each word.

    Args:
        pool: words in UTF-8.
        starts: int64 (words + 1,), start of each word in ``pool``.
        hashes: uint64 (2, words), receives FNV-1a, and a sum of bytes times powers of an odd number; both finalized.
    """
    for word in range(starts.size - 1):
        one, other = np.uint64(0xCBF29CE484222325), np.uint64(GOLDEN)
        for place in range(starts[word], starts[word + 1]):
            byte = np.uint64(pool[place])
            one = (one ^ byte) * np.uint64(0x100000001B3)
            other = other * np.uint64(0xA0761D6478BD642F) + byte + np.uint64(1)
        hashes[0, word] = _finalize(one, np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))
        hashes[1, word] = _finalize(other, np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
