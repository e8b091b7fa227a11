"""The stream's clock: the latest date so far. Nothing depends on today's date."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from infostream_dedup.model import microseconds_of
from infostream_dedup.model.stream_records import AGREEING

if TYPE_CHECKING:
    from infostream_dedup.stream.settings import StreamSettings

DAY: Final = 86_400_000_000  # a day in microseconds, the unit of all times of a stream
NO_CLOCK: Final = 0  # the clock before the first date


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
    """The clock of a stream, document by document; ``dates`` are those of the last documents that had one.

    ``agreeing``: it also moves to the earliest of the last ``AGREEING`` dates. Otherwise it stays behind after a gap:
    if two documents were a year apart, it would run a year late.

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
            # Few documents are dated after the clock.
            if published > self.at and len(self.dates) == AGREEING - 1:
                self.at = max(self.at, min(published, *self.dates))
            self.dates = [*self.dates[-(AGREEING - 2) :], published]
        return self.at


# Borders of epochs. They depend on the stream, never on batches


class EpochBorders:
    """Numbers epochs without gaps: each has at least one document.

    By ordinal, an epoch ends after every ``epoch_documents``. The first documents are divided into growing epochs (the
    first ends at ``first_epoch``, and each border is at twice the previous one): until a stream has frequencies of its
    own, weights come from the general language, in which names that the stream mentions every day are rare. By date, an
    epoch ends when the clock enters another period of ``epoch_days``, counted from 1970.
    """

    def __init__(self, settings: StreamSettings) -> None:
        self._settings = settings
        self._early: list[int] = []
        border = settings.first_epoch
        while border < settings.epoch_documents:
            self._early.append(border)
            border *= 2

    def epochs(self, first: int, clocks: Sequence[int], *, epoch: int, clock: int) -> list[int]:
        """Return the epoch of each document."""
        days = self._settings.epoch_days
        if days is None:
            if clocks and self._by_ordinal(first) == (last := self._by_ordinal(first + len(clocks) - 1)):
                return [last] * len(clocks)
            return [self._by_ordinal(ordinal) for ordinal in range(first, first + len(clocks))]
        found = []
        before = clock if first else clocks[0] if clocks else 0
        for reached in clocks:
            epoch += reached // (days * DAY) != before // (days * DAY)
            before = reached
            found.append(epoch)
        return found

    def _by_ordinal(self, ordinal: int) -> int:
        whole = ordinal // self._settings.epoch_documents
        return whole + (bisect_right(self._early, ordinal) if whole == 0 else len(self._early))
