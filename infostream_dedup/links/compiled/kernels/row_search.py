"""Look up a number in a sorted row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector, Whole

__all__ = ["first_not_below", "holds"]


@compiled
def first_not_below(values: Vector[Whole], begin: int, end: int, value: int) -> int:
    """First place in the ascending ``values[begin:end]`` with at least ``value``; ``end`` if there is none."""
    while begin < end:
        middle = (begin + end) >> 1
        if values[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def holds(values: Vector[Whole], begin: int, end: int, value: int) -> bool:
    """Whether the ascending ``values[begin:end]`` contain a number."""
    place = first_not_below(values, begin, end, value)
    return place < end and values[place] == value
