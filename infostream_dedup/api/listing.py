"""Rows of a result with the report of the reading they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

if TYPE_CHECKING:
    from infostream_dedup.corpus import ReadingReport

__all__ = ["Listing"]

Row = TypeVar("Row")


class Listing(Generic[Row]):
    """An iterator over the rows of a result; they can be read once.

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
        >>> listing = Listing([{"id": "1"}], ("id",), ReadingReport(1, 1))
        >>> list(listing), listing.report.used
        ([{'id': '1'}], 1)
    """

    def __init__(
        self, rows: Iterable[Row], columns: tuple[str, ...], report: ReadingReport, *, warnings: Sequence[str] = ()
    ) -> None:
        self._rows = iter(rows)
        self.columns = columns
        self.report = report
        self.warnings = tuple(warnings)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Row:
        return next(self._rows)

    def as_dicts(self) -> Iterator[dict[str, Any]]:
        """The rows that are left, as plain dicts."""
        for row in self:
            yield dict(row) if isinstance(row, Mapping) else row.as_dict()  # type: ignore[attr-defined]

    def to_arrow(self) -> Any:
        """The rows that are left as a ``pyarrow.Table``."""
        import pyarrow as pa

        return pa.Table.from_pylist(list(self.as_dicts()))

    def to_pandas(self) -> Any:
        """The rows that are left as a ``pandas.DataFrame``; needs pandas."""
        return self.to_arrow().to_pandas()
