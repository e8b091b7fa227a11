"""Hashes that are equal on every machine and in every run.

The papers of 2007 use CRC32: 500,000 documents make about 29 chance collisions (n^2 / 2^33), so every method
that uses it offers 64 bits as well. Numbers are hashed by the finaliser of SplitMix64 (Steele, Lea, Flood: Fast
splittable pseudorandom number generators, OOPSLA 2014), which is one-to-one.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from infostream_dedup.arrays import GOLDEN

if TYPE_CHECKING:
    from numpy.typing import NDArray


_BASE: Final = np.uint64(0xD1342543DE82EF95)
_MASK: Final = (1 << 64) - 1


def hash_text(text: str, bits: int) -> int:
    """Return the CRC32 of the UTF-8 bytes (``bits`` 32), or their BLAKE2b truncated to 64 bits.

    Example:
        >>> hash_text("киев", 32), hash_text("киев", 64)
        (2485482684, 5817115182286979332)
    """
    data = text.encode("utf-8", "surrogatepass")
    return crc32(data) if bits == 32 else int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def hash_words(words: Sequence[str]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each word: uint64 (words,)."""
    return np.fromiter((hash_text(word, 64) for word in words), dtype=np.uint64, count=len(words))


def scrambled(values: NDArray[np.uint64], seed: int = 0) -> NDArray[np.uint64]:
    """Apply one of 2^64 one-to-one maps of 64-bit numbers, chosen by a seed.

    Args:
        values: uint64, any shape.
        seed: at least 0.
    """
    mixed = values ^ np.uint64(_splitmix(seed))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)), dtype=np.uint64)


def hash_sequences(columns: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Hash several sequences of equal length; order matters.

    A polynomial in a fixed odd base modulo 2^64, as in the fingerprints of Karp and Rabin, then scrambled, because the
    low bits of a polynomial are weak.

    Args:
        columns: uint64 (sequences,) for each position in the sequences, at least one.

    Returns:
        uint64 (sequences,).
    """
    value = np.full_like(columns[0], len(columns))
    for column in columns:
        value = value * _BASE + column
    return scrambled(value)


def _splitmix(seed: int) -> int:
    value = (seed + 1) * GOLDEN & _MASK
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & _MASK
    return value ^ (value >> 31)
