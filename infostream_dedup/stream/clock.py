"""The stream's clock: the latest date so far. Nothing depends on today's date."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["DAY", "NO_TIME", "advanced", "microseconds"]

DAY: Final = 86_400_000_000
"""A day in microseconds, the unit of all times of a stream."""

NO_TIME: Final = 0
"""The clock before the first date."""

_BEGIN: Final = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(time: datetime | None) -> int | None:
    """Convert a time to UTC microseconds since 1970; ``None`` stays ``None``."""
    return None if time is None else (time - _BEGIN) // timedelta(microseconds=1)


def advanced(clock: int, published: int | None) -> int:
    """Return the clock after a document.

    A document without a date, or dated 1970 or earlier (as broken feeds write), does not move the clock. The first date
    sets it; later dates move it by at most a day each, so that one wrong date does not empty the window.

    Example:
        >>> advanced(5 * DAY, 900 * DAY) // DAY, advanced(5 * DAY, 3 * DAY) // DAY, advanced(NO_TIME, 900 * DAY) // DAY
        (6, 5, 900)
    """
    if published is None or published <= NO_TIME:
        return clock
    if clock == NO_TIME:
        return published
    return max(clock, min(published, clock + DAY))
