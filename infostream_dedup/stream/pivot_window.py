"""Additional columns of the window in a stream that compares documents across languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.stream.kernels.pivot_sharing import PivotDocuments
from infostream_dedup.stream.row_window import RowWindow

_COLUMNS: Final = ("keys", "weights", "members", "matched_by")


@dataclass(frozen=True, slots=True)
class PivotRows:
    """Columns of documents that enter the window.

    Attributes:
        keys: canonical key terms, heaviest first, at most 30.
        weights: their weights.
        members: the terms that count as each key term, as ``KeptPivot.members``.
        matched_by: all terms by which other documents can match these, ascending.
    """

    keys: Ragged
    weights: Ragged
    members: Ragged
    matched_by: Ragged


class PivotWindow:
    """Columns with the same rows as the ``Window`` they belong to; see ``PivotRows``."""

    def __init__(self) -> None:
        self.keys = RowWindow(np.int32)
        self.weights = RowWindow(np.int64)
        self.members = RowWindow(np.int64)
        self.matched_by = RowWindow(np.int32)

    @property
    def nbytes(self) -> int:
        """Size of the columns in bytes, without spare room."""
        return sum(int(getattr(self, name).nbytes) for name in _COLUMNS)

    def extend(self, rows: PivotRows) -> None:
        """Add documents."""
        for name in _COLUMNS:
            getattr(self, name).extend(getattr(rows, name))

    def drop(self, rows: int) -> None:
        """Drop the first documents."""
        for name in _COLUMNS:
            getattr(self, name).drop(rows)

    @property
    def documents(self) -> PivotDocuments:
        """All documents by row, arranged for comparison; a view that changes with ``extend`` and ``drop``."""
        weights, members, matched_by = (column.rows for column in (self.weights, self.members, self.matched_by))
        return PivotDocuments(
            weight_begins=weights.indptr,
            weights=weights.values,
            member_begins=members.indptr,
            members=members.values,
            matched_begins=matched_by.indptr,
            matched_by=matched_by.values,
        )
