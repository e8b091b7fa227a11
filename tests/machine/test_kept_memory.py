"""Scratch memory is used again while it is large enough, and is each thread's own."""

from concurrent.futures import ThreadPoolExecutor

from infostream_dedup.machine.scratch import KeptMemory


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
