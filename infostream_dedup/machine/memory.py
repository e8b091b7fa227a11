"""Find out how much memory this process may still use, and return what it no longer needs."""

from __future__ import annotations

import ctypes
import gc
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_MEMORY: Final = Path("/proc/meminfo")

_GROUP: Final = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Return the bytes free on this machine and within the limit of its container; ``None`` if unknown."""
    free = _free()
    group = _left_in_group()
    known = [size for size in (free, group) if size is not None]
    return min(known) if known else None


def give_back_memory() -> None:
    """Return freed memory to the system, where the C library can (glibc).

    Arrays of up to 32 MB are allocated within the heap, which keeps what they leave behind; larger ones never reuse it.
    After a month of texts has been counted, that is a gigabyte and a half.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


_ARENA_MAX: Final = -8

_MMAP_THRESHOLD: Final = -3

_TRIM_THRESHOLD: Final = -1

_LARGE: Final = 1024 * 1024


def keep_heap_small() -> None:
    """Let a process that runs for weeks give memory back at once, where the C library can (glibc).

    By default each thread has a heap of its own, and after the first large body that is freed, bodies of up to 32 MB
    come from these heaps, which small objects then keep from shrinking: the process grows with the largest requests it
    has seen, once for every thread. Pages of a large body now return when it is freed.
    """
    choose = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if choose is not None:
        for option, value in ((_ARENA_MAX, 2), (_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, 4 * _LARGE)):
            choose(option, value)


def _free() -> int | None:
    try:
        found = re.search(r"^MemAvailable:\s*(\d+) kB", _MEMORY.read_text(encoding="ascii"), re.MULTILINE)
        if found is not None:
            return int(found[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def _left_in_group() -> int | None:
    try:
        limit = (_GROUP / "memory.max").read_text(encoding="ascii").strip()
        used = int((_GROUP / "memory.current").read_text(encoding="ascii"))
        return None if limit == "max" else max(0, int(limit) - used)
    except (OSError, ValueError):
        return None


# Pause garbage collection


@contextmanager
def collector_paused() -> Iterator[None]:
    """Create millions of objects, none of them garbage, without searching them for cycles.

    The search can take longer than creating the objects. Also works as a decorator.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def collect_once() -> None:
    """Search everything for garbage, so that what was loaded to stay is not searched again and again.

    Dictionaries are some 300,000 objects. The collector would search them three times while it takes them for young,
    in the middle of later work, which takes twice as long as one search.
    """
    gc.collect()
