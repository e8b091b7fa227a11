"""Records as read, before they are documents; and bad ones, counted, refused or set aside."""

from __future__ import annotations

import base64
import zlib
from array import array
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, NamedTuple, Self, TypeAlias, get_args

import orjson

from infostream_dedup.errors import BadDataError, CannotCreateError, CannotWriteError, ConfigurationError
from infostream_dedup.machine.files import Closing
from infostream_dedup.model import Document, full_text

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Uint64s


class Place(NamedTuple):
    """The position of a record in its input."""

    source: str  # file name as given, `-` for standard input, `<list>` or `<frame>` for values in memory
    line: int | None = None  # 1-based line (JSONL, CSV) or row (Parquet, frames, lists); None for the input as a whole
    # offset of the first byte in the uncompressed stream; None for values in memory and Parquet
    byte_offset: int | None = None
    raw: bytes | None = None  # the original bytes; None if they must be made from the values

    def error(self, code: str, message: str, field: str | None = None) -> BadDataError:
        """Make an error for a fault at this place."""
        return BadDataError(
            message, code=code, source=self.source, line=self.line, field=field, byte_offset=self.byte_offset,
            raw=self.raw or b"",
        )  # fmt: skip


class Record(NamedTuple):
    """One record before it is checked."""

    values: Mapping[str, Any]
    place: Place
    time: datetime | None = None

    @property
    def source(self) -> str:
        """Name of its file, as in its place."""
        return self.place.source


Item: TypeAlias = Record | BadDataError
"""Readers yield errors instead of raising them, so that reading can continue after a bad record."""

_NAMED: Final = 3
_RAW_BYTES: Final = 48 * 1024  # 64 KiB once encoded in base64


class Quarantine(Closing):
    """A new file of rows ``source, line, byte_offset, field, code, message, raw_b64``."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        try:
            self._file: BinaryIO = Path(path).open("wb", buffering=0)  # noqa: SIM115 - see close
        except OSError as error:
            raise CannotCreateError(f"cannot create the quarantine file {path}: {error.strerror or error}") from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def add(self, error: BadDataError) -> None:
        """Write one row."""
        row = {
            "source": error.source, "line": error.line, "byte_offset": error.byte_offset, "field": error.field,
            "code": error.code, "message": error.message,
            "raw_b64": base64.b64encode(error.raw[:_RAW_BYTES]).decode(),
        }  # fmt: skip
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
    """

    read: int = 0  # number of records read from the input, blank lines excluded
    used: int = 0  # number of documents passed on
    # number of records set aside by code of their fault, in order of first occurrence
    quarantined_by_code: dict[str, int] = field(default_factory=dict)
    # the first few of these records, and what is wrong with each, unless they are kept in a quarantine file
    first_bad: list[str] = field(default_factory=list, compare=False)
    # number of documents passed on by file, in the order in which the files were read
    used_by_source: dict[str, int] = field(default_factory=dict)
    # number of documents by language, for languages other than ours
    other_languages: dict[str, int] = field(default_factory=dict)
    # number of documents whose text had been read in a wrong encoding before, and was repaired for judging
    repaired: int = 0
    corrected_languages: int = 0  # number of documents whose stated language the letters of their text contradict
    left_out: int = 0  # number of documents left out because of their language; `read` counts them
    # columns that seem to be fields under other names, and were not read as such: `published=date,source=site`
    unread: str = field(default="", compare=False)
    # columns that were named (`columns`) and that no document had
    absent: list[str] = field(default_factory=list, compare=False)
    # number of documents passed on, by their field `source`; `""` if it is empty
    sources: dict[str, int] = field(default_factory=dict, compare=False)
    # number of documents passed on, by language, given or (for languages other than ours) detected; `""` if detection
    # was left to the commands
    languages: dict[str, int] = field(default_factory=dict, compare=False)
    # number of documents in which repeated lines were left out of the comparison
    shortened: int = field(default=0, compare=False)
    # the lines left out most often, shortened, and how many times each was
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
        if self.repaired:
            line += f"; wrongly decoded texts repaired: {self.repaired}"
        if self.corrected_languages:
            line += f"; wrong languages corrected: {self.corrected_languages}"
        if self.absent and self.read:
            line += f"; no column is called {', '.join(map(repr, self.absent))}"
        if self.unread:
            line += f"; to read more fields, try --columns {self.unread}"
        if self.shortened:
            lines = ", ".join(f'"{text}" {times}' for text, times in self.repeated_lines.items())
            line += f"; repeated lines not compared in {self.shortened} documents: {lines}"
        return line


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


