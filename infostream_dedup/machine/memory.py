"""Find out how much memory this process may still use, and return what it no longer needs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from infostream_dedup.machine.platform import free_memory, trim_heap

_GROUP: Final = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Return the bytes free on this machine and within the limit of its container; ``None`` if unknown."""
    known = [size for size in (free_memory(), _left_in_group()) if size is not None]
    return min(known) if known else None


def give_back_memory() -> None:
    """Return freed memory to the system, where the C library can (glibc).

    Arrays of up to 32 MB are allocated within the heap, which keeps what they leave behind; larger ones never reuse it.
    After a month of texts has been counted, that is a gigabyte and a half.
    """
    trim_heap()


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
