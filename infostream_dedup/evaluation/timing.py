"""What work costs: wall and CPU seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import log2
from typing import Final, TypeVar

__all__ = ["Cost", "growth", "measured"]

_Result = TypeVar("_Result")

_SHORTEST: Final = 0.05
"""Below this many CPU seconds for the half nothing can be said of growth."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Time that some work took.

    Attributes:
        seconds: by the clock on the wall.
        cpu_seconds: of this process, all its threads, and the processes it started and waited for.
    """

    seconds: float
    cpu_seconds: float


def measured(work: Callable[[], _Result]) -> tuple[_Result, Cost]:
    """Do some work and tell what it cost."""
    seconds, cpu = time.perf_counter(), _cpu_seconds()
    result = work()
    return result, Cost(time.perf_counter() - seconds, _cpu_seconds() - cpu)


def growth(whole: Cost, half: Cost) -> float | None:
    """Exponent e of n^e by which CPU time grows with the number n of documents.

    Args:
        whole: cost of all documents.
        half: cost of half of them.

    Returns:
        log2 of the ratio: 1 for work that grows with n, 2 for all pairs; ``None`` where the half takes under .05 s.

    Example:
        >>> growth(Cost(3.0, 4.0), Cost(1.0, 1.0))
        2.0
    """
    return log2(whole.cpu_seconds / half.cpu_seconds) if half.cpu_seconds >= _SHORTEST else None


def _cpu_seconds() -> float:
    children = os.times()
    return time.process_time() + children.children_user + children.children_system
