"""Read documents from any input, and refuse bad records or set them aside; nothing is dropped silently."""

from __future__ import annotations

import atexit
import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypedDict, Unpack, get_args
from urllib.parse import urlsplit

from infostream_dedup.documents import table_files
from infostream_dedup.documents.column_names import (
    BATCH_ROWS,
    ColumnNames,
    Columns,
    ReadBatch,
    batch_records,
    schema_error,
)
from infostream_dedup.documents.dates import time_zone
from infostream_dedup.documents.documents import DocumentBuilder, OtherLanguageError, OtherLanguages, sections_of
from infostream_dedup.documents.json_files import is_json_lines, json_array_records, json_bytes, jsonl_records
from infostream_dedup.documents.lines import (
    BYTE_ORDER_MARK,
    KNOWN_ENDINGS,
    READERS,
    STANDARD_STREAM,
    StreamError,
    byte_lines,
    check_ratio,
    encoding_named,
    input_format,
    open_bytes,
    without_ending,
    written_encoding,
)
from infostream_dedup.documents.outputs import CsvForm, same_file
from infostream_dedup.documents.records import BadRecords, Item, OnError, Place, ReadingReport, Record, SeenIds
from infostream_dedup.errors import BadDataError, ConfigurationError, InfostreamError, MissingExtraError, NoInputError
from infostream_dedup.model import Document
from infostream_dedup.model.limits import EXPERT, READS, Option, Range, check_record, own_number
from infostream_dedup.model.tabular import require_arrow

Source: TypeAlias = str | Path | Iterable[str | Path] | Iterable[Mapping[str, Any] | Document] | Any
"""A path or several, ``-``, an iterable of dicts or documents, or a data frame (anything that supports Arrow)."""


class RecordReaders(NamedTuple):
    """Readers of many records, which read them one by one or in batches."""

    # reads the lines of a file, given the maximum bytes of a line and the encoding
    lines: Callable[[str, int, str | None], Iterator[Any]]
    batch: ReadBatch  # reads the rows of a table
    values: Callable[[Iterable[Any]], Iterator[Any]]  # reads dicts and documents


ONE_BY_ONE: Final[RecordReaders] = RecordReaders(jsonl_records, batch_records, table_files.list_records)
MAX_LINE_BYTES: Final = 10 * 2**20


