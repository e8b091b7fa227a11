"""Where epochs end. Borders are set by the stream, never by batches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from infostream_dedup.stream.clock import DAY
from infostream_dedup.stream.settings import StreamSettings

__all__ = ["EpochBorders"]


class EpochBorders:
    """Numbers epochs, without gaps: each has at least one document.

    By ordinal, an epoch ends with every ``epoch_documents``; the first of these stretches is cut into growing ones
    (``first_epoch``, then each twice as far), for until its own frequencies count, a stream is weighed by those of the
    language at large, in which its everyday names are rare. By date, an epoch ends when the clock reaches another
    stretch of ``epoch_days``, counted from 1970.

    Args:
        settings: of the stream.
    """

    def __init__(self, settings: StreamSettings) -> None:
        self._settings = settings
        self._early: list[int] = []
        border = settings.first_epoch
        while border < settings.epoch_documents:
            self._early.append(border)
            border *= 2

    def epochs(self, first: int, clocks: Sequence[int], *, epoch: int, clock: int) -> list[int]:
        """Epoch of each document.

        Args:
            first: ordinal of the first one.
            clocks: the stream's clock at each.
            epoch: the open epoch.
            clock: the stream's clock before them.
        """
        days = self._settings.epoch_days
        if days is None:
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
