"""Rows of a result, with the reading report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from infostream_dedup.errors import UsageError
from infostream_dedup.model.tabular import Tabular

if TYPE_CHECKING:
    from infostream_dedup.documents import ReadingReport

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

    Rows are computed as they are read, and can be read only once unless they are kept (``rows``).

    Converting them (``to_pandas``, ``to_polars``, ``to_arrow``) or displaying them in a notebook keeps them.

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
        self._rows: Iterator[Row] = UnbrokenIterator(rows)
        self._kept: list[Row] | None = None
        self.columns = columns
        self.report = report
        self.warnings = tuple(warnings)

    def __iter__(self) -> Iterator[Row]:
        return self if self._kept is None else iter(self._kept)

    def __next__(self) -> Row:
        return next(self._rows)

    @property
    def rows(self) -> list[Row]:
        """The remaining rows; once accessed, they are kept and can be read again."""
        if self._kept is None:
            self._kept = list(self._rows)
            self._rows = iter(self._kept)
        return self._kept

    def as_dicts(self) -> Iterator[dict[str, Any]]:
        """Yield the remaining rows as plain dicts, one at a time."""
        return map(_as_dict, self)

    def as_rows(self) -> list[dict[str, Any]]:
        """Return the remaining rows as plain dicts; they are kept (see ``rows``)."""
        return [_as_dict(row) for row in self.rows]

    def __getstate__(self) -> dict[str, Any]:
        """The state for a copy or another process; the remaining rows are computed and kept."""
        return {**self.__dict__, "_kept": self.rows, "_rows": iter(self.rows)}

    def __repr__(self) -> str:
        # Do not compute rows only to display them.
        left = "rows not read yet" if self._kept is None else f"{len(self._kept):,} rows"
        return f"<{type(self).__name__}: {left}, of {', '.join(self.columns)}>"


def _as_dict(row: Any) -> dict[str, Any]:
    return dict(row) if isinstance(row, Mapping) else row.as_dict()
