"""What happens to bad records: the first one stops reading, or they go to a quarantine file up to a limit."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Literal, Self, get_args

from infostream_dedup.corpus.quarantine import Quarantine
from infostream_dedup.corpus.reading_report import ReadingReport
from infostream_dedup.errors import BadDataError, ConfigurationError

__all__ = ["BadRecords", "OnError"]

OnError = Literal["fail", "skip"]


class BadRecords:
    """Takes the bad records of one or more readings. Entering the block starts a new quarantine file.

    Args:
        on_error: ``fail`` raises the first bad record; ``skip`` sets it aside.
        quarantine: file for records that are set aside; required for ``skip``.
        max_errors: with ``skip``, the number of records that may be set aside; None for no limit.
        report: where they are counted; a new report if None.

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
        """Create the quarantine file.

        Raises:
            CannotCreateError: the file cannot be created.
        """
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
        """Set aside a bad record, or raise its error.

        Raises:
            BadDataError: `error` itself if nothing may be set aside, ``E_MAX_ERRORS`` if this one exceeds the limit.
            CannotWriteError: the quarantine file cannot be written.
        """
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
