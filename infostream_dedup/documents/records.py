"""Records as read, before they are documents; and bad ones, counted, refused or set aside."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Literal, NamedTuple, Self, TypeAlias, get_args

import orjson

from infostream_dedup.errors import BadDataError, CannotCreateError, CannotWriteError, ConfigurationError


class Place(NamedTuple):
    """The position of a record in its input.

    Attributes:
        source: file name as given, ``-`` for standard input, ``<list>`` or ``<frame>`` for values in memory.
        line: 1-based line (JSONL, CSV) or row (Parquet, frames, lists); None for the input as a whole.
        byte_offset: offset of the first byte in the uncompressed stream; None for values in memory and Parquet.
        raw: the original bytes; None if they must be made from the values.
    """

    source: str
    line: int | None = None
    byte_offset: int | None = None
    raw: bytes | None = None

    def error(self, code: str, message: str, field: str | None = None) -> BadDataError:
        """Make an error for a fault at this place."""
        return BadDataError(
            message,
            code=code,
            source=self.source,
            line=self.line,
            field=field,
            byte_offset=self.byte_offset,
            raw=self.raw or b"",
        )


class Record(NamedTuple):
    """One record before it is checked."""

    values: Mapping[str, Any]
    place: Place
    time: datetime | None = None


Item: TypeAlias = Record | BadDataError
"""Readers yield errors instead of raising them, so that reading can continue after a bad record."""


_RAW_BYTES: Final = 48 * 1024
"""64 KiB once encoded in base64."""


class Quarantine:
    """A new file of rows ``source, line, byte_offset, field, code, message, raw_b64``."""

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
        """Write one row."""
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


OnError = Literal["fail", "skip"]


@dataclass(slots=True, kw_only=True)
class ReadingReport:
    """Counts of one or more readings; ``read == used + quarantined`` after each document and at the end.

    A record that stops reading with an error is not counted. A file that breaks off or cannot be read at all counts as
    one bad record.

    Attributes:
        read: number of records read from the input, blank lines excluded.
        used: number of documents passed on.
        quarantined_by_code: number of records set aside by code of their fault, in order of first occurrence.
        used_by_source: number of documents passed on by file, in the order in which the files were read.
        other_languages: number of documents by language, for languages other than ours.
        left_out: number of documents left out because of their language; ``read`` counts them.
        sources: number of documents passed on, by their field ``source``; ``""`` if it is empty.
        shortened: number of documents in which repeated lines were left out of the comparison.
        repeated_lines: the lines left out most often, shortened, and how many times each was.
        languages: number of documents passed on, by language, given or (for languages other than ours) detected; ``""``
            if detection was left to the commands.
    """

    read: int = 0
    used: int = 0
    quarantined_by_code: dict[str, int] = field(default_factory=dict)
    used_by_source: dict[str, int] = field(default_factory=dict)
    other_languages: dict[str, int] = field(default_factory=dict)
    left_out: int = 0
    sources: dict[str, int] = field(default_factory=dict, compare=False)
    languages: dict[str, int] = field(default_factory=dict, compare=False)
    shortened: int = field(default=0, compare=False)
    repeated_lines: dict[str, int] = field(default_factory=dict, compare=False)

    @property
    def quarantined(self) -> int:
        """Number of records set aside."""
        return sum(self.quarantined_by_code.values())

    def count_used(self, source: str) -> None:
        """Count a document of the file `source` as passed on."""
        self.used += 1
        self.used_by_source[source] = self.used_by_source.get(source, 0) + 1

    def count_origin(self, source: str | None, language: str | None) -> None:
        """Count a document by its source and language."""
        self.sources[source or ""] = self.sources.get(source or "", 0) + 1
        self.languages[language or ""] = self.languages.get(language or "", 0) + 1

    def take_back(self, source: str) -> None:
        """Undo the count of a document of the file `source` that turned out to be a bad record."""
        self.read -= 1
        self.used -= 1
        self.used_by_source[source] -= 1

    def count_other_language(self, language: str) -> None:
        """Count a document in a language other than ours."""
        self.other_languages[language] = self.other_languages.get(language, 0) + 1

    def count_quarantined(self, code: str) -> None:
        """Count a record set aside for the fault `code`."""
        self.quarantined_by_code[code] = self.quarantined_by_code.get(code, 0) + 1

    def summary(self) -> str:
        """Format the counts as one line."""
        line = f"read {self.read} = used {self.used} + quarantined {self.quarantined}"
        if self.quarantined_by_code:
            line += f" ({_listed(self.quarantined_by_code)})"
        if self.left_out:
            line += f" + left out {self.left_out}"
        if self.other_languages:
            line += f"; other languages: {_listed(self.other_languages)}"
        if self.shortened:
            lines = ", ".join(f'"{text}" {times}' for text, times in self.repeated_lines.items())
            line += f"; repeated lines not compared in {self.shortened} documents: {lines}"
        return line


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


class BadRecords:
    """Receives the bad records of one or more readings. Entering the block starts a new quarantine file.

    Args:
        on_error: ``fail`` raises the first bad record; ``skip`` sets it aside.
        quarantine: file for records that are set aside; required for ``skip``.
        max_errors: with ``skip``, the number of records that may be set aside; None for no limit.
        report: report in which they are counted; a new one if None.

    Attributes:
        quarantine: as given.
        report: counts of the records read and set aside.

    Raises:
        ConfigurationError: an option is invalid, or two of them conflict.
    """

    def __init__(
        self,
        *,
        on_error: OnError = "fail",
        quarantine: str | Path | None = None,
        max_errors: int | None = None,
        report: ReadingReport | None = None,
    ) -> None:
        _check_options(on_error, quarantine, max_errors)
        self.quarantine = quarantine
        self.report = report if report is not None else ReadingReport()
        self._max_errors = max_errors
        self._file: Quarantine | None = None

    def __enter__(self) -> Self:
        """Create the quarantine file."""
        self._file = None if self.quarantine is None else Quarantine(self.quarantine)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.__exit__(kind, error, trace)

    @property
    def skips(self) -> bool:
        """Whether bad records are set aside."""
        return self.quarantine is not None

    def add(self, error: BadDataError) -> None:
        """Set aside a bad record, or raise its error."""
        if self._file is None:
            raise error
        self._file.add(error)
        self.report.read += 1
        self.report.count_quarantined(error.code)
        if self._max_errors is not None and self.report.quarantined > self._max_errors:
            raise _limit_exceeded(error, self._max_errors)


def _check_options(on_error: str, quarantine: str | Path | None, max_errors: int | None) -> None:
    if on_error not in get_args(OnError):
        raise ConfigurationError(f"on_error is {on_error!r}, expected one of {', '.join(get_args(OnError))}")
    if on_error == "skip" and quarantine is None:
        raise ConfigurationError("on_error='skip' needs quarantine, a file for the records that are set aside")
    if on_error == "fail" and quarantine is not None:
        raise ConfigurationError("quarantine is only for on_error='skip'")
    if max_errors is not None and (on_error == "fail" or max_errors < 0):
        raise ConfigurationError(f"max_errors is {max_errors}; it needs on_error='skip' and a number of 0 or more")


def _limit_exceeded(last: BadDataError, max_errors: int) -> BadDataError:
    return BadDataError(
        f"more than {max_errors} bad records, the last: {last.message} [{last.code}]",
        code="E_MAX_ERRORS",
        source=last.source,
        line=last.line,
        field=last.field,
        byte_offset=last.byte_offset,
        raw=last.raw,
    )
