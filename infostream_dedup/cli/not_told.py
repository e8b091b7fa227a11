"""Files of a folder that earlier runs have taken in, and whose verdicts they have printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from infostream_dedup.cli.output import note

if TYPE_CHECKING:
    from infostream_dedup.cli.following import Placed
    from infostream_dedup.cli.intake import Intake

__all__ = ["NotTold"]


class NotTold:
    """Leaves out batches whose verdicts earlier runs have printed.

    A batch is printed before the next one is taken in. So only the last one of the store may not have been printed
    whole: it is told again.

    Args:
        intake: of the stream; nothing has been taken in by this run yet.
        quiet: say nothing of what is left out.
    """

    def __init__(self, intake: Intake, *, quiet: bool) -> None:
        self._intake = intake
        self._quiet = quiet
        self._told_below = intake.first_of_last_batch()

    def of(self, batches: Iterable[list[Placed]]) -> Iterator[list[Placed]]:
        """The batches that are new, or not known to have been printed."""
        left_out = 0
        for batch in batches:
            if batch and self._told(batch):
                left_out += 1
                if left_out == 1:
                    note("going on: what earlier runs have taken in and printed is passed over", quiet=self._quiet)
            else:
                yield batch

    def _told(self, batch: Sequence[Placed]) -> bool:
        ordinals = self._intake.ordinals_of([document for document, _ in batch])
        return all(ordinal is not None and ordinal < self._told_below for ordinal in ordinals)