class ReadingOptions(TypedDict, total=False):
    """The fields of ``Reading`` as keywords."""

    on_error: OnError
    quarantine: str | Path | None
    max_errors: int | None
    max_line_bytes: int
    tz: str | None
    columns: Columns | None
    make_ids: bool
    other_languages: OtherLanguages
    encoding: str | None
    repair: bool
    write_repaired: bool
    sections: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Options of reading. Names equal the flags of the command line; values are checked when reading begins.

    Attributes:
        on_error: ``fail`` stops at the first bad record; ``skip`` sets it aside in ``quarantine`` and continues. A file
            that breaks off (a truncated archive, damaged Parquet) or has wrong columns counts as one bad record:
            everything before the break is read, and reading continues with the next file.
        quarantine: file for the records that are set aside; overwritten. Without one, they are
            only counted.
        max_errors: with ``skip``, maximum number of records set aside before reading stops.
        max_line_bytes: maximum length of a line of JSON Lines or a row of CSV in bytes; longer ones are bad and never
            loaded.
        tz: IANA name of the time zone of dates without one; UTC if None.
        columns: names of the fields in the input, such as ``{"text": "Текст"}`` or ``"id=ID,text=Текст"``.
        make_ids: derive an id for documents without one: a digest of title, text, date and address.
        other_languages: how to treat documents whose ``lang`` is not one of ours, or that have no ``lang`` and are
            plainly in another language: ``stem`` stems their words with Snowball (or only lower-cases them in languages
            that Snowball lacks) and keeps their statistics separate, ``skip`` leaves them out, ``fail`` treats them as
            bad records. They are counted.
        encoding: encoding of text files; by default UTF-16 and the usual Cyrillic encodings are recognised and
            reported.
        repair: judge texts that an earlier program read in a wrong encoding as what they were, if that gives plain
            Russian or Ukrainian. They are counted, and written back as they came.
        write_repaired: write such texts repaired.
        sections: read each item of a digest, or paragraph of an article, as a document ``ID#start-end`` (code points of
            its text) without a title; texts of fewer than three stay whole.
    """

    on_error: Annotated[
        OnError, Option("Stop at a bad record, or skip it and write it to the quarantine file.", READS)
    ] = "fail"
    quarantine: Annotated[str | Path | None, Option("File for skipped records (JSONL).", READS)] = None
    max_errors: Annotated[int | None, Range(0), Option("Stop when more records than this are skipped.", EXPERT)] = None
    max_line_bytes: int = MAX_LINE_BYTES
    tz: Annotated[str | None, Option("Time zone of dates without one, e.g. Europe/Kyiv.", READS, default="UTC")] = None
    columns: Annotated[
        Columns | None,
        Option("Names of your columns, e.g. id=ID,text=Text.", READS, metavar="OURS=THEIRS,...", many=True),
    ] = None
    make_ids: Annotated[bool, Option("Derive an id from the content of documents without one.", READS)] = False
    other_languages: Annotated[
        OtherLanguages,
        Option("Documents in languages other than ru, uk and en: compared by stems, left out, or bad records.", READS),
    ] = "stem"
    encoding: Annotated[
        str | None, Option("Encoding of text files.", READS, default="UTF-8; UTF-16, cp1251, koi8-u recognised")
    ] = None
    repair: Annotated[
        bool, Option("Judge texts that were once decoded wrongly as what they were; they are counted.", EXPERT)
    ] = True
    write_repaired: Annotated[bool, Option("Write such texts repaired, not as they came.", EXPERT)] = False
    sections: Annotated[
        bool, Option("Compare the items of digests and the paragraphs of articles: documents ID#start-end.", EXPERT)
    ] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_line_bytes", own_number(self.max_line_bytes))

    def bad_records(self, report: ReadingReport | None = None) -> BadRecords:
        """Return the handler of bad records for a reading with these options.

        Args:
            report: counts what is read; a new one by default.

        Raises:
            ConfigurationError: the options contradict each other.
        """
        return BadRecords(on_error=self.on_error, quarantine=self.quarantine, max_errors=self.max_errors, report=report)


def chosen_reading(reading: Reading | None, given: Any) -> Reading:
    """Return the given reading options, or create them from single options."""
    check_record("reading", reading, Reading)
    if reading is None:
        return Reading(**given)
    if given:
        raise ConfigurationError(f"reading and {', '.join(given)} are both given; put everything into reading")
    return reading


def read_documents(
    source: Source,
    *,
    reading: Reading | None = None,
    report: ReadingReport | None = None,
    **options: Unpack[ReadingOptions],
) -> Iterator[Document]:
    """Read the documents of an input in order, in one pass and with bounded memory (only ids are kept).

    Options and the existence of files are checked at once; reading starts when the first document is requested.

    Args:
        source: path of a ``.jsonl``, ``.ndjson``, ``.json`` (lines or an array), ``.csv``, ``.tsv`` or ``.txt`` file
            (all also with ``.gz``, ``.bz2``, ``.xz`` or ``.zst``), of a ``.parquet``, ``.feather``, ``.arrow`` or
            ``.xlsx`` file, of a folder with such files, of which hidden ones are left out, or a pattern such as
            ``2024-*.csv``; ``-`` for JSON Lines on standard input; or a list of these, read as one collection; or an
            iterable of dicts or documents, or a list of texts; or a pandas, polars, DuckDB, Arrow or other table, or a
            column of texts.
        reading: all reading options at once.
        report: counts what is read, used and set aside.
        options: single reading options by name: ``on_error``, ``quarantine``, ``max_errors``, ``max_line_bytes``,
            ``tz``, ``columns``, ``make_ids``, ``other_languages``, ``encoding``, ``repair``,
            ``write_repaired``, ``sections`` (see ``Reading``).

    Yields:
        Documents, each with a different id.

    Raises:
        BadDataError: a bad record, or more than `max_errors`. Its codes: ``E_JSON``, ``E_ENCODING``, ``E_DEPTH``,
            ``E_TOO_LARGE``, ``E_GZIP``, ``E_RATIO``, ``E_CSV``, ``E_PARQUET``, ``E_SCHEMA``, ``E_MISSING``,
            ``E_TYPE``, ``E_ID``, ``E_ID_DUPLICATE``, ``E_ID_CONFLICT``, ``E_LANG``, ``E_DATE``, ``E_PACKED``,
            ``E_ARROW``, ``E_XLSX``; ``E_MAX_ERRORS``.
        NoInputError: a file is missing or cannot be read.
        ConfigurationError: an option is invalid or given twice, or the ending of a file is unknown.
        TypeError: there is no such option.
        CannotCreateError, CannotWriteError: the quarantine file cannot be written.

    Example:
        >>> [d.id for d in read_documents([{"id": "a", "text": "Курс гривні"}, {"id": "b", "text": "Погода"}])]
        ['a', 'b']
    """
    chosen = chosen_reading(reading, options)
    bad = chosen.bad_records(report)
    return _read_once(open_items(source, chosen, ONE_BY_ONE), make_builder(chosen, bad.report), bad)


def _read_once(items: Iterator[Item], builder: DocumentBuilder, bad: BadRecords) -> Iterator[Document]:
    with bad:
        for document, _ in checked_documents(items, builder, bad, SeenIds()):
            yield document


def checked_documents(
    items: Iterator[Item], builder: DocumentBuilder, bad: BadRecords, seen: SeenIds | None
) -> Iterator[tuple[Document, Place]]:
    """Build documents, count them, and set bad records aside."""
    for item in items:
        try:
            checked = _check(item, builder, seen)
        except OtherLanguageError:
            bad.report.read += 1
            bad.report.left_out += 1
            continue
        if isinstance(checked, BadDataError):
            bad.add(checked)
            continue
        document, place = checked
        for part in sections_of(document) if builder.sections else (document,):
            bad.report.read += 1
            bad.report.count_used(place.source)
            bad.report.count_origin(part.source, part.lang)
            yield part, place


def _check(item: Item, builder: DocumentBuilder, seen: SeenIds | None) -> tuple[Document, Place] | BadDataError:
    if isinstance(item, BadDataError):
        return item
    try:
        document = builder.build(item)
        if seen is not None:
            seen.add(document, item.place)
    except BadDataError as error:
        if item.place.raw is None:
            error.raw = _serialise(item)
        return copy(error)
    return document, item.place


def _serialise(record: Record) -> bytes:
    """Serialise a record that has no bytes of its own, for the quarantine."""
    try:
        return json_bytes(dict(record.values))
    except InfostreamError:
        return repr(record.values).encode(errors="backslashreplace")


def open_items(source: Source, reading: Reading, readers: RecordReaders) -> Iterator[Any]:
    """Open an input and yield its records, or their errors."""
    names = ColumnNames(reading.columns)
    if callable(getattr(source, "read", None)):
        name = getattr(source, "name", "")
        source = copied(source, Path(name).name if isinstance(name, str) else "")
    source = table_files.loaded(source)
    if table_files.is_frame(source):
        return table_files.frame_records(source, names, readers.batch, ids=not reading.make_ids)
    if isinstance(source, str | Path):
        return _open_files([source], reading, names, readers)
    if isinstance(source, Mapping | Document | bytes) or not isinstance(source, Iterable):
        raise ConfigurationError(
            f"{type(source).__name__} is not an input; expected a path, a list of paths, a list of dicts or documents, "
            "or a data frame"
        )
    values = iter(source)
    try:
        first = next(values)
    except StopIteration:
        return iter(())
    if isinstance(first, str | Path):
        return _open_files([first, *values], reading, names, readers)
    # An iterator may wait for its next value: only what is all there is read many values at a time.
    return (
        readers.values(source)
        if isinstance(source, list | tuple)
        else table_files.list_records(chain((first,), values))
    )


def _open_files(given: list[Any], reading: Reading, names: ColumnNames, readers: RecordReaders) -> Iterator[Any]:
    for path in given:
        if not isinstance(path, str | Path):
            raise ConfigurationError(f"{type(path).__name__} among paths; expected only paths")
    paths = [one for path in given for one in files_of(str(path))]
    for path in paths:
        input_format(path)
    check_quarantine(reading.quarantine, paths)
    if paths.count(STANDARD_STREAM) > 1:
        raise ConfigurationError("- is given twice; standard input can be read only once")
    encoding_named(reading.encoding)
    return chain.from_iterable(_open_file(path, reading, names, readers) for path in paths)


def _open_file(path: str, reading: Reading, names: ColumnNames, readers: RecordReaders) -> Iterator[Any]:
    ids, encoding = not reading.make_ids, encoding_named(reading.encoding)
    form = input_format(path)
    if form in ("json", "text") and is_json_lines(path, encoding, only_objects=form == "text"):
        form = "jsonl"
    match form:
        case "jsonl":
            return readers.lines(path, reading.max_line_bytes, encoding)
        case "json":
            return json_array_records(path, encoding)
        case "csv":
            return table_files.csv_records(path, reading.max_line_bytes, names, encoding=encoding, ids=ids)
        case "parquet":
            return parquet_records(path, names, readers.batch, ids=ids)
        case "arrow":
            return table_files.arrow_records(path, names, readers.batch, ids=ids)
        case "xlsx":
            return table_files.workbook_records(path, names, ids=ids)
        case "text":
            return text_records(path, encoding)
        case "reader":
            return _read_by_others(path)


def _read_by_others(path: str) -> Iterator[Item]:
    """Read a file with the reader of another package; whatever it raises is told as a fault of the file."""
    point = READERS[max((ending for ending in READERS if path.lower().endswith(ending)), key=len)]
    try:
        yield from table_files.list_records(point.load()(path), source=path)
    except InfostreamError:
        raise
    except Exception as error:
        told = f"the reader {point.name} of {point.value}: {type(error).__name__}: {error}"
        raise BadDataError(told, code="E_READER", source=path) from error


def make_builder(reading: Reading, report: ReadingReport | None, *, plain: bool = False) -> DocumentBuilder:
    """Return the builder of a reading's documents, or of what is left of plain ones without their texts."""
    if reading.other_languages not in get_args(OtherLanguages):
        raise ConfigurationError(
            f"other_languages is {reading.other_languages!r}, expected one of {', '.join(get_args(OtherLanguages))}"
        )
    Range(1).check("max_line_bytes", reading.max_line_bytes)
    columns = ColumnNames(reading.columns)
    if report is not None:
        report.absent = columns.absent
    builder = DocumentBuilder(
        zone=time_zone(reading.tz),
        columns=columns,
        make_ids=reading.make_ids,
        other_languages=reading.other_languages,
        repair="written" if reading.write_repaired else "judged" if reading.repair else "no",
        report=report,
        plain=plain,
    )
    builder.sections = reading.sections
    return builder


