"""Records that were set aside, one JSON object per line, with all that is needed to repair and reread them."""

from __future__ import annotations

import base64
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

import orjson

from infostream_dedup.errors import BadDataError, CannotCreateError, CannotWriteError

__all__ = ["Quarantine"]

_RAW_BYTES: Final = 48 * 1024
"""64 KiB once encoded in base64."""


class Quarantine:
    """A new file of rows ``source, line, byte_offset, field, code, message, raw_b64``.

    ``raw_b64`` holds the first 48 KiB of the record. Each row is passed to the system before reading continues, so
    that an interrupted run leaves whole rows. Previous content of the file is lost.

    Args:
        path: path of the file to write.

    Raises:
        CannotCreateError: the file cannot be created.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        try:
            self._file: BinaryIO = Path(path).open("wb", buffering=0)  # noqa: SIM115 - closed by __exit__
        except OSError as error:
            raise CannotCreateError(f"cannot create the quarantine file {path}: {error.strerror or error}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, error: BadDataError) -> None:
        """Write one row.

        Raises:
            CannotWriteError: the disk is full or gone.
        """
        row = {
            "source": error.source,
            "line": error.line,
            "byte_offset": error.byte_offset,
            "field": error.field,
            "code": error.code,
            "message": error.message,
            "raw_b64": base64.b64encode(error.raw[:_RAW_BYTES]).decode(),
        }
        line = memoryview(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as problem:
            reason = problem.strerror or problem
            raise CannotWriteError(f"cannot write the quarantine file {self._path}: {reason}") from problem
