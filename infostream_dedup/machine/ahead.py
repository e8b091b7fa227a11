"""Fetching items while the caller works on earlier ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

_Item = TypeVar("_Item")

_AHEAD: Final = 3
"""Requests that wait for the thread. With one only, the thread could not begin before the caller lets go of Python's
lock, and the two would take turns."""

_END: Final = object()


def run_ahead(items: Iterator[_Item]) -> Generator[_Item, None, None]:
    """Yield the items of an iterator that runs on another thread, up to three items ahead of the caller.

    Both cores are busy if fetching an item releases Python's lock, as SQLite and compiled loops do. An error of the
    iterator reaches the caller in the place of the item.
    """
    with ThreadPoolExecutor(1) as beside:
        coming = deque(beside.submit(next, items, _END) for _ in range(_AHEAD))
        while (item := coming.popleft().result()) is not _END:
            coming.append(beside.submit(next, items, _END))
            yield item  # type: ignore[misc]
