"""The end of a command: signals, messages and exit codes."""

from __future__ import annotations

import errno
import io
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Final

import click

from infostream_dedup.cli.run_log import COPIED, RUN, printable
from infostream_dedup.errors import BadDataError, CannotWriteError, InfostreamError
from infostream_dedup.machine.platform import signal_later

__all__ = ["TERMINATED", "TerminatedError", "heed_requests_to_end"]

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
        if _is_importing(frame, outermost):
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


__all__ = ["exit_code_of"]

_USAGE: Final = 2
_BUG: Final = 70
_CANNOT_WRITE: Final = 74
_INTERRUPTED: Final = 130
_DEBUG: Final = "INFOSTREAM_DEDUP_DEBUG"
_SKIPPING: Final = ("dedup", "pairs", "sweep", "ingest")
"""Commands that can set a record aside, and are often what a new file is tried with."""


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
    proposed = re.search(r"; perhaps (--columns .+?)(?= \[|$)", message)
    options = None if proposed is None else proposed[1]
    if isinstance(error, BadDataError) and error.line is not None and error.code != "E_SCHEMA":
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
