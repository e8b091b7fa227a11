"""Stem many words in UTF-8 with Snowball's C code, without creating Python strings.

The functions of libstemmer are called by address.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled, inlined, instruction
from infostream_dedup.machine.kernels.byte_blocks import BLOCK, between

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["OUT_OF_MEMORY", "Snowball", "WordsToStem", "stem_words"]

OUT_OF_MEMORY: Final = -1

_HYPHEN: Final = 0x2D
_TYPED: Final = 0x27
_FIRST: Final = 0xCA
_SECOND: Final = 0xBC
"""U+02BC, our apostrophe; the English stemmer recognises the possessive only with the typewriter apostrophe."""

_STEM: Final = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)
_LENGTH: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Snowball(NamedTuple):
    """Addresses in memory.

    Attributes:
        stem: address of the C function ``sb_stemmer_stem``.
        length: address of the C function ``sb_stemmer_length``.
        stemmer: address of the ``sb_stemmer`` of a language; only one thread at a time may use it.
    """

    stem: int
    length: int
    stemmer: int


@instruction
def _call_stem(function: int, stemmer: int, array: Vector[np.uint8], index: int, size: int) -> int:
    """Call ``sb_stemmer_stem`` on a word; return the address of the stem, 0 if there is no memory."""
    return _STEM(function)(stemmer, bytes(array[index : index + size]), size) or 0


@instruction
def _call_length(function: int, stemmer: int) -> int:
    """Call ``sb_stemmer_length``: the number of bytes of the last stem."""
    return int(_LENGTH(function)(stemmer))


@instruction
def _byte_at(address: int, index: int) -> int:
    """A byte of memory."""
    return ctypes.c_ubyte.from_address(address + index).value


@inlined
def _is_plain(pool: Vector[np.uint8], begin: int, end: int) -> bool:
    """Whether a word has neither hyphens nor U+02BC; false for long words."""
    if end - begin >= BLOCK:
        return False
    rare = between(pool, begin, _HYPHEN, _HYPHEN) | between(pool, begin, _FIRST, _FIRST)
    return bool(rare & ((np.uint64(1) << np.uint64(end - begin)) - np.uint64(1)) == 0)


@inlined
def _type_apostrophes(pool: Vector[np.uint8], begin: int, end: int, typed: Vector[np.uint8]) -> int:
    """Write bytes ``begin`` .. ``end`` - 1 with typewriter apostrophes; return the number of bytes written."""
    size = 0
    place = begin
    while place < end:
        if pool[place] == _FIRST and place + 1 < end and pool[place + 1] == _SECOND:
            typed[size] = _TYPED
            place += 1
        else:
            typed[size] = pool[place]
        size += 1
        place += 1
    return size


class WordsToStem(NamedTuple):
    """Words to stem.

    Attributes:
        pool: uint8, words in UTF-8, followed by ``BLOCK`` readable bytes.
        starts: int64, bounds of the words.
        numbers: int64 (n,), the words wanted, in order.
    """

    pool: Vector[np.uint8]
    starts: Vector[np.int64]
    numbers: Vector[np.int64]


@compiled
def stem_words(
    snowball: Snowball,
    wanted: WordsToStem,
    first: int,
    typed: Vector[np.uint8],
    stem_starts: Vector[np.int64],
    stems: Vector[np.uint8],
) -> int:
    """Write the stems of words; parts of hyphenated words are stemmed separately.

    Args:
        snowball: the stemmer.
        wanted: the words.
        first: number of stems already in ``stems``.
        typed: uint8, room for the longest word.
        stem_starts: int64 (n + 1,), receives the bounds of the stems; ``stem_starts[first]`` is given.
        stems: uint8, receives the stems.

    Returns:
        Number of the first stem that did not fit; n when all are done; ``OUT_OF_MEMORY``.
    """
    pool, starts, numbers = wanted
    end = stem_starts[first]
    for place in range(first, numbers.size):
        begin, last = starts[numbers[place]], starts[numbers[place] + 1]
        plain = _is_plain(pool, begin, last)
        while True:
            stop = last
            if plain:
                stem = _call_stem(snowball.stem, snowball.stemmer, pool, begin, last - begin)
            else:
                stop = begin
                while stop < last and pool[stop] != _HYPHEN:
                    stop += 1
                stem = _call_stem(
                    snowball.stem, snowball.stemmer, typed, 0, _type_apostrophes(pool, begin, stop, typed)
                )
            if stem == 0:
                return OUT_OF_MEMORY
            size = _call_length(snowball.length, snowball.stemmer)
            # Every byte may become a two-byte apostrophe; a hyphen follows.
            if end + 2 * size + 1 > stems.size:
                return place
            for byte in range(size):
                one = _byte_at(stem, byte)
                if one == _TYPED:
                    stems[end] = _FIRST
                    end += 1
                    one = _SECOND
                stems[end] = one
                end += 1
            if stop == last:
                break
            stems[end] = _HYPHEN
            end += 1
            begin = stop + 1
        stem_starts[place + 1] = end
    return numbers.size
