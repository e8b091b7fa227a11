"""A progress line for the first use of compiled loops: without machine code on disk it takes seconds."""

from __future__ import annotations

from collections.abc import Callable

from infostream_dedup.machine.plain_work import is_plain
from infostream_dedup.machine.progress import Progress

__all__ = ["FirstUse"]


class FirstUse:
    """Runs compiled loops once on a tiny example, so that the wait for the compiler is visible.

    Args:
        toy: calls every loop with the types of real work. It may call the function that calls ``prepare``.
    """

    def __init__(self, toy: Callable[[], object]) -> None:
        self._toy: Callable[[], object] | None = toy

    def prepare(self, progress: Progress | None) -> None:
        """Compile the loops or load them from disk; does nothing after that, nor while loops run as plain Python."""
        if is_plain():
            return
        toy, self._toy = self._toy, None
        if toy is None:
            return
        if progress is not None:
            progress("compiling", 0, 1)
        toy()
        if progress is not None:
            progress("compiling", 1, 1)
