"""Rows of a result with the report of the reading they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from infostream_dedup.model.tabular import Tabular

if TYPE_CHECKING:
    from infostream_dedup.corpus import ReadingReport

__all__ = ["Listing"]

Row = TypeVar("Row")


class Listing(Tabular, Generic[Row]):
    """The rows of a result. They are made as they are asked for and can be read once, unless they are kept (``rows``).

    A conversion (``to_pandas``, ``to_polars``, ``to_arrow``) and a look at them in a notebook keep them.

    Args:
        rows: the rows, made as they are asked for where that is possible.
        columns: names of the columns of each row, in order.
        report: what was read.
        warnings: sentences for people who use the rows.

    Attributes:
        columns: the same.
        report: the same.
        warnings: the same.

    Example:
        >>> from infostream_dedup.corpus import ReadingReport
        >>> listing = Listing([{"id": "1"}], ("id",), ReadingReport(read=1, used=1))
        >>> list(listing), listing.report.used
        ([{'id': '1'}], 1)
    """

    def __init__(
        self, rows: Iterable[Row], columns: tuple[str, ...], report: ReadingReport, *, warnings: Sequence[str] = ()
    ) -> None:
        self._rows = iter(rows)
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
        """The rows that are left; once asked for here they are kept and can be read again."""
        if self._kept is None:
            self._kept = list(self._rows)
            self._rows = iter(self._kept)
        return self._kept

    def as_dicts(self) -> Iterator[dict[str, Any]]:
        """The rows that are left, as plain dicts, one at a time."""
        return map(_as_dict, self)

    def as_rows(self) -> list[dict[str, Any]]:
        """The rows that are left, as plain dicts; they are kept (see ``rows``)."""
        return [_as_dict(row) for row in self.rows]

    def __repr__(self) -> str:
        # Rows that nobody has asked for yet are not made for this.
        left = "rows not read yet" if self._kept is None else f"{len(self._kept):,} rows"
        return f"<{type(self).__name__}: {left}, of {', '.join(self.columns)}>"


def _as_dict(row: Any) -> dict[str, Any]:
    return dict(row) if isinstance(row, Mapping) else row.as_dict()
