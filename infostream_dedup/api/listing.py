"""Rows of a result, with the reading report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

from infostream_dedup.documents import ReadingReport
from infostream_dedup.errors import UsageError
from infostream_dedup.model.tabular import Tabular

Row = TypeVar("Row")


class UnbrokenIterator(Iterator[Row]):
    """Computes rows; after a failure or an interruption, it does not pretend to be at its end, as a generator does."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)
        self._broken = False

    def __next__(self) -> Row:
        if self._broken:
            raise UsageError("reading these rows failed or was interrupted, so the rest is missing; repeat the call")
        try:
            return next(self._rows)
        except StopIteration:
            raise
        except BaseException:
            self._broken = True
            raise


class Listing(Tabular, Generic[Row]):
    """The rows of a result.

    Rows are computed as they are read, and kept, so that they can be read again; ``once`` reads them without keeping.

    Args:
        rows: the rows, computed as they are read if possible.
        columns: names of the columns of each row, in order.
        report: what was read.
        warnings: sentences for people who use the rows.

    Attributes:
        columns: as given.
        report: as given.
        warnings: as given.

    Example:
        >>> from infostream_dedup.documents import ReadingReport
        >>> listing = Listing([{"id": "1"}], ("id",), ReadingReport(read=1, used=1))
        >>> list(listing), listing.report.used
        ([{'id': '1'}], 1)
    """

    def __init__(
        self, rows: Iterable[Row], columns: tuple[str, ...], report: ReadingReport, *, warnings: Sequence[str] = ()
    ) -> None:
        self._rest: Iterator[Row] = UnbrokenIterator(rows)
        self._kept: list[Row] = []
        self._ended = False
        self._next: Iterator[Row] | None = None
        self.columns = columns
        self.report = report
        self.warnings = tuple(warnings)

    def __iter__(self) -> Iterator[Row]:
        """All rows, from the first."""
        place = 0
        while place < len(self._kept) or self._keep_next():
            yield self._kept[place]
            place += 1

    def __next__(self) -> Row:
        if self._next is None:
            self._next = iter(self)
        return next(self._next)

    def _keep_next(self) -> bool:
        """Compute and keep another row; false at the end."""
        if self._ended:
            return False
        try:
            self._kept.append(next(self._rest))
        except StopIteration:
            self._ended = True
        return not self._ended

    def once(self) -> Iterator[Row]:
        """Yield the rows without keeping those that are still to be computed: the listing is then used up."""
        kept, rest, ended = self._kept, self._rest, self._ended
        self._kept, self._rest, self._ended = [], UsedUp(), False
        return chain(kept, () if ended else rest)

    def __len__(self) -> int:
        """Number of rows; all are computed."""
        return len(self.rows)

    def __bool__(self) -> bool:
        """Whether there is a row; no more than one is computed for it."""
        return bool(self._kept) or self._keep_next()

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        self._kept.extend(() if self._ended else self._rest)
        self._ended = True
        return self._kept

    def as_dicts(self) -> Iterator[dict[str, Any]]:
        """Yield the rows as plain dicts, one at a time."""
        return map(_as_dict, self)

    def as_rows(self) -> list[dict[str, Any]]:
        """Return the rows as plain dicts."""
        return [_as_dict(row) for row in self.rows]

    def __getstate__(self) -> dict[str, Any]:
        """The state for a copy or another process; all rows are computed."""
        return {**self.__dict__, "_kept": self.rows, "_rest": iter(()), "_next": None}

    def __repr__(self) -> str:
        # Do not compute rows only to display them.
        left = f"{len(self._kept):,} rows" if self._ended else "rows not read yet"
        return f"<{type(self).__name__}: {left}, of {', '.join(self.columns)}>"


class UsedUp(Iterator[Any]):
    """Stands for rows that were not kept."""

    def __next__(self) -> Any:
        raise UsageError("these rows were passed on by once(), which does not keep them; repeat the call")


def _as_dict(row: Any) -> dict[str, Any]:
    return dict(row) if isinstance(row, Mapping) else row.as_dict()
