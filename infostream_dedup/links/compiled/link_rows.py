"""Rows of links as they are found, and the matrix they form; on disk if they outgrow memory."""

from __future__ import annotations

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.errors import CannotCreateError
from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays
from infostream_dedup.links.compiled.kernels.link_rows import LinkRows, Members, copy_rows

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["LinkSpool", "Storage"]


@dataclass(slots=True)
class Storage:
    """Allocates arrays: in memory up to a budget, then in files that vanish with their arrays.

    Attributes:
        budget: bytes to keep in memory.
        folder: folder for these files; ``None`` for the system's folder for temporary files.
    """

    budget: int
    folder: Path | None = None
    _used: int = 0

    def empty(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Allocate an uninitialised array of ``size`` elements.

        Raises:
            CannotCreateError: its file cannot be created, for example because the disk is full.
        """
        wanted = size * np.dtype(dtype).itemsize
        if size == 0 or self._used + wanted <= self.budget:
            self._used += wanted
            return np.empty(size, dtype=dtype)
        try:
            with tempfile.TemporaryFile(dir=self.folder) as file:
                file.truncate(wanted)
                if sys.platform == "linux":
                    # Reserve the room now: on a full disk, writing to the array would end the process.
                    os.posix_fallocate(file.fileno(), 0, wanted)
                return np.memmap(file, dtype=dtype, mode="r+", shape=(size,))
        except OSError as error:
            folder = self.folder or tempfile.gettempdir()
            raise CannotCreateError(
                f"{wanted} bytes of links do not fit into {folder}: {error.strerror}; make room there, or name another "
                "folder in the environment variable TMPDIR"
            ) from error

    def keep(self, array: NDArray[Any]) -> NDArray[Any]:
        """The given array, or its copy in a file once the budget is used up."""
        kept = self.empty(array.size, array.dtype)
        if isinstance(kept, np.memmap):
            kept[:] = array
            return kept
        return array

    def free(self, array: NDArray[Any]) -> None:
        """Release an array's share of the budget."""
        if not isinstance(array, np.memmap):
            self._used -= array.nbytes


_NO_ROWS = LinkRows(0, np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.uint8))


@dataclass(slots=True)
class LinkSpool:
    """Collects rows in any order, then arranges them by member.

    Attributes:
        storage: allocates the rows and the result.
        members: what each place represents.
        joined: bool (places,), whether the members of a place are linked to each other.
    """

    storage: Storage
    members: Members
    joined: NDArray[np.bool_]
    _rows: list[LinkRows] = field(default_factory=list)

    def add(self, rows: LinkRows) -> None:
        """Keep rows; every place must be added exactly once before ``finish``."""
        columns, counts = self.storage.keep(rows.columns), self.storage.keep(rows.counts)
        self._rows.append(LinkRows(rows.first, rows.lengths, columns, counts))

    def finish(self, threads: int) -> LinkArrays:
        """All rows, by member."""
        indptr = self._indptr()
        size = int(indptr[-1])
        links = LinkArrays(indptr, self.storage.empty(size, np.int32), self.storage.empty(size, np.uint8))

        def move(number: int) -> None:
            copy_rows(self._rows[number], self.members, links)

        with ThreadPoolExecutor(threads) as pool:
            for number, _ in enumerate(pool.map(move, range(len(self._rows)))):
                self.storage.free(self._rows[number].columns)
                self.storage.free(self._rows[number].counts)
                self._rows[number] = _NO_ROWS
        self._rows.clear()
        return links

    def _indptr(self) -> NDArray[np.int64]:
        lengths = np.zeros(len(self.members.numbers), dtype=np.int64)
        for rows in self._rows:
            last = rows.first + len(rows.lengths)
            bounds = self.members.indptr[rows.first : last + 1]
            own = rows.lengths - self.joined[rows.first : last]
            lengths[self.members.numbers[bounds[0] : bounds[-1]]] = np.repeat(own, np.diff(bounds))
        return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
