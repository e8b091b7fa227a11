"""File formats, recognised by the ending of a file name."""

from __future__ import annotations

import zipfile
from os import PathLike
from pathlib import PurePath
from typing import Final, Literal, NamedTuple

from infostream_dedup.errors import ConfigurationError, NoInputError
from infostream_dedup.machine.registry import offered

Format = Literal["jsonl", "csv", "parquet", "xlsx"]
STANDARD_STREAM: Final = "-"

_FORMATS: Final[dict[str, Format]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
}
_GZIP: Final = ".gz"

InputFormat = Literal["jsonl", "json", "csv", "parquet", "arrow", "xlsx", "text", "reader"]

_INPUTS: Final[dict[str, InputFormat]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".jsonlines": "jsonl",
    ".jl": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "text",
    ".parquet": "parquet",
    ".parquet.gzip": "parquet",
    ".parq": "parquet",
    ".pq": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".xlsx": "xlsx",
}
PACKINGS: Final = (".gz", ".bz2", ".xz", ".zst", ".zip")
"""Endings of the names of packed files. pandas calls a Parquet file with packed pages ``.parquet.gzip``."""

_TABLES: Final = ("csv", "xlsx")
_STREAMS: Final = ("jsonl", "json", "csv", "text")

READERS: Final = {
    f".{name.lower()}": point for name, point in offered("readers").items() if f".{name.lower()}" not in _INPUTS
}
"""Readers of other packages by the endings of their files: functions that take a path and yield dicts."""

KNOWN_ENDINGS: Final = (
    *_INPUTS,
    *READERS,
    *(ending + packing for ending, form in _INPUTS.items() if form in _STREAMS for packing in PACKINGS),
    ".zip",
)
"""Endings of file names that can be read."""

_COLLECTED: Final = (".rss", ".atom", ".xml", ".rdf", ".html", ".htm", ".xhtml", ".warc")
COLLECT_ADVICE: Final = "'infostream-dedup collect' turns feeds, pages and web archives into documents"
"""What to do with such a file."""


class FileKind(NamedTuple):
    """How to write a file: its format, and whether it is compressed with gzip."""

    format: Format
    packed: bool


def file_kind(name: str) -> FileKind:
    """Return how to write the file `name`; ``-`` is JSON Lines."""
    if name == STANDARD_STREAM:
        return FileKind("jsonl", packed=False)
    path = PurePath(name.lower())
    packed = path.suffix == _GZIP
    form = _FORMATS.get(path.with_suffix("").suffix if packed else path.suffix)
    if form is None or (packed and form in ("parquet", "xlsx")):
        raise ConfigurationError(
            f"{name}: unknown kind of file; known endings are .jsonl, .ndjson and .json (JSON Lines), .csv, "
            "each also with .gz, .parquet, .xlsx, and - for standard output"
        )
    return FileKind(form, packed)


def input_format(name: str) -> InputFormat:
    """Return the format of a file to read, by its ending; ``-`` is JSON Lines."""
    if name == STANDARD_STREAM:
        return "jsonl"
    lower = name.lower()
    if lower.endswith(".zip"):
        return _inner_format(name)
    for ending in sorted(KNOWN_ENDINGS, key=len, reverse=True):
        if lower.endswith(ending):
            return "reader" if ending in READERS else _INPUTS["." + ending.split(".")[1]]
    if lower.removesuffix(_GZIP).endswith(_COLLECTED):
        raise ConfigurationError(f"{name}: unknown kind of file; {COLLECT_ADVICE}")
    raise ConfigurationError(
        f"{name}: unknown kind of file; known endings are .jsonl, .ndjson, .jl, .json, .csv, .tsv, .tab and .txt, each "
        f"also with {', '.join(PACKINGS)}; {', '.join(('.parquet', '.pq', '.feather', '.arrow', '.xlsx', *READERS))}; "
        "and - for JSON Lines on standard input"
    )


def zipped(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """Return the only file of an archive."""
    files = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith(("__MACOSX/", "."))]
    if len(files) != 1:
        raise ConfigurationError(f"{name}: the archive holds {len(files)} files, expected one; unpack it first")
    return files[0]


def _inner_format(name: str) -> InputFormat:
    """Return the format of the file in a ZIP archive, by its own name."""
    try:
        with zipfile.ZipFile(name) as archive:
            inner = zipped(archive, name).filename
    except (OSError, zipfile.BadZipFile) as error:
        raise NoInputError(f"{name}: not a ZIP archive that can be read ({error})") from None
    form = "text" if inner.lower().endswith(".zip") else input_format(inner)
    if form not in _STREAMS or inner.lower().endswith(PACKINGS):
        raise ConfigurationError(f"{name}: {inner} is not read inside an archive; unpack it first")
    return form


def is_table(name: str | PathLike[str]) -> bool:
    """Whether a file to read has rows and columns of cells: CSV, or a workbook."""
    lower = str(name).lower()
    return any(
        lower.endswith(ending) and _INPUTS.get("." + ending.split(".")[1]) in _TABLES for ending in KNOWN_ENDINGS
    )


def without_ending(name: str) -> str:
    """Return the name of a file without its folders and its known ending."""
    own = PurePath(name).name
    ending = max((one for one in KNOWN_ENDINGS if own.lower().endswith(one)), key=len, default="")
    return own[: len(own) - len(ending)] or own


def must_be_gzip(name: str) -> bool:
    """Whether the name of a file announces a gzip archive."""
    return name.lower().endswith(_GZIP)
