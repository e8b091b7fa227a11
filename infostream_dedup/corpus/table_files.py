"""Read records of Arrow and Feather files, and of the first sheet of a workbook (.xlsx)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from infostream_dedup.corpus.column_names import ColumnNames, advice_on
from infostream_dedup.corpus.columns import ReadBatch
from infostream_dedup.corpus.documents import IdType
from infostream_dedup.corpus.frames import frame_records
from infostream_dedup.corpus.records import Item, Place, Record
from infostream_dedup.errors import MissingExtraError, NoInputError

__all__ = ["arrow_records", "workbook_records"]


def arrow_records(
    source: str, id_type: IdType, names: ColumnNames, read_batch: ReadBatch, *, ids: bool = True
) -> Iterator[Any]:
    """Yield the records of one file in Arrow's file or stream format; a single error if it is neither.

    Args:
        source: path of the file.
        id_type: ``int`` allows an integer column as ids.
        names: what the columns are called.
        read_batch: reads a batch of rows.
        ids: whether a column of ids is required.

    Raises:
        NoInputError: the file cannot be opened.
    """
    import pyarrow as pa

    try:
        with Path(source).open("rb") as stream:
            try:
                table = pa.ipc.open_file(stream).read_all()
            except pa.ArrowInvalid:
                stream.seek(0)
                table = pa.ipc.open_stream(stream).read_all()
    except pa.ArrowException as error:
        yield Place(source).error("E_ARROW", f"not an Arrow or Feather file that can be read ({str(error)[:200]})")
        return
    except OSError as error:
        raise NoInputError(f"cannot read {source}: {error.strerror or error}") from error
    yield from frame_records(table, id_type, names, read_batch, ids=ids, source=source)


def workbook_records(source: str, names: ColumnNames, *, ids: bool = True) -> Iterator[Item]:
    """Yield the records of the first sheet of a workbook: a row of names, then one record per row, without empty cells.

    Whole numbers in the column of ids become their digits, because a spreadsheet has no other whole numbers.

    Args:
        source: path of the file.
        names: what the columns are called.
        ids: whether a column of ids is required.

    Raises:
        NoInputError: the file cannot be opened.
        MissingExtraError: the library that reads workbooks is not installed.
    """
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise MissingExtraError("python-calamine", "xlsx", "reading .xlsx") from None
    try:
        rows = CalamineWorkbook.from_path(source).get_sheet_by_index(0).to_python()
    except (CalamineError, ValueError, IndexError) as error:
        yield Place(source).error("E_XLSX", f"not a workbook that can be read ({str(error)[:200]})")
        return
    except OSError as error:
        raise NoInputError(f"cannot read {source}: {error.strerror or error}") from error
    header = [str(cell) for cell in rows[0]] if rows else []
    ours = names.names(header)
    missing = [name for name in ("id", "text") if name not in ours and (ids or name != "id")]
    if missing:
        came = ", ".join(header)[:200] or "nothing"
        message = f"missing columns: {', '.join(missing)}; the first row has: {came}{advice_on(header)}"
        yield Place(source, 1).error("E_SCHEMA", message)
        return
    for number, cells in enumerate(rows[1:], 2):
        values = {name: _value(name, cell) for name, cell in zip(ours, cells, strict=False) if name}
        if any(value is not None for value in values.values()):
            yield Record(values, Place(source, number))


def _value(name: str, cell: Any) -> Any:
    if cell == "":
        return None
    if isinstance(cell, float) and cell.is_integer() and name in ("id", "text", "title"):
        return str(int(cell))
    if name == "id":
        return str(cell)
    return cell.isoformat() if isinstance(cell, date) else cell
