"""Decide whether the work of this process is so small that loops run as plain Python and no compiler is started.

Compiling all loops of a command takes half a minute to a minute; run as plain Python they are some hundred times
slower. So the first documents of a process are read by plain code, and compiled code takes over if there is more to
do. Both give equal results, so it does not matter when that happens.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from typing import Any, Final, Literal, cast, get_args

from infostream_dedup.errors import ConfigurationError

__all__ = [
    "PLAIN_CHARACTERS",
    "PLAIN_DOCUMENTS",
    "NotOnDiskError",
    "announce_compiling",
    "count_work",
    "expect_little",
    "is_plain",
    "is_worth_loading",
    "is_worth_tables",
    "timed",
    "use_loops",
]

_log = logging.getLogger("infostream_dedup.compiling")

PLAIN_DOCUMENTS: Final = 500
"""Number of documents of a process that plain code reads; measured by ``python -m benchmarks.start``."""

PLAIN_CHARACTERS: Final = 1_000_000
"""Characters of these documents; longer ones are worth compiling for, however few they are."""

_PLAIN_SECONDS: Final = 20.0
"""CPU seconds after which compiled code takes over anyway: about as long as compiling the loops of one command."""

_VARIABLE: Final = "INFOSTREAM_DEDUP_LOOPS"

_LOADING_SECONDS: Final = 0.3
"""CPU seconds in plain loops after which machine code on disk is loaded: about as long as loading it takes."""

_LITTLE_DOCUMENTS: Final = 20
_LITTLE_CHARACTERS: Final = 50_000
"""Documents of a process, and their length, that are read as plain Python before machine code is loaded."""

_TABLE_BYTES: Final = 500_000
"""Bytes of text that plain code reads in about the time in which the tables of all characters are made."""

Choice = Literal["auto", "plain", "compiled"]

_CHOICES: Final = get_args(Choice)


class NotOnDiskError(Exception):
    """A function has no machine code for these types, and the work is too small to compile it."""


class _Work:
    """What this process has done so far.

    Attributes:
        documents: number of documents read.
        characters: their number of characters.
        seconds: CPU time spent in loops run as plain Python.
        chosen: ``auto``, ``plain`` or ``compiled``.
        announced: whether the user knows that code is being compiled.
        little: whether little work is expected.
        scanned: bytes of text that were read without tables of characters.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.characters = 0
        self.seconds = 0.0
        self.chosen = _from_environment()
        self.announced = False
        self.little = False
        self.scanned = 0


def _from_environment() -> Choice:
    given = os.environ.get(_VARIABLE) or "auto"
    if given not in _CHOICES:
        raise ConfigurationError(f"{_VARIABLE} is {given!r}; expected one of {', '.join(_CHOICES)}")
    return cast(Choice, given)


_work = _Work()


def count_work(documents: int, characters: int = 0) -> None:
    """Record that documents are about to be processed.

    Args:
        documents: how many.
        characters: their total length, if known.
    """
    _work.documents += documents
    _work.characters += characters


def is_plain(*, always: bool = False) -> bool:
    """Whether loops that are not yet compiled run as plain Python.

    Args:
        always: whether this includes loops whose machine code is on disk.
    """
    if always:
        return _work.chosen == "plain"
    if _work.chosen != "auto":
        return _work.chosen == "plain"
    return (
        _work.documents <= PLAIN_DOCUMENTS and _work.characters <= PLAIN_CHARACTERS and _work.seconds <= _PLAIN_SECONDS
    )


def expect_little() -> None:
    """Expect so little work that loading machine code takes longer than running loops as plain Python."""
    _work.little = True


def is_worth_loading() -> bool:
    """Whether machine code on disk is loaded now: always, unless little work was expected, and less has been done."""
    if not (_work.little and is_plain() and _work.seconds <= _LOADING_SECONDS):
        return True
    return _work.documents > _LITTLE_DOCUMENTS or _work.characters > _LITTLE_CHARACTERS


def is_worth_tables(size: int) -> bool:
    """Whether tables of all characters pay off for ``size`` bytes of text and the earlier ones."""
    if _work.chosen != "auto":
        return True
    _work.scanned += size
    return _work.scanned > _TABLE_BYTES


def use_loops(chosen: Choice) -> Choice:
    """Set the choice for this process; return the previous one.

    Raises:
        ConfigurationError: there is no such choice.
    """
    if chosen not in _CHOICES:
        raise ConfigurationError(f"loops are {chosen!r}; expected one of {', '.join(_CHOICES)}")
    before, _work.chosen = _work.chosen, chosen
    return before


def timed(run: Callable[[], Any]) -> Any:
    """Run a loop as plain Python and count its time."""
    begin = time.thread_time()
    try:
        return run()
    finally:
        _work.seconds += time.thread_time() - begin


def announce_compiling(folder: str | None) -> None:
    """Say once what the user is waiting for.

    Args:
        folder: where the machine code is kept for later processes; None if it is not.
    """
    if _work.announced:
        return
    _work.announced = True
    if folder is None:
        _log.warning(
            "compiling loops, up to a minute, for this process only: there is no folder that only you can write to; "
            "set INFOSTREAM_DEDUP_CACHE to a folder that you own with mode 0700"
        )
    else:
        _log.warning(
            "compiling loops, up to a minute, once for this machine ('infostream-dedup warm' does it beforehand); kept "
            "in %s",
            folder,
        )
