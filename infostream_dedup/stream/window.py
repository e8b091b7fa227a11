"""The documents of the window as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.stream.evidence_window import EvidenceRows, EvidenceWindow
from infostream_dedup.stream.kernels.judging import Columns
from infostream_dedup.stream.pivot_window import PivotWindow
from infostream_dedup.stream.row_window import RowWindow, with_room, without_first

if TYPE_CHECKING:
    from numpy.typing import NDArray


_COLUMNS: Final = ("group_starts", "sizes", "sources", "clocks", "times")
_LEAST_DROPPED: Final = 1024

_DROPPED: Final = 8
"""Documents are dropped once this fraction of those in memory has expired: the others are moved to the front then."""


class Window:
    """Documents by ordinal. Expired documents are dropped from memory some time later.

    Args:
        first: ordinal of the first document.
        evidence: whether to keep the evidence of documents, too.
        pivot: whether to keep their terms of the pivot language.

    Attributes:
        first: ordinal of the first document held in memory.
        oldest: ordinal of the first document that has not expired.
        end: ordinal that the next document will have.
        ids: by ordinal minus ``first``, like all other columns.
        groups: id of each document's group.
        group_starts: int64, ordinal of the earliest document that each document's group ever had.
        hashes: pairs of text hash and opening hash.
        sizes: uint8, number of key terms.
        sources: int32, numbers of sources; ``NO_SOURCE`` if there is none.
        clocks: int64, the stream's clock, ascending.
        times: int64, publication time, or the clock if there is none.
        keys: key terms, heaviest first.
        weights: weights of the keys.
        targets: terms that key terms are looked up in, ascending.
        numbers: hashes of the numbers in the text, ascending.
        evidence: columns of evidence; ``None`` if key terms decide.
        pivot: columns of the pivot language, extended separately; ``None`` in a stream that does not compare across
        languages.
    """

    def __init__(self, first: int = 0, *, evidence: bool = False, pivot: bool = False) -> None:
        self.first = self.oldest = self.end = first
        self.ids: list[str] = []
        self.groups: list[str] = []
        self.hashes: list[tuple[bytes, bytes]] = []
        self.group_starts: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self.sizes: NDArray[Any] = np.zeros(1 << 10, dtype=np.uint8)
        self.sources: NDArray[Any] = np.zeros(1 << 10, dtype=np.int32)
        self.clocks: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self.times: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self.keys = RowWindow(np.int32)
        self.weights = RowWindow(np.int64)
        self.targets = RowWindow(np.int32)
        self.numbers = RowWindow(np.int64)
        self.evidence = EvidenceWindow() if evidence else None
        self.pivot = PivotWindow() if pivot else None

    def __len__(self) -> int:
        """Number of documents that have not expired."""
        return self.end - self.oldest

    def extend(
        self,
        ids: Sequence[str],
        hashes: Sequence[tuple[bytes, bytes]],
        sources: NDArray[np.int32],
        clocks: NDArray[np.int64],
        times: NDArray[np.int64],
        rows: tuple[Ragged, Ragged, Ragged, Ragged],
        evidence: EvidenceRows | None = None,
    ) -> None:
        """Add documents, each in a group of its own."""
        held, more = self.end - self.first, len(ids)
        self.ids += ids
        self.groups += ids
        self.hashes += hashes
        if len(self.sizes) < held + more:
            for name in _COLUMNS:
                setattr(self, name, with_room(getattr(self, name), held + more))
        added = slice(held, held + more)
        self.sources[added], self.clocks[added], self.times[added] = sources, clocks, times
        self.group_starts[added] = np.arange(self.end, self.end + more)
        self.sizes[added] = rows[0].sizes
        for column, more_rows in zip((self.keys, self.weights, self.targets, self.numbers), rows, strict=True):
            column.extend(more_rows)
        if self.evidence is not None and evidence is not None:
            self.evidence.extend(evidence)
        self.end += more

    @property
    def columns(self) -> Columns:
        """Views of the columns used for judging; they change with ``extend`` and ``tidy``."""
        keys, targets, numbers = self.keys.rows, self.targets.rows, self.numbers.rows
        return Columns(
            sizes=self.sizes,
            sources=self.sources,
            times=self.times,
            key_ends=keys.indptr,
            keys=keys.values,
            weights=self.weights.rows.values,
            target_ends=targets.indptr,
            targets=targets.values,
            number_ends=numbers.indptr,
            numbers=numbers.values,
        )

    @property
    def evidence_columns(self) -> EvidenceWindow:
        """The columns of evidence."""
        if self.evidence is None:
            raise ValueError("the window keeps no evidence")
        return self.evidence

    @property
    def pivot_columns(self) -> PivotWindow:
        """The columns of the pivot language."""
        if self.pivot is None:
            raise ValueError("the window keeps no terms of a pivot language")
        return self.pivot

    def expire_before(self, ordinal: int) -> None:
        """Expire the documents with smaller ordinals; their columns stay until ``tidy``."""
        self.oldest = max(self.oldest, ordinal)

    def tidy(self) -> None:
        """Drop expired documents from memory if there are enough of them."""
        gone = self.oldest - self.first
        if gone < _LEAST_DROPPED or _DROPPED * gone < self.end - self.first:
            return
        for name in _COLUMNS:
            setattr(self, name, without_first(getattr(self, name), gone, self.end - self.first))
        for column in (self.keys, self.weights, self.targets, self.numbers):
            column.drop(gone)
        if self.evidence is not None:
            self.evidence.drop(gone)
        if self.pivot is not None:
            self.pivot.drop(gone)
        for words in (self.ids, self.groups, self.hashes):
            del words[:gone]
        self.first = self.oldest
