"""Freed memory goes back to the system."""

import ctypes
import os
from pathlib import Path

import numpy as np
import pytest

from infostream_dedup.machine.memory import available_memory, give_back_memory

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
    give_back_memory()
    assert _resident_megabytes() < held - 120
    assert last.sum() == 1_000_000


def test_some_memory_is_free():
    free = available_memory()
    assert free is not None
    assert free > 0
