"""File formats, told by the ending of a file name."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final, Literal, NamedTuple

from infostream_dedup.errors import ConfigurationError

__all__ = ["STANDARD_STREAM", "FileKind", "Format", "file_kind"]

Format = Literal["jsonl", "csv", "parquet"]

STANDARD_STREAM: Final = "-"

_FORMATS: Final[dict[str, Format]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
}
_GZIP: Final = ".gz"


class FileKind(NamedTuple):
    """How to read or write a file: its format, and whether it is compressed with gzip."""

    format: Format
    packed: bool


def file_kind(name: str) -> FileKind:
    """Return the kind of the file `name`; ``-`` is JSON Lines.

    Case is ignored. ``.json`` also means JSON Lines.

    Raises:
        ConfigurationError: the ending is unknown.

    Example:
        >>> file_kind("march.JSONL.gz")
        FileKind(format='jsonl', packed=True)
    """
    if name == STANDARD_STREAM:
        return FileKind("jsonl", packed=False)
    path = PurePath(name.lower())
    packed = path.suffix == _GZIP
    ending = path.with_suffix("").suffix if packed else path.suffix
    form = _FORMATS.get(ending)
    if form is None or (packed and form == "parquet"):
        raise ConfigurationError(
            f"{name}: unknown kind of file; known endings are .jsonl, .ndjson and .json (JSON Lines), .csv, "
            "each also with .gz, .parquet, and - for standard input or output"
        )
    return FileKind(form, packed)
