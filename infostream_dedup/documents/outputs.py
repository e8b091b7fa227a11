"""Where results go: files replaced in one step; rows and documents in each format; no cell is a formula."""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import sys
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache, partial
from itertools import count
from numbers import Number
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Final, Literal, NamedTuple, cast, get_args

import orjson

from infostream_dedup.documents.documents import row_of
from infostream_dedup.documents.json_files import json_bytes
from infostream_dedup.documents.lines import STANDARD_STREAM, file_format
from infostream_dedup.errors import BadDataError, CannotCreateError, CannotWriteError, MissingExtraError
from infostream_dedup.machine.files import remove_stale_parts
from infostream_dedup.machine.platform import lock_file, sync
from infostream_dedup.model import Document
from infostream_dedup.model.tabular import arrow_table, require_arrow

# Spreadsheets skip blanks, and some also accept the full-width and small forms of the signs.
_SIGNS: Final = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b"
_BLANKS: Final = r"[\s\x00\u200b\u2060\ufeff]*"
_FORMULA: Final = f"(?:{_BLANKS}[{_SIGNS}]|[\\t\\r])"
# Cells that already have our apostrophe get another, so that the reader can remove exactly one.
_RUNNABLE: Final = re.compile(f"'*{_FORMULA}")
_GUARDED: Final = re.compile(f"'+{_FORMULA}")


def guarded(text: str) -> str:
    """Put an apostrophe before a text cell that a spreadsheet would run."""
    return "'" + text if _RUNNABLE.match(text) else text


def unguarded(cell: str) -> str:
    """Undo ``guarded``."""
    return cell[1:] if cell.startswith("'") and _GUARDED.match(cell) else cell


_LONGEST_CELL: Final = 32_767
_MOST_ROWS: Final = 1_048_576
_WIDEST: Final = 60
_MOST_DIGITS: Final = 10**15  # spreadsheets keep fifteen digits of a number
_MADE: Final = datetime(2000, 1, 1)


def require_workbooks() -> ModuleType:
    """Return xlsxwriter."""
    try:
        import xlsxwriter
    except ModuleNotFoundError as error:
        raise MissingExtraError("xlsxwriter", "xlsx", "writing .xlsx") from error
    return cast("ModuleType", xlsxwriter)


def write_workbook(rows: Iterable[Mapping[str, Any]], stream: BinaryIO, *, columns: Sequence[str] | None = None) -> int:
    """Write rows as text and numbers: a header that stays in view, then one line for each row; no cell is a formula."""
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
        text = value if isinstance(value, str) else _format_text(value)
        if len(text) > _LONGEST_CELL:
            raise _too_much(f"row {row}: a text of {len(text):,} characters; a cell holds {_LONGEST_CELL:,}")
        sheet.write_string(row, column, text)


def _too_much(what: str) -> BadDataError:
    return BadDataError(f"{what}; write CSV or Parquet instead", code="E_XLSX", source="<output>")


def write_database(rows: Iterable[Mapping[str, Any]], stream: BinaryIO, *, columns: Sequence[str] | None = None) -> int:
    """Write rows as the table ``rows`` of an SQLite file; lists and objects are JSON."""
    # Importing it takes a third of a second.
    from sqlite_utils import Database

    held = [dict(row) for row in rows]
    names = list(columns or dict.fromkeys(name for row in held for name in row))
    base = Database(memory=True, execute_plugins=False)
    if names:
        table = base.table("rows").create({name: _kind_of([row.get(name) for row in held]) for name in names})
        try:
            table.insert_all({name: row.get(name) for name in names} for row in held)
        except UnicodeEncodeError:
            message = "text with a lone surrogate cannot be written"
            raise BadDataError(message, code="E_ENCODING", source="<output>") from None
        except OverflowError:
            message = "a whole number beyond 64 bits; write CSV or JSON Lines instead"
            raise BadDataError(message, code="E_SQLITE", source="<output>") from None
    base.vacuum()
    stream.write(base.conn.serialize())
    base.close()
    return len(held)


def _kind_of(values: Sequence[Any]) -> type:
    given = [value for value in values if value is not None]
    if given and all(isinstance(value, int) for value in given):
        return int
    return float if given and all(isinstance(value, int | float) for value in given) else str


_PART_NUMBERS: Final = count()


