"""Borders of epochs. They depend on the stream, never on batches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from infostream_dedup.stream.clock import DAY
from infostream_dedup.stream.settings import StreamSettings


class EpochBorders:
    """Numbers epochs without gaps: each has at least one document.

    By ordinal, an epoch ends after every ``epoch_documents``. The first documents are divided into growing epochs (the
    first ends at ``first_epoch``, and each border is at twice the previous one): until a stream has frequencies of its
    own, weights come from the general language, in which names that the stream mentions every day are rare. By date, an
    epoch ends when the clock enters another period of ``epoch_days``, counted from 1970.

    Args:
        settings: settings of the stream.
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
