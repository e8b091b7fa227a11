"""Sort words in code point order, which is the order of their bytes in UTF-8."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.compiling import compiled, inlined
from infostream_dedup.machine.kernels.byte_blocks import eight_bytes

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["RANGES_PER_WORD", "sort_words"]

_STEP: Final = 8
"""Bytes compared at a time."""

_FEW: Final = 16
"""Maximum number of words to sort by insertion."""

RANGES_PER_WORD: Final = 2
"""Pending ranges have at least two words each, so there is never more than one per two words."""


@inlined
def _key(pool: Vector[np.uint8], start: int, end: int) -> np.uint64:
    """The next eight bytes of a word as a number that sorts as they do; zeros after its end."""
    left = end - start
    if left <= 0:
        return np.uint64(0)
    word = eight_bytes(pool, start)
    # The first byte becomes the highest.
    word = (word >> np.uint64(32)) | (word << np.uint64(32))
    word = (word >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF) | (
        word & np.uint64(0x0000FFFF0000FFFF)
    ) << np.uint64(16)
    word = (word >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF) | (word & np.uint64(0x00FF00FF00FF00FF)) << np.uint64(
        8
    )
    if left < _STEP:
        unused = np.uint64(8 * (_STEP - left))
        word = word >> unused << unused
    return word


@compiled
def _load(
    pool: Vector[np.uint8],
    starts: Vector[np.int64],
    order: Vector[np.int32],
    keys: Vector[np.uint64],
    begin: int,
    end: int,
    depth: int,
) -> None:
    for place in range(begin, end):
        word = order[place]
        keys[place] = _key(pool, starts[word] + depth, starts[word + 1])


@compiled
def _insert(
    pool: Vector[np.uint8],
    starts: Vector[np.int64],
    order: Vector[np.int32],
    keys: Vector[np.uint64],
    begin: int,
    end: int,
    depth: int,
) -> None:
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
def sort_words(
    pool: Vector[np.uint8],
    starts: Vector[np.int64],
    order: Vector[np.int32],
    keys: Vector[np.uint64],
    ranges: Table[np.int64],
) -> None:
    """Sort distinct words by multikey quicksort (Bentley & Sedgewick, SODA 1997), eight bytes at a time.

    Args:
        pool: uint8, the words in UTF-8, none with a zero byte, followed by ``BLOCK`` readable bytes.
        starts: int64 (words + 1,), bounds.
        order: int32 (words,), the words to sort; receives them in order.
        keys: uint64 (words,), scratch memory.
        ranges: int64 (words // ``RANGES_PER_WORD`` + 1, 3), scratch memory.
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
