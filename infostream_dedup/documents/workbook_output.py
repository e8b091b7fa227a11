"""Write rows as a workbook (.xlsx) with one sheet; needs the extra ``xlsx``."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from types import ModuleType
from typing import Any, BinaryIO, Final, cast

from infostream_dedup.documents.json_text import json_bytes
from infostream_dedup.errors import BadDataError, MissingExtraError

__all__ = ["require_workbooks", "write_workbook"]

_LONGEST_CELL: Final = 32_767
_MOST_ROWS: Final = 1_048_576
_WIDEST: Final = 60
_MOST_DIGITS: Final = 10**15
"""Spreadsheets keep fifteen digits of a number."""
_MADE: Final = datetime(2000, 1, 1)


def require_workbooks() -> ModuleType:
    """Return xlsxwriter.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import xlsxwriter
    except ModuleNotFoundError as error:
        raise MissingExtraError("xlsxwriter", "xlsx", "writing .xlsx") from error
    return cast("ModuleType", xlsxwriter)


def write_workbook(rows: Iterable[Mapping[str, Any]], stream: BinaryIO, *, columns: Sequence[str] | None = None) -> int:
    """Write rows as text and numbers: a header that stays in view, then one line for each row; no cell is a formula.

    Args:
        rows: values by column name; lists and objects become JSON, whole numbers of more than 15 digits text.
        stream: output stream; remains open.
        columns: names of the columns; by default those of all rows in order of first appearance.

    Returns:
        Number of rows.

    Raises:
        MissingExtraError: xlsxwriter is not installed.
        BadDataError: more data than a sheet or a cell can hold (``E_XLSX``); CSV and Parquet hold more.
    """
    xlsxwriter = require_workbooks()
    held = [dict(row) for row in rows]
    names = list(columns or dict.fromkeys(name for row in held for name in row))
    if len(held) >= _MOST_ROWS:
        raise _too_much(f"{len(held):,} rows; a sheet holds {_MOST_ROWS - 1:,}")
    made = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": True}
    with xlsxwriter.Workbook(made, options) as book:
        book.set_properties({"created": _MADE})
        sheet = book.add_worksheet("rows")
        sheet.freeze_panes(1, 0)
        sheet.write_row(0, 0, names, book.add_format({"bold": True}))
        for number, row in enumerate(held, 1):
            for place, name in enumerate(names):
                _write_cell(sheet, number, place, row.get(name))
        for place, name in enumerate(names):
            longest = max((len(str(row.get(name, ""))) for row in held[:200]), default=0)
            sheet.set_column(place, place, min(max(longest, len(name)) + 2, _WIDEST))
        if held:
            sheet.autofilter(0, 0, len(held), max(len(names) - 1, 0))
    stream.write(made.getvalue())
    return len(held)


def _write_cell(sheet: Any, row: int, column: int, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, float) or (isinstance(value, int) and abs(value) < _MOST_DIGITS):
        sheet.write_number(row, column, value)
    else:
        text = value if isinstance(value, str) else json_bytes(value).decode()
        if len(text) > _LONGEST_CELL:
            raise _too_much(f"row {row}: a text of {len(text):,} characters; a cell holds {_LONGEST_CELL:,}")
        sheet.write_string(row, column, text)


def _too_much(what: str) -> BadDataError:
    return BadDataError(f"{what}; write CSV or Parquet instead", code="E_XLSX", source="<output>")
