"""Pause garbage collection."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
