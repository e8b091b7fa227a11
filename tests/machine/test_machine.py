"""Threads, memory and blocks of rows."""

import ctypes
import gc
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.machine.arrays import ColumnRow, RowColumns, completed
from infostream_dedup.machine.platform import collector_paused, trim_heap
from infostream_dedup.machine.scratch import GrowingArray, KeptMemory, row_blocks
from infostream_dedup.machine.threads import Turns, run_ahead


# Items that are fetched on another thread.
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


# Threads take turns in the order of their numbers, whichever is ready first.
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


def test_the_collector_is_paused_and_goes_on():
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_pause_inside_a_pause_does_not_end_it():
    with collector_paused():
        with collector_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


# Freed memory goes back to the system.
HAS_TRIM = os.name == "posix" and hasattr(ctypes.CDLL(None), "malloc_trim") and Path("/proc/self/statm").exists()


def _resident_megabytes() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.skipif(not HAS_TRIM, reason="the C library cannot give memory back")
def test_arrays_that_the_heap_kept_are_given_back():
    # Freeing one large array teaches glibc to take arrays of this size from the heap.
    first = np.ones(2_000_000, dtype=np.int64)
    del first
    arrays = [np.ones(1_000_000, dtype=np.int64) for _ in range(20)]
    last = np.ones(1_000_000, dtype=np.int64)
    held = _resident_megabytes()
    del arrays
    trim_heap()
    assert _resident_megabytes() < held - 120
    assert last.sum() == 1_000_000


# Scratch memory is used again while it is large enough, and is each thread's own.
def test_memory_is_used_again_until_it_is_too_small() -> None:
    memory = KeptMemory(bytearray, 100)
    first = memory.of(10)
    assert len(first) == 16
    assert memory.of(3) is first
    assert memory.of(16) is first
    larger = memory.of(17)
    assert len(larger) == 32
    assert memory.of(1) is larger


def test_more_memory_than_is_kept_is_given_back() -> None:
    memory = KeptMemory(bytearray, 100)
    kept = memory.of(100)
    assert len(memory.of(1000)) == 1024
    assert memory.of(100) is kept


def test_threads_do_not_share_memory() -> None:
    memory = KeptMemory(bytearray, 100)
    own = memory.of(10)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(memory.of, 10).result()
        assert pool.submit(memory.of, 10).result() is other
    assert other is not own
    assert memory.of(10) is own


# An array that grows holds what was appended, and gives up spare room.
@pytest.mark.parametrize("size", [0, 1, 5, 1000])
def test_elements_remain_in_order(size):
    array, random = GrowingArray(np.uint32), np.random.default_rng(size)
    parts = [random.integers(0, 1 << 32, length, dtype=np.uint32) for length in random.integers(0, 50, size)]
    for part in parts:
        array.append(part)
    found = array.taken()
    assert np.array_equal(found, np.concatenate([np.zeros(0, dtype=np.uint32), *parts]))
    assert found.flags.owndata
    assert len(array.taken()) == 0


def test_a_taken_array_is_not_written_to_again():
    array = GrowingArray(np.int64)
    array.append(np.arange(4))
    found = array.taken()
    array.append(np.full(3, 9))
    assert found.tolist() == [0, 1, 2, 3]
    assert array.taken().tolist() == [9, 9, 9]


@given(st.lists(st.integers(0, 20), max_size=30), st.integers(1, 25))
def test_blocks_cover_all_rows_within_the_limit(work: list[int], limit: int) -> None:
    blocks = list(row_blocks(np.array(work, dtype=np.int64), limit))
    assert [row for block in blocks for row in range(block.start, block.stop)] == list(range(len(work)))
    assert all(sum(work[block]) <= limit or block.stop - block.start == 1 for block in blocks)
    # No two neighbours would fit into one block.
    assert all(sum(work[a.start : b.stop]) > limit for a, b in pairwise(blocks))


