"""The log of a run on standard error, and its summary."""

from __future__ import annotations

import logging
import platform
import shutil
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any, Final

import click

from infostream_dedup.errors import InfostreamError
from infostream_dedup.machine.platform import used_resources
from infostream_dedup.model import VERSION

if TYPE_CHECKING:
    from infostream_dedup.documents import ReadingReport

__all__ = ["LEVELS", "RUN", "RunLog", "print_warnings"]

LEVELS: Final = ("info", "warning", "error")
_PACKAGES: Final = ("numpy", "scipy", "pyarrow", "pymorphy3", "PyStemmer")


_COMMANDS_OF_TERMINALS: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters that a terminal obeys instead of showing them, or that turn text around."""

_HARMLESS: Final = "\n\t\u200c\u200d"  # the last two join letters and emoji, or keep them apart


def printable(message: str) -> str:
    """A message as any terminal may get it: what servers and file names put into it is shown, never obeyed."""
    if message.isascii() and message.isprintable():
        return message
    return "".join(
        ascii(one)[1:-1] if one != "\n" and unicodedata.category(one) in _COMMANDS_OF_TERMINALS else one
        for one in message
    )


def without_commands(text: str) -> str:
    """A text of the data as any terminal may get it: what it would obey is gone, but for line ends and tabs."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one for one in text if one in _HARMLESS or unicodedata.category(one) not in _COMMANDS_OF_TERMINALS)


COPIED: Final = "try: infostream-dedup "  # how a line begins that is a command to copy, and therefore stays one line


class RunLog:
    """Log lines, for people or programs, and counts of a run. There is one log, because a process runs one command."""

    def __init__(self) -> None:
        self.quiet = False  # whether neither progress nor notes are printed
        self.start()

    def start(self, log_format: str = "text", level: str = "info") -> None:
        """Begin a run: reset everything."""
        self.is_summed_up = self._is_drawn = False
        self._json = log_format == "json"
        self._least = LEVELS.index(level)
        self._begun = time.monotonic()
        self._started = datetime.now(UTC)
        self._stages: dict[str, float] = {}
        self._stage: tuple[str, float] | None = ("starting", self._begun)
        self._interrupted: str | None = None
        self._reports: list[ReadingReport] = []
        self.statuses: Counter[str] = Counter()

    @property
    def has_lines(self) -> bool:
        """Whether each line is a JSON object, so that no progress bar may be drawn between them."""
        return self._json

    def say(self, message: str, level: str = "info") -> None:
        """Print a line on standard error, unless its level is below the requested one."""
        if LEVELS.index(level) < self._least:
            return
        message = printable(message)
        if self._json:
            import orjson

            line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "level": level, "message": message}
            message = orjson.dumps(line).decode()
        elif sys.stderr.isatty():
            # Words at the edge of a screen are not cut in two, nor options that one copies.
            wide = shutil.get_terminal_size().columns
            lines = message.split("\n")
            wrap = TextWrapper(wide, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
            message = "\n".join(line if line.startswith(COPIED) else wrap.fill(line) for line in lines)
        if self._is_drawn:
            self.draw("")
        click.echo(message, err=True)

    def draw(self, bar: str) -> None:
        """Put a bar on the last line of the terminal, or, if it is empty, take it away; blanks do so on every kind."""
        columns = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r{bar[:columns]:<{columns}}" + "\r" * (not bar))
        sys.stderr.flush()
        self._is_drawn = bool(bar)

    def stage(self, name: str, *, ended: bool = False) -> None:
        """Note that a stage begins, continues or ends."""
        if self._stage is None or self._stage[0] != name:
            self._interrupted = self._stage[0] if self._stage and name == "compiling" else None
            self._end_stage()
            self._stage = (name, time.monotonic())
        if ended and self._interrupted is not None:
            self.stage(self._interrupted)

    def was_read(self, report: ReadingReport) -> None:
        """Add a reading report to the counts of the summary."""
        if all(report is not one for one in self._reports):
            self._reports.append(report)

    def summary(self, command: str, failure: BaseException | None) -> dict[str, Any]:
        """Return the run as one object: what was read and decided, the time of each stage, memory, versions."""
        self._end_stage()
        wall = round(time.monotonic() - self._begun, 3)
        stages = {name: round(seconds, 3) for name, seconds in self._stages.items()}
        # What follows an ended stage belongs to none; with it, stages add up to the whole.
        stages["other"] = round(max(wall - sum(stages.values()), 0.0), 3)
        seconds, peak = used_resources()
        return {
            "command": command,
            "started": self._started.isoformat(timespec="seconds"),
            "status": "done" if failure is None else "failed",
            "error": None if failure is None else _error(failure),
            "read": sum(one.read for one in self._reports),
            "used": sum(one.used for one in self._reports),
            "left_out": sum(one.left_out for one in self._reports),
            "quarantined": _summed(one.quarantined_by_code for one in self._reports),
            "statuses": dict(sorted(self.statuses.items())),
            "sources": _summed(one.sources for one in self._reports),
            "languages": _summed(one.languages for one in self._reports),
            "seconds": wall,
            "cpu_seconds": round(seconds, 3),
            "stages": stages,
            "peak_memory_bytes": peak,
            "versions": {"infostream-dedup": VERSION, "python": platform.python_version(), **_versions()},
        }

    def _end_stage(self) -> None:
        if self._stage is not None:
            name, begun = self._stage
            self._stages[name] = self._stages.get(name, 0.0) + time.monotonic() - begun
            self._stage = None


RUN: Final = RunLog()


class _WarningPrinter(logging.Handler):
    """Prints warnings of the package as lines of the run, instead of as Python's last resort does."""

    def emit(self, record: logging.LogRecord) -> None:
        RUN.say(record.getMessage(), "error" if record.levelno >= logging.ERROR else "warning")


_PRINTER: Final = _WarningPrinter(logging.WARNING)


def print_warnings() -> None:
    """From now on, print the package's warnings in the format of the run, if its level includes them."""
    logging.getLogger("infostream_dedup").addHandler(_PRINTER)


def _summed(counts: Any) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(sorted(total.items()))


def _error(failure: BaseException) -> Mapping[str, Any]:
    code = getattr(failure, "code", None) if isinstance(failure, InfostreamError) else None
    return {"kind": type(failure).__name__, "code": code, "message": str(failure)}


def _versions() -> dict[str, str]:
    # Importing it takes as long as a tenth of --help.
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
