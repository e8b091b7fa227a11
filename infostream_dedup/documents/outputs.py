"""Output files that are written completely or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final

from infostream_dedup.documents.endings import STANDARD_STREAM
from infostream_dedup.documents.workbook_output import require_workbooks
from infostream_dedup.errors import CannotCreateError, CannotWriteError
from infostream_dedup.machine.file_lock import lock_file
from infostream_dedup.machine.part_files import remove_stale_parts

__all__ = ["check_output", "open_output", "same_file"]

_PART_NUMBERS: Final = count()


def same_file(a: str | Path, b: str | Path) -> bool:
    """Return whether two names mean the same file, links included; a standard stream is never the same file."""
    if STANDARD_STREAM in (str(a), str(b)):
        return False
    try:
        return Path(a).samefile(b)
    except OSError:
        return Path(a).resolve() == Path(b).resolve()


def check_output(
    target: str | Path, *, inputs: Iterable[str | Path] = (), quarantine: str | Path | None = None
) -> None:
    """Refuse an output before the work starts if it would fail, or overwrite something, at the end.

    Args:
        target: file to write, ``-`` for standard output.
        inputs: files that must not be overwritten.
        quarantine: file of the records that are set aside, which the target must not replace.

    Raises:
        CannotCreateError: the target is a directory, one of the inputs or the quarantine file, or its folder is
            missing or read-only.
        MissingExtraError: a workbook, and the package that writes it is not installed.
    """
    if str(target) == STANDARD_STREAM:
        return
    if str(target).lower().endswith(".xlsx"):
        require_workbooks()
    _refuse_inputs(target, inputs)
    if quarantine is not None and same_file(quarantine, target):
        raise CannotCreateError(f"{target} is also the quarantine file; give the output another name")
    path = Path(target).resolve()
    if path.is_dir():
        raise CannotCreateError(f"cannot create {target}: it is a directory")
    if path.exists() and not path.is_file():
        # Devices and pipes are written directly, wherever they are.
        return
    folder = path.parent
    if not folder.is_dir():
        raise CannotCreateError(f"cannot create {target}: No such file or directory")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CannotCreateError(f"cannot create {target}: Permission denied")


def _refuse_inputs(target: str | Path, inputs: Iterable[str | Path]) -> None:
    for name in inputs:
        if same_file(name, target):
            raise CannotCreateError(f"{target} is one of the inputs; give the output another name")


@contextmanager
def open_output(target: str | Path, *, inputs: Iterable[str | Path] = ()) -> Iterator[BinaryIO]:
    """Open a stream of bytes that becomes the file `target` if the block succeeds, and leaves nothing if it fails.

    The bytes go to a hidden file beside the target, which is renamed to the target once all of it is on disk.
    Devices and pipes are written directly.

    Args:
        target: path, or ``-`` for standard output (which remains open).
        inputs: files that must not be overwritten.

    Raises:
        CannotCreateError: the target cannot be created or is one of the inputs.
        CannotWriteError: writing failed. A closed pipe still raises ``BrokenPipeError``.
    """
    if str(target) == STANDARD_STREAM:
        with _name_failures("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    _refuse_inputs(target, inputs)
    path = Path(target).resolve()
    if path.is_dir():
        raise CannotCreateError(f"cannot create {target}: it is a directory")
    if path.exists() and not path.is_file():
        with _name_failures(target), _create(path, "wb", target) as stream:
            yield stream
            stream.flush()
        return
    stream, part = _create_part(path, target)
    try:
        # Closing may fail like any other write, so it also belongs inside.
        with _name_failures(target), stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        with _name_failures(target):
            if path.exists():
                shutil.copymode(path, part)
            part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _create_part(path: Path, target: str | Path) -> tuple[BinaryIO, Path]:
    # A killed process may have left gigabytes in a file that 'ls' does not show.
    remove_stale_parts(path.parent)
    while True:
        # The name does not contain the target's, which may already have the maximum length.
        part = path.with_name(f".infostream-dedup-{os.getpid()}-{next(_PART_NUMBERS)}.part")
        if not part.exists():
            stream = _create(part, "xb", target)
            # Otherwise a process in another container, where our number is unknown, would take it for stale.
            lock_file(stream.fileno())
            return stream, part


def _create(path: Path, mode: str, target: str | Path) -> BinaryIO:
    try:
        stream: BinaryIO = path.open(mode)  # type: ignore[assignment]
    except OSError as error:
        raise CannotCreateError(f"cannot create {target}: {error.strerror or error}") from error
    return stream


@contextmanager
def _name_failures(target: str | Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWriteError(f"cannot write {target}: {error.strerror or error}") from error
