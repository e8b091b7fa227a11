"""The log of a run on standard error, its summary, and its end: signals, messages and exit codes."""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import os
import platform
import re
import shlex
import shutil
import signal
import sys
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from textwrap import TextWrapper
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, Final

import click

from infostream_dedup.errors import BadDataError, CannotWriteError, InfostreamError
from infostream_dedup.machine.platform import signal_later, used_resources
from infostream_dedup.model import VERSION

if TYPE_CHECKING:
    from infostream_dedup.documents import ReadingReport

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
        # Whether each line is a JSON object, so that no progress bar may be drawn between them.
        self.has_lines = log_format == "json"
        self._least = LEVELS.index(level)
        self._begun = time.monotonic()
        self._started = datetime.now(UTC)
        self._stages: dict[str, float] = {}
        self._stage: tuple[str, float] | None = ("starting", self._begun)
        self._interrupted: str | None = None
        self._reports: list[ReadingReport] = []
        self.statuses: Counter[str] = Counter()

    def say(self, message: str, level: str = "info") -> None:
        """Print a line on standard error, unless its level is below the requested one."""
        if LEVELS.index(level) < self._least:
            return
        message = printable(message)
        if self.has_lines:
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
            "command": command, "started": self._started.isoformat(timespec="seconds"),
            "status": "done" if failure is None else "failed", "error": None if failure is None else _error(failure),
            "read": sum(one.read for one in self._reports), "used": sum(one.used for one in self._reports),
            "left_out": sum(one.left_out for one in self._reports),
            "quarantined": _summed(one.quarantined_by_code for one in self._reports),
            "statuses": dict(sorted(self.statuses.items())), "sources": _summed(one.sources for one in self._reports),
            "languages": _summed(one.languages for one in self._reports), "seconds": wall,
            "cpu_seconds": round(seconds, 3), "stages": stages, "peak_memory_bytes": peak,
            "versions": {"infostream-dedup": VERSION, "python": platform.python_version(), **_versions()},
        }  # fmt: skip

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
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


# The end of a command: signals, messages and exit codes


TERMINATED: Final = 143  # exit code of a process that SIGTERM ended
_PATIENCE: Final = 0.05  # seconds until a request that arrived during an import is repeated
_IMPORTING: Final = "<frozen importlib"


class TerminatedError(BaseException):
    """The process was asked to end; unfinished work is rolled back on the way out."""