class BadRecords(Closing):
    """Receives the bad records of one or more readings. Entering the block starts a new quarantine file.

    ``on_error``: ``fail`` raises the first bad record; ``skip`` sets it aside, in the file ``quarantine`` if there is
    one, until there are more than ``max_errors``.
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
        self.skips = on_error == "skip"  # whether bad records are set aside
        self.quarantine = quarantine
        self.report = report if report is not None else ReadingReport()
        self._max_errors = max_errors
        self._file: Quarantine | None = None

    def __enter__(self) -> Self:
        """Create the quarantine file."""
        self._file = None if self.quarantine is None else Quarantine(self.quarantine)
        return self

    def close(self) -> None:
        """Close the quarantine file."""
        if self._file is not None:
            self._file.close()

    def add(self, error: BadDataError) -> None:
        """Set aside a bad record, or raise its error."""
        if not self.skips:
            # A copy: the reader that has made the error holds it, and its traceback would hold the reader and its file.
            raise copy(error)
        if self._file is not None:
            self._file.add(error)
        elif len(self.report.first_bad) < _NAMED:
            self.report.first_bad.append(error.for_command_line)
        self.report.read += 1
        self.report.count_quarantined(error.code)
        if self._max_errors is not None and self.report.quarantined > self._max_errors:
            told = f"more than {self._max_errors} bad records, the last: {error.message} [{error.code}]"
            raise BadDataError(
                told, code="E_MAX_ERRORS", source=error.source, line=error.line, field=error.field,
                byte_offset=error.byte_offset, raw=error.raw,
            )  # fmt: skip


def _check_options(on_error: str, quarantine: str | Path | None, max_errors: int | None) -> None:
    if on_error not in get_args(OnError):
        raise ConfigurationError(f"on_error is {on_error!r}, expected one of {', '.join(get_args(OnError))}")
    if on_error == "fail" and quarantine is not None:
        raise ConfigurationError("quarantine (--quarantine) needs on_error skip (--on-error skip)")
    if max_errors is not None and (on_error == "fail" or max_errors < 0):
        raise ConfigurationError(
            f"max_errors (--max-errors) is {max_errors}; it needs on_error skip (--on-error skip), and is 0 or more"
        )


# The ids that a reading has seen; each may occur only once

_WORD = 8


class SeenIds:
    """Remembers the id, the place and a content checksum of each document: about 20 bytes plus the id."""

    def __init__(self) -> None:
        self._ordinals: dict[str, int] = {}
        self._contents = array("Q")
        self._hashed = bytearray()
        self._lines = array("Q")
        self._source_numbers = array("L")
        self._sources: list[str] = []

    def __len__(self) -> int:
        return len(self._ordinals)

    def add(self, document: Document, place: Place) -> None:
        """Remember `document`."""
        ordinal = len(self._ordinals)
        first = self._ordinals.setdefault(document.id, ordinal)
        if first == ordinal:
            self._number_source(place.source)
            self._contents.append(_checksum(document))
            self._hashed.append(False)
            self._lines.append(place.line or 0)
            self._source_numbers.append(len(self._sources) - 1)
            return
        where = f"{self._sources[self._source_numbers[first]]}:{self._lines[first]}"
        again = f"{document.id!r} already occurred at {where}"
        content = _content_hash(document) if self._hashed[first] else _checksum(document)
        if self._contents[first] == content:
            raise place.error(
                "E_ID_DUPLICATE",
                f"{again} with the same title and text; an id may occur only once in a collection",
                "id",
            )
        advice = "give each document its own id; perhaps --columns id= --make-ids"
        raise place.error("E_ID_CONFLICT", f"{again} with another title or text; {advice}", "id")

    def new_until(self, ids: Sequence[str]) -> int:
        """Return the number of ids before the first that was seen before or occurs twice."""
        if len(set(ids)) == len(ids) and self._ordinals.keys().isdisjoint(ids):
            return len(ids)
        given: set[str] = set()
        for number, one in enumerate(ids):
            if one in given or one in self._ordinals:
                return number
            given.add(one)
        return len(ids)

    def add_new(self, ids: Sequence[str], contents: Uint64s, lines: Uint64s, source: str) -> None:
        """Remember documents whose ids are new."""
        first = len(self._ordinals)
        self._ordinals.update(zip(ids, range(first, first + len(ids)), strict=True))
        self._number_source(source)
        self._contents.frombytes(contents.tobytes())
        self._hashed.extend(b"\1" * len(ids))
        self._lines.frombytes(lines.tobytes())
        self._source_numbers.extend([len(self._sources) - 1] * len(ids))

    def _number_source(self, source: str) -> None:
        if not self._sources or self._sources[-1] != source:
            self._sources.append(source)


def _checksum(document: Document) -> int:
    # Any encoding will do if it is always the same; this one takes a third of the time of UTF-8.
    return zlib.crc32(document.text.encode("utf-16-le"), zlib.crc32(document.title.encode("utf-16-le")))


def _content_hash(document: Document) -> int:
    import numpy as np

    from infostream_dedup.documents.kernels.json_lines import hash_content

    whole, title = full_text(document).encode(), len(document.title.encode())
    return int(hash_content(np.frombuffer(whole + bytes(_WORD), dtype=np.uint8), 0, len(whole), title))
