"""The front of all readers: any input to documents, bad records refused or set aside, nothing lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from infostream_dedup.corpus.csv_table import csv_records
from infostream_dedup.corpus.dates import time_zone
from infostream_dedup.corpus.documents import DocumentBuilder, IdType
from infostream_dedup.corpus.endings import STANDARD_STREAM, file_kind
from infostream_dedup.corpus.frames import frame_records, is_frame, list_records
from infostream_dedup.corpus.identities import SeenIds
from infostream_dedup.corpus.json_text import json_bytes
from infostream_dedup.corpus.jsonl import jsonl_records
from infostream_dedup.corpus.outputs import same_file
from infostream_dedup.corpus.parquet import parquet_records
from infostream_dedup.corpus.quarantine import Quarantine
from infostream_dedup.corpus.reading_report import ReadingReport
from infostream_dedup.corpus.records import Item, Record
from infostream_dedup.errors import BadDataError, ConfigurationError, InfostreamError, NoInputError
from infostream_dedup.model import Document

__all__ = ["MAX_LINE_BYTES", "OnError", "Source", "read_documents"]

OnError = Literal["fail", "skip"]

Source: TypeAlias = str | Path | Iterable[str | Path] | Iterable[Mapping[str, Any] | Document] | Any
"""A path or several, ``-``, an iterable of dicts or documents, or a data frame (anything that speaks Arrow)."""

MAX_LINE_BYTES: Final = 10 * 2**20


def read_documents(
    source: Source,
    *,
    on_error: OnError = "fail",
    quarantine: str | Path | None = None,
    max_errors: int | None = None,
    max_line_bytes: int = MAX_LINE_BYTES,
    tz: str | None = None,
    id_type: IdType = "str",
    report: ReadingReport | None = None,
) -> Iterator[Document]:
    """The documents of an input, in order, in one pass and with bounded memory (only ids are remembered).

    Options and the presence of files are checked at once; reading begins with the first document asked for.

    Args:
        source: path of a ``.jsonl``, ``.ndjson``, ``.json`` (JSON Lines), ``.csv`` (all also with ``.gz``) or
            ``.parquet`` file, ``-`` for JSON Lines on standard input, a list of such, which is read as one
            collection; or an iterable of dicts or documents; or a pandas, polars, Arrow or other table.
        on_error: ``fail`` stops at the first bad record; ``skip`` sets it aside in `quarantine` and goes on. A file
            that breaks off (a cut archive, damaged Parquet) or has wrong columns is one bad record: what came before
            the break is read, and reading goes on with the next file.
        quarantine: file for the records that are set aside; begun anew. Needed for ``skip``.
        max_errors: with ``skip``, how many records may be set aside before reading stops after all.
        max_line_bytes: longest line of JSON Lines or row of CSV; longer ones are bad and are never loaded.
        tz: IANA name of the zone of dates that name none; UTC if None.
        id_type: ``int`` takes whole numbers as ids too; ``Document.id`` holds their digits.
        report: counts what is read, used and set aside.

    Yields:
        Documents with ids that differ.

    Raises:
        BadDataError: a bad record, or more than `max_errors`. Its codes: ``E_JSON``, ``E_ENCODING``, ``E_DEPTH``,
            ``E_TOO_LARGE``, ``E_GZIP``, ``E_RATIO``, ``E_CSV``, ``E_PARQUET``, ``E_SCHEMA``, ``E_MISSING``,
            ``E_TYPE``, ``E_ID``, ``E_ID_DUPLICATE``, ``E_ID_CONFLICT``, ``E_LANG``, ``E_DATE``; ``E_MAX_ERRORS``.
        NoInputError: a file is missing or cannot be read.
        ConfigurationError: an option is wrong, or the ending of a file is not known.
        CannotCreateError, CannotWriteError: the quarantine file cannot be written.

    Example:
        >>> [d.id for d in read_documents([{"id": "a", "text": "Курс гривні"}, {"id": "b", "text": "Погода"}])]
        ['a', 'b']
    """
    _check_options(on_error, quarantine, max_errors, max_line_bytes, id_type)
    builder = DocumentBuilder(id_type=id_type, zone=time_zone(tz))
    items = _items(source, max_line_bytes, id_type, quarantine)
    return _documents(items, builder, quarantine, max_errors, report if report is not None else ReadingReport())


def _documents(
    items: Iterator[Item],
    builder: DocumentBuilder,
    quarantine: str | Path | None,
    max_errors: int | None,
    report: ReadingReport,
) -> Iterator[Document]:
    seen = SeenIds()
    errors = 0
    with nullcontext() if quarantine is None else Quarantine(quarantine) as aside:
        for item in items:
            checked = _checked(item, builder, seen)
            if isinstance(checked, Document):
                report.read += 1
                report.count_used(item.source if isinstance(item, BadDataError) else item.place.source)
                yield checked
                continue
            if aside is None:
                raise checked
            aside.add(checked)
            report.read += 1
            report.count_quarantined(checked.code)
            errors += 1
            if max_errors is not None and errors > max_errors:
                raise _too_many(checked, max_errors)


def _checked(item: Item, builder: DocumentBuilder, seen: SeenIds) -> Document | BadDataError:
    if isinstance(item, BadDataError):
        return item
    try:
        document = builder.build(item)
        seen.add(document, item.place)
    except BadDataError as error:
        if item.place.raw is None:
            error.raw = _raw(item)
        return error
    return document


def _raw(record: Record) -> bytes:
    """A record without bytes of its own, as a line for the quarantine."""
    try:
        return json_bytes(dict(record.values))
    except InfostreamError:
        return repr(record.values).encode(errors="backslashreplace")


def _too_many(last: BadDataError, max_errors: int) -> BadDataError:
    return BadDataError(
        f"more than {max_errors} bad records, the last: {last.message} [{last.code}]",
        code="E_MAX_ERRORS",
        source=last.source,
        line=last.line,
        field=last.field,
        byte_offset=last.byte_offset,
        raw=last.raw,
    )


def _items(source: Source, max_line_bytes: int, id_type: IdType, quarantine: str | Path | None) -> Iterator[Item]:
    if is_frame(source):
        return frame_records(source, id_type)
    if isinstance(source, str | Path):
        return _file_items([source], max_line_bytes, id_type, quarantine)
    if isinstance(source, Mapping | Document | bytes) or not isinstance(source, Iterable):
        raise ConfigurationError(
            f"{type(source).__name__} is no input; expected a path, a list of paths, a list of dicts or documents, "
            "or a data frame"
        )
    values = iter(source)
    try:
        first = next(values)
    except StopIteration:
        return iter(())
    if isinstance(first, str | Path):
        return _file_items([first, *values], max_line_bytes, id_type, quarantine)
    return list_records(chain((first,), values))


def _file_items(
    paths: list[Any], max_line_bytes: int, id_type: IdType, quarantine: str | Path | None
) -> Iterator[Item]:
    for path in paths:
        if not isinstance(path, str | Path):
            raise ConfigurationError(f"{type(path).__name__} among paths; expected only paths")
        file_kind(str(path))
        _check_presence(str(path))
        if quarantine is not None and same_file(path, quarantine):
            raise ConfigurationError(f"{quarantine} is one of the inputs; give the quarantine a file of its own")
    if sum(str(path) == STANDARD_STREAM for path in paths) > 1:
        raise ConfigurationError("- is given twice; standard input can be read once only")
    return chain.from_iterable(_one_file(str(path), max_line_bytes, id_type) for path in paths)


def _one_file(path: str, max_line_bytes: int, id_type: IdType) -> Iterator[Item]:
    match file_kind(path).format:
        case "jsonl":
            return jsonl_records(path, max_line_bytes)
        case "csv":
            return csv_records(path, max_line_bytes)
        case "parquet":
            return parquet_records(path, id_type)


def _check_presence(path: str) -> None:
    if path == STANDARD_STREAM:
        return
    if not Path(path).exists():
        raise NoInputError(f"{path} does not exist")
    if Path(path).is_dir():
        raise NoInputError(f"{path} is a directory; expected a file")


def _check_options(
    on_error: str, quarantine: str | Path | None, max_errors: int | None, max_line_bytes: int, id_type: str
) -> None:
    for name, value, known in (("on_error", on_error, OnError), ("id_type", id_type, IdType)):
        if value not in get_args(known):
            raise ConfigurationError(f"{name} is {value!r}, expected one of {', '.join(get_args(known))}")
    if on_error == "skip" and quarantine is None:
        raise ConfigurationError("on_error='skip' needs quarantine, a file for the records that are set aside")
    if on_error == "fail" and quarantine is not None:
        raise ConfigurationError("quarantine is only for on_error='skip'")
    if max_errors is not None and (on_error == "fail" or max_errors < 0):
        raise ConfigurationError(f"max_errors is {max_errors}; it needs on_error='skip' and a number from 0")
    if max_line_bytes < 1:
        raise ConfigurationError(f"max_line_bytes is {max_line_bytes}, expected a number from 1")