# A package of somebody else adds methods, representations and readers by entry points; a broken one does no harm.
ROOT = Path(__file__).parents[2]
OFFERS = """[infostream_dedup.methods]
first-letter = theirs
[infostream_dedup.representations]
four = theirs:FOUR
[infostream_dedup.readers]
wire = theirs:read_wire
"""
BROKEN = """[infostream_dedup.methods]
old = broken
[infostream_dedup.representations]
old = broken:OLD
[infostream_dedup.readers]
old = broken:read
"""
WIRE = "".join(
    f"{number}|Мост через реку Лопань открыл министр транспорта Иванов, сообщила пресс-служба города{more}\n"
    for number, more in enumerate(["", " сегодня", " вчера"])
)


def packaged(folder: Path, name: str, source: str, offers: str) -> None:
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    about = folder / f"{name}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(offers, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    packaged(tmp_path, "theirs", Path(__file__).with_name("example_package.py").read_text(encoding="utf-8"), OFFERS)
    packaged(tmp_path, "broken", "raise RuntimeError('too old')\n", BROKEN)
    (tmp_path / "news.wire").write_text(WIRE, encoding="utf-8")
    (tmp_path / "cut.wire").write_text("no bar\n", encoding="utf-8")
    (tmp_path / "news.old").write_text(WIRE, encoding="utf-8")
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "infostream_dedup", *arguments]
    given = {"PYTHONPATH": f"{ROOT}:{folder}", "INFOSTREAM_DEDUP_CACHE": str(folder / "cache")}
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("arguments", "printed"), [
    (["compare", "news.wire", "--methods", "first-letter,md5", "--format", "json"], "first-letter"),
    (["pairs", "news.wire", "--representation", "four", "--preset", "faithful", "--format", "json"], '"мини"'),
    (["dedup", "news.wire", "--representation", "four", "--preset", "faithful", "--out", "-"], "Мост через"),
    (["ingest", "news.wire", "--store", "n.db", "--representation", "four", "--preset", "faithful"], "duplicate"),
])  # fmt: skip
def test_what_another_package_offers_is_used(arguments: list[str], printed: str, folder: Path) -> None:
    done = run(folder, *arguments)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


@pytest.mark.parametrize(("arguments", "code", "said"), [
    (["compare", "news.wire", "--methods", "md5"], 0, "the method old of broken was left out: RuntimeError: too old"),
    (["pairs", "news.wire", "--representation", "old"], 78, "representation old of broken:OLD cannot be loaded: "),
    (["pairs", "news.old"], 65, "news.old: the reader old of broken:read: RuntimeError: too old"),
    (["pairs", "cut.wire"], 65, "cut.wire: the reader wire of theirs:read_wire: ValueError"),
])  # fmt: skip
def test_what_fails_is_named(arguments: list[str], code: int, said: str, folder: Path) -> None:
    done = run(folder, *arguments)
    assert said in done.stderr
    assert done.returncode == code
    assert "Traceback" not in done.stderr


# Rows of columns.
class Named(ColumnRow):
    __slots__ = ()
    name: str
    size: int


def test_a_column_is_made_when_a_row_is_asked_for_it_and_once():
    made: list[str] = []

    def column(name: str, values: list[object]) -> object:
        return lambda: made.append(name) or values

    rows = Named.rows(RowColumns({"name": column("name", ["a", "b"]), "size": column("size", [1, 2])}), 2)
    assert made == []
    assert [row.size for row in rows] == [1, 2]
    assert made == ["size"]
    assert repr(completed(rows)[1]) == "Named(name='b', size=2)"
    assert made == ["size", "name"]
    assert rows[1] == Named.of("b", 2) == pickle.loads(pickle.dumps(rows[1]))  # noqa: S301 - made here
    assert rows[0] != rows[1] != ("b", 2)
    with pytest.raises(AttributeError):
        rows[0].size = 3


def test_a_column_that_another_thread_makes_meanwhile() -> None:
    begun: list[int] = []

    def made() -> list[str]:
        begun.append(1)
        return list(columns["name"]) if len(begun) == 1 else ["a"]

    columns = RowColumns({"name": made})
    assert columns["name"] == ["a"]
