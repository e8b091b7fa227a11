"""Requests to end a command, by Ctrl-C or SIGTERM, become exceptions, but never while a module is being imported.

Python loses an exception that a signal raises in one of the callbacks of an import, so that the command goes on; and
compiled modules, such as NumPy, crash if one is raised while they are set up.
"""

from __future__ import annotations

import os
import signal
import threading
from types import CodeType, FrameType
from typing import Final

__all__ = ["TERMINATED", "TerminatedError", "heed_requests_to_end"]

TERMINATED: Final = 143
"""Exit code of a process that SIGTERM ended."""
_PATIENCE: Final = 0.05
"""Seconds until a request that arrived during an import is repeated."""
_IMPORTING: Final = "<frozen importlib"


class TerminatedError(BaseException):
    """The process was asked to end; unfinished work is rolled back on the way out."""


def heed_requests_to_end(outermost: CodeType) -> None:
    """Let SIGINT and SIGTERM end the command like an exception, unless other handlers are installed.

    Args:
        outermost: code of the function that runs the command; it may itself be called during an import.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    process = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGTERM and os.getpid() != process:
            os._exit(TERMINATED)
        if _is_importing(frame, outermost):
            _repeat_later(number)
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


def _repeat_later(number: int) -> None:
    # Whoever handles the signal by then gets it: a command that follows a folder ends in its own way.
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(number))
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
