"""Join the forms that compiled code made with those of the other words."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.language.text.kernels.surface_table import AT_ONCE, SurfaceTable, hash_bytes, intern, prepare
from infostream_dedup.language.text.tokens import LONGEST_FORM, SHORTEST_FORM, Shape
from infostream_dedup.machine.arrays import Vector
from infostream_dedup.machine.compiling import compiled, inlined, signed
from infostream_dedup.machine.kernels.byte_blocks import BLOCK, between, copy_bytes


class FormEntries(NamedTuple):
    """Forms of surfaces, one entry for each form of each."""

    surfaces: Vector[np.int32]  # int32 (entries,), ascending
    numbers: Vector[np.int32]  # int32 (entries,), the form
    shapes: Vector[np.uint8]  # uint8 (entries,), its shape


@compiled
def join_entries(numbers: Vector[np.int32], shapes: Vector[np.uint8], others: FormEntries, joined: FormEntries) -> None:
    """Write the entries of all surfaces in order.

    ``numbers``: (surfaces,), the only form of each surface; negative without one; ``shapes``: (surfaces,), shape of
    this form; ``others``: entries of some of the surfaces without; ``joined``: receives all entries.
    """
    end, other = 0, 0
    for surface in range(numbers.size):
        if numbers[surface] >= 0:
            joined.surfaces[end], joined.numbers[end], joined.shapes[end] = surface, numbers[surface], shapes[surface]
            end += 1
        while other < others.surfaces.size and others.surfaces[other] == surface:
            joined.surfaces[end], joined.numbers[end] = surface, others.numbers[other]
            joined.shapes[end] = others.shapes[other]
            end, other = end + 1, other + 1


# Make the forms of ordinary words: one alphabet, hyphens and apostrophes, capitals only where they belong

NO_FORM: Final = -1
NOT_PLAIN: Final = -2
"""``tokens.forms`` must handle this word."""

_FORM_SIZE: Final = 2 * LONGEST_FORM + BLOCK
"""Number of bytes of the longest form, and of a block that may be read after it."""


class FormBuffers(NamedTuple):
    """Buffers for ``AT_ONCE`` forms."""

    forms: Vector[np.uint8]  # uint8
    hashes: Vector[np.uint64]  # uint64 (`AT_ONCE`,)


def form_buffers() -> FormBuffers:
    """Allocate the buffers."""
    return FormBuffers(np.zeros(AT_ONCE * _FORM_SIZE, dtype=np.uint8), np.empty(AT_ONCE, dtype=np.uint64))


_SHORTEST: Final = SHORTEST_FORM
_LONGEST: Final = LONGEST_FORM
_LOWER: Final = int(Shape.LOWER)
_START: Final = int(Shape.START)
_CAPITAL: Final = int(Shape.CAPITAL)
_UPPER: Final = int(Shape.UPPER)
_NO_LETTER: Final = 0


@inlined
def _lower_case(point: int) -> int:
    """Lower case, with ё as е, of a letter A-Z, a-z, Russian or Ukrainian; ``_NO_LETTER`` for everything else."""
    if 0x61 <= point <= 0x7A or 0x430 <= point <= 0x44F or point in (0x454, 0x456, 0x457, 0x491):
        return point
    if 0x41 <= point <= 0x5A or 0x410 <= point <= 0x42F:
        return point + 0x20
    if point in (0x401, 0x451):
        return 0x435
    if point in (0x404, 0x406, 0x407):
        return point + 0x50
    return 0x491 if point == 0x490 else _NO_LETTER


@inlined
def _is_small(point: int) -> bool:
    return point >= 0x430 and point != 0x490 if point >= 0x400 else point >= 0x61


@inlined
def _point(pool: Vector[np.uint8], place: int) -> int:
    """Code point of a one- or two-byte character; 0 for any other."""
    byte = signed(pool[place])
    if byte < 0x80:
        return byte
    return (byte & 0x1F) << 6 | (signed(pool[place + 1]) & 0x3F) if byte < 0xE0 else 0


@inlined
def _put(form: Vector[np.uint8], size: int, point: int) -> int:
    """Append a one- or two-byte character; return the new size."""
    if point < 0x80:
        form[size] = point
        return size + 1
    form[size] = 0xC0 | point >> 6
    form[size + 1] = 0x80 | (point & 0x3F)
    return size + 2


@inlined
def _shape(letters: int, small: int, first_small: bool, opens: bool) -> int:
    if first_small:
        return _LOWER
    if small == 0 and letters > 1:
        return _UPPER
    return _START if opens else _CAPITAL


@inlined
def _are_small_cyrillic(pool: Vector[np.uint8], begin: int, end: int) -> bool:
    """Whether fewer than ``BLOCK`` bytes are all а-я, є, і, ї: the most common letters that need no change."""
    one = np.uint64(1)
    first_half = (between(pool, begin, 0xD0, 0xD0) << one) & between(pool, begin, 0xB0, 0xBF)
    ends = between(pool, begin, 0x80, 0x8F) | between(pool, begin, 0x94, 0x94) | between(pool, begin, 0x96, 0x97)
    pairs = first_half | (between(pool, begin, 0xD1, 0xD1) << one) & ends
    wanted = (one << np.uint64(end - begin)) - one
    return bool((pairs | pairs >> one) & wanted == wanted)


@inlined
def _are_small_latin(pool: Vector[np.uint8], begin: int, end: int) -> bool:
    """Whether fewer than ``BLOCK`` bytes are all a-z."""
    wanted = (np.uint64(1) << np.uint64(end - begin)) - np.uint64(1)
    return bool(between(pool, begin, 0x61, 0x7A) & wanted == wanted)


@inlined
def _fold_common(
    pool: Vector[np.uint8], begin: int, end: int, opens: bool, form: Vector[np.uint8], there: int
) -> tuple[int, int]:
    """Like ``_fold``, for any first letter followed by common lower-case letters; ``NOT_PLAIN`` for other words."""
    point = _point(pool, begin)
    folded = _lower_case(point)
    rest = begin + (1 if point < 0x80 else 2)
    if folded == _NO_LETTER or end - rest >= BLOCK or end - rest <= 0:
        return NOT_PLAIN, 0
    if point >= 0x400:
        letters = 1 + (end - rest >> 1)
        common = _are_small_cyrillic(pool, rest, end)
    else:
        letters = 1 + end - rest
        common = _are_small_latin(pool, rest, end)
    if not common or letters < _SHORTEST or letters > _LONGEST:
        return NOT_PLAIN, 0
    size = _put(form, there, folded) - there
    copy_bytes(pool, rest, form, there + size, end - rest)
    small = _is_small(point)
    return size + end - rest, _shape(letters, letters - (not small), small, opens)


@compiled
def _fold(
    pool: Vector[np.uint8], begin: int, end: int, opens: bool, form: Vector[np.uint8], there: int
) -> tuple[int, int]:
    """Write the form of a word at ``there``; return its size (or ``NO_FORM`` or ``NOT_PLAIN``) and its shape."""
    size, characters, letters, small_letters = 0, 0, 0, 0
    cyrillic, first_small, after_letter, after_small = False, False, False, False
    place = begin
    while place < end:
        point = _point(pool, place)
        folded, small = _lower_case(point), _is_small(point)
        if folded == _NO_LETTER:
            # A hyphen or U+02BC joins letters.
            if not after_letter or point not in (0x2D, 0x2BC):
                return NOT_PLAIN, 0
            folded, after_letter, after_small = point, False, False
        else:
            if letters == 0:
                cyrillic, first_small = point >= 0x400, small
            if cyrillic != (point >= 0x400) or (cyrillic and after_small and not small):
                return NOT_PLAIN, 0
            letters, small_letters = letters + 1, small_letters + small
            after_letter, after_small = True, small
        characters += 1
        if characters <= _LONGEST:
            size = _put(form, there + size, folded) - there
        place += 1 if point < 0x80 else 2
    if not after_letter:
        return NOT_PLAIN, 0
    if characters > _LONGEST or letters < _SHORTEST:
        return NO_FORM, 0
    return size, _shape(letters, small_letters, first_small, opens)


@compiled
def plain_forms(
    pool: Vector[np.uint8],
    starts: Vector[np.int64],
    buffers: FormBuffers,
    table: SurfaceTable,
    numbers: Vector[np.int32],
    shapes: Vector[np.uint8],
) -> None:
    """Number the forms of surfaces.

    ``pool``: the surfaces in UTF-8, followed by ``BLOCK`` readable bytes; ``starts``: (surfaces + 1,), bounds of the
    surfaces; ``buffers``: scratch memory, as ``form_buffers`` returns it; ``table``: table of forms, with room for one
    form per surface; ``numbers``: (surfaces,), receives the number of each surface's form, ``NO_FORM`` or
    ``NOT_PLAIN``; ``shapes``: (surfaces,), receives the shape of each form.
    """
    forms, hashes = buffers
    for first in range(0, numbers.size, AT_ONCE):
        last = min(first + AT_ONCE, numbers.size)
        for surface in range(first, last):
            begin, end, there = starts[surface], starts[surface + 1], (surface - first) * _FORM_SIZE
            opens = end - begin > 1 and pool[begin] == 0xC2 and pool[begin + 1] == 0xB6
            size, shape = _fold_common(pool, begin + 2 * opens, end, opens, forms, there)
            if size == NOT_PLAIN:
                size, shape = _fold(pool, begin + 2 * opens, end, opens, forms, there)
            numbers[surface], shapes[surface] = size, shape
            hashes[surface - first] = hash_bytes(forms, there, max(size, 0), False)
        # Many at once, so that the loads for all of them are under way before the first is needed.
        prepare(table, hashes, 0, last - first)
        for surface in range(first, last):
            size, there = signed(numbers[surface]), (surface - first) * _FORM_SIZE
            if size >= 0:
                numbers[surface] = intern(table, forms, there, size, False, hashes[surface - first])
