"""Threads: their number, their turns, and items fetched ahead."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import starmap
from typing import Any, Final, TypeVar

from infostream_dedup.machine.platform import processor_count

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")

# Threads that share a compiled loop


def thread_count(workers: int) -> int:
    """Return ``workers``; for 0, as many threads as this process may use."""
    return workers or processor_count()


class ThreadPool(ThreadPoolExecutor):
    """Threads that share work; a single piece is done by the caller, as starting a thread may take longer."""

    def map(
        self, fn: Callable[..., _Item], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int = 1
    ) -> Iterator[_Item]:
        """As ``Executor.map``; a single piece is done when its result is asked for."""
        calls = list(zip(*iterables, strict=False))
        if len(calls) == 1:
            return starmap(fn, calls)
        return super().map(fn, *zip(*calls, strict=True), timeout=timeout, chunksize=chunksize)


# Threads that take turns in the order of numbers


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


# Fetching items while the caller works on earlier ones

_AHEAD: Final = 3
"""Requests that wait for the thread. With one only, the thread could not begin before the caller lets go of Python's
lock, and the two would take turns."""

_END: Final = object()


def mapped(work: Callable[[_Item], _Made], items: Iterable[_Item], threads: int) -> Iterator[_Made]:
    """Yield what comes of each item, in order, while threads work on those that follow."""
    with ThreadPoolExecutor(threads) as pool:
        running: deque[Future[_Made]] = deque()
        for item in items:
            running.append(pool.submit(work, item))
            if len(running) > threads + _AHEAD:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()


def run_ahead(items: Iterator[_Item]) -> Generator[_Item, None, None]:
    """Yield the items of an iterator that runs on another thread, up to three items ahead of the caller."""
    # Both cores are busy if fetching an item releases Python's lock, as SQLite and compiled loops do. An error of the
    # iterator reaches the caller in the place of the item.
    with ThreadPoolExecutor(1) as beside:
        coming = deque(beside.submit(next, items, _END) for _ in range(_AHEAD))
        while (item := coming.popleft().result()) is not _END:
            coming.append(beside.submit(next, items, _END))
            yield item  # type: ignore[misc]