def same_file(a: str | Path, b: str | Path) -> bool:
    """Return whether two names mean the same file, links included; a standard stream is never the same file."""
    if STANDARD_STREAM in (str(a), str(b)):
        return False
    try:
        return Path(a).samefile(b)
    except OSError:
        return Path(a).resolve() == Path(b).resolve()


def check_output(
    target: str | Path, *, inputs: Iterable[str | Path] = (), quarantine: str | Path | None = None
) -> None:
    """Refuse an output before the work starts if it would fail, or overwrite something, at the end."""
    if str(target) == STANDARD_STREAM:
        return
    if str(target).lower().endswith(".xlsx"):
        require_workbooks()
    if str(target).lower().endswith(".parquet"):
        require_arrow("writing .parquet")
    path = _checked_place(target, inputs, quarantine)
    if path.exists() and not path.is_file():
        # Devices and pipes are written directly, wherever they are.
        return
    folder = path.parent
    if not folder.is_dir():
        raise CannotCreateError(f"cannot create {target}: No such file or directory")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CannotCreateError(f"cannot create {target}: Permission denied")


def _checked_place(target: str | Path, inputs: Iterable[str | Path], quarantine: str | Path | None = None) -> Path:
    """Where an output is written, unless it is another file of the run or a directory."""
    for name in inputs:
        if same_file(name, target):
            raise CannotCreateError(f"{target} is one of the inputs; give the output another name")
    if quarantine is not None and same_file(quarantine, target):
        raise CannotCreateError(f"{target} is also the quarantine file; give the output another name")
    path = Path(target).resolve()
    if path.is_dir():
        raise CannotCreateError(f"cannot create {target}: it is a directory")
    return path


