"""Limits how often each caller may read."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from infostream_dedup.service.problems import ProblemError

__all__ = ["Rates"]

_SECONDS: Final = 10.0


class Rates:
    """One token bucket per caller: it fills at a rate of reads per second, and holds ten seconds' worth.

    Args:
        per_second: reads per second.
        clock: returns seconds that never decrease.
    """

    def __init__(self, per_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._clock = per_second, clock
        self._left: dict[str, tuple[float, float]] = {}

    def check(self, caller: str) -> None:
        """Count a read.

        Raises:
            ProblemError: ``too-many``.
        """
        now = self._clock()
        most = self._per_second * _SECONDS
        left, then = self._left.get(caller, (most, now))
        left = min(most, left + (now - then) * self._per_second)
        if left < 1:
            raise ProblemError(429, "too-many", retry_after=1, limit=self._per_second)
        self._left[caller] = left - 1, now
