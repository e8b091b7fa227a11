"""Values of options and arguments that are dates or texts."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

import click

from infostream_dedup.errors import BadDataError, NoInputError


class NumberOrAuto(click.ParamType[int | str]):
    """A whole number from 1, or ``auto``."""

    name = "N|auto"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Check the value."""
        text = str(value)
        if text == "auto":
            return text
        if not (text.isascii() and text.isdigit() and int(text)):
            self.fail(f"{text!r} is neither a number from 1 nor auto", param, ctx)
        return int(text)


def moment_of(given: str | None, zone: str | None, name: str) -> datetime | None:
    """Return the moment that an option names; ``None`` for ``None``."""
    from infostream_dedup.api import moment

    try:
        return moment(given, zone)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=f"--{name}") from error


def read_text(path: str) -> str:
    """Read a UTF-8 file, or standard input for ``-``; line ends are kept, a byte order mark is removed."""
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror}") from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"byte {error.start} is not UTF-8; convert the file first"
        raise BadDataError(message, code="E_ENCODING", source=path, byte_offset=error.start) from error