def heed_requests_to_end(outermost: CodeType) -> None:
    """Let SIGINT and SIGTERM end the command like an exception, unless other handlers are installed."""
    if threading.current_thread() is not threading.main_thread():
        return
    process = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGTERM and os.getpid() != process:
            os._exit(TERMINATED)
        if _is_importing(frame, outermost) or (frame is not None and frame.f_code.co_filename == contextlib.__file__):
            # A module would be left half imported, a ``with`` block without its end.
            # Whoever handles the signal by then gets it: a command that follows a folder ends in its own way.
            signal_later(number, _PATIENCE)
        elif number == signal.SIGTERM:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            raise TerminatedError
        else:
            raise KeyboardInterrupt

    for number, usual in ((signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
        if signal.getsignal(number) == usual:
            signal.signal(number, end)


def _is_importing(frame: FrameType | None, outermost: CodeType) -> bool:
    """Whether a frame, or one of its callers up to the outermost, imports a module."""
    while frame is not None and frame.f_code is not outermost:
        if frame.f_code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False


_USAGE: Final = 2
_BUG: Final = 70
_CANNOT_WRITE: Final = 74
_INTERRUPTED: Final = 130
_DEBUG: Final = "INFOSTREAM_DEDUP_DEBUG"
_SKIPPING: Final = ("dedup", "pairs", "sweep", "ingest")
"""Commands that can set a record aside, and are often what a new file is tried with."""
_WHOLE: Final = ("E_SCHEMA", "E_BOILERPLATE")  # faults of no single record


def exit_code_of(run: Callable[[], object]) -> int:
    """Run a command and report a failure in one line on standard error."""
    try:
        _open_standard_streams()
        # Print text in UTF-8 in every locale, as JSON and files are; many encodings lack some letter of our languages.
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors=stream.errors)
        _refuse_misread_arguments(sys.argv)
        heed_requests_to_end(exit_code_of.__code__)
        result = _run_for_a_reader(run)
    except TerminatedError:
        return _say("terminated", TERMINATED)
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _say("interrupted", _INTERRUPTED)
    except click.ClickException as error:
        error.show(_Printable())
        return error.exit_code
    except InfostreamError as error:
        return _say(_with_command(error), error.exit_code)
    except OSError as error:
        if os.environ.get(_DEBUG):
            raise
        return _say(_os_message(error), _CANNOT_WRITE)
    except Exception as error:
        if os.environ.get(_DEBUG):
            raise
        if isinstance(error, MemoryError):
            return _say(f"the memory does not suffice ({error}); allow more, or take fewer documents at a time", _BUG)
        garbled = next(filter(_is_garbled, sys.argv), None)
        if isinstance(error, UnicodeEncodeError) and garbled is not None:
            return _say(f"the argument {garbled!a} is not UTF-8 text; rename the file or correct the text", _USAGE)
        return _say(f"a bug of infostream-dedup: {type(error).__name__}: {error} (set {_DEBUG}=1 to see where)", _BUG)
    return result if isinstance(result, int) else 0


class _Printable(io.StringIO):
    """Standard error for click, which writes messages by itself."""

    def write(self, text: str) -> int:
        sys.stderr.write(printable(text))
        return len(text)


def _open_standard_streams() -> None:
    """Open null streams in a process started without standard streams, as a daemon may be."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # Otherwise the next file opened, perhaps a store, would get the lowest free number, which is this one, and
            # would be used as a standard stream.
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the life of the process
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        raise CannotWriteError("standard output is closed; send it to a file, or to /dev/null")


def _refuse_misread_arguments(arguments: Sequence[str]) -> None:
    """Refuse UTF-8 arguments that Python read in another encoding: a search would silently find nothing."""
    if sys.getfilesystemencoding() == "utf-8":
        return
    for argument in filter(_is_garbled, arguments):
        try:
            meant = os.fsencode(argument).decode("utf-8")
        except UnicodeDecodeError:
            continue
        encoding = sys.getfilesystemencoding()
        raise click.UsageError(
            f"Python reads arguments as {encoding} in this locale, but {meant!r} is UTF-8; set PYTHONUTF8=1"
        )


def _is_garbled(argument: str) -> bool:
    """Whether the argument contains bytes that are not text, as file names may."""
    return any("\ud800" <= character <= "\udfff" for character in argument)


def _run_for_a_reader(run: Callable[[], object]) -> object:
    """Run a command; it does not fail if the reader of its output goes away."""
    output = sys.stdout
    try:
        result = run()
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    except SystemExit as leaving:
        # click itself exits with 1 when the reader has gone away, and replaces standard output.
        if leaving.code != 1 or sys.stdout is output:
            raise
    else:
        return result
    # Python would complain again when it closes standard output.
    os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
    return 0


def _say(message: str, exit_code: int) -> int:
    RUN.say(f"infostream-dedup: {message}", "error")
    return exit_code


def _with_command(error: InfostreamError) -> str:
    """The message; on a terminal, what it proposes is a whole command on a line of its own, to be copied."""
    message = error.for_command_line
    proposed = re.search(r"; perhaps (--(?:columns|make-ids).*?)(?= \[|$)", message)
    options = None if proposed is None else proposed[1]
    if proposed is None and isinstance(error, BadDataError) and error.line is not None and error.code not in _WHOLE:
        options = "--on-error skip --quarantine bad.jsonl" if not set(_SKIPPING).isdisjoint(sys.argv) else None
    if options is None or options.split()[0] in sys.argv or not sys.stderr.isatty():
        return message
    rest = message if proposed is None else message.replace(proposed[0], "")
    return f"{rest}\n{COPIED}{shlex.join(sys.argv[1:])} {options}"


def _os_message(error: OSError) -> str:
    if error.errno == errno.ENOENT and str(error.strerror).startswith("No usable temporary directory"):
        # Of Python's tempfile, as in a container whose root is read-only.
        return "no folder for temporary files can be written; name one in TMPDIR, or mount one at /tmp"
    place = f"{error.filename}: " if error.filename else ""
    advice = "; free some space and run the same command again" if error.errno == errno.ENOSPC else ""
    return f"{place}{error.strerror or error}{advice}"
