"""Threads that take turns in the order of numbers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial


class Turns:
    """Lets threads take turns in the order of the numbers 0, 1, 2 ..."""

    def __init__(self) -> None:
        self._next = 0
        self._changed = threading.Condition()

    @contextmanager
    def of(self, number: int) -> Iterator[Callable[[], None]]:
        """Yield a function that waits for the turn; the turn ends with the block, also after an error."""
        try:
            yield partial(self._wait, number)
        finally:
            self._wait(number)
            with self._changed:
                self._next += 1
                self._changed.notify_all()

    def _wait(self, number: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._next == number)
