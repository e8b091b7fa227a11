"""Terms of a stream as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.stream.kernels.term_table import TermTable, enter_all, number_all
from infostream_dedup.text.kernels.byte_blocks import BLOCK
from infostream_dedup.text.surface_pool import SurfaceList

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TermNumbers", "longer"]

_SPARE: Final = 8
"""Arrays grow by one part in so many: a stream keeps its terms for life, and doubling would waste half of them."""


class TermNumbers:
    """Gives every new term the next number; numbers never change. Some 40 bytes a term."""

    def __init__(self) -> None:
        # Without slots: so the first terms use every compiled loop, and none is made later, when a stream runs.
        self._table = TermTable(np.zeros(0, np.uint32), np.zeros(1, np.int64), np.zeros(0, np.uint8))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def terms(self) -> SurfaceList:
        """The terms by number, not copied. Those of several numbers come fastest together (``some``)."""
        return SurfaceList(self._table.starts[: self._count + 1], self._table.pool)

    def number(self, term: str) -> int:
        """The number of a term, a new one where the term is new."""
        return int(self.numbered([term])[0])

    def numbered(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of terms, which hold no line breaks; new ones where they are new.

        Returns:
            int64 (terms,).
        """
        given = SurfaceList.of(terms)
        self._make_room(len(given), int(given.starts[-1]))
        numbers = np.empty(len(given), dtype=np.int64)
        self._count = number_all(self._table, self._count, given.pool, given.starts, numbers)
        return numbers

    def extend(self, terms: Sequence[str]) -> None:
        """Take terms whose numbers are known: they go on where the last ones ended.

        Raises:
            ValueError: one of them has a number already, or a line break.
        """
        first = self._count
        numbers = self.numbered(terms)
        if len(numbers) != len(terms):
            raise ValueError(f"{len(terms)} terms have {len(numbers) - len(terms)} line breaks; expected none")
        again = np.flatnonzero(numbers != np.arange(first, first + len(numbers)))
        if len(again):
            place = int(again[0])
            raise ValueError(f"term {terms[place]!r} has number {numbers[place]} and comes again")

    def _make_room(self, terms: int, size: int) -> None:
        table, count = self._table, self._count
        starts = longer(table.starts, count + terms + 1)
        pool = longer(table.pool, int(table.starts[count]) + size + BLOCK)
        enough = 2 * (count + terms) <= len(table.slots)
        slots = table.slots if enough else np.zeros(1 << (2 * (count + terms)).bit_length(), dtype=np.uint32)
        self._table = TermTable(slots, starts, pool)
        if not enough:
            enter_all(self._table, count)


def longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array, or a longer one that begins with it and goes on with zeros."""
    if len(array) >= size:
        return array
    # Memory that nobody has written to costs nothing: zeros come from the system untouched.
    grown = np.zeros(size + size // _SPARE, dtype=array.dtype)
    grown[: len(array)] = array
    return grown
