"""Stem many words in UTF-8 with Snowball's C code, without creating Python strings.

The functions of libstemmer are called by address.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.machine.arrays import Ints, Table, Uint8s
from infostream_dedup.machine.compiling import compiled, inlined, instruction, signed
from infostream_dedup.machine.kernels import BLOCK, between

OUT_OF_MEMORY: Final = -1
_HYPHEN: Final = 0x2D
_TYPED: Final = 0x27
_FIRST: Final = 0xCA
_SECOND: Final = 0xBC
"""U+02BC, our apostrophe; the English stemmer recognises the possessive only with the typewriter apostrophe."""

_STEM: Final = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)
_LENGTH: Final = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Snowball(NamedTuple):
    """Addresses in memory."""

    stem: int  # address of the C function `sb_stemmer_stem`
    length: int  # address of the C function `sb_stemmer_length`
    stemmer: int  # address of the `sb_stemmer` of a language; only one thread at a time may use it


@instruction
def _call_stem(function: int, stemmer: int, array: Uint8s, index: int, size: int) -> int:
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
def _is_plain(pool: Uint8s, begin: int, end: int) -> bool:
    """Whether a word has neither hyphens nor U+02BC; false for long words."""
    if end - begin >= BLOCK:
        return False
    rare = between(pool, begin, _HYPHEN, _HYPHEN) | between(pool, begin, _FIRST, _FIRST)
    return bool(rare & ((np.uint64(1) << np.uint64(end - begin)) - np.uint64(1)) == 0)


@inlined
def _type_apostrophes(pool: Uint8s, begin: int, end: int, typed: Uint8s) -> int:
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
    """Words to stem."""

    pool: Uint8s  # uint8, words in UTF-8, followed by `BLOCK` readable bytes
    starts: Ints  # int64, bounds of the words
    numbers: Ints  # int64 (n,), the words wanted, in order


@compiled
def stem_words(snowball: Snowball, wanted: WordsToStem, first: int, typed: Uint8s, bounds: Ints, stems: Uint8s) -> int:
    """Write the stems of words; parts of hyphenated words are stemmed separately.

    ``snowball``: the stemmer; ``wanted``: the words; ``first``: number of stems already in ``stems``; ``typed``: room
    for the longest word; ``bounds``: (n + 1,), receives the bounds of the stems; ``stem_starts[first]`` is given;
    ``stems``: receives the stems. Returns number of the first stem that did not fit; n when all are done;
    ``OUT_OF_MEMORY``.
    """
    pool, starts, numbers = wanted
    end = bounds[first]
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
        bounds[place + 1] = end
    return numbers.size


# Stem many Ukrainian words in UTF-8, with the same results as `ukrainian_stemmer.stem_ukrainian`

_FIRST_LETTER: Final = 0x430
_LETTERS: Final = 0x492 - _FIRST_LETTER
_ENDS: Final = _LETTERS  # column of the tree that says whether an ending begins here
_APOSTROPHE: Final = 0xCABC
_SHORTEST_STEM: Final = 3
_SHORTEST_REFLEXIVE: Final = 6


def _pair(letter: str) -> int:
    """The two bytes of a letter as one number."""
    return int.from_bytes(letter.encode(), "big")


_A, _IE, _YE, _Y, _I, _YI = (_pair(letter) for letter in "аеєиії")
_O, _U, _YU, _YA = (_pair(letter) for letter in "оуюя")
_S, _T, _TS, _K, _L, _SOFT = (_pair(letter) for letter in "стцкль")
_B, _P, _V, _M, _F = (_pair(letter) for letter in "бпвмф")


def ending_tree(endings: Iterable[str]) -> NDArray[np.int16]:
    """Build a tree of endings, searched backwards from the last letter.

    ``endings``: endings, of letters from U+0430 to U+0491. Returns (nodes, letters + 1): the next node by letter, 0 for
    none; in the last column whether an ending is whole.
    """
    rows = [[0] * (_LETTERS + 1)]
    for ending in sorted(endings):
        node = 0
        for letter in reversed(ending):
            column = ord(letter) - _FIRST_LETTER
            if rows[node][column] == 0:
                rows[node][column] = len(rows)
                rows.append([0] * (_LETTERS + 1))
            node = rows[node][column]
        rows[node][_ENDS] = 1
    return np.array(rows, dtype=np.int16)


@inlined
def _letter(word: Uint8s, place: int) -> int:
    """Two bytes as one number: a letter, if the letter has two bytes."""
    return signed(word[place]) << 8 | signed(word[place + 1])


@inlined
def _is_vowel(letter: int) -> bool:
    return letter in (_A, _IE, _YE, _Y, _I, _YI, _O, _U, _YU, _YA)


@inlined
def _begins(byte: int) -> bool:
    """Whether a byte is the first of a character."""
    return byte & 0xC0 != 0x80


@inlined
def _last_character(word: Uint8s, begin: int, end: int) -> int:
    """Start of the last character before ``end``."""
    place = end - 1
    while place > begin and not _begins(signed(word[place])):
        place -= 1
    return place


def _without_ending(
    word: Uint8s, begin: int, end: int, characters: int, vowel: int, tree: Table[np.int16]
) -> tuple[int, int]:
    """Find the end of the word without its longest ending, and the number of characters left.

    ``word``: UTF-8 that contains the word; ``begin``: start of the word; ``end``: end of the word; ``characters``:
    number of characters of the word; ``vowel``: number of its first vowel; ``characters`` if it has no vowel; ``tree``:
    tree of endings.
    """
    left, stem_end, place, node = characters, end, end, 0
    for size in range(1, characters - _SHORTEST_STEM + 1):
        place -= 2
        if place < begin:
            break
        byte = signed(word[place])
        column = ((byte & 0x1F) << 6 | (signed(word[place + 1]) & 0x3F)) - _FIRST_LETTER
        if byte < 0xD0 or byte > 0xD2 or column < 0 or column >= _LETTERS:
            break
        node = signed(tree[node, column])
        if node == 0:
            break
        if tree[node, _ENDS] and vowel < characters - size:
            left, stem_end = characters - size, place
    return stem_end, left


def _level(word: Uint8s, begin: int, end: int, characters: int) -> int:
    """Level the alternations of a stem in place; return its new end. See ``ukrainian_stemmer``."""
    if characters > _SHORTEST_STEM:
        last = _last_character(word, begin, end)
        before = _last_character(word, begin, last)
        one = _letter(word, last) if end - last == 2 else 0
        other = _letter(word, before) if last - before == 2 else 0
        same = end - last == last - before
        for byte in range(end - last):
            same = same and word[last + byte] == word[before + byte]
        if same:
            end = last
        elif (one == _TS and other in (_IE, _YE)) or (one == _K and other in (_O, _IE)):
            word[before], word[before + 1] = word[last], word[last + 1]
            end = last
        elif characters > _SHORTEST_STEM + 2 and one == _T and other == _S and _letter(word, before - 2) == _I:
            word[before - 2], word[before - 1] = np.uint8(_O >> 8), np.uint8(_O & 0xFF)
        elif one == _L and other in (_B, _P, _V, _M, _F):
            end = last
    if end - begin > 1 and _letter(word, end - 2) == _TS:
        word[end - 2], word[end - 1] = np.uint8(_K >> 8), np.uint8(_K & 0xFF)
    return end


def _stem(word: Uint8s, begin: int, end: int, tree: Table[np.int16]) -> int:
    """Stem the word between two places in place; return its new end."""
    characters, vowel = 0, -1
    for place in range(begin, end):
        if _begins(signed(word[place])):
            if vowel < 0 and place + 1 < end and _is_vowel(_letter(word, place)):
                vowel = characters
            characters += 1
    if vowel < 0:
        vowel = characters
    if characters >= _SHORTEST_REFLEXIVE and _letter(word, end - 4) == _S and _letter(word, end - 2) in (_YA, _SOFT):
        characters -= 2
        end -= 4
    stem_end, left = _without_ending(word, begin, end, characters, vowel, tree)
    while stem_end - begin > 1 and _letter(word, stem_end - 2) == _APOSTROPHE:
        stem_end -= 2
        left -= 1
    if stem_end == begin:
        stem_end, left = end, characters
    return _level(word, begin, stem_end, left)


@compiled
def stem_ukrainian_words(
    pool: Uint8s, starts: Ints, numbers: Ints, tree: Table[np.int16], stem_starts: Ints, stems: Uint8s
) -> None:
    """Write the stems of words; parts of hyphenated words are stemmed separately.

    ``pool``: words in UTF-8; ``starts``: bounds; ``numbers``: (n,), the words wanted, in order; ``tree``: tree of
    endings; ``stem_starts``: (n + 1,), receives the bounds of the stems; ``stems``: receives the stems, which are never
    longer than the words.
    """
    end = 0
    for place in range(numbers.size):
        stem_starts[place] = end
        begin = end
        for byte in range(starts[numbers[place]], starts[numbers[place] + 1]):
            if pool[byte] == _HYPHEN:
                end = _stem(stems, begin, end, tree)
                begin = end + 1
            stems[end] = pool[byte]
            end += 1
        end = _stem(stems, begin, end, tree)
    stem_starts[numbers.size] = end
