"""Checksums of the files of an installed translation model, in a file beside them."""

from __future__ import annotations

from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Final

import orjson

_NAME: Final = "infostream-dedup-checksums.json"


def write_checksums(folder: Path) -> None:
    """Record the checksums of a model's files."""
    found = {str(path.relative_to(folder)): _checksum(path) for path in _files(folder)}
    (folder / _NAME).write_bytes(orjson.dumps(found, option=orjson.OPT_SORT_KEYS))


def damaged_file(folder: Path) -> str | None:
    """Return the name of a file that differs from the installed one; ``None`` if all are equal or have no checksums."""
    listed = folder / _NAME
    if not listed.is_file():
        return None
    try:
        noted = orjson.loads(listed.read_bytes())
        wrong = [name for name, checksum in noted.items() if _checksum(folder / name) != checksum]
    except (orjson.JSONDecodeError, AttributeError, TypeError, ValueError, FileNotFoundError, IsADirectoryError):
        return _NAME
    return min(wrong, default=None)


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != _NAME]


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
