"""Terms of a stream as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.machine.kernels.byte_blocks import BLOCK
from infostream_dedup.stream.kernels.term_table import TermTable, enter_all, number_all

if TYPE_CHECKING:
    from numpy.typing import NDArray


_SPARE: Final = 8
"""Arrays grow by this fraction: a stream keeps its terms for life, so doubling would waste up to half the memory."""


class TermNumbers:
    """Gives every new term the next number; numbers never change. About 40 bytes per term."""

    def __init__(self) -> None:
        # It starts without slots, so that the first terms use every compiled loop and none is compiled mid-stream.
        self._table = TermTable(np.zeros(0, np.uint32), np.zeros(1, np.int64), np.zeros(0, np.uint8))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def terms(self) -> SurfaceList:
        """The terms by number, as a view. For several numbers ``some`` is faster."""
        return SurfaceList(self._table.starts[: self._count + 1], self._table.pool)

    def number(self, term: str) -> int:
        """Return the number of a term; a new term gets the next one."""
        return int(self.numbered([term])[0])

    def numbered(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Return the numbers of terms, which must not contain line breaks; new terms get the next ones.

        Returns:
            int64 (terms,).
        """
        given = terms if isinstance(terms, SurfaceList) else SurfaceList.of(terms)
        self._make_room(len(given), int(given.starts[-1]))
        numbers = np.empty(len(given), dtype=np.int64)
        self._count = number_all(self._table, self._count, given.pool, given.starts, numbers)
        return numbers

    def extend(self, terms: Sequence[str]) -> None:
        """Add terms whose numbers follow the last one."""
        first = self._count
        numbers = self.numbered(terms)
        if len(numbers) != len(terms):
            raise ValueError(f"{len(terms)} terms have {len(numbers) - len(terms)} line breaks; expected none")
        again = np.flatnonzero(numbers != np.arange(first, first + len(numbers)))
        if len(again):
            place = int(again[0])
            raise ValueError(f"term {terms[place]!r} already has number {numbers[place]}")

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
    """Return the array, or a longer copy padded with zeros."""
    if len(array) >= size:
        return array
    # Zeroed memory from the system costs nothing until it is written to.
    grown = np.zeros(size + size // _SPARE, dtype=array.dtype)
    grown[: len(array)] = array
    return grown
