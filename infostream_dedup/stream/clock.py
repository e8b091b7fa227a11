"""The stream's clock: the latest date so far. Nothing depends on today's date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from infostream_dedup.model import microseconds_of

DAY: Final = 86_400_000_000
"""A day in microseconds, the unit of all times of a stream."""

NO_CLOCK: Final = 0
"""The clock before the first date."""

AGREEING: Final = 5
"""Number of consecutive later dates after which a late clock catches up. It is smaller than the number of days in a
usual window, so none of these documents has left the window by then."""


def microseconds(time: datetime | None) -> int | None:
    """Convert a time to UTC microseconds since 1970; ``None`` stays ``None``."""
    return None if time is None else microseconds_of(time)


def advanced(clock: int, published: int | None) -> int:
    """Return the clock after a document.

    A document without a date, or dated 1970 or earlier (as broken feeds write), does not move the clock. The first date
    sets it; later dates move it by at most a day each, so that one wrong date does not empty the window.

    Example:
        >>> advanced(5 * DAY, 900 * DAY) // DAY, advanced(5 * DAY, 3 * DAY) // DAY, advanced(NO_CLOCK, 900 * DAY) // DAY
        (6, 5, 900)
    """
    if published is None or published <= NO_CLOCK:
        return clock
    if clock == NO_CLOCK:
        return published
    return max(clock, min(published, clock + DAY))


class StreamClock:
    """The clock of a stream, document by document.

    Args:
        at: the clock so far.
        dates: dates of the last documents that had one, at most ``AGREEING - 1``.
        agreeing: whether the clock also moves to the earliest of the last ``AGREEING`` dates. Otherwise it stays behind
        after a gap: if two documents were a year apart, it would run a year late.

    Attributes:
        at: the clock.
        dates: dates of the last documents, oldest first.

    Example:
        >>> clock = StreamClock(5 * DAY, [], agreeing=True)
        >>> [clock.advance(900 * DAY) // DAY for _ in range(AGREEING)][-2:]
        [9, 900]
    """

    def __init__(self, at: int, dates: Sequence[int], *, agreeing: bool) -> None:
        self.at = at
        self.dates = list(dates)
        self._agreeing = agreeing

    def advance(self, published: int | None) -> int:
        """Return the clock after a document; its date in UTC microseconds since 1970."""
        self.at = advanced(self.at, published)
        if self._agreeing and published is not None and published > NO_CLOCK:
            last = [*self.dates, published]
            if len(last) == AGREEING:
                self.at = max(self.at, min(last))
            self.dates = last[-(AGREEING - 1) :]
        return self.at
