"""Write documents to files and standard output."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from infostream_dedup.documents.documents import row_of
from infostream_dedup.documents.endings import file_kind
from infostream_dedup.documents.outputs import open_output
from infostream_dedup.documents.parquet_output import write_parquet
from infostream_dedup.documents.rows import CsvDialect, write_all_columns, write_rows
from infostream_dedup.documents.workbook_output import write_workbook
from infostream_dedup.model import Document

__all__ = ["write_documents"]

_REQUIRED: Final = ("id", "text")
_GZIP_LEVEL: Final = 6


def write_documents(
    documents: Iterable[Document | Mapping[str, Any]],
    target: str | Path,
    *,
    inputs: Iterable[str | Path] = (),
    raw: bool = False,
    dialect: CsvDialect = "standard",
) -> int:
    """Write documents with all their fields, in order, in one pass; memory is bounded, except for workbooks.

    The file appears once it is completely written, or not at all. Keys keep the order in which they were read. CSV and
    Parquet have the columns of all documents, in order of first appearance; since these are known only at the end,
    rows are buffered in a temporary file. A workbook is held in memory; its cells are text and numbers, no formulas.
    The same documents always give the same bytes.

    Args:
        documents: documents, or rows as returned by `row_of`, possibly with more keys.
        target: path whose ending gives the format (``.jsonl``, ``.ndjson``, ``.json``, ``.csv``, also with ``.gz``;
            ``.parquet``, ``.xlsx``); ``-`` for JSON Lines on standard output.
        inputs: files being read, which must not be overwritten.
        raw: CSV only: omit the apostrophe before text cells that a spreadsheet would run (`rows.csv_line`).
        dialect: CSV only: see `rows.write_rows`.

    Returns:
        Number of documents.

    Raises:
        ConfigurationError: the ending is unknown.
        CannotCreateError, CannotWriteError: see `open_output`.
        BadDataError: a value cannot be written; a workbook holds 1,048,575 documents and 32,767 characters in a cell.
        MissingExtraError: a workbook, without the extra ``xlsx``.
    """
    kind = file_kind(str(target))
    rows = (row_of(document) if isinstance(document, Document) else document for document in documents)
    with open_output(target, inputs=inputs) as file, _pack(file, packed=kind.packed) as stream:
        match kind.format:
            case "jsonl":
                return write_rows(rows, stream, "jsonl")
            case "csv":
                return write_all_columns(rows, stream, raw=raw, dialect=dialect, without_rows=_REQUIRED)
            case "parquet":
                return write_parquet(rows, stream, columns=_REQUIRED)
            case "xlsx":
                held = list(rows)
                return write_workbook(held, stream, columns=() if held else _REQUIRED)


@contextmanager
def _pack(file: BinaryIO, *, packed: bool) -> Iterator[BinaryIO]:
    if not packed:
        yield file
        return
    # No name and no time in the archive's header, so that the same documents give the same bytes.
    with gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=file, mtime=0) as stream:
        yield stream  # type: ignore[misc]  # GzipFile is a binary stream, though not declared as one