@contextmanager
def open_output(target: str | Path, *, inputs: Iterable[str | Path] = ()) -> Iterator[BinaryIO]:
    """Open a stream of bytes that becomes the file `target` if the block succeeds, and leaves nothing if it fails."""
    if str(target) == STANDARD_STREAM:
        with _name_failures("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    path = _checked_place(target, inputs)
    if path.exists() and not path.is_file():
        with _name_failures(target), _create(path, "wb", target) as stream:
            yield stream
            stream.flush()
        return
    stream, part = _create_part(path, target)
    try:
        # Closing may fail like any other write, so it also belongs inside.
        with _name_failures(target), stream:
            yield stream
            stream.flush()
            sync(stream.fileno())
        with _name_failures(target):
            if path.exists():
                shutil.copymode(path, part)
            part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _create_part(path: Path, target: str | Path) -> tuple[BinaryIO, Path]:
    # A killed process may have left gigabytes in a file that 'ls' does not show.
    remove_stale_parts(path.parent)
    while True:
        # The name does not contain the target's, which may already have the maximum length.
        part = path.with_name(f".infostream-dedup-{os.getpid()}-{next(_PART_NUMBERS)}.part")
        if not part.exists():
            stream = _create(part, "xb", target)
            # Otherwise a process in another container, where our number is unknown, would take it for stale.
            lock_file(stream.fileno())
            return stream, part


def _create(path: Path, mode: str, target: str | Path) -> BinaryIO:
    try:
        stream: BinaryIO = path.open(mode)  # type: ignore[assignment]
    except OSError as error:
        raise CannotCreateError(f"cannot create {target}: {error.strerror or error}") from error
    return stream


@contextmanager
def _name_failures(target: str | Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWriteError(f"cannot write {target}: {error.strerror or error}") from error


RowFormat = Literal["jsonl", "json", "csv", "xlsx", "sqlite", "parquet"]
CsvDialect = Literal["standard", "excel"]


class CsvForm(NamedTuple):
    """How rows become bytes."""

    separator: str = ","
    end: str = "\n"
    encoding: str = "utf-8"
    begins: bytes = b""
    decimal_commas: bool = False


_FORMS: Final[Mapping[str, CsvForm]] = {
    "standard": CsvForm(),
    # Spreadsheet programs take a file without a byte order mark for another encoding.
    "excel": CsvForm(";", "\r\n", begins=BOM_UTF8, decimal_commas=True),
}


@cache
def _in_need_of_quotes(separator: str) -> re.Pattern[str]:
    return re.compile(rf'["{re.escape(separator)}\r\n]')


def _form(dialect: CsvDialect | CsvForm) -> CsvForm:
    return dialect if isinstance(dialect, CsvForm) else _FORMS[dialect]


def form_for(name: str | Path, dialect: CsvDialect | CsvForm) -> CsvForm:
    """Return the form of a file: with tabs if it is called ``.tsv``."""
    form = _form(dialect)
    return form._replace(separator="\t") if str(name).lower().removesuffix(".gz").endswith(".tsv") else form


def row_format(name: str) -> RowFormat:
    """Return the format of a file of rows by its ending, also with ``.gz``; JSON Lines if it says nothing."""
    ending = Path(name.lower().removesuffix(".gz")).suffix[1:].replace("tsv", "csv")
    return cast("RowFormat", ending) if ending in get_args(RowFormat) else "jsonl"


def write_rows(
    rows: Iterable[Mapping[str, Any]],
    stream: BinaryIO,
    format: RowFormat,  # noqa: A002 - the name of the command line's option
    *,
    columns: Sequence[str] | None = None,
    raw: bool = False,
    dialect: CsvDialect | CsvForm = "standard",
) -> int:
    r"""Write rows in order."""
    match format:
        case "jsonl":
            number = 0
            for row in rows:
                stream.write(json_bytes(row) + b"\n")
                number += 1
            return number
        case "json":
            number = 0
            for number, row in enumerate(rows, 1):
                stream.write((b",\n" if number > 1 else b"[\n") + json_bytes(row))
            stream.write(b"\n]\n" if number else b"[]\n")
            return number
        case "csv":
            return _write_csv(rows, stream, columns, raw=raw, dialect=dialect)
        case "xlsx":
            return write_workbook(rows, stream, columns=columns)
        case "sqlite":
            return write_database(rows, stream, columns=columns)
        case "parquet":
            require_arrow("writing Parquet")
            import pyarrow.parquet as pq

            held = list(rows)
            pq.write_table(arrow_table(held, columns or ()), stream)
            return len(held)


def _write_csv(
    rows: Iterable[Mapping[str, Any]],
    stream: BinaryIO,
    columns: Sequence[str] | None,
    *,
    raw: bool,
    dialect: CsvDialect | CsvForm,
) -> int:
    if columns is None:
        return write_all_columns(rows, stream, raw=raw, dialect=dialect)
    line = partial(csv_line, raw=raw, dialect=dialect)
    stream.write(csv_beginning(dialect) + line(columns))
    known = frozenset(columns)
    number = 0
    for number, row in enumerate(rows, 1):
        if not known.issuperset(row):
            unknown = [name for name in row if name not in known]
            raise ValueError(f"row {number} has columns that the header lacks: {unknown}")
        stream.write(line(row.get(name) for name in columns))
    return number


def write_all_columns(
    rows: Iterable[Mapping[str, Any]],
    stream: BinaryIO,
    *,
    raw: bool = False,
    dialect: CsvDialect | CsvForm = "standard",
    first: Sequence[str] = (),
    without_rows: Sequence[str] = (),
) -> int:
    """Write rows as CSV with the columns ``first``, then those of all rows, in order of first appearance."""
    columns = dict.fromkeys(first)
    number = 0
    with tempfile.TemporaryFile() as spool:
        for row in rows:
            columns.update(dict.fromkeys(row))
            spool.write(json_bytes(csv_cells((row.get(name) for name in columns), raw=raw, dialect=dialect)) + b"\n")
            number += 1
        names = tuple(columns) or without_rows
        stream.write(csv_beginning(dialect) + (csv_line(names, raw=raw, dialect=dialect) if names else b""))
        spool.seek(0)
        for line in spool:
            cells = orjson.loads(line)
            stream.write(joined(cells + [""] * (len(names) - len(cells)), dialect))
    return number


def csv_beginning(dialect: CsvDialect | CsvForm) -> bytes:
    """The bytes before the header."""
    return _form(dialect).begins


def csv_line(values: Iterable[Any], *, raw: bool = False, dialect: CsvDialect | CsvForm = "standard") -> bytes:
    r"""Format one row of CSV in UTF-8 with its line end."""
    return joined(csv_cells(values, raw=raw, dialect=dialect), dialect)


def csv_cells(values: Iterable[Any], *, raw: bool = False, dialect: CsvDialect | CsvForm = "standard") -> list[str]:
    """Format values as cells, quoted where needed."""
    form = _form(dialect)
    return [_format_cell(value, form, raw=raw) for value in values]


def joined(cells: Sequence[str], dialect: CsvDialect | CsvForm = "standard") -> bytes:
    """Join formatted cells into one row in UTF-8 with its line end."""
    # A single empty cell would make a blank line, which is not a row.
    form = _form(dialect)
    line = form.separator.join(cells) or '""'
    try:
        return (line + form.end).encode(form.encoding)
    except UnicodeEncodeError as error:
        message = "text with a lone surrogate cannot be written"
        if form.encoding != "utf-8":
            character = error.object[error.start]
            message = f"{character!r} cannot be written in {form.encoding} as the input is; use --csv-dialect standard"
        raise BadDataError(message, code="E_ENCODING", source="<output>") from None


def _format_cell(value: Any, form: CsvForm, *, raw: bool) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else _format_text(value)
    if isinstance(value, float) and form.decimal_commas:
        text = text.replace(".", ",")
    if not raw and not isinstance(value, Number):
        text = guarded(text)
    if _in_need_of_quotes(form.separator).search(text):
        return '"' + text.replace('"', '""') + '"'
    return text


def _format_text(value: Any) -> str:
    if isinstance(value, float):
        # Not repr(): numpy's floats are subclasses of float whose repr() includes the type.
        return float.__repr__(value)
    text = json_bytes(value).decode()
    # A time or a decimal becomes a JSON string; the cell holds it without quotes.
    return text[1:-1] if text.startswith('"') else text


# Write documents to files and standard output; a Parquet file is written when the types of its columns are known


_REQUIRED: Final = ("id", "text")
_GZIP_LEVEL: Final = 6


def write_documents(
    documents: Iterable[Document | Mapping[str, Any]],
    target: str | Path,
    *,
    inputs: Iterable[str | Path] = (),
    raw: bool = False,
    dialect: CsvDialect | CsvForm = "standard",
) -> int:
    """Write documents with all their fields, in order, in one pass; memory is bounded, except for workbooks."""
    kind = file_format(str(target))
    rows = (row_of(document) if isinstance(document, Document) else document for document in documents)
    with open_output(target, inputs=inputs) as file, packed(file, target) as stream:
        match kind:
            case "jsonl" | "json":
                return write_rows(rows, stream, kind)
            case "csv":
                form = form_for(target, dialect)
                return write_all_columns(rows, stream, raw=raw, dialect=form, without_rows=_REQUIRED)
            case "parquet":
                return write_parquet(rows, stream, columns=_REQUIRED)
            case "xlsx":
                held = list(rows)
                return write_workbook(held, stream, columns=() if held else _REQUIRED)


@contextmanager
def packed(file: BinaryIO, target: str | Path) -> Iterator[BinaryIO]:
    """Open a file for writing; what is called ``.gz`` is packed."""
    if not str(target).lower().endswith(".gz"):
        yield file
        return
    # No name and no time in the archive's header, so that the same documents give the same bytes.
    with gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=file, mtime=0) as stream:
        yield stream  # type: ignore[misc]  # GzipFile is a binary stream, though not declared as one


_BATCH_ROWS: Final = 8192
_BATCH_CHARACTERS: Final = 2**23
# Arrow itself gives up at 64 levels; nobody queries columns this deep.
_MAX_LEVELS: Final = 16
Row = Mapping[str, Any]


def write_parquet(rows: Iterable[Row], stream: BinaryIO, *, columns: Iterable[str] = ()) -> int:
    """Write `rows` as one Parquet file; a missing key is null."""
    require_arrow("writing .parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    types, number = _ColumnTypes(), 0
    with tempfile.TemporaryFile() as spool:
        for batch in _split_batches(rows):
            number += len(batch)
            table = _make_table(batch, types)
            with pa.ipc.new_stream(spool, table.schema) as writer:
                writer.write_table(table)
        end, schema = spool.tell(), pa.schema(list(types.final(columns).items()))
        spool.seek(0)
        with pq.ParquetWriter(stream, schema, compression="zstd") as file:
            while spool.tell() < end:
                with pa.ipc.open_stream(spool) as reader:
                    table = reader.read_all()
                file.write_table(pa.table([_convert_column(table, field) for field in schema], schema=schema))
    return number


class _ColumnTypes:
    """The single type of each column, in order of first appearance."""

    def __init__(self) -> None:
        import pyarrow as pa

        self._null = pa.null()
        self._text = pa.string()
        self._types: dict[str, Any] = {}
        self._mixed: set[str] = set()
        self._wide: set[str] = set()

    def note(self, name: str, array: Any) -> None:
        """Record the type of a batch's column."""
        import pyarrow as pa

        before = self._types.setdefault(name, self._null)
        if array is None:
            merged = None
        elif {before, array.type} == {pa.int64(), pa.float64()}:
            merged = pa.float64()
        else:
            merged = _merge_types(before, array.type)
        if merged is None:
            self._mixed.add(name)
            return
        self._types[name] = merged
        if array.type == pa.int64() and not _exact_as_float(array):
            self._wide.add(name)

    def final(self, needed: Iterable[str]) -> dict[str, Any]:
        """Map column names to types: text for columns of mixed or no values, and for needed columns never seen."""
        import pyarrow as pa

        def final_type(name: str, kind: Any) -> Any:
            mixed = name in self._mixed or (name in self._wide and kind == pa.float64())
            return self._text if mixed or kind == self._null else kind

        types = {name: final_type(name, kind) for name, kind in self._types.items()}
        return types | {name: self._text for name in needed if name not in types}


def _merge_types(a: Any, b: Any) -> Any:
    """Return the type that fits both, where a type of nulls alone fits any other; None if no type does."""
    import pyarrow as pa

    if a == b or pa.types.is_null(b):
        return a
    if pa.types.is_null(a):
        return b
    if pa.types.is_list(a) and pa.types.is_list(b):
        inner = _merge_types(a.value_type, b.value_type)
        return None if inner is None else pa.list_(inner)
    if pa.types.is_struct(a) and pa.types.is_struct(b) and a.names == b.names:
        fields = [_merge_types(one.type, other.type) for one, other in zip(a.fields, b.fields, strict=True)]
        return None if None in fields else pa.struct(list(zip(a.names, fields, strict=True)))
    return None


def _exact_as_float(array: Any) -> bool:
    import pyarrow as pa

    try:
        array.cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def _split_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(batch) >= _BATCH_ROWS or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _make_table(batch: list[Row], types: _ColumnTypes) -> Any:
    """Convert a batch of rows to an Arrow table with the types of its own values."""
    import pyarrow as pa

    names = dict.fromkeys(name for row in batch for name in row)
    columns = {}
    for name in names:
        values = [row.get(name) for row in batch]
        array = _make_array(values)
        types.note(name, array)
        columns[name] = pa.array([_as_text(value) for value in values], pa.string()) if array is None else array
    return pa.table(columns)


def _make_array(values: list[Any]) -> Any:
    """Convert values to an Arrow array of their type; None if no single type holds them exactly."""
    import pyarrow as pa

    try:
        array = pa.array(values)
    except UnicodeEncodeError:
        json_bytes(values)
        raise
    except (pa.ArrowException, OverflowError, ValueError, TypeError):
        return None
    # Arrow gives each struct the keys of all structs, which would add keys to a document.
    if not _fits_parquet(array.type) or (pa.types.is_nested(array.type) and array.to_pylist() != values):
        return None
    return array


def _fits_parquet(kind: Any, levels: int = _MAX_LEVELS) -> bool:
    """Whether a type is not too deep, and has no empty struct or calendar interval, which Parquet cannot hold."""
    import pyarrow as pa

    if not pa.types.is_nested(kind):
        return not pa.types.is_interval(kind)
    fields = [kind.field(position) for position in range(kind.num_fields)]
    return bool(fields) and levels > 0 and all(_fits_parquet(field.type, levels - 1) for field in fields)


def _as_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json_bytes(value).decode().strip('"')


def _convert_column(table: Any, field: Any) -> Any:
    import pyarrow as pa

    if field.name not in table.schema.names:
        return pa.nulls(table.num_rows, field.type)
    column = table.column(field.name)
    if column.type == field.type:
        return column
    if field.type == pa.string():
        return pa.array([_as_text(value) for value in column.to_pylist()], pa.string())
    if pa.types.is_nested(field.type):
        # Arrow's cast of lists of nulls produces broken arrays (pyarrow 26), and only such lists reach this line.
        return pa.array(column.to_pylist(), field.type)
    return column.cast(field.type)
