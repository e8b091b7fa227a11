"""Skips files of a folder whose verdicts earlier runs have reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from infostream_dedup.errors import CannotWriteError
from infostream_dedup.machine.private_files import make_private_file
from infostream_dedup.machine.sqlite_cache import checksum_of

if TYPE_CHECKING:
    from pathlib import Path

    from infostream_dedup.stream.following import Placed
    from infostream_dedup.stream.intake import Intake


def unreported(batches: Iterable[list[Placed]], intake: Intake, note: Callable[[str], None]) -> Iterator[list[Placed]]:
    """Leave out batches whose verdicts earlier runs have reported, and the reported beginning of a file that grew.

    A batch counts as reported when the next one is requested; a file next to the store, the mark, records this. If the
    mark is missing (the run was killed), the store's last batch may not have been reported in full, so it is repeated.
    """
    last, mark = intake.last_batch(), _mark_of(intake)
    reported_below = 0
    if last is not None:
        reported_below = last.end if mark is not None and read_mark(mark, note) == last.name else last.begin
    noted = False
    for batch in batches:
        rest = batch[_reported(batch, intake, reported_below) :]
        if len(rest) < len(batch) and not noted:
            note("continuing: skipping documents that earlier runs have reported")
            noted = True
        if rest or not batch:
            yield rest
            last = intake.last_batch()
            if last is not None and mark is not None:
                write_mark(mark, last.name)


def _reported(batch: Sequence[Placed], intake: Intake, reported_below: int) -> int:
    """Number of documents at the beginning of a batch whose verdicts were reported."""
    ordinals = intake.ordinals_of([document for document, _ in batch])
    return sum(1 for _ in takewhile(lambda ordinal: ordinal is not None and ordinal < reported_below, ordinals))


def _mark_of(intake: Intake) -> Path | None:
    """The file that names the last reported batch of a store; ``None`` for a stream in memory."""
    path = getattr(intake.stream.store, "path", None)
    return None if path is None else path.with_name(f"{path.name}.reported")


def read_mark(mark: Path, note: Callable[[str], None]) -> str | None:
    """Read the batch that a mark names; ``None`` if there is no mark."""
    try:
        batch, _, checksum = mark.read_bytes().decode("utf-8").removesuffix("\n").rpartition("\n")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        batch = checksum = ""
    if checksum != _checksum(batch):
        note(f"{mark}: damaged; the verdicts of the last batch are printed again")
        return None
    return batch


def write_mark(mark: Path, batch: str) -> None:
    """Replace a mark in one step."""
    part = mark.with_name(f"{mark.name}.part")
    try:
        part.unlink(missing_ok=True)
        make_private_file(part)
        part.write_bytes(f"{batch}\n{_checksum(batch)}\n".encode())
        part.replace(mark)
    except OSError as error:
        raise CannotWriteError(f"{mark}: cannot be written: {error.strerror}") from error


def _checksum(batch: str) -> str:
    return f"{checksum_of(batch):08x}"
