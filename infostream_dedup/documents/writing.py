"""Write documents to files and standard output."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from infostream_dedup.documents.documents import row_of
from infostream_dedup.documents.endings import file_kind
from infostream_dedup.documents.outputs import (
    CsvDialect,
    CsvForm,
    open_output,
    write_all_columns,
    write_rows,
    write_workbook,
)
from infostream_dedup.documents.parquet_output import write_parquet
from infostream_dedup.model import Document

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
