"""Fetching the next item while the caller works on the last one."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

__all__ = ["one_ahead"]

_Item = TypeVar("_Item")

_END: Final = object()


def one_ahead(items: Iterator[_Item]) -> Generator[_Item, None, None]:
    """Yield the items of an iterator that a thread runs one item ahead of the caller.

    Both cores are busy if fetching an item lets go of Python's lock, as SQLite and compiled loops do. An error of the
    iterator reaches the caller in the place of the item.
    """
    with ThreadPoolExecutor(1) as beside:
        coming = beside.submit(next, items, _END)
        while (item := coming.result()) is not _END:
            coming = beside.submit(next, items, _END)
            yield item  # type: ignore[misc]
