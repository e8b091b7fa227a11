"""Files: private to their owner, unfinished ones named after the process that writes them, and sealed by a checksum."""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b, sha256
from importlib.metadata import PackageNotFoundError
from importlib.metadata import files as files_of_package
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final, Self

from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.platform import can_rename_open_files, lock_file, process_lives


class Readable(io.RawIOBase):
    """Bytes that are made as they are read."""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer, and return the number of bytes; 0 at the end."""
        data = self.made(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def made(self, most: int) -> bytes:
        """The next bytes, at most so many; none at the end."""
        raise NotImplementedError


class Closing:
    """What is closed at the end of a ``with`` block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what is held."""
        raise NotImplementedError


# Files and folders that only their owner can write


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents, each with mode 0700; an existing one stays unchanged."""
    for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")


def make_private_file(path: Path) -> None:
    """Create an empty file that only its owner can read and write; an existing one stays unchanged."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


@contextmanager
def reopenable_file(ending: str) -> Iterator[BinaryIO]:
    """Create a temporary file that can also be opened by its name, which Windows refuses for those of Python."""
    with TemporaryDirectory() as folder, (Path(folder) / f"copy{ending}").open("w+b") as file:
        yield file


# Unfinished files, named after the process that writes them and removed once it has ended

_NAME: Final = re.compile(r"\.infostream-dedup-(\d+)(?:-\d+)?\.part(?:-journal|-wal|-shm)?")
_NUMBERS: Final = count(1)
_BESIDE: Final = ("-journal", "-wal", "-shm")


@contextmanager
def held_part(folder: Path) -> Iterator[Path]:
    """Create an empty file of mode 0600 that is not stale during the block; it is removed at the end unless renamed."""
    part = folder / f".infostream-dedup-{os.getpid()}-{next(_NUMBERS)}.part"
    remove_with_journals(part)
    descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    lock_file(descriptor)
    if not can_rename_open_files():
        # Then the number of the process in its name must suffice.
        os.close(descriptor)
    try:
        yield part
    finally:
        if can_rename_open_files():
            os.close(descriptor)
        remove_with_journals(part)


def remove_stale_parts(folder: Path) -> int:
    """Delete files that ended processes left unfinished in a folder, and return their number."""
    # A file is kept while its process lives, on this machine or, by its lock, in another container.
    removed = 0
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return 0
    for name in names:
        known = _NAME.fullmatch(name)
        if known is None or process_lives(int(known[1])) or _is_held(folder / name):
            continue
        with suppress(OSError):
            (folder / name).unlink()
            removed += 1
    return removed


def remove_with_journals(path: Path) -> None:
    """Delete a file and what SQLite keeps beside it; first the journal, which must never reach a new file."""
    for ending in (*_BESIDE, ""):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _is_held(path: Path) -> bool:
    base = path.with_name(path.name.partition(".part")[0] + ".part")
    try:
        descriptor = os.open(base, os.O_RDWR)
    except OSError:
        # A journal without its file.
        return base.exists()
    try:
        # Where files cannot be locked, the number of the process must suffice.
        return lock_file(descriptor) is False
    finally:
        os.close(descriptor)


# Tables with a checksum that shows whether they are intact.
#
# A table written by one of our commands begins with a comment that contains the checksum of the rest. The
# dictionaries of the package have theirs in the list of files that every installed wheel carries.

_SEAL: Final = b"# checksum "
_BYTES: Final = 16
_PACKAGE: Final = "infostream-dedup"
_INSTALLED: Final = "_dictionaries"
AGAIN: Final = "install infostream-dedup again"
_ADVICE: Final = "import it again, or if you edited it, remove the line with the checksum"


def sealed(table: bytes) -> bytes:
    """Return a table with its checksum as the first line."""
    return _SEAL + blake2b(table, digest_size=_BYTES).hexdigest().encode() + b"\n" + table


def checked_bytes(path: Path, advice: str = _ADVICE) -> bytes:
    """Return the content of a table, if it is intact; a table without a checksum is returned as it is."""
    content = path.read_bytes()
    if content.startswith(_SEAL):
        seal, _, table = content.partition(b"\n")
        if seal.removeprefix(_SEAL).strip() != blake2b(table, digest_size=_BYTES).hexdigest().encode():
            raise _damaged(path, advice)
    recorded = _recorded().get(path.name) if path.parent.name == _INSTALLED else None
    if recorded is not None and recorded != sha256(content).digest():
        raise _damaged(path, AGAIN)
    return content


@cache
def _recorded() -> dict[str, bytes]:
    """Return the SHA-256 of each dictionary of an installed wheel; nothing in a checkout."""
    try:
        listed = files_of_package(_PACKAGE) or ()
    except PackageNotFoundError:
        return {}
    found = {}
    for one in listed:
        if one.hash is not None and one.hash.mode == "sha256" and one.parent.name == _INSTALLED:
            found[one.name] = base64.urlsafe_b64decode(one.hash.value + "=")
    return found


def _damaged(path: Path, advice: str) -> BadDataError:
    return BadDataError(
        f"the table does not match its checksum; {advice}", code="E_DICTIONARY", source=path.name, field="checksum"
    )


def seal_of(path: Path) -> str:
    """Return the first line of a sealed file, which changes with its content."""
    with path.open("rb") as file:
        return file.readline().decode("ascii", "replace").strip()
