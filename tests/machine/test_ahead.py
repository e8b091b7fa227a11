"""Items that are fetched on another thread."""

import threading
from collections.abc import Iterator

import pytest

from infostream_dedup.machine.threads import run_ahead


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 100])
def test_items_arrive_in_order_and_from_one_other_thread(length: int) -> None:
    threads = set()

    def items() -> Iterator[int]:
        for number in range(length):
            threads.add(threading.get_ident())
            yield number

    assert list(run_ahead(items())) == list(range(length))
    assert len(threads) == (length > 0)
    assert threading.get_ident() not in threads


def test_the_thread_goes_on_while_the_caller_holds_an_item() -> None:
    fetched = threading.Event()

    def items() -> Iterator[int]:
        yield 0
        yield 1
        fetched.set()
        yield 2

    ahead = run_ahead(items())
    assert next(ahead) == 0
    assert fetched.wait(10)
    assert list(ahead) == [1, 2]


def test_an_error_reaches_the_caller_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 0
        raise RuntimeError("the disk is gone")

    ahead = run_ahead(items())
    assert next(ahead) == 0
    with pytest.raises(RuntimeError, match="the disk is gone"):
        next(ahead)


def test_a_caller_may_stop_early() -> None:
    ahead = run_ahead(iter(range(100)))
    assert next(ahead) == 0
    ahead.close()
    assert list(ahead) == []
