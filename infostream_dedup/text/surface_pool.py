"""Distinct surfaces that compiled code numbers, and the memory they grow into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.text.kernels.byte_blocks import BLOCK
from infostream_dedup.text.kernels.surface_table import (
    HEADER,
    SurfaceTable,
    fill_slots,
    has_room,
    intern_all,
    places,
    unpack,
    write_lines,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SurfaceList", "SurfacePool"]

_SLOTS: Final = 1 << 16
_BYTES_PER_SURFACE: Final = 32
_LINE_BREAK: Final = 0x0A


@dataclass(frozen=True, slots=True)
class SurfaceList:
    """Surfaces in UTF-8, one after the other.

    Attributes:
        starts: int64 (surfaces + 1,), where each one lies.
        pool: uint8, with ``BLOCK`` bytes of room behind.
    """

    starts: NDArray[np.int64]
    pool: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> str:
        return self.pool[self.starts[number] : self.starts[number + 1]].tobytes().decode()

    @classmethod
    def of(cls, words: Sequence[str]) -> SurfaceList:
        """Words in UTF-8; none holds a line break."""
        text = np.frombuffer("".join(f"{word}\n" for word in words).encode(), dtype=np.uint8)
        ends = np.flatnonzero(text == _LINE_BREAK)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), ends + 1 - np.arange(1, len(ends) + 1)])
        pool = np.concatenate([text[text != _LINE_BREAK], np.zeros(BLOCK, dtype=np.uint8)])
        return cls(starts, pool)

    def strings(self) -> list[str]:
        """All surfaces."""
        lines = np.empty(int(self.starts[-1]) + len(self), dtype=np.uint8)
        write_lines(self.starts, self.pool, lines)
        # Splitting one string is three times as fast as making strings one by one.
        return lines.tobytes().decode().split("\n")[:-1]


class SurfacePool:
    """Distinct surfaces, numbered as they come.

    Attributes:
        table: what compiled code works on; another one after ``make_room``.
    """

    def __init__(self) -> None:
        self.table = SurfaceTable(
            np.zeros(_SLOTS, dtype=np.uint64),
            np.empty(_SLOTS // 2 * _BYTES_PER_SURFACE, dtype=np.uint8),
            np.empty(_SLOTS // 2, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
        )

    def __len__(self) -> int:
        return int(self.table.size[0])

    @property
    def firsts(self) -> NDArray[np.int64]:
        """int64 (surfaces,), where each was first met: document in the upper 32 bits, word in the lower."""
        return self.table.firsts[: len(self)]

    def listed(self, order: NDArray[np.int64] | None = None) -> SurfaceList:
        """All surfaces, by number or in another order."""
        records = np.empty(len(self), dtype=np.int64)
        size = places(self.table, records)
        starts, pool = np.empty(len(self) + 1, dtype=np.int64), np.zeros(size + BLOCK, dtype=np.uint8)
        unpack(self.table, records if order is None else records[order], starts, pool)
        return SurfaceList(starts, pool)

    def add(self, surfaces: SurfaceList, firsts: NDArray[np.int64]) -> NDArray[np.int32]:
        """Numbers of surfaces, new ones where they are new.

        Args:
            surfaces: any, repeated or not.
            firsts: int64 (surfaces,), where each stands.
        """
        numbers = np.empty(len(surfaces), dtype=np.int32)
        self.make_room(len(surfaces), int(surfaces.starts[-1] - surfaces.starts[0]))
        intern_all(self.table, surfaces.pool, surfaces.starts, firsts, numbers)
        return numbers

    def make_room(self, words: int, size: int) -> None:
        """Let the table take that many more words of that many bytes in sum, and as many again as it has."""
        old = self.table
        if has_room(old, words, size):
            return
        count, held = int(old.size[0]), int(old.size[1])
        slots = 1 << (2 * (2 * count + words) - 1).bit_length()
        firsts = np.empty(slots // 2, dtype=np.int64)
        pool = np.empty(2 * held + size + HEADER * words + BLOCK, dtype=np.uint8)
        firsts[:count], pool[:held] = old.firsts[:count], old.pool[:held]
        self.table = SurfaceTable(np.zeros(slots, dtype=np.uint64), pool, firsts, old.size)
        fill_slots(self.table)
