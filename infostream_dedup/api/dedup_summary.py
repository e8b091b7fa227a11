"""What ``dedup`` returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any

from infostream_dedup.errors import UsageError
from infostream_dedup.model.stream_records import STATUSES
from infostream_dedup.model.tabular import Tabular, table_html

if TYPE_CHECKING:
    from infostream_dedup.documents import ReadingReport
    from infostream_dedup.runs.batch.deduplication import Status

__all__ = ["DedupSummary", "counted"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DedupSummary(Tabular):
    """What ``dedup`` did; as a table, the collection without its duplicates, unless they were written to a file.

    Attributes:
        documents: number of documents read and used.
        kept: number of documents written.
        statuses: number of documents with each status.
        groups: number of groups of at least two documents.
        report: what was read.
        rows: the documents kept, as records with all fields; ``None`` if they were written to a file.
        removed: the others, with ``status``, ``of`` and ``group`` (with preset ``judged`` also ``kind`` and
            ``probability``); ``None`` likewise.
        members: ids of the documents of each group of at least two, by group name; ``None`` likewise.
        copies: ``pairs, copies, copy_precision, copy_recall`` (and their intervals, ``_low`` and ``_high``): number of
            pairs in groups, number of copies in the collection, the share of these pairs that are copies and the share
            of the copies that are in groups; ``None`` if they were not counted.
    """

    documents: int
    kept: int
    statuses: dict[str, int]
    groups: int
    report: ReadingReport
    rows: list[dict[str, Any]] | None = None
    removed: list[dict[str, Any]] | None = None
    members: dict[str, list[str]] | None = None
    copies: dict[str, Any] | None = None
    _again: Callable[[int], DedupSummary] | None = field(default=None, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return one row: documents, kept, groups, a column per status, and the counts of copies."""
        counts = {"documents": self.documents, "kept": self.kept, "groups": self.groups, **self.statuses}
        return counts | (self.copies or {})

    def as_rows(self) -> list[dict[str, Any]]:
        """Return the documents kept.

        Raises:
            UsageError: they were written to a file.
        """
        if self.rows is None:
            raise UsageError("dedup wrote its rows to a file; read that file, or leave out the argument out")
        return self.rows

    def rethreshold(self, k: int) -> DedupSummary:
        """Return the result of ``dedup`` with preset ``faithful`` at another k; nothing is read again.

        Args:
            k: number of key terms that must match in a duplicate, 1 to n.

        Returns:
            A new result; this one does not change.

        Raises:
            UsageError: the documents went to a file; evidence or shares decided, which k does not change.
            ConfigurationError: k is out of range.

        Example:
            >>> found = dedup("march.csv", k=6)  # doctest: +SKIP
            >>> [found.rethreshold(k).kept for k in (5, 6, 7, 8)]  # doctest: +SKIP
        """
        if self.rows is None:
            raise UsageError("dedup wrote its rows to a file; for other thresholds, leave out the argument out")
        if self._again is None:
            raise UsageError(
                "k did not decide this result; call dedup(..., k=6) to use key terms, or choose kinds by join"
            )
        return self._again(k)

    def __reduce__(self) -> Any:
        # The collection, with which another k is tried, stays in the process that read it.
        again = None if self._again is None else _not_in_copies
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return partial(DedupSummary, **values | {"_again": again}), ()

    def __repr__(self) -> str:
        return f"<DedupSummary: {self.kept:,} of {self.documents:,} documents kept, {self.groups:,} groups>"

    def _repr_html_(self) -> str:
        return table_html([self.as_dict()])


def _not_in_copies(_: int) -> DedupSummary:
    raise UsageError("only the result that dedup returned can try another k, not a copy of it; call dedup again")


def counted(
    ids: Iterable[str], found: Sequence[Status], kept: Sequence[bool], report: ReadingReport
) -> tuple[DedupSummary, dict[str, list[str]]]:
    """What was decided in numbers, and the ids of each group of at least two documents.

    Args:
        ids: ids of the documents.
        found: their statuses.
        kept: whether each is kept.
        report: what was read.
    """
    statuses = Counter(status.status for status in found)
    members: dict[str, list[str]] = {}
    for name, status in zip(ids, found, strict=True):
        members.setdefault(status.group, []).append(name)
    several = {group: names for group, names in members.items() if len(names) > 1}
    summary = DedupSummary(
        documents=len(found),
        kept=sum(kept),
        statuses={name: statuses[name] for name in STATUSES},
        groups=len(several),
        report=report,
    )
    return summary, several