# Bytes. With a buffer, pages are read as needed; ``pre_buffer``, pyarrow's default, would read and keep whole columns.
_BUFFER: Final = 2**20
_BATCH_BYTES: Final = 256 * 2**20
_SMALL_FILE: Final = 16 * 2**20


def parquet_records(source: str, names: ColumnNames, read_batch: ReadBatch, *, ids: bool = True) -> Iterator[Any]:
    """Yield the records of one file, or a single error if it is not Parquet or has wrong columns."""
    require_arrow("reading .parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 0
    try:
        with Path(source).open("rb") as stream, pq.ParquetFile(stream, buffer_size=_BUFFER, pre_buffer=False) as file:
            wrong = schema_error(file.schema_arrow, source, names, ids=ids)
            if wrong is not None:
                yield wrong
                return
            size = Path(source).stat().st_size
            groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
            check_ratio(sum(group.total_byte_size for group in groups), size)
            _check_metadata(file, source)
            # Each value, those in lists too, takes a byte at least once it is read.
            columns = (group.column(number) for group in groups for number in range(group.num_columns))
            check_ratio(sum(column.num_values for column in columns), size)
            unpacked = 0
            for batch in file.iter_batches(batch_size=_rows_at_once(groups, size)):
                # A dictionary holds a value once that each row then has.
                unpacked += batch.nbytes
                check_ratio(unpacked, size)
                yield from read_batch(batch, source, rows)
                rows += batch.num_rows
    except StreamError as error:
        yield Place(source, rows + 1 if rows else None).error(error.code, error.message)
    except (pa.ArrowException, ValueError, OverflowError) as error:
        # Names that are not UTF-8 and impossible sizes raise Python's errors, not Arrow's.
        yield _damage_error(source, rows, error)
    except OSError as error:
        # pyarrow reports damaged pages as OSError without a number; system errors have one.
        if error.errno is None:
            yield _damage_error(source, rows, error)
        else:
            raise NoInputError(f"cannot read {source}: {error.strerror or error}") from error


def _check_metadata(file: Any, source: str) -> None:
    """Raise an error if a column does not fit the schema: asked for such a column's metadata, pyarrow aborts."""
    import pyarrow as pa

    flat = [field.name for field in file.schema_arrow if not pa.types.is_nested(field.type)]
    for number in range(file.metadata.num_row_groups):
        next(file.iter_batches(1, row_groups=[number], columns=flat), None)
    if len(flat) < len(file.schema_arrow):
        # A single row of lists may be too large to read.
        table_files.read_apart("parquet", source)


def _rows_at_once(groups: list[Any], size: int) -> int:
    """Rows of a batch: in a small file, few enough that even a dictionary's longest value in each row has room."""
    if size > _SMALL_FILE:
        return BATCH_ROWS
    longest = max(
        (group.column(number).total_uncompressed_size for group in groups for number in range(group.num_columns)),
        default=0,
    )
    return min(BATCH_ROWS, max(1, _BATCH_BYTES // max(1, longest)))


def _damage_error(source: str, rows: int, error: Exception) -> Item:
    reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    if not rows:
        return Place(source).error("E_PARQUET", f"not a Parquet file that can be read ({reason})")
    return Place(source, rows + 1).error("E_PARQUET", f"the file is damaged after {rows} rows ({reason})")


# Files of a job: a plain-text file as one document, folders and patterns expanded, and what is not overwritten


_PATTERN: Final = frozenset("*?[")


def files_of(source: str) -> list[str]:
    """Return the files that a path denotes, sorted by name: the file itself, or those of a folder or pattern."""
    if not source:
        raise NoInputError("the name of the input is empty; give a file, a folder or a pattern")
    path = Path(source)
    try:
        if source == STANDARD_STREAM or path.is_file():
            return [source]
    except OSError as error:
        reason = f"{error.strerror or error}; to read texts that are in memory, give them as a list"
        raise NoInputError(f"cannot open {source[:60]!r}...: {reason}") from None
    if path.is_dir():
        found = sorted(
            str(one)
            for one in path.rglob("*")
            if one.is_file() and not any(part.startswith(".") for part in one.relative_to(path).parts)
        )
        known = [one for one in found if one.lower().endswith(KNOWN_ENDINGS)]
        if not known:
            plain = ", ".join(one for one in KNOWN_ENDINGS if one.count(".") == 1)
            raise NoInputError(f"{source}: no file in this folder ends in {plain}, or is a packed one of these")
        return known
    if source.startswith(("http://", "https://")):
        raise NoInputError(
            f"{source} is an address, and no command but 'collect' opens one; download it first, for example with "
            "curl -O, and give the file"
        )
    if "://" in source:
        return [_fetched(source)]
    if path.exists():
        if os.path.samestat(path.stat(), os.fstat(0)):
            return [STANDARD_STREAM]
        raise NoInputError(
            f"{source} is a pipe or a device, which can be read only once; write it to a file, or send JSON Lines to "
            "standard input and give -"
        )
    if _PATTERN.intersection(source):
        matched = sorted(one for one in glob.glob(source, recursive=True) if Path(one).is_file())  # noqa: PTH207
        if matched:
            return matched
        raise NoInputError(f"{source}: no file name matches this pattern")
    raise NoInputError(f"{source} does not exist")


@cache
def _fetched(address: str) -> str:
    """Copy what lies at an address, such as ``s3://bucket/march.parquet``, once for this process."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError("fsspec", "remote", f"reading {address}") from None
    try:
        with fsspec.open(address, "rb") as stream:
            return copied(stream, PurePosixPath(urlsplit(address).path).name)
    except ImportError as error:
        raise NoInputError(f"cannot open {address}: {error}") from None
    except (OSError, ValueError) as error:
        raise NoInputError(f"cannot open {address}: {error or type(error).__name__}") from None


def copied(stream: Any, name: str) -> str:
    """Copy an open file to one that lasts until the process ends; its ending says what it is, or JSON Lines."""
    folder = TemporaryDirectory(prefix="infostream-dedup-")
    atexit.register(folder.cleanup)
    target = Path(folder.name) / (name if name.lower().endswith(KNOWN_ENDINGS) else f"{name or 'input'}.jsonl")
    with target.open("wb") as out:
        while content := stream.read(1 << 20):
            out.write(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    return str(target)


def text_records(source: str, encoding: str | None) -> Iterator[Item]:
    """Yield a plain-text file as one record whose id is the file's name without its ending."""
    place = Place(source, 1, 0)
    try:
        with open_bytes(source, encoding) as stream:
            content = stream.read().removeprefix(b"\xef\xbb\xbf")
    except StreamError as fault:
        yield place.error(fault.code, fault.message)
        return
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        byte = content[error.start]
        yield place.error("E_ENCODING", f"byte 0x{byte:02x} at byte {error.start + 1} is not UTF-8; see --encoding")
        return
    if text.strip():
        yield Record({"id": without_ending(source), "text": text}, place._replace(raw=content))


# The files of one job: what it reads, and what must not overwrite them


def paths_of(source: Any) -> list[str]:
    """Return the files of a source, each by name, which no output may overwrite."""
    items = source if isinstance(source, list | tuple | set | frozenset) else [source]
    if not all(isinstance(item, str | Path) for item in items) or table_files.loaded(source) is not source:
        return []
    found: list[str] = []
    for item in items:
        # Reading the source reports what is missing. What lies at an address is no file of ours.
        if "://" not in str(item):
            with suppress(NoInputError):
                found += files_of(str(item))
    return [path for path in found if path != STANDARD_STREAM]


def is_read_from(source: Any, folder: Path, endings: tuple[str, ...]) -> bool:
    """Whether files that a job leaves in a folder will be read with the source next time."""
    if not paths_of(source):
        return False
    inside = folder.resolve()
    for item in map(Path, source if isinstance(source, list | tuple | set | frozenset) else [source]):
        # Reading the source reports a name that is too long.
        with suppress(OSError):
            if item.is_dir() and inside.is_relative_to(item.resolve()):
                return True
            found = [] if item.exists() else [Path(name).resolve() for name in paths_of(str(item))]
            if any(path.is_relative_to(inside) and path.name.endswith(endings) for path in found):
                return True
    return False


def check_quarantine(quarantine: str | Path | None, inputs: Iterable[str | Path | None]) -> None:
    """Refuse a quarantine file that the same job reads, before it is emptied."""
    if quarantine is not None and str(quarantine) == STANDARD_STREAM:
        raise ConfigurationError("the quarantine needs a file: it cannot be written to standard output")
    if quarantine is not None and any(name is not None and same_file(name, quarantine) for name in inputs):
        raise ConfigurationError(f"{quarantine} is one of the inputs; give the quarantine its own file")


def form_of_inputs(paths: Sequence[str], reading: Reading) -> CsvForm:
    """How CSV files are written, if all are written alike; otherwise with commas in UTF-8."""
    found = {_form_of(path, reading) for path in paths} if all(input_format(path) == "csv" for path in paths) else set()
    return found.pop() if len(found) == 1 else CsvForm()


def _form_of(path: str, reading: Reading) -> CsvForm:
    encoding, marked = written_encoding(path)
    encoding = encoding_named(reading.encoding) or encoding
    feed = table_files.RowFeed(path, reading.max_line_bytes)
    with open_bytes(path, encoding_named(reading.encoding)) as stream:
        feed.lines = byte_lines(stream, reading.max_line_bytes)
        header = table_files.read_header(feed, ColumnNames(reading.columns), ids=not reading.make_ids)
    if isinstance(header, BadDataError):
        return CsvForm()
    end = "\r\n" if (feed.place().raw or b"").endswith(b"\r\n") else "\n"
    # UTF-16 and UTF-32 have a mark before the first line only: what is read as such is written as UTF-8.
    wide = encoding.startswith(("utf-16", "utf-32"))
    mark = BYTE_ORDER_MARK if marked or wide else b""
    return CsvForm(header.delimiter, end, "utf-8" if wide else encoding, mark)
