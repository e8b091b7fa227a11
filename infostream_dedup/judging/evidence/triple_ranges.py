"""Word triples of many documents, range by range of their leading bits, in a file if there are too many for memory."""

from __future__ import annotations

import errno
import tempfile
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.errors import CannotWriteError
from infostream_dedup.judging.evidence.kernels.triple_parts import PartScratch, TripleRange
from infostream_dedup.judging.evidence.kernels.triple_ranges import RANGES, split_rows
from infostream_dedup.machine.row_blocks import row_blocks
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.pair_evidence import TripleRows


_MEMORY: Final = 1 << 28
"""Bytes of triples that are kept in memory."""

_TRIPLES_AT_ONCE: Final = 1 << 17
_PART: Final = 1 << 14
"""Triples of a part, roughly: its table fits in the second cache."""

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTriples:
    """Triples of consecutive documents.

    Attributes:
        begins: int64 (RANGES + 1,), bounds of each range among the triples written.
        counts: unsigned integers (RANGES, documents), number of triples of each document in each range.
        sums: uint64 (2, documents), checksums of each document.
    """

    begins: NDArray[np.int64]
    counts: NDArray[Any]
    sums: NDArray[np.uint64]


class TripleRanges:
    """Takes the triples of documents, and gives them back range by range.

    Args:
        memory: bytes of triples to keep in memory; if there are more, they move to a file without a name in the
            system's folder for temporary files.
    """

    def __init__(self, *, memory: int = _MEMORY) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=memory)  # noqa: SIM115
        # When nobody needs them any more, also after an error.
        self._give_back = weakref.finalize(self, self._file.close)
        self._size = 0
        self._lock = threading.Lock()
        self._parts: list[WrittenTriples] = []

    @classmethod
    def of(cls, rows: TripleRows) -> TripleRanges:
        """The triples of all rows."""
        found = cls()
        for block in row_blocks(np.diff(rows.begins), _TRIPLES_AT_ONCE):
            found.append(found.write(rows.triples, rows.begins[block.start : block.stop + 1]))
        return found

    def write(self, triples: NDArray[np.uint64], begins: NDArray[np.int64]) -> WrittenTriples:
        """Write the triples of consecutive documents; threads may write at the same time, in any order.

        Args:
            triples: uint64, ascending in each document, each once.
            begins: int64 (documents + 1,), bounds of each document in ``triples``.
        """
        documents = len(begins) - 1
        counts = np.zeros((RANGES, documents), dtype=np.int32)
        values = np.empty(int(begins[-1] - begins[0]), dtype=np.uint64)
        sums = np.empty((2, documents), dtype=np.uint64)
        split_rows(triples, begins, counts, values, sums)
        with self._lock:
            first, self._size = self._size, self._size + len(values)
            try:
                self._file.write(values.data)
            except OSError as error:
                raise CannotWriteError(
                    f"the word triples do not fit into {tempfile.gettempdir()}: {error.strerror}; make room there, or"
                    " name another folder in the environment variable TMPDIR"
                ) from error
        bounds = first + offsets_of(counts.sum(axis=1, dtype=np.int64))
        # In nearly all cases, numbers of triples are bytes.
        counted = counts.astype(np.min_scalar_type(counts.max(initial=0)))
        return WrittenTriples(begins=bounds, counts=counted, sums=sums)

    def append(self, written: WrittenTriples) -> None:
        """Add the next documents, whose triples have been written."""
        self._parts.append(written)

    def sizes(self) -> NDArray[np.int64]:
        """Int64 (documents,), number of triples of each document."""
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *(part.counts.sum(axis=0, dtype=np.int64) for part in self._parts)])

    def checksums(self) -> NDArray[np.uint64]:
        """Uint64 (2, documents), two checksums of each document's triples."""
        return np.concatenate([np.zeros((2, 0), dtype=np.uint64), *(part.sums for part in self._parts)], axis=1)

    def map(self, work: Callable[[TripleRange], _Result]) -> list[_Result]:
        """Results of a function for each range, by several threads.

        A range is in memory until its function returns. Memory that a thread has used need not be cleared by the system
        again.
        """
        entries = sum(int(part.begins[-1] - part.begins[0]) for part in self._parts)
        part_bits = max(entries // RANGES // _PART, 1).bit_length() - 1
        own = threading.local()

        def run(one: int) -> _Result:
            counts = self.counts(one)
            size = int(counts.sum(dtype=np.int64))
            if not hasattr(own, "triples") or len(own.triples) < size:
                room = size + size // 16
                own.triples = np.empty(room, dtype=np.uint64)
                own.scratch = PartScratch(np.empty(room, dtype=np.uint64), np.empty(room, dtype=np.int32))
            triples = own.triples[:size]
            self.read(one, triples)
            return work(TripleRange(triples, counts, part_bits, own.scratch))

        with ThreadPoolExecutor(thread_count(0)) as pool:
            return list(pool.map(run, range(RANGES)))

    def counts(self, one: int) -> NDArray[np.int32]:
        """Int32 (documents,), number of triples of each document in a range."""
        none = np.zeros(0, dtype=np.int32)
        return np.concatenate([none, *(part.counts[one] for part in self._parts)], dtype=np.int32)

    def read(self, one: int, triples: NDArray[np.uint64]) -> None:
        """Read a range, document by document.

        Args:
            triples: uint64, receives the triples; as long as ``counts`` says.
        """
        place = 0
        with self._lock:
            for part in self._parts:
                begin, end = part.begins[one : one + 2].tolist()
                self._file.seek(8 * begin)
                missing = triples[place : place + end - begin].data.cast("B")
                if self._file.readinto(missing) < len(missing):
                    raise OSError(errno.EIO, "the temporary file of word triples is incomplete")
                place += end - begin

    def close(self) -> None:
        """Give memory and file back; triples can no longer be read."""
        self._give_back()
        self._parts.clear()
