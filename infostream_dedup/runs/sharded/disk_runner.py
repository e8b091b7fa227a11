"""The stages in sequence on one machine: Arrow files in a work folder, one shard in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from infostream_dedup.model import Document, DocumentBlock, Settings
from infostream_dedup.runs.sharded.evidence import EVIDENCE_TABLES
from infostream_dedup.runs.sharded.linked_run import LinkedRun
from infostream_dedup.runs.sharded.plan import Plan
from infostream_dedup.runs.sharded.reading import FIRST_TABLES, read_and_count
from infostream_dedup.runs.sharded.work_folder import Stage, WorkFolder

if TYPE_CHECKING:
    from infostream_dedup.machine.progress import Progress


@dataclass(frozen=True, slots=True)
class Input:
    """The documents of a run.

    Attributes:
        read: reads them from the beginning.
        mark: identifies the documents, to recognise those of an earlier run; ``None`` if impossible (standard input).
        facts: called once they are read, for the manifest; ``report`` holds the fields of the reading report.
        left: identifies the files that reading leaves elsewhere; if they have changed since, documents are read again.
    """

    read: Callable[[], Iterable[Document | DocumentBlock]]
    mark: Mapping[str, Any] | None
    facts: Callable[[], Mapping[str, Any]] = field(default=dict)
    left: Callable[[], Any] = field(default=lambda: None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskRun:
    """A collection in a work folder.

    Attributes:
        folder: the work folder; it must be locked (``held``).
        source: the documents.
        settings: everything but the representation.
        representations: all that the run needs; texts are read once for all of them.
        plan: how the collection is cut.
        hashes: also take the hash of each body.
        evidence: also take what judging pairs of documents needs.
        workers: threads; 0 for as many as the process may use.
        progress: called for each stage.
    """

    folder: WorkFolder
    source: Input
    settings: Settings
    representations: Sequence[str]
    plan: Plan
    hashes: bool = False
    evidence: bool = False
    workers: int = 0
    progress: Progress | None = None

    def counted(self) -> Stage:
        """The documents as counts of terms, and the other data kept of them."""
        wanted = [self.settings.but(representation=name) for name in self.representations]
        decided = {
            "source": self.source.mark,
            "representations": list(self.representations),
            "morph": self.settings.morph,
            "hashes": self.hashes,
            "evidence": self.evidence,
        }
        return self.folder.stage(
            "counted",
            FIRST_TABLES | (EVIDENCE_TABLES if self.evidence else {}),
            decided,
            lambda: read_and_count(
                self.source.read(),
                wanted,
                chunk=self.plan.chunk,
                hashes=self.hashes,
                evidence=self.evidence,
                workers=self.workers,
                progress=self.progress,
            ),
            lambda: {**self.source.facts(), "left": self.source.left()},
            holds=self._holds,
        )

    def _holds(self, facts: Mapping[str, Any]) -> bool:
        return self.source.mark is not None and facts.get("left", "") == self.source.left()

    def linked(self, representation: str, *, window_days: float | None = None) -> LinkedRun:
        """The collection in one representation, or one series with it.

        Args:
            window_days: maximum number of days between two linked documents; ``None`` for no limit.
        """
        return LinkedRun(self, self.counted(), self.settings.for_series(representation), window_days)

    def tell(self, step: str, done: int, total: int | None) -> None:
        """Report progress."""
        if self.progress is not None:
            self.progress(step, done, total)
