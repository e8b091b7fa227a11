"""Measures the cost of work in wall and CPU seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import log2
from typing import Final, TypeVar

__all__ = ["Cost", "growth", "measured"]

_Result = TypeVar("_Result")

_MIN_SECONDS: Final = 0.05
"""Minimum CPU seconds of the half from which growth can be measured."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Time that some work took.

    Attributes:
        seconds: wall-clock seconds.
        cpu_seconds: CPU seconds of this process with all its threads, and of the child processes it has waited for.
    """

    seconds: float
    cpu_seconds: float


def measured(work: Callable[[], _Result]) -> tuple[_Result, Cost]:
    """Do some work and return its result and cost."""
    seconds, cpu = time.perf_counter(), _cpu_seconds()
    result = work()
    return result, Cost(time.perf_counter() - seconds, _cpu_seconds() - cpu)


def growth(whole: Cost, half: Cost) -> float | None:
    """Return the exponent e such that CPU time grows as n^e with the number n of documents.

    Args:
        whole: cost for all documents.
        half: cost for half of them.

    Returns:
        log2 of the ratio: 1 for linear work, 2 for all pairs; ``None`` if the half takes less than .05 CPU seconds.

    Example:
        >>> growth(Cost(3.0, 4.0), Cost(1.0, 1.0))
        2.0
    """
    return log2(whole.cpu_seconds / half.cpu_seconds) if half.cpu_seconds >= _MIN_SECONDS else None


def _cpu_seconds() -> float:
    children = os.times()
    return time.process_time() + children.children_user + children.children_system
