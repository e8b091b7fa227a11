"""How many threads a compiled loop is spread over."""

from __future__ import annotations

import os

__all__ = ["thread_count"]


def thread_count(workers: int) -> int:
    """``workers``, or for 0 as many as this process may use."""
    if workers:
        return workers
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
