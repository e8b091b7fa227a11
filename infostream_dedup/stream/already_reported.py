"""Files of a folder that earlier runs took in, and whose verdicts they reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infostream_dedup.stream.following import Placed
    from infostream_dedup.stream.intake import Intake

__all__ = ["unreported"]


def unreported(batches: Iterable[list[Placed]], intake: Intake, note: Callable[[str], None]) -> Iterator[list[Placed]]:
    """Leave out batches whose verdicts earlier runs have reported.

    A batch is reported before the next one is taken in, so only the last one of the store may not have been reported
    completely: it is given again.

    Args:
        batches: all batches of the folder.
        intake: intake of the stream; this run has not taken anything in yet.
        note: called once if a batch is left out.

    Yields:
        Batches that are new or may not have been reported.
    """
    reported_below = intake.first_of_last_batch()
    noted = False
    for batch in batches:
        if batch and _is_reported(batch, intake, reported_below):
            if not noted:
                note("continuing: documents that earlier runs took in and reported are skipped")
            noted = True
        else:
            yield batch


def _is_reported(batch: Sequence[Placed], intake: Intake, reported_below: int) -> bool:
    ordinals = intake.ordinals_of([document for document, _ in batch])
    return all(ordinal is not None and ordinal < reported_below for ordinal in ordinals)
