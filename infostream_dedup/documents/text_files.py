"""Files of a job: a plain-text file as one document, folders and patterns expanded, and what is not overwritten."""

from __future__ import annotations

import atexit
import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import urlsplit

from infostream_dedup.documents.lines import KNOWN_ENDINGS, STANDARD_STREAM, StreamError, open_bytes, without_ending
from infostream_dedup.documents.outputs import same_file
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.documents.table_files import loaded
from infostream_dedup.errors import ConfigurationError, MissingExtraError, NoInputError

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


# The files of one job: what it reads, and what must not overwrite them


def paths_of(source: Any) -> list[str]:
    """Return the files of a source, each by name, which no output may overwrite."""
    items = source if isinstance(source, list | tuple | set | frozenset) else [source]
    if not all(isinstance(item, str | Path) for item in items) or loaded(source) is not source:
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
