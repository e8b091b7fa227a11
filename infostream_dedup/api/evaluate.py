"""``evaluate``, ``compare`` and ``audit``: how good links are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Unpack

from infostream_dedup.api.keyword_types import EvaluateKeywords, MatrixKeywords
from infostream_dedup.api.keywords import chosen, parted
from infostream_dedup.api.sources import read_collection, read_list
from infostream_dedup.documents import Reading, ReadingReport, check_quarantine, paths_of, read_documents
from infostream_dedup.documents.reading import ReadingOptions, chosen_reading
from infostream_dedup.errors import BadDataError, UsageError
from infostream_dedup.model import Document, Settings, names_in
from infostream_dedup.model.limits import OneOf, Range

if TYPE_CHECKING:
    from infostream_dedup.lab.comparison import Comparison, Protocol
    from infostream_dedup.lab.labels import Label
    from infostream_dedup.lab.scores import Evaluation
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.runs.batch.pairing import Between


def evaluate(
    source: Any,
    labels: str | Path,
    *,
    kin: str | Path | None = None,
    kin_field: str | None = "submission=translation",
    lang: str | None = None,
    domains: Sequence[str] | str = (),
    positive: Sequence[str] | str = ("dup",),
    closed: bool = False,
    kinds: Sequence[str] | str | None = None,
    between: Between = "nothing-better",
    semantic: bool = False,
    choose_by: str | int = "auto",
    settings: Settings | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[EvaluateKeywords],
) -> Evaluation:
    """Measure precision, recall and F1 against labelled pairs, at every k and for preset ``judged``.

    If documents carry a family, every linked pair of documents from two families is false unless the families are kin;
    otherwise only labelled pairs count, or all pairs with ``closed``. Pairs with other labels, and unlisted pairs
    within one family, are ignored. ``linked`` and ``judged`` give the number of pairs that each row links, and how many
    of them count. The groups that the preset forms are compared with the groups that true pairs connect; here unlisted
    pairs count.

    Args:
        source: the documents (see ``read_documents``).
        labels: JSON Lines of ``a``, ``b``, ``label``. The files of two public sets are read as they are published:
            CrossNews-UA (name the CSV file as ``source`` and as ``labels``, with ``positive="similar"``) and NEWS-COPY
            (``source`` is the JSON object of articles, ``labels`` the JSON list of pairs, with ``closed=True``).
        kin: file of pairs of families that are not negatives of each other.
        kin_field: ``name=value``: families whose documents carry this value are kin too; None for no such rule.
        lang: use only pairs of one language (``ru``) or of two (``ru-uk``).
        domains: use only documents of these domains; ``!name`` excludes one.
        positive: labels that count as true.
        closed: the labels are exhaustive: every unlisted linked pair is false (except within one family or between
            kin), and so is every label row of kind ``template``.
        kinds: judge preset ``judged`` by its pairs of these kinds only, such as ``["copy"]``.
        between: rule for pairs of two languages in preset ``judged``, as in ``pairs``.
        semantic: let preset ``judged`` ask a sentence encoder about doubtful pairs, as in ``pairs``.
        choose_by: what chooses the k of the row ``recommended``, as in ``sweep``.
        settings: all settings of the rows at once; ``rule`` says which directions must hold. Preset ``judged`` has its
            own settings.
        reading: all reading options at once.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``.

    Returns:
        ``rows``, ``best``, ``recommended``, ``judged``, ``groups``, ``notes``, and the reading report as ``report``.

    Raises:
        ConfigurationError: an option is out of range or given twice.
        BadDataError, NoInputError: the documents or the labels cannot be used.
        MissingExtraError: ``semantic`` without its extra.
    """
    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.lab.census import CopyCensus
    from infostream_dedup.lab.labels import public_set
    from infostream_dedup.lab.scores import TruthRules, checked_kinds, evaluate_collection
    from infostream_dedup.lab.sweep_estimator import SweepEstimator
    from infostream_dedup.links.measures import checked_way
    from infostream_dedup.runs.batch.judging import JudgedCollection
    from infostream_dedup.runs.batch.pairing import BETWEEN

    chosen_kinds = checked_kinds(None if kinds is None else names_in(kinds))
    OneOf(*BETWEEN).check("between", between)
    agreed, read = chosen(evaluate, EvaluateKeywords, options, settings=settings, reading=reading)
    check_quarantine(read.quarantine, [labels, kin])
    evidence = EvidenceReader(semantic=semantic)
    source, labels = public_set(source, labels)
    collection, report = read_collection(source, read, evidence=evidence, progress=progress)
    taken = evidence.finish(collection.languages)
    rules = TruthRules(
        kin=kin, kin_field=kin_field, lang=lang, domains=names_in(domains), positive=names_in(positive), closed=closed
    )
    found = evaluate_collection(
        collection,
        labels,
        agreed,
        rules,
        second_look=JudgedCollection.of(collection, taken, Settings()),
        chooser=SweepEstimator(collection, CopyCensus(collection.documents, taken)),
        way=checked_way(choose_by, agreed.n),
        kinds=chosen_kinds,
        between=between,
    )
    return replace(found, report=report, semantic=semantic)


def compare(
    source: Any,
    *,
    methods: Sequence[str] | str | None = None,
    labels: str | Path | Sequence[Label] | None = None,
    protocol: Protocol | None = None,
    pool: str = "a0-a10",
    kin: str | Path | None = None,
    kin_field: str | None = "submission=translation",
    lang: str | None = None,
    domains: Sequence[str] | str = (),
    positive: Sequence[str] | str = ("dup",),
    closed: bool = False,
    resamples: int = 1000,
    growth: bool = False,
    examples: bool = False,
    disagreements: int = 0,
    count_copies: bool = False,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Comparison:
    """Run the methods of the literature on a collection and evaluate the pairs that they find.

    Args:
        source: the documents (see ``read_documents``).
        methods: names, with parameters after colons, as in ``three-plus-two:n=3``; by default all available ones.
        labels: labelled pairs, or the file that holds them.
        protocol: ``labels`` (the default if labels are given) or ``pool``: judged by pairs that several methods find
            and whose texts are alike.
        pool: methods whose pairs form the pool: ``a0-a10`` as in the paper (they run even if they are not compared), or
            ``all`` compared methods.
        kin, kin_field, lang, domains, closed: see ``evaluate``.
        positive: labels that count as true.
        resamples: number of resampled collections from which the intervals of the labels protocol are computed.
        growth: also run every method on half of the collection.
        examples: also pick example pairs on which the methods agree.
        disagreements: number of unlabelled pairs to draw from those on which the methods disagree.
        count_copies: also count, as ``sweep`` does, how many pairs of each method are copies, and how many of all
            copies it finds: figures ``copies, copy_precision, copy_recall`` (and their intervals, ``_low`` and
            ``_high``).
        reading, options: reading options, all at once or single ones by name.
        progress: called with each step.

    Returns:
        ``rows``, ``dice`` and more, and the reading report as ``report``.

    Raises:
        ConfigurationError: an unknown method, parameter or protocol, or a protocol that does not suit the input.
        BadDataError, NoInputError: the documents, the labels or the kin cannot be used.
        MissingExtraError: a requested method needs a package that is not installed.

    Example:
        >>> from infostream_dedup import compare
        >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
        >>> texts = [story, f"{story} Проезд платный.", "Мост закрыт."]
        >>> rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
        >>> found = compare(rows, methods=["md5", "long-sent"], pool="all")
        >>> [(row.run.name, len(row.run.codes), row.figures["recall"]) for row in found.rows]
        [('md5', 0, 0.0), ('long-sent', 1, 1.0)]
    """
    from infostream_dedup.lab.comparison import compare_methods
    from infostream_dedup.lab.labels import public_set
    from infostream_dedup.lab.methods import Texts
    from infostream_dedup.lab.scores import TruthRules

    _, reads = parted(compare, ReadingOptions, options)
    read = chosen_reading(reading, reads)
    resamples = Range(1).check("resamples", resamples)
    disagreements = Range(0).check("disagreements", disagreements)
    check_quarantine(read.quarantine, [labels if isinstance(labels, str | Path) else None, kin])
    source, labels = public_set(source, labels)
    documents, report = read_list(source, read)
    rules = TruthRules(
        kin=kin, kin_field=kin_field, lang=lang, domains=names_in(domains), positive=names_in(positive), closed=closed
    )
    found = compare_methods(
        Texts(documents),
        rules,
        methods=None if methods is None else names_in(methods),
        labels=labels,
        protocol=protocol,
        pool=pool,
        resamples=resamples,
        growth=growth,
        examples=examples,
        disagreements=disagreements,
        progress=progress,
    )
    if count_copies:
        found = _with_copies(found, documents, progress)
    return replace(found, report=report)


def _with_copies(found: Comparison, documents: list[Document], progress: Progress | None) -> Comparison:
    """Add the number of copies among each method's pairs to a comparison."""
    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.lab.copy_scores import count_copies_in_pairs
    from infostream_dedup.lab.labels import both_of
    from infostream_dedup.lab.sweep_estimator import copy_columns
    from infostream_dedup.runs.batch.collection import collect

    reader = EvidenceReader()
    collection = collect(documents, hashes=False, evidence=reader, progress=progress)
    pairs = {row.run.name: both_of(row.run.codes, len(documents)) for row in found.rows}
    scores = count_copies_in_pairs(collection, reader.finish(collection.languages), pairs, progress=progress)
    rows = [replace(row, figures={**row.figures, **copy_columns(scores[row.run.name])}) for row in found.rows]
    return replace(found, rows=rows)


