"""Read a plain-text file as one document, and expand folders and patterns into files."""

from __future__ import annotations

import atexit
import glob
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import urlsplit

from infostream_dedup.documents.endings import KNOWN_ENDINGS, STANDARD_STREAM, without_ending
from infostream_dedup.documents.lines import StreamError, open_bytes
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.errors import MissingExtraError, NoInputError

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
        found = sorted(str(one) for one in path.rglob("*") if one.is_file() and not _is_hidden(one.relative_to(path)))
        known = [one for one in found if one.lower().endswith(KNOWN_ENDINGS)]
        if not known:
            raise NoInputError(f"{source}: no file in this folder ends in {', '.join(KNOWN_ENDINGS)}")
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


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


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
