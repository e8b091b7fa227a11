"""Fetching the next item on another thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from infostream_dedup.machine.ahead import one_ahead


def test_the_items_come_in_their_order() -> None:
    assert list(one_ahead(iter(range(50)))) == list(range(50))


def test_nothing_comes_of_nothing() -> None:
    assert list(one_ahead(iter(()))) == []


def test_the_next_item_is_fetched_while_the_caller_has_the_last_one() -> None:
    fetched = threading.Event()

    def two() -> Iterator[int]:
        yield 1
        fetched.set()
        yield 2

    items = one_ahead(two())
    assert next(items) == 1
    # Without a thread, nobody would fetch the second item before it is asked for.
    assert fetched.wait(10)
    assert list(items) == [2]


def test_an_error_comes_in_the_place_of_its_item() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise LookupError("no second item")

    items = one_ahead(broken())
    assert next(items) == 1
    with pytest.raises(LookupError, match="no second item"):
        next(items)


def test_a_caller_may_stop_early() -> None:
    items = one_ahead(iter(range(10)))
    assert next(items) == 0
    items.close()
    assert list(items) == []
