"""A progress line for the first use of compiled loops: without machine code on disk it takes seconds."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["FirstUse", "Progress"]

Progress = Callable[[str, int, int | None], None]
"""Told the name of a step, how much of it is done, and how much there is (``None``: not known)."""


class FirstUse:
    """Runs the loops on a toy the first time they are wanted, and says so.

    Args:
        toy: uses every loop with the types it will have. It may call the function that calls ``prepare``.
    """

    def __init__(self, toy: Callable[[], object]) -> None:
        self._toy: Callable[[], object] | None = toy

    def prepare(self, progress: Progress | None) -> None:
        """Compile or load from disk; nothing after the first time in a process."""
        toy, self._toy = self._toy, None
        if toy is None:
            return
        if progress is not None:
            progress("compiling", 0, 1)
        toy()
        if progress is not None:
            progress("compiling", 1, 1)
