"""A table of distinct surfaces: open addressing, every hit verified byte by byte.

The pool holds a record for each surface: its number in 4 bytes, length * 2 + opens in 4 bytes, then the word in UTF-8,
without the mark of a word that opens a sentence. A look-up thus touches two places in memory: slot and record.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.language.text.tokens import LONGEST_FORM, SHORTEST_FORM, Shape
from infostream_dedup.machine.arrays import GOLDEN, Int32s, Ints, Table, Uint8s, Uint64s
from infostream_dedup.machine.compiling import compiled, inlined, prefetch, signed
from infostream_dedup.machine.kernels import BLOCK, HALF, between, copy_bytes, eight_bytes, equal

# Sort words in code point order, which is the order of their bytes in UTF-8

_STEP: Final = 8  # bytes compared at a time
_FEW: Final = 16  # maximum number of words to sort by insertion
RANGES_PER_WORD: Final = 2  # pending ranges have at least two words each, so there is never more than one per two words


@inlined
def _key(pool: Uint8s, start: int, end: int) -> np.uint64:
    """The next eight bytes of a word as a number that sorts as they do; zeros after its end."""
    left = end - start
    if left <= 0:
        return np.uint64(0)
    word = eight_bytes(pool, start)
    # The first byte becomes the highest.
    word = (word >> np.uint64(32)) | (word << np.uint64(32))
    pairs, single = np.uint64(0x0000FFFF0000FFFF), np.uint64(0x00FF00FF00FF00FF)
    word = (word >> np.uint64(16)) & pairs | (word & pairs) << np.uint64(16)
    word = (word >> np.uint64(8)) & single | (word & single) << np.uint64(8)
    if left < _STEP:
        unused = np.uint64(8 * (_STEP - left))
        word = word >> unused << unused
    return word


def _load(pool: Uint8s, starts: Ints, order: Int32s, keys: Uint64s, begin: int, end: int, depth: int) -> None:
    for place in range(begin, end):
        word = order[place]
        keys[place] = _key(pool, starts[word] + depth, starts[word + 1])


def _insert(pool: Uint8s, starts: Ints, order: Int32s, keys: Uint64s, begin: int, end: int, depth: int) -> None:
    """Sort a few words completely, by insertion."""
    for place in range(begin + 1, end):
        key, word = keys[place], order[place]
        gap = place
        while gap > begin:
            before = keys[gap - 1]
            if before == key:
                offset = depth + _STEP
                one, other = key, key
                while one == other:
                    one = _key(pool, starts[word] + offset, starts[word + 1])
                    other = _key(pool, starts[order[gap - 1]] + offset, starts[order[gap - 1] + 1])
                    offset += _STEP
                if other < one:
                    break
            elif before < key:
                break
            keys[gap], order[gap] = before, order[gap - 1]
            gap -= 1
        keys[gap], order[gap] = key, word


@inlined
def _median(one: np.uint64, two: np.uint64, three: np.uint64) -> np.uint64:
    return max(min(one, two), min(max(one, two), three))


@compiled
def sort_words(pool: Uint8s, starts: Ints, order: Int32s, keys: Uint64s, ranges: Table[np.int64]) -> None:
    """Sort distinct words by multikey quicksort (Bentley & Sedgewick, SODA 1997), eight bytes at a time.

    ``pool``: the words in UTF-8, none with a zero byte, followed by ``BLOCK`` readable bytes; ``starts``: (words + 1,),
    bounds; ``order``: (words,), the words to sort; receives them in order; ``keys``: (words,), scratch memory;
    ``ranges``: (words // ``RANGES_PER_WORD`` + 1, 3), scratch memory.
    """
    _load(pool, starts, order, keys, 0, order.size, 0)
    ranges[0, 0], ranges[0, 1], ranges[0, 2] = 0, order.size, 0
    waiting = 1 if order.size > 1 else 0
    while waiting:
        waiting -= 1
        begin, end, depth = ranges[waiting, 0], ranges[waiting, 1], ranges[waiting, 2]
        if end - begin <= _FEW:
            _insert(pool, starts, order, keys, begin, end, depth)
            continue
        pivot = _median(keys[begin], keys[(begin + end) >> 1], keys[end - 1])
        low, place, high = begin, begin, end
        while place < high:
            key = keys[place]
            if key < pivot:
                keys[place], keys[low] = keys[low], key
                order[place], order[low] = order[low], order[place]
                low += 1
                place += 1
            elif key > pivot:
                high -= 1
                keys[place], keys[high] = keys[high], key
                order[place], order[high] = order[high], order[place]
            else:
                place += 1
        _load(pool, starts, order, keys, low, high, depth + _STEP)
        for first, last, deeper in ((begin, low, depth), (low, high, depth + _STEP), (high, end, depth)):
            if last - first > 1:
                ranges[waiting, 0], ranges[waiting, 1], ranges[waiting, 2] = first, last, deeper
                waiting += 1


HEADER: Final = 8  # number of bytes in a record before its word
AT_ONCE: Final = 64
"""Number of words looked up at a time, so that the loads for all are under way before the first is needed."""

_AHEAD: Final = 16  # number of words to look ahead: about the latency of memory
_RECORD: Final = HEADER + 24  # maximum number of bytes of nearly every record
MISSING: Final = -1  # number of a surface that is not in a table
MARK_SIZE: Final = 2  # number of bytes of the mark before a word that opens a sentence
_MARK_FIRST: Final = 0xC2
_MARK_SECOND: Final = 0xB6
_UPPER: Final = 0xFFFFFFFF00000000
_LOWER: Final = 0xFFFFFFFF
_KEPT: Final = np.array([255] * HALF + [0] * HALF, dtype=np.uint8)
"""``HALF`` consecutive bytes from place ``HALF`` - n are a mask of n bytes."""


class SurfaceTable(NamedTuple):
    """Distinct surfaces by number."""

    # uint64, upper half of the hash and, in the lower half, place of the record + 1; 0 if empty. Hashes ascend with the
    # slots, except where a surface found its first slot taken
    slots: Uint64s
    # uint8, concatenated records in the order of the numbers, followed by `BLOCK` readable bytes
    pool: Uint8s
    size: Ints  # int64 (2,), number of surfaces and bytes of their records


@inlined
def _mixed(mixed: np.uint64, data: Uint8s, start: int, length: int) -> np.uint64:
    """Mix up to ``HALF`` bytes into a hash; later bytes are masked out, because branches on lengths are slow."""
    mask = HALF - length
    one = (eight_bytes(data, start) & eight_bytes(_KEPT, mask)) * np.uint64(GOLDEN)
    two = (eight_bytes(data, start + 8) & eight_bytes(_KEPT, mask + 8)) * np.uint64(0xE7037ED1A0B428DB)
    three = (eight_bytes(data, start + 16) & eight_bytes(_KEPT, mask + 16)) * np.uint64(0x8EBC6AF09C88C6E3)
    four = (eight_bytes(data, start + 24) & eight_bytes(_KEPT, mask + 24)) * np.uint64(0x589965CC75374CC3)
    mixed = (mixed ^ one) + (two ^ (three >> np.uint64(31)) ^ (four << np.uint64(17)))
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)
    return mixed ^ (mixed >> np.uint64(29))


@inlined
def hash_bytes(data: Uint8s, start: int, length: int, opens: bool) -> np.uint64:
    """Hash of a word of ``length`` bytes; ``opens`` distinguishes words that open a sentence."""
    mixed = np.uint64(length * 2 + opens) * np.uint64(0xA0761D6478BD642F)
    while length > HALF:
        mixed = _mixed(mixed, data, start, HALF)
        start += HALF
        length -= HALF
    return _mixed(mixed, data, start, length)


@inlined
def _same_bytes(data: Uint8s, start: int, pool: Uint8s, there: int, length: int) -> bool:
    while length > HALF:
        if equal(data, start, pool, there) != np.uint64(_LOWER):
            return False
        start += HALF
        there += HALF
        length -= HALF
    wanted = (np.uint64(1) << np.uint64(length)) - np.uint64(1)
    return bool((equal(data, start, pool, there) & wanted) == wanted)


@inlined
def _slot_of(table: SurfaceTable, hashed: np.uint64) -> int:
    """First slot to try; a table of another size has its surfaces in the same order, so growing never jumps."""
    return signed((hashed >> np.uint64(32)) * np.uint64(table.slots.size) >> np.uint64(32))


@inlined
def _slot_after(table: SurfaceTable, slot: int) -> int:
    return slot + 1 if slot + 1 < table.slots.size else 0


def _add(table: SurfaceTable, data: Uint8s, start: int, length: int, opens: bool, slot: int, tag: np.uint64) -> int:
    number, place = signed(table.size[0]), signed(table.size[1])
    table.slots[slot] = tag | np.uint64(place + 1)
    header = np.uint64(number) | np.uint64(length * 2 + opens) << np.uint64(32)
    for byte in range(HEADER):
        table.pool[place + byte] = np.uint8(header >> np.uint64(8 * byte) & np.uint64(255))
    copy_bytes(data, start, table.pool, place + HEADER, length)
    table.size[0] = number + 1
    table.size[1] = place + HEADER + length
    return number


@inlined
def intern(table: SurfaceTable, data: Uint8s, start: int, length: int, opens: bool, hashed: np.uint64) -> int:
    """Return the number of a surface, adding it if it is new. The caller makes sure that there is room.

    ``table``: table of surfaces; ``data``: bytes that contain the word, without its mark, in UTF-8, followed by
    ``HALF`` readable bytes; ``start``: start of the word; ``length``: number of bytes of the word; ``opens``: whether
    it opens a sentence; ``hashed``: its hash from ``hash_bytes``.
    """
    slot = _slot_of(table, hashed)
    tag = hashed & np.uint64(_UPPER)
    while True:
        held = table.slots[slot]
        if held == 0:
            return _add(table, data, start, length, opens, slot, tag)
        if held & np.uint64(_UPPER) == tag:
            place = signed(held & np.uint64(_LOWER)) - 1
            header = eight_bytes(table.pool, place)
            if signed(header >> np.uint64(32)) == length * 2 + opens and _same_bytes(
                data, start, table.pool, place + HEADER, length
            ):
                return signed(header & np.uint64(_LOWER))
        slot = _slot_after(table, slot)


def prepare(table: SurfaceTable, hashes: Uint64s, begin: int, end: int) -> None:
    """Prefetch the slots and records of hashes ``begin`` .. ``end`` - 1: loading them one by one would be slow."""
    for word in range(begin, end):
        prefetch(table.slots, _slot_of(table, hashes[word]))
    for word in range(begin, end):
        record = signed(table.slots[_slot_of(table, hashes[word])] & np.uint64(_LOWER))
        prefetch(table.pool, record)
        # Half of the records straddle two cache lines.
        prefetch(table.pool, record + _RECORD)


@compiled
def has_room(table: SurfaceTable, words: int, size: int) -> bool:
    """Whether ``words`` more words of ``size`` bytes in all fit, and half of the slots stay empty."""
    count = table.size[0] + words
    return bool(2 * count <= table.slots.size and table.size[1] + size + HEADER * words + BLOCK <= table.pool.size)


@compiled
def fill_slots(table: SurfaceTable, slots: Uint64s) -> None:
    """Enter all records into the empty slots of ``table``; ``slots``: those of a smaller table with these records."""
    for old in range(slots.size):
        if slots[old] != 0:
            slot = _slot_of(table, slots[old])
            while table.slots[slot] != 0:
                slot = _slot_after(table, slot)
            table.slots[slot] = slots[old]


@inlined
def is_marked(pool: Uint8s, begin: int, end: int) -> bool:
    """Whether the surface between two places begins with the mark of a word that opens a sentence."""
    return bool(end - begin >= MARK_SIZE and pool[begin] == _MARK_FIRST and pool[begin + 1] == _MARK_SECOND)


@compiled
def intern_all(table: SurfaceTable, pool: Uint8s, starts: Ints, hashes: Uint64s, numbers: Int32s) -> None:
    """Number many surfaces, adding new ones; there must be room for all.

    ``table``: table of surfaces; ``pool``: the surfaces in UTF-8, marks included, followed by ``BLOCK`` readable bytes;
    ``starts``: (surfaces + 1,), bounds; ``hashes``: (``AT_ONCE``,), scratch memory; ``numbers``: (surfaces,), receives
    the result.
    """
    for begin in range(0, numbers.size, AT_ONCE):
        last = min(begin + AT_ONCE, numbers.size)
        for surface in range(begin, last):
            start, end = starts[surface], starts[surface + 1]
            opens = is_marked(pool, start, end)
            start += MARK_SIZE * opens
            hashes[surface - begin] = hash_bytes(pool, start, end - start, opens)
        prepare(table, hashes, 0, last - begin)
        for surface in range(begin, last):
            start, end = starts[surface], starts[surface + 1]
            opens = is_marked(pool, start, end)
            start += MARK_SIZE * opens
            numbers[surface] = intern(table, pool, start, end - start, opens, hashes[surface - begin])


@compiled
def find_all(table: SurfaceTable, pool: Uint8s, starts: Ints, wanted: Ints, numbers: Int32s) -> None:
    """Look up the numbers of some surfaces; ``MISSING`` for those not in the table.

    ``table``: table of surfaces, small enough for the cache; ``pool``: surfaces in UTF-8, marks included, followed by
    ``BLOCK`` readable bytes; ``starts``: bounds; ``wanted``: (n,), the surfaces to look up; ``numbers``: (n,), receives
    the result.
    """
    for place in range(wanted.size):
        start, end = starts[wanted[place]], starts[wanted[place] + 1]
        opens = is_marked(pool, start, end)
        start += MARK_SIZE * opens
        hashed = hash_bytes(pool, start, end - start, opens)
        slot = _slot_of(table, hashed)
        numbers[place] = MISSING
        while table.slots[slot] != 0 and numbers[place] == MISSING:
            record = signed(table.slots[slot] & np.uint64(_LOWER)) - 1
            header = eight_bytes(table.pool, record)
            same = signed(header >> np.uint64(32)) == (end - start) * 2 + opens
            if same and _same_bytes(pool, start, table.pool, record + HEADER, end - start):
                numbers[place] = signed(header & np.uint64(_LOWER))
            slot = _slot_after(table, slot)


@compiled
def total_size(table: SurfaceTable) -> int:
    """Total number of bytes of all surfaces, marks included."""
    place, size = 0, 0
    for _ in range(table.size[0]):
        description = signed(eight_bytes(table.pool, place) >> np.uint64(32))
        size += (description >> 1) + MARK_SIZE * (description & 1)
        place += HEADER + (description >> 1)
    return size


@compiled
def unpack(table: SurfaceTable, starts: Ints, pool: Uint8s) -> None:
    """Write all surfaces, marks included, in the order of their numbers.

    ``table``: table of surfaces; ``starts``: (surfaces + 1,), receives the bounds; ``pool``: receives the surfaces,
    followed by ``BLOCK`` readable bytes.
    """
    end, record = 0, 0
    for surface in range(table.size[0]):
        starts[surface] = end
        description = signed(eight_bytes(table.pool, record) >> np.uint64(32))
        if description & 1:
            pool[end] = _MARK_FIRST
            pool[end + 1] = _MARK_SECOND
            end += MARK_SIZE
        size = description >> 1
        copy_bytes(table.pool, record + HEADER, pool, end, size)
        end += size
        record += HEADER + size
    starts[table.size[0]] = end


@compiled
def reorder(starts: Ints, pool: Uint8s, order: Int32s, new_starts: Ints, new_pool: Uint8s) -> None:
    """Write surfaces, or some of them, in another order.

    ``starts``: (surfaces + 1,), bounds; ``pool``: followed by ``BLOCK`` readable bytes; ``order``: numbers of the
    surfaces, in the new order; ``new_starts``: (numbers + 1,), receives the bounds; ``new_pool``: receives the
    surfaces, followed by ``BLOCK`` readable bytes.
    """
    end = 0
    for place in range(order.size):
        prefetch(starts, order[min(place + 2 * _AHEAD, order.size - 1)])
        prefetch(pool, starts[order[min(place + _AHEAD, order.size - 1)]])
        new_starts[place] = end
        start = starts[order[place]]
        size = starts[order[place] + 1] - start
        copy_bytes(pool, start, new_pool, end, size)
        end += size
    new_starts[order.size] = end


@compiled
def write_lines(starts: Ints, pool: Uint8s, numbers: Ints, lines: Uint8s) -> None:
    """Write the surfaces ``numbers`` in order, each followed by a line break; ``starts``: bounds of all in ``pool``."""
    end = 0
    for surface in numbers:
        for place in range(starts[surface], starts[surface + 1]):
            lines[end] = pool[place]
            end += 1
        lines[end] = 0x0A
        end += 1


class FormEntries(NamedTuple):
    """Forms of surfaces, one entry for each form of each."""

    surfaces: Int32s  # int32 (entries,), ascending
    numbers: Int32s  # int32 (entries,), the form
    shapes: Uint8s  # uint8 (entries,), its shape


@compiled
def join_entries(numbers: Int32s, shapes: Uint8s, others: FormEntries, joined: FormEntries) -> None:
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
NOT_PLAIN: Final = -2  # ``tokens.forms`` must handle this word
_FORM_SIZE: Final = 2 * LONGEST_FORM + BLOCK
"""Number of bytes of the longest form, and of a block that may be read after it."""


class FormBuffers(NamedTuple):
    """Buffers for ``AT_ONCE`` forms."""

    forms: Uint8s  # uint8
    hashes: Uint64s  # uint64 (`AT_ONCE`,)


def form_buffers() -> FormBuffers:
    """Allocate the buffers."""
    return FormBuffers(np.zeros(AT_ONCE * _FORM_SIZE, dtype=np.uint8), np.empty(AT_ONCE, dtype=np.uint64))


_SHORTEST: Final = SHORTEST_FORM
_LONGEST: Final = LONGEST_FORM
_LOWER_SHAPE: Final = int(Shape.LOWER)
_START: Final = int(Shape.START)
_CAPITAL: Final = int(Shape.CAPITAL)
_UPPER_SHAPE: Final = int(Shape.UPPER)
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
def _point(pool: Uint8s, place: int) -> int:
    """Code point of a one- or two-byte character; 0 for any other."""
    byte = signed(pool[place])
    if byte < 0x80:
        return byte
    return (byte & 0x1F) << 6 | (signed(pool[place + 1]) & 0x3F) if byte < 0xE0 else 0


@inlined
def _put(form: Uint8s, size: int, point: int) -> int:
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
        return _LOWER_SHAPE
    if small == 0 and letters > 1:
        return _UPPER_SHAPE
    return _START if opens else _CAPITAL


@inlined
def _are_small_cyrillic(pool: Uint8s, begin: int, end: int) -> bool:
    """Whether fewer than ``BLOCK`` bytes are all а-я, є, і, ї: the most common letters that need no change."""
    one = np.uint64(1)
    first_half = (between(pool, begin, 0xD0, 0xD0) << one) & between(pool, begin, 0xB0, 0xBF)
    ends = between(pool, begin, 0x80, 0x8F) | between(pool, begin, 0x94, 0x94) | between(pool, begin, 0x96, 0x97)
    pairs = first_half | (between(pool, begin, 0xD1, 0xD1) << one) & ends
    wanted = (one << np.uint64(end - begin)) - one
    return bool((pairs | pairs >> one) & wanted == wanted)


@inlined
def _are_small_latin(pool: Uint8s, begin: int, end: int) -> bool:
    """Whether fewer than ``BLOCK`` bytes are all a-z."""
    wanted = (np.uint64(1) << np.uint64(end - begin)) - np.uint64(1)
    return bool(between(pool, begin, 0x61, 0x7A) & wanted == wanted)


@inlined
def _fold_common(pool: Uint8s, begin: int, end: int, opens: bool, form: Uint8s, there: int) -> tuple[int, int]:
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


def _fold(pool: Uint8s, begin: int, end: int, opens: bool, form: Uint8s, there: int) -> tuple[int, int]:
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
    pool: Uint8s, starts: Ints, buffers: FormBuffers, table: SurfaceTable, numbers: Int32s, shapes: Uint8s
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
