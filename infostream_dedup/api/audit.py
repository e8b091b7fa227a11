"""``audit``: estimate precision and recall of links from a few judgements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.keywords import MatrixKeywords, chosen
from infostream_dedup.errors import BadDataError, UsageError

if TYPE_CHECKING:
    from infostream_dedup.corpus import Reading, ReadingReport
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings

__all__ = ["AuditResult", "audit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """Pairs to judge, or the figures computed from judgements.

    Attributes:
        rows: without judgements, pairs to judge, with an empty ``label``; with judgements, one row each for the
            counted, estimated and audited figures, with ``precision`` and ``recall`` and the ends of their 95 %
            intervals.
        columns: names of the columns, in order.
        notes: remarks for the reader of the rows.
        report: what was read.
    """

    rows: list[dict[str, Any]]
    columns: tuple[str, ...]
    notes: list[str] = field(default_factory=list)
    report: ReadingReport | None = None

    def as_dict(self) -> dict[str, Any]:
        """What ``--format json`` prints."""
        return {"rows": self.rows, "notes": self.notes}


def audit(
    source: Any,
    *,
    pairs: int = 50,
    judged: str | Path | None = None,
    positive: Sequence[str] | str = ("dup",),
    k: int = 6,
    settings: Settings | None = None,
    reading: Reading | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    **options: Unpack[MatrixKeywords],
) -> AuditResult:
    """Choose the pairs whose judgements narrow the intervals of precision and recall most, or evaluate judgements.

    The pairs are those that share three key terms in either direction, and all copies; if documents have dates, only
    pairs at most seven days apart, without series. To judge a pair, set its ``label`` to ``dup``, ``different`` or any
    other label that ``evaluate`` knows.

    Args:
        source: the documents (see ``read_documents``).
        pairs: number of pairs to choose, at least 1; 50 to 100 is a good number.
        judged: JSON Lines of ``a``, ``b``, ``label``: the chosen pairs with their labels. If some have the field
            ``asked``, as in the export of a desk, the others do not count. Otherwise all pairs count, but the figures
            are only valid if they were drawn at random from each stratum.
        positive: labels that mark a pair as a duplicate.
        k: number of key terms that a link needs in both directions, 3 to n.
        settings: all settings at once; the score must be ``count``.
        reading: all reading options at once.
        engine: ``auto``, ``scipy`` (plain) or ``numba`` (compiled); results are the same.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``.

    Returns:
        Rows, notes, and the reading report as ``report``.

    Raises:
        UsageError: ``pairs`` is below 1, or k or the score cannot be audited.
        ConfigurationError: an option is out of range or given twice.
        BadDataError, NoInputError: the documents or the judgements cannot be used.
        TypeError: an option is unknown.
    """
    from infostream_dedup.api.sources import read_collection
    from infostream_dedup.corpus import check_quarantine
    from infostream_dedup.estimation.audit import ASKED_COLUMNS, AUDIT_COLUMNS, AuditedCollection
    from infostream_dedup.evidence.collecting import EvidenceReader
    from infostream_dedup.model import names_in

    agreed, read = chosen(audit, MatrixKeywords, options, settings=settings, reading=reading)
    check_quarantine(read.quarantine, [judged])
    if pairs < 1:
        raise UsageError(f"pairs is {pairs}; ask for at least one (--pairs)")
    labels, left_out = (None, 0) if judged is None else _judgements(judged, names_in(positive))
    evidence = EvidenceReader()
    collection, report = read_collection(source, read, evidence=evidence, engine=engine, progress=progress)
    found = AuditedCollection.of(
        collection, evidence.finish(collection.languages), agreed, k=k, engine=engine, progress=progress
    )
    if labels is None:
        rows = found.ask(pairs)
        notes = [f"{len(rows)} of {len(found.population)} pairs to judge: fill in label, then pass the file as judged"]
        return AuditResult(rows=rows, columns=ASKED_COLUMNS, notes=notes, report=report)
    rows, others = found.judged(labels, str(judged))
    notes = []
    if left_out:
        notes.append(f"{left_out} judged pairs were not chosen by an audit and do not count")
    if others:
        notes.append(f"{others} judged pairs are outside the audit and do not count")
    return AuditResult(rows=rows, columns=AUDIT_COLUMNS, notes=notes, report=report)


def _judgements(path: str | Path, positive: Sequence[str]) -> tuple[dict[tuple[str, str], bool], int]:
    """Return which judged pairs are right, and how many were left out because an audit did not ask for them."""
    from infostream_dedup.evaluation.labels import positive_labels, read_labels

    right = positive_labels(positive)
    every = read_labels(path)
    # Pairs of other queues of a desk were not drawn at random.
    asked = [one for one in every if one.extra.get("asked")] or every
    found = {(one.a, one.b): one.label in right for one in asked}
    if not found:
        raise BadDataError(
            "has no judged pair: label is empty everywhere; fill it in with dup or different",
            code="E_NO_JUDGEMENT",
            source=str(path),
        )
    return found, len(every) - len(asked)
