"""The number of threads that share a compiled loop."""

from __future__ import annotations

import os


def thread_count(workers: int) -> int:
    """Return ``workers``; for 0, as many threads as this process may use."""
    if workers:
        return workers
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
