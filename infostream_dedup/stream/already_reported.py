"""Files of a folder that earlier runs took in, and whose verdicts they reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from infostream_dedup.errors import CannotWriteError
from infostream_dedup.machine.private_files import make_private_file

if TYPE_CHECKING:
    from pathlib import Path

    from infostream_dedup.stream.following import Placed
    from infostream_dedup.stream.intake import Intake

__all__ = ["unreported"]


def unreported(batches: Iterable[list[Placed]], intake: Intake, note: Callable[[str], None]) -> Iterator[list[Placed]]:
    """Leave out batches whose verdicts earlier runs have reported.

    A batch is reported before the next one is asked for; then a file beside the store says so. Without that mark (the
    run was killed) the last batch of the store may not have been reported completely: it alone is given again.

    Args:
        batches: all batches of the folder.
        intake: intake of the stream; this run has not taken anything in yet.
        note: called once if a batch is left out.

    Yields:
        Batches that are new or may not have been reported.

    Raises:
        CannotWriteError: the file cannot be written.
    """
    last, mark = intake.last_batch(), _mark_of(intake)
    reported_below = 0
    if last is not None:
        reported_below = last.end if mark is not None and _read(mark) == last.name else last.begin
    noted = False
    for batch in batches:
        if batch and _is_reported(batch, intake, reported_below):
            if not noted:
                note("continuing: documents that earlier runs took in and reported are skipped")
            noted = True
        else:
            yield batch
            last = intake.last_batch()
            if last is not None and mark is not None:
                _write(mark, last.name)


def _is_reported(batch: Sequence[Placed], intake: Intake, reported_below: int) -> bool:
    ordinals = intake.ordinals_of([document for document, _ in batch])
    return all(ordinal is not None and ordinal < reported_below for ordinal in ordinals)


def _mark_of(intake: Intake) -> Path | None:
    """The file that names the last batch of a store that was reported; none for a stream in memory."""
    path = getattr(intake.stream.store, "path", None)
    return None if path is None else path.with_name(f"{path.name}.reported")


def _read(mark: Path) -> str:
    try:
        return mark.read_text(encoding="utf-8").rstrip("\n")
    except (OSError, UnicodeDecodeError):
        return ""


def _write(mark: Path, batch: str) -> None:
    """Replace the mark in one step."""
    part = mark.with_name(f"{mark.name}.part")
    try:
        part.unlink(missing_ok=True)
        make_private_file(part)
        part.write_text(f"{batch}\n", encoding="utf-8")
        part.replace(mark)
    except OSError as error:
        raise CannotWriteError(f"{mark}: cannot be written: {error.strerror}") from error