_BEGINNING: Final = 300  # characters of each text that a row to judge contains


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
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``.

    Returns:
        Rows, notes, and the reading report as ``report``.

    Raises:
        UsageError: ``pairs`` is below 1, or k or the score cannot be audited.
        ConfigurationError: an option is out of range or given twice.
        BadDataError, NoInputError: the documents or the judgements cannot be used.
    """
    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.lab.audit import ASKED_COLUMNS, AUDIT_COLUMNS, AuditedCollection

    agreed, read = chosen(audit, MatrixKeywords, options, settings=settings, reading=reading)
    check_quarantine(read.quarantine, [judged])
    if pairs < 1:
        raise UsageError(f"pairs is {pairs}; ask for at least one (--pairs)")
    judgements = None if judged is None else _judgements(judged, names_in(positive))
    evidence = EvidenceReader()
    collection, report = read_collection(source, read, evidence=evidence, progress=progress)
    found = AuditedCollection.of(collection, evidence.finish(collection.languages), agreed, k=k, progress=progress)
    if judgements is None:
        rows = found.ask(pairs)
        _add_texts(rows, source, read)
        notes = [
            f"{len(rows)} of {len(found.population)} pairs to judge: fill in label, then give the file back (--judged)"
        ]
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
    """Judged pairs."""

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
    from infostream_dedup.lab.labels import positive_labels, read_labels

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
