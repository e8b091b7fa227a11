"""Threads take turns in the order of their numbers, whichever is ready first."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from infostream_dedup.machine.threads import Turns


def test_turns_follow_the_numbers():
    turns, seen = Turns(), []

    def take(number):
        with turns.of(number) as wait:
            wait()
            seen.append(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(take, [5, 3, 7, 0, 2, 6, 1, 4]))
    assert seen == list(range(8))


def test_an_error_ends_a_turn():
    turns = Turns()
    with pytest.raises(ValueError, match="one"), turns.of(0):
        raise ValueError("one")
    with turns.of(1) as wait:
        wait()
