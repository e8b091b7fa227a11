"""How documents are read: one record of options for every function that reads documents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypedDict

from infostream_dedup.corpus.bad_records import BadRecords, OnError
from infostream_dedup.corpus.documents import IdType
from infostream_dedup.corpus.reading_report import ReadingReport
from infostream_dedup.errors import ConfigurationError

__all__ = ["MAX_LINE_BYTES", "Reading", "ReadingOptions", "chosen_reading"]

MAX_LINE_BYTES: Final = 10 * 2**20


class ReadingOptions(TypedDict, total=False):
    """The fields of ``Reading`` as keywords."""

    on_error: OnError
    quarantine: str | Path | None
    max_errors: int | None
    max_line_bytes: int
    tz: str | None
    id_type: IdType


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Options of reading. Names equal the flags of the command line; values are checked when reading begins.

    Attributes:
        on_error: ``fail`` stops at the first bad record; ``skip`` sets it aside in ``quarantine`` and goes on. A file
            that breaks off (a cut archive, damaged Parquet) or has wrong columns is one bad record: everything before
            the break is read, and reading continues with the next file.
        quarantine: file for the records that are set aside; overwritten. Required for ``skip``.
        max_errors: with ``skip``, how many records may be set aside before reading stops after all.
        max_line_bytes: longest line of JSON Lines or row of CSV; longer ones are bad and are never loaded.
        tz: IANA name of the time zone of dates without one; UTC if None.
        id_type: ``int`` accepts whole numbers as ids too; ``Document.id`` holds their digits.
    """

    on_error: OnError = "fail"
    quarantine: str | Path | None = None
    max_errors: int | None = None
    max_line_bytes: int = MAX_LINE_BYTES
    tz: str | None = None
    id_type: IdType = "str"

    def bad_records(self, report: ReadingReport | None = None) -> BadRecords:
        """What handles the bad records of a reading with these options.

        Args:
            report: counts what is read; a new one by default.

        Raises:
            ConfigurationError: the options contradict each other.
        """
        return BadRecords(on_error=self.on_error, quarantine=self.quarantine, max_errors=self.max_errors, report=report)


def chosen_reading(reading: Reading | None, given: Any) -> Reading:
    """The record itself, or one made of single options.

    Args:
        reading: all options at once.
        given: single options by name.

    Raises:
        ConfigurationError: options are given both ways.
        TypeError: there is no such option.
    """
    if reading is None:
        return Reading(**given)
    if given:
        raise ConfigurationError(f"reading and {', '.join(given)} are both given; put everything into reading")
    return reading
