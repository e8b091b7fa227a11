"""``audit``: estimate precision and recall of links from a few judgements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Unpack

from infostream_dedup.api.keywords import MatrixKeywords, chosen
from infostream_dedup.errors import BadDataError, UsageError

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading, ReadingReport
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings

__all__ = ["AuditResult", "audit"]

_BEGINNING: Final = 300
"""Characters of each text that a row to judge contains."""


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

    Each row has the titles and the beginnings of the two texts, the latter if the documents can be read a second time
    (not from standard input or an iterator).

    Args:
        source: the documents (see ``read_documents``).
        pairs: number of pairs to choose, at least 1; 50 to 100 is a good number.
        judged: JSON Lines, CSV or a workbook of ``a``, ``b``, ``label``: the chosen pairs with their labels. If some
            have the field ``asked``, as in the export of a desk, the others do not count. Otherwise all pairs count,
            but the figures are only valid if these documents and settings chose them: a note says if the field
            ``audit`` shows others, or is missing.
        positive: labels that mark a pair as a duplicate.
        k: number of key terms that a link needs in both directions, 3 to n.
        settings: all settings at once; the score must be ``count``.
        reading: all reading options at once.
        engine: ``auto``, ``plain`` or ``compiled``; results are the same.
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
    from infostream_dedup.documents import check_quarantine
    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.lab.estimation.audit import ASKED_COLUMNS, AUDIT_COLUMNS, AuditedCollection
    from infostream_dedup.model import names_in

    agreed, read = chosen(audit, MatrixKeywords, options, settings=settings, reading=reading)
    check_quarantine(read.quarantine, [judged])
    if pairs < 1:
        raise UsageError(f"pairs is {pairs}; ask for at least one (--pairs)")
    judgements = None if judged is None else _judgements(judged, names_in(positive))
    evidence = EvidenceReader()
    collection, report = read_collection(source, read, evidence=evidence, engine=engine, progress=progress)
    found = AuditedCollection.of(
        collection, evidence.finish(collection.languages), agreed, k=k, engine=engine, progress=progress
    )
    if judgements is None:
        rows = found.ask(pairs)
        _add_texts(rows, source, read)
        notes = [f"{len(rows)} of {len(found.population)} pairs to judge: fill in label, then pass the file as judged"]
        return AuditResult(rows=rows, columns=ASKED_COLUMNS, notes=notes, report=report)
    doubt = judgements.doubt(found.mark)
    rows, others = found.judged(judgements.right, str(judged), doubt)
    notes = [f"warning: {doubt}"] if doubt else []
    if judgements.left_out:
        notes.append(f"{judgements.left_out} judged pairs were not chosen by an audit and do not count")
    if others:
        notes.append(f"{others} judged pairs are outside the audit and do not count")
    return AuditResult(rows=rows, columns=AUDIT_COLUMNS, notes=notes, report=report)


def _add_texts(rows: Sequence[dict[str, Any]], source: Any, reading: Reading) -> None:
    """Fill in the beginnings of texts: the collection has forgotten them, so the documents are read again."""
    from infostream_dedup.documents import paths_of, read_documents

    if isinstance(source, Iterator) or "-" in paths_of(source):
        return
    wanted = {row[name] for row in rows for name in ("a", "b")}
    found = {
        one.id: " ".join(one.text[: 2 * _BEGINNING].split())[:_BEGINNING]
        for one in read_documents(source, reading=reading)
        if one.id in wanted
    }
    for row in rows:
        row["text_a"], row["text_b"] = found.get(row["a"]), found.get(row["b"])


class _Judgements(NamedTuple):
    """Judged pairs.

    Attributes:
        right: whether each pair of ids is right.
        left_out: number of pairs left out because an audit did not ask for them.
        marks: marks of the audits that chose the others; ``None`` for an unknown one.
        from_desk: whether a desk says that an audit chose them.
    """

    right: dict[tuple[str, str], bool]
    left_out: int
    marks: list[str | None]
    from_desk: bool

    def doubt(self, mark: str) -> str:
        """Say why the figures may be wrong; empty if nothing speaks against them."""
        others = sum(one is not None and one != mark for one in self.marks)
        if others:
            return (
                f"{others} of the judged pairs were chosen for other documents or settings; give the same documents, "
                "representation, k and other settings, otherwise the figures may be wrong"
            )
        if None in self.marks and not self.from_desk:
            return (
                f"{self.marks.count(None)} of the judged pairs were not chosen by an audit; the figures may be wrong, "
                "unless pairs of every kind were drawn at random"
            )
        return ""


def _judgements(path: str | Path, positive: Sequence[str]) -> _Judgements:
    """Read judged pairs."""
    from infostream_dedup.lab.evaluation.labels import positive_labels, read_labels

    right = positive_labels(positive)
    every = read_labels(path)
    # Pairs of other queues of a desk were not drawn at random.
    drawn = [one for one in every if one.extra.get("asked")]
    asked = drawn or every
    found = {(one.a, one.b): one.label in right for one in asked}
    if not found:
        raise BadDataError(
            "has no judged pair: label is empty everywhere; fill it in with dup or different",
            code="E_NO_JUDGEMENT",
            source=str(path),
        )
    marks = [one.extra.get("audit") for one in asked]
    return _Judgements(found, len(every) - len(asked), marks, from_desk=bool(drawn))
