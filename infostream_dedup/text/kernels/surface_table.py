"""A table of distinct surfaces: open addressing, every hit verified byte by byte.

A surface lies in the pool as a record: 4 bytes number, 4 bytes length * 2 + opens, then the word in UTF-8, without the
mark of a word that opens a sentence. So a look-up touches two places in memory, the slot and the record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.matrix.kernels.prefetching import prefetch
from infostream_dedup.text.kernels.byte_blocks import BLOCK, HALF, eight_bytes, equal
from infostream_dedup.text.kernels.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "HEADER",
    "SurfaceTable",
    "fill_slots",
    "has_room",
    "hash_bytes",
    "intern",
    "intern_all",
    "pick",
    "places",
    "prepare",
    "unpack",
    "write_lines",
]

HEADER: Final = 8
"""Bytes of a record before its word."""

_MARK_SIZE: Final = 2
_MARK_FIRST: Final = 0xC2
_MARK_SECOND: Final = 0xB6
_UPPER: Final = 0xFFFFFFFF00000000
_LOWER: Final = 0xFFFFFFFF
_KEPT: Final = np.array([255] * HALF + [0] * HALF, dtype=np.uint8)
"""From place ``HALF`` - n on a mask of n bytes."""


class SurfaceTable(NamedTuple):
    """Distinct surfaces by number.

    Attributes:
        slots: uint64 (power of two,), hash in the upper half, place of the record + 1 in the lower; 0 where empty.
        pool: uint8, records one after the other by number, with ``BLOCK`` bytes of room behind.
        firsts: int64, where each surface was first met: document in the upper half, word in the lower.
        size: int64 (2,), number of surfaces and bytes of their records.
    """

    slots: NDArray[np.uint64]
    pool: NDArray[np.uint8]
    firsts: NDArray[np.int64]
    size: NDArray[np.int64]


@inlined
def _mixed(mixed: Any, data: NDArray[np.uint8], start: int, length: int) -> Any:
    """Mix up to ``HALF`` bytes into a hash; what lies behind them is masked, since branches on lengths are slow."""
    mask = HALF - length
    one = (eight_bytes(data, start) & eight_bytes(_KEPT, mask)) * np.uint64(0x9E3779B97F4A7C15)
    two = (eight_bytes(data, start + 8) & eight_bytes(_KEPT, mask + 8)) * np.uint64(0xE7037ED1A0B428DB)
    three = (eight_bytes(data, start + 16) & eight_bytes(_KEPT, mask + 16)) * np.uint64(0x8EBC6AF09C88C6E3)
    four = (eight_bytes(data, start + 24) & eight_bytes(_KEPT, mask + 24)) * np.uint64(0x589965CC75374CC3)
    mixed = (mixed ^ one) + (two ^ (three >> np.uint64(31)) ^ (four << np.uint64(17)))
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)
    return mixed ^ (mixed >> np.uint64(29))


@inlined
def hash_bytes(data: NDArray[np.uint8], start: int, length: int, opens: bool) -> Any:
    """Hash of a word of ``length`` bytes; ``opens`` tells words apart that open a sentence."""
    mixed = np.uint64(length * 2 + opens) * np.uint64(0xA0761D6478BD642F)
    while length > HALF:
        mixed = _mixed(mixed, data, start, HALF)
        start += HALF
        length -= HALF
    return _mixed(mixed, data, start, length)


@inlined
def _same_bytes(data: NDArray[np.uint8], start: int, pool: NDArray[np.uint8], there: int, length: int) -> bool:
    while length > HALF:
        if equal(data, start, pool, there) != np.uint64(_LOWER):
            return False
        start += HALF
        there += HALF
        length -= HALF
    wanted = (np.uint64(1) << np.uint64(length)) - np.uint64(1)
    return bool((equal(data, start, pool, there) & wanted) == wanted)


@compiled
def _add(
    table: SurfaceTable, data: NDArray[np.uint8], start: int, length: int, opens: bool, slot: int, tag: Any, first: int
) -> int:
    number, place = signed(table.size[0]), signed(table.size[1])
    table.slots[slot] = tag | np.uint64(place + 1)
    table.firsts[number] = first
    header = np.uint64(number) | np.uint64(length * 2 + opens) << np.uint64(32)
    for byte in range(HEADER):
        table.pool[place + byte] = np.uint8(header >> np.uint64(8 * byte) & np.uint64(255))
    for byte in range(length):
        table.pool[place + HEADER + byte] = data[start + byte]
    table.size[0] = number + 1
    table.size[1] = place + HEADER + length
    return number


@inlined
def intern(
    table: SurfaceTable, data: NDArray[np.uint8], start: int, length: int, opens: bool, hashed: Any, first: int
) -> int:
    """Number of a surface, a new one where it is new. The caller has made sure that there is room.

    Args:
        table: of surfaces.
        data: the word, without mark, in UTF-8, with ``HALF`` bytes readable behind it.
        start: where it begins.
        length: its bytes.
        opens: whether it opens a sentence.
        hashed: what ``hash_bytes`` gives for it.
        first: where it stands, kept for a new one.
    """
    mask = signed(table.slots.size - 1)
    slot = signed(hashed) & mask
    tag = hashed & np.uint64(_UPPER)
    while True:
        held = table.slots[slot]
        if held == 0:
            return _add(table, data, start, length, opens, slot, tag, first)
        if held & np.uint64(_UPPER) == tag:
            place = signed(held & np.uint64(_LOWER)) - 1
            header = eight_bytes(table.pool, place)
            if signed(header >> np.uint64(32)) == length * 2 + opens and _same_bytes(
                data, start, table.pool, place + HEADER, length
            ):
                return signed(header & np.uint64(_LOWER))
        slot = (slot + 1) & mask


@compiled
def prepare(table: SurfaceTable, hashes: NDArray[np.uint64], count: int) -> None:
    """Fetch the slots and records that the first ``count`` hashes lead to: one by one it takes longest."""
    mask = signed(table.slots.size - 1)
    for word in range(count):
        prefetch(table.slots, signed(hashes[word]) & mask)
    for word in range(count):
        prefetch(table.pool, signed(table.slots[signed(hashes[word]) & mask] & np.uint64(_LOWER)))


@compiled
def has_room(table: SurfaceTable, words: int, size: int) -> bool:
    """Whether that many more words of that many bytes in sum fit, and the slots stay half empty."""
    count = table.size[0] + words
    return bool(
        2 * count <= table.slots.size
        and count <= table.firsts.size
        and table.size[1] + size + HEADER * words + BLOCK <= table.pool.size
    )


@compiled
def fill_slots(table: SurfaceTable) -> None:
    """Enter all records into slots that are empty."""
    mask = signed(table.slots.size - 1)
    place = 0
    for _ in range(table.size[0]):
        description = signed(eight_bytes(table.pool, place) >> np.uint64(32))
        length, opens = description >> 1, bool(description & 1)
        hashed = hash_bytes(table.pool, place + HEADER, length, opens)
        slot = signed(hashed) & mask
        while table.slots[slot] != 0:
            slot = (slot + 1) & mask
        table.slots[slot] = (hashed & np.uint64(_UPPER)) | np.uint64(place + 1)
        place += HEADER + length


@compiled
def intern_all(
    table: SurfaceTable,
    pool: NDArray[np.uint8],
    starts: NDArray[np.int64],
    firsts: NDArray[np.int64],
    numbers: NDArray[np.int32],
) -> None:
    """Numbers of many surfaces; there must be room for all.

    Args:
        table: of surfaces.
        pool: the surfaces in UTF-8, with mark, and ``BLOCK`` bytes of room behind.
        starts: int64 (surfaces + 1,), where each lies.
        firsts: int64 (surfaces,), where each stands; the smallest is kept.
        numbers: int32 (surfaces,), receives the result.
    """
    for surface in range(numbers.size):
        begin, end = starts[surface], starts[surface + 1]
        opens = end - begin >= _MARK_SIZE and pool[begin] == _MARK_FIRST and pool[begin + 1] == _MARK_SECOND
        begin += _MARK_SIZE * opens
        hashed = hash_bytes(pool, begin, end - begin, opens)
        number = intern(table, pool, begin, end - begin, opens, hashed, firsts[surface])
        table.firsts[number] = min(table.firsts[number], firsts[surface])
        numbers[surface] = number


@compiled
def places(table: SurfaceTable, found: NDArray[np.int64]) -> int:
    """Set ``found`` to the place of each record; bytes of all surfaces with their marks."""
    place, size = 0, 0
    for number in range(table.size[0]):
        found[number] = place
        description = signed(eight_bytes(table.pool, place) >> np.uint64(32))
        size += (description >> 1) + _MARK_SIZE * (description & 1)
        place += HEADER + (description >> 1)
    return size


@compiled
def unpack(table: SurfaceTable, records: NDArray[np.int64], starts: NDArray[np.int64], pool: NDArray[np.uint8]) -> None:
    """Write surfaces with their marks one after the other.

    Args:
        table: of surfaces.
        records: int64 (surfaces,), places of the records in the order wanted.
        starts: int64 (surfaces + 1,), receives where each lies.
        pool: uint8, receives them.
    """
    end = 0
    for surface in range(records.size):
        starts[surface] = end
        record = records[surface]
        description = signed(eight_bytes(table.pool, record) >> np.uint64(32))
        if description & 1:
            pool[end] = _MARK_FIRST
            pool[end + 1] = _MARK_SECOND
            end += _MARK_SIZE
        for byte in range(description >> 1):
            pool[end + byte] = table.pool[record + HEADER + byte]
        end += description >> 1
    starts[records.size] = end


@compiled
def pick(
    starts: NDArray[np.int64],
    pool: NDArray[np.uint8],
    numbers: NDArray[np.int64],
    picked_starts: NDArray[np.int64],
    picked: NDArray[np.uint8],
) -> None:
    """Write some surfaces one after the other.

    Args:
        starts: int64 (surfaces + 1,), where each lies.
        pool: uint8.
        numbers: int64, the surfaces wanted, in order.
        picked_starts: int64 (wanted + 1,), receives where each lies.
        picked: uint8, receives them.
    """
    end = 0
    for place in range(numbers.size):
        picked_starts[place] = end
        for byte in range(starts[numbers[place]], starts[numbers[place] + 1]):
            picked[end] = pool[byte]
            end += 1
    picked_starts[numbers.size] = end


@compiled
def write_lines(
    starts: NDArray[np.int64], pool: NDArray[np.uint8], numbers: NDArray[np.int64], lines: NDArray[np.uint8]
) -> None:
    """Write some surfaces one after the other, a line break behind each.

    Args:
        starts: int64 (surfaces + 1,), where each lies.
        pool: uint8.
        numbers: int64, the surfaces wanted, in order.
        lines: uint8, receives them.
    """
    end = 0
    for surface in numbers:
        for place in range(starts[surface], starts[surface + 1]):
            lines[end] = pool[place]
            end += 1
        lines[end] = 0x0A
        end += 1
