"""What all results share: rows as an Arrow, pandas or polars table, a short ``repr``, a table in a notebook."""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any, Final

from infostream_dedup.errors import MissingExtraError

_SHOWN: Final = 20  # rows that a notebook shows

_LONGEST_CELL: Final = 120


def require_arrow(purpose: str, extra: str = "tables") -> None:
    """Refuse what needs pyarrow where it is not installed; CSV and JSON Lines do without."""
    try:
        import pyarrow  # noqa: F401 - whether it can be imported
    except ImportError:
        raise MissingExtraError("pyarrow", extra, purpose) from None


class Tabular:
    """Mix-in for results: a subclass defines its rows, and everything else follows.

    Conversions need the library they are named after and pyarrow (the extra ``tables``).
    """

    __slots__ = ()

    @abstractmethod
    def as_rows(self) -> list[dict[str, Any]]:
        """All rows, as plain dicts."""

    def to_arrow(self) -> Any:
        """Return the rows as a ``pyarrow.Table``; a missing value is null.

        A column whose values fit no single type is text: strings unchanged, everything else as JSON.
        """
        require_arrow("converting to a table")
        rows = self.as_rows()
        return arrow_table(rows, () if rows else getattr(self, "columns", None) or ())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows as a stream of Arrow: polars, DuckDB, pandas and ``datasets`` take the result as it is."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The rows as a ``pandas.DataFrame``; needs pandas."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The rows as a ``polars.DataFrame``; needs polars."""
        import polars

        return polars.from_arrow(self.to_arrow())

    def __repr__(self) -> str:
        rows = self.as_rows()
        names = _names(rows)
        some = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        return f"<{type(self).__name__}: {len(rows)} row{'' if len(rows) == 1 else 's'}{some and f' of {some}'}>"

    def _repr_html_(self) -> str:
        """The first rows as a table, for notebooks."""
        rows = self.as_rows()
        return table_html(rows[:_SHOWN], more=len(rows) - _SHOWN)


def table_html(rows: Sequence[Mapping[str, Any]], *, more: int = 0) -> str:
    """Write rows as an HTML table; every cell is escaped and cut after 120 characters; ``more`` rows are only counted.

    Example:
        >>> table_html([{"id": "<1>", "terms": ["a", "b"]}])[-52:]
        '<td>&lt;1&gt;</td><td>a, b</td></tr></tbody></table>'
    """
    names = _names(rows)
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names) + "</tr>" for row in rows)
    rest = f"<p>and {more:,} more</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def arrow_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> Any:
    """Make a table of Arrow; it has these columns first, and those that rows have besides."""
    import pyarrow as pa

    names = dict.fromkeys([*columns, *_names(rows)])
    return pa.table({name: column_of(name, [row.get(name) for row in rows]) for name in names})


_WHOLE: Final = ("forward backward n_a n_b k ordinal rank number documents sentences novel words links").split()
_REAL: Final = ("probability weight share symmetry transitivity precision recall f1").split()
_PART_OF_ONE: Final = re.compile("(?:share|wording|coverage|copy)_|.*_(?:low|high|error|share|with_return)$")


def column_type(name: str) -> Any:
    """Return the type of a result's column, for one that has no value from which it could be inferred."""
    import pyarrow as pa

    text, whole, real = pa.string(), pa.int64(), pa.float64()
    spans = pa.list_(pa.list_(whole))
    met = pa.list_(pa.struct([(one, text) for one in ("a", "b", "pivot", "rung")]))
    lists = {"terms": pa.list_(text), "equivalents": pa.list_(text), "places": spans, "places_in_title": spans}
    shared = [("a", pa.list_(whole)), ("b", pa.list_(whole)), ("sentences", whole), ("words", whole)]
    lists |= {"met": met, "spans": pa.list_(pa.struct(shared))}
    lists["reasons"] = pa.list_(pa.struct([("reason", text), ("adds", real), ("words", text)]))
    part = name in _REAL or _PART_OF_ONE.match(name)
    return lists.get(name, whole if name in _WHOLE else real if part else text)


def column_of(name: str, values: list[Any]) -> Any:
    """Return a column of Arrow; values of several types become text."""
    import pyarrow as pa

    try:
        found = pa.array(values)
        empty = pa.types.is_null(found.type) or found.type == pa.list_(pa.null())
        return pa.array(values, column_type(name)) if empty else found
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        # Fields of documents may mix types, or be integers of any length.
        return pa.array([_as_text(value) for value in values], pa.string())


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str, separators=(",", ":"))


def _names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of all columns, in the order in which they first appear."""
    return list(dict.fromkeys(name for row in rows for name in row))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, islice(value, _LONGEST_CELL)))
    text = str(value)
    return escape(text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}...")
