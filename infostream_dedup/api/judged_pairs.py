"""``pairs`` with preset ``judged``, in memory or in a work folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.api.disk import Disk, chosen_disk, refuse_on_disk
from infostream_dedup.api.pair_listing import PAIR_COLUMNS, PairListing, files_of
from infostream_dedup.errors import UsageError

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings
    from infostream_dedup.runs.batch.judged_pairing import PairChoice
    from infostream_dedup.runs.batch.pairing import PairRow
    from infostream_dedup.runs.sharded.disk_runner import DiskRun

__all__ = ["JudgingPlace", "judged_pairs"]

MEANT_IN_MEMORY: Final = "sentences are encoded (--semantic) in memory; leave out workdir (--workdir)"
_TRANSLATED_IN_MEMORY: Final = (
    "translations are found in memory; exclude them with between none (--between none), use preset faithful, or leave "
    "out workdir (--workdir)"
)


def judged_pairs(
    source: Any,
    agreed: tuple[Settings, Reading],
    choice: PairChoice,
    place: JudgingPlace,
    *,
    between_files: bool,
    semantic: bool,
    boilerplate: str | Path | None,
    engine: str,
    progress: Progress | None,
) -> PairListing:
    """Return the result of ``pairs`` with preset ``judged``; keywords as there."""
    from infostream_dedup.api.sources import read_collection
    from infostream_dedup.documents import check_quarantine
    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.runs.batch.judged_pairing import JUDGED_COLUMNS, judged_pair_rows
    from infostream_dedup.runs.batch.judging import JudgedCollection

    settings, reading = agreed
    check_quarantine(reading.quarantine, [boilerplate])
    stack = ExitStack()
    disk = stack.enter_context(place.disk(source, settings, reading, choice, engine, semantic=semantic))
    if disk is not None:
        run = stack.enter_context(
            disk.run(
                source,
                reading,
                settings,
                [settings.representation],
                boilerplate=boilerplate,
                hashes=True,
                evidence=True,
                progress=progress,
            )
        )
        return _judged_on_disk(run, stack, choice, between_files=between_files, window_days=disk.window_days)
    evidence = EvidenceReader(semantic=semantic)
    collection, report = read_collection(
        source, reading, boilerplate=boilerplate, evidence=evidence, engine=engine, progress=progress
    )
    rows = judged_pair_rows(
        JudgedCollection.of(collection, evidence.finish(collection.languages), settings),
        choice,
        parts=files_of(report) if between_files else None,
        engine=engine,
        progress=progress,
    )
    met = ("terms", "met") if len(set(collection.languages)) > 1 else ("terms",)
    terms, reasons = met if choice.terms else (), ("reasons",) if choice.explain else ()
    return PairListing(rows, (*PAIR_COLUMNS, *terms, *JUDGED_COLUMNS, *reasons), report, settings, semantic=semantic)


@dataclass(frozen=True, slots=True)
class JudgingPlace:
    """Where pairs are judged; attributes as the keywords of ``pairs``."""

    workdir: str | Path | None
    memory: str | int | None
    window_days: float | None

    def disk(
        self, source: Any, settings: Settings, reading: Reading, choice: PairChoice, engine: str, *, semantic: bool
    ) -> AbstractContextManager[Disk | None]:
        """Choose the work folder, if one is needed."""
        refusal = MEANT_IN_MEMORY if semantic else refuse_on_disk(settings, engine)
        if self.workdir is None and choice.between != "none":
            # Languages are known only after all documents are read, so a collection that may have translations stays in
            # memory.
            refusal = _TRANSLATED_IN_MEMORY
        return chosen_disk(
            source, reading, workdir=self.workdir, memory=self.memory, window_days=self.window_days, refusal=refusal
        )


def _judged_on_disk(
    run: DiskRun, held: ExitStack, choice: PairChoice, *, between_files: bool, window_days: float | None
) -> PairListing:
    """Return what ``pairs`` returns with preset ``judged`` for a work folder, locked until the last row is read."""
    import numpy as np

    from infostream_dedup.documents import ReadingReport
    from infostream_dedup.runs.batch.judged_pairing import JUDGED_COLUMNS
    from infostream_dedup.runs.sharded.judged_pairing import judged_pairs_on_disk
    from infostream_dedup.runs.sharded.judging import JudgedRun

    linked = JudgedRun(run, run.counted(), run.settings, window_days)
    if choice.between != "none" and len(np.unique(linked.languages)) > 1:
        held.close()
        raise UsageError(_TRANSLATED_IN_MEMORY)
    report = ReadingReport(**linked.report)
    parts = files_of(report) if between_files else None

    def rows() -> Iterator[PairRow]:
        with held:
            yield from judged_pairs_on_disk(linked, choice, parts=parts)

    terms, reasons = ("terms",) if choice.terms else (), ("reasons",) if choice.explain else ()
    return PairListing(rows(), (*PAIR_COLUMNS, *terms, *JUDGED_COLUMNS, *reasons), report, run.settings)
