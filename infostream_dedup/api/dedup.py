"""``dedup``: keep one document of each group of duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack, get_args

from infostream_dedup.api.keyword_types import DedupKeywords
from infostream_dedup.api.keywords import chosen
from infostream_dedup.api.pairs import FIXED, JUDGED, MEANT_IN_MEMORY, chosen_for_judging, refuse_without_judged
from infostream_dedup.api.sources import LeftOutLines, WorkPlace, compared_documents, disk_run, refuse_on_disk
from infostream_dedup.api.sweep import with_advised_k
from infostream_dedup.documents import (
    Annotation,
    Reading,
    ReadingReport,
    check_output,
    check_quarantine,
    file_format,
    write_documents,
)
from infostream_dedup.documents.documents import refuse_idle_prefix, row_as_given
from infostream_dedup.documents.reading import form_of_inputs
from infostream_dedup.documents.table_files import frame_columns
from infostream_dedup.errors import MissingExtraError, UsageError
from infostream_dedup.machine.platform import collector_paused
from infostream_dedup.model import Document, DocumentBlock, Settings
from infostream_dedup.model.limits import OneOf, own_number
from infostream_dedup.model.settings import Within, preset_of
from infostream_dedup.model.stream_records import STATUSES
from infostream_dedup.model.tabular import Tabular, table_html

if TYPE_CHECKING:
    from infostream_dedup.judging.evidence.collecting import DocumentEvidence, EvidenceReader
    from infostream_dedup.judging.evidence.policies import Policy
    from infostream_dedup.links.measures import Advice
    from infostream_dedup.machine.arrays import Ints
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.deduplication import DuplicateRule, FoundStatuses, Show, Status
    from infostream_dedup.runs.sharded.disk_runner import DiskRun


@dataclass(frozen=True, slots=True)
class LargeGroup:
    """One of the largest groups of a result.

    Attributes:
        size: number of its documents.
        shown: ids of the first five of them, in input order.
    """

    size: int
    shown: tuple[str, ...]


_LARGEST: Final = 3


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
        largest: the three largest groups, the earlier first among equals; empty for work on disk.
        advice: with ``k="auto"``, what a sweep over the same documents advised.
        columns: those of a frame that had no rows.
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
    largest: tuple[LargeGroup, ...] = ()
    advice: Advice | None = None
    columns: tuple[str, ...] = ()
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


def counted(found: FoundStatuses, kept: Sequence[bool], report: ReadingReport) -> DedupSummary:
    """What was decided in numbers."""
    statuses = found.counts()
    return DedupSummary(
        documents=len(found),
        kept=sum(kept),
        statuses={name: statuses[name] for name in STATUSES},
        groups=found.groups(),
        report=report,
    )


_COUNTED_IN_MEMORY: Final = "copies are counted (--count-copies) in memory; leave out workdir (--workdir)"
_IN_ROWS: Final = "work on disk writes a file; name it with out, or leave out workdir"


def dedup(
    source: Any,
    out: str | Path | None = None,
    *,
    show: Show | None = None,
    annotate: bool = False,
    prefix: str = "",
    duplicate_rule: DuplicateRule = "equal",
    join: Sequence[str] | str | None = None,
    drop: Sequence[str] | str | None = None,
    policy: Literal["newsdesk", "strict"] | None = None,
    identical: float | None = None,
    within: Within = "all",
    within_days: float | None = None,
    semantic: bool = False,
    count_copies: bool = False,
    boilerplate: str | Path | None = None,
    keep_repeated_lines: bool = False,
    csv_dialect: Literal["input", "standard", "excel"] = "input",
    workdir: str | Path | None = None,
    memory: str | int | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[DedupKeywords],
) -> DedupSummary:
    """Write a collection without its duplicates, with all columns.

    Evidence decides what is a duplicate (preset ``judged``, see ``pairs``). Key terms decide with preset ``faithful``,
    and whenever an option is given that only applies to key terms. The source is read twice: first to find the groups,
    without keeping texts, then to copy documents. A list of records or an iterator is read once if there is no ``out``;
    with ``out``, iterators are refused.

    Args:
        source: the documents (see ``read_documents``).
        out: file to write (``.jsonl``, ``.jsonl.gz``, ``.csv``, ``.parquet``, ``.xlsx``), ``-`` for standard
            output; without one, the documents are in the result: ``rows``, ``removed``, ``members``, ``to_pandas()``;
            where key terms decide, ``rethreshold`` tries another k on them.
        show: which document of a group stays: ``first`` of the input, ``latest`` by date, ``longest``, ``complete``
            (with the most wording) or ``rank`` (of the source that others copy most). A work folder knows ``first`` and
            ``longest``. Default: ``first``.
        annotate: write every document, with the columns ``status``, ``of`` and ``group``, and with preset ``judged``
            ``kind`` (how the document is related to ``of``), ``probability`` and ``story`` (the first of the documents
            in one language that report one event); a document that already has such a field is refused.
        prefix: put before the names of these columns.
        duplicate_rule: ``equal`` requires both directions; with ``contained`` a document that is part of an earlier
            one is a duplicate too.
        join: with preset ``judged``, kinds of pairs that make a duplicate, as a sequence or separated by commas.
            Default: ``copy``.
        drop: kinds of the members that leave a group; the others of a group stay in the output. Default: all that
            joined it.
        policy: with preset ``judged``, a named policy, whose single options may be given as well: ``newsdesk`` groups
            copies and retellings of two days under the source that others copy most and drops the copies; ``strict``
            drops what has .9 of its wording in another document.
        identical: with preset ``judged``, instead of ``join``: share of the wording of the smaller document that makes
            a duplicate, .2 to 1, whatever the kind, except ``differs``, ``template`` and another figure.
        within: with preset ``judged``, compare documents of one ``source``, of different ``outlets``, or ``all``.
        within_days: compare only documents that were published at most this many days apart, or have no date; where
            key terms decide, only with ``workdir``.
        semantic: with ``preset="judged"``, ask a sentence encoder about doubtful pairs (see ``pairs``).
        count_copies: also count, as ``sweep`` does, how many pairs of documents in one group are copies, and how many
            copies are in one group. In memory only.
        boilerplate: file of sentences to ignore in the comparison (from ``boilerplate``); they are still written.
        keep_repeated_lines: also compare lines that many documents repeat, such as footers, and calls to subscribe; by
            default they are left out, and the report counts them.
        csv_dialect: form of a CSV file: ``input`` has the delimiter, encoding and line ends of CSV files that are read,
            if all have the same; ``standard`` commas and UTF-8; ``excel`` is the one that Ukrainian and Russian
            spreadsheet programs open on a double click (byte order mark, semicolons, decimal commas).
        workdir: work on disk, in this folder (see ``sweep``); not with ``semantic``, ``count_copies`` or the share
            score. A private one is made next to ``out``.
        memory: with ``workdir``, how much memory to use (see ``sweep``).
        settings: all settings at once.
        reading: all reading options at once.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``. ``k="auto"``
            takes the k that ``sweep`` advises, as in ``pairs``.

    Returns:
        Counts, the reading report as ``report``, and without ``out`` the documents.

    Raises:
        ConfigurationError: an option is out of range or given twice, or a file name has an unknown ending.
        BadDataError, NoInputError: see ``read_documents``; ``E_CHANGED``: the second reading differs from the first.
        CannotCreateError, CannotWriteError: the file cannot be written.
    """
    import numpy as np

    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.judging.evidence.policies import Policy, policy_options
    from infostream_dedup.runs.batch.deduplication import (
        JUDGED_STATUS_COLUMNS,
        STATUS_COLUMNS,
        DuplicateRule,
        Show,
        ranks_to_show,
        statuses,
    )
    from infostream_dedup.runs.batch.sources import rereadable

    OneOf(*get_args(Show), None).check("show", show)
    OneOf(*get_args(DuplicateRule)).check("duplicate_rule", duplicate_rule)
    OneOf("input", "standard", "excel").check("csv_dialect", csv_dialect)
    refuse_idle_prefix(prefix, annotate=annotate)
    rule = None if duplicate_rule == "equal" else duplicate_rule
    place = WorkPlace(workdir, memory, own_number(within_days) if workdir is not None else None)
    options, advice = with_advised_k(
        source, options, boilerplate=boilerplate, reading=reading, progress=progress, **place._asdict()
    )
    preset = preset_of({**options, "duplicate_rule": rule}, (*FIXED, "duplicate_rule"))
    judged = preset == JUDGED and (settings is None or options.get("preset") is not None)
    asked: dict[str, Any] = {"join": join, "drop": drop, "identical": identical}
    if judged:
        agreed, read = chosen_for_judging(dedup, DedupKeywords, options, settings=settings, reading=reading)
        wanted = policy_options(policy, asked | {"within_days": within_days, "show": show})
        show = wanted.pop("show")
        chosen_policy = Policy.of(within=within, **wanted)
        if rule is not None:
            raise UsageError(
                "preset judged does not accept duplicate_rule (--duplicate-rule); choose kinds with join (--join)"
            )
    else:
        chosen_policy = Policy()
        refuse_without_judged(
            {
                "policy": policy,
                **asked,
                "within": None if within == "all" else within,
                "within_days": None if workdir is not None else within_days,
                "semantic": semantic,
            },
            {**options, "duplicate_rule": rule},
            (*FIXED, "duplicate_rule"),
        )
        agreed, read = chosen(dedup, DedupKeywords, options, settings=settings, reading=reading)
    check_quarantine(read.quarantine, [boilerplate])
    # Preset faithful compares whole texts, as the papers do.
    lines = LeftOutLines(boilerplate, keep_repeated_lines or not judged)
    if out is not None:
        file_format(str(out))
    with rereadable(source, read, keep=out is None) as documents:
        if out is not None:
            inputs = [*documents.paths, *([] if boilerplate is None else [boilerplate])]
            check_output(out, inputs=inputs, quarantine=read.quarantine)
        added = (JUDGED_STATUS_COLUMNS if judged else STATUS_COLUMNS) if annotate else ()
        columns = Annotation(added, prefix=prefix) if annotate else None
        paths = [] if out is None else documents.paths
        form = form_of_inputs(paths, read) if csv_dialect == "input" else csv_dialect
        refusal = _IN_ROWS if out is None else refuse_on_disk(agreed)
        refusal = _COUNTED_IN_MEMORY if count_copies else MEANT_IN_MEMORY if semantic else refusal
        by = chosen_policy if judged else None
        with disk_run(
            source,
            read,
            agreed,
            [agreed.representation],
            place=place,
            lines=lines,
            refusal=refusal,
            hashes=True,
            evidence=judged,
            documents=documents,
            beside=None if out is None or str(out) == "-" else Path(out).resolve().parent,
            progress=progress,
        ) as run:
            if run is not None and out is not None:
                found = _decided_on_disk(run, duplicate_rule, by, place.window_days)
                report = ReadingReport(**run.counted().facts["report"])
                if documents.report != report:
                    documents.was_read(report, run.counted().facts["documents"])
                kept = _kept(found, ranks_to_show(None, found, show or "first"), columns, chosen_policy)
                rows = _rows(documents.again(), found, kept, columns, whole=_is_table(out))
                write_documents(rows, out, inputs=documents.paths, dialect=form)
                return replace(counted(found, kept, report), advice=advice)
        reader = EvidenceReader(semantic=semantic) if judged or count_copies else None
        compared = compared_documents(documents, lines=lines, check=None if columns is None else columns.checked)
        collection, evidence, found = _decided(compared, agreed, duplicate_rule, by, reader, progress)
        said = None if evidence is None else np.diff(evidence.triples.begins)

        def shown(found: FoundStatuses) -> tuple[list[bool], DedupSummary, dict[str, list[str]]]:
            ranks = ranks_to_show(collection.documents, found, show or "first", said=said)
            kept = _kept(found, ranks, columns, chosen_policy)
            members = {names[0]: names for names in map(found.ids, found.members())}
            large = nlargest(_LARGEST, members.values(), key=len)
            summary = replace(
                counted(found, kept, documents.report),
                largest=tuple(LargeGroup(len(one), tuple(one[:5])) for one in large),
                advice=advice,
            )
            if count_copies and evidence is not None:
                summary = replace(summary, copies=_copies_in_groups(collection, evidence, found.group, progress))
            return kept, summary, members

        def at_k(k: int) -> DedupSummary:
            return in_memory(statuses(collection, replace(agreed, k=k), duplicate_rule=duplicate_rule))

        @collector_paused()
        def in_memory(found: FoundStatuses) -> DedupSummary:
            (kept, summary, members), told = shown(found), list(found)
            return replace(
                summary,
                rows=list(_rows(held, told, kept, columns)),
                removed=list(_removed(held, told, kept)),
                members=members,
                columns=() if summary.report.read else (*frame_columns(source), *(prefix + one for one in added)),
                _again=None if judged or agreed.score != "count" else at_k,
            )

        if out is None:
            held = list(documents.again())
            return in_memory(found)
        kept, summary, _ = shown(found)
        rows = _rows(documents.again(), found, kept, columns, whole=_is_table(out))
        write_documents(rows, out, inputs=documents.paths, dialect=form)
        return summary


def _copies_in_groups(
    collection: Collection, evidence: DocumentEvidence, groups: Ints, progress: Progress | None
) -> dict[str, Any]:
    from infostream_dedup.lab.copy_scores import count_copies_in_groups
    from infostream_dedup.lab.sweep_estimator import copy_columns

    scores = count_copies_in_groups(collection, evidence, groups, progress=progress)
    return {"pairs": scores.links, **copy_columns(scores)}


def _kept(found: FoundStatuses, ranks: Ints | None, columns: Annotation | None, policy: Policy) -> list[bool]:
    """Which documents stay in the output: with columns all, otherwise the one shown, and those that do not leave."""
    if columns is not None:
        return [True] * len(found)
    kept = found.kept(ranks)
    if policy.drop is None:
        return kept
    kinds = [getattr(status, "kind", None) if status.status in ("exact", "duplicate") else None for status in found]
    otherwise = [False] * len(kinds)  # whether one shown only retells the first of its group, which then stays
    for number, (kind, earlier) in enumerate(zip(kinds, found.of.tolist(), strict=True)):
        otherwise[number] = kind is not None and (kind not in policy.drop or otherwise[earlier])
    groups = found.group.tolist()
    shown = {group: told for group, told, one in zip(groups, otherwise, kept, strict=True) if one}
    members = zip(kept, kinds, groups, strict=True)
    return [one or (shown[group] if kind is None else kind not in policy.drop) for one, kind, group in members]


def _decided(
    documents: Iterable[Document | DocumentBlock],
    settings: Settings,
    duplicate_rule: DuplicateRule,
    policy: Policy | None,
    reader: EvidenceReader | None,
    progress: Progress | None,
) -> tuple[Collection, DocumentEvidence | None, FoundStatuses]:
    """Decide the status of every document: by evidence and a policy, or by key terms."""
    from infostream_dedup.runs.batch.collection import collect
    from infostream_dedup.runs.batch.deduplication import judged_statuses, statuses
    from infostream_dedup.runs.batch.judging import JudgedCollection

    collection = collect(documents, hashes=True, evidence=reader, progress=progress)
    if policy is None:
        collection = collection.only(settings)
    evidence = None if reader is None else reader.finish(collection.languages)
    if policy is None or evidence is None:
        return collection, evidence, statuses(collection, settings, duplicate_rule=duplicate_rule)
    judged = JudgedCollection.of(collection, evidence, settings)
    return collection, evidence, judged_statuses(judged, policy, progress=progress)


def _decided_on_disk(
    run: DiskRun, duplicate_rule: DuplicateRule, policy: Policy | None, window_days: float | None
) -> FoundStatuses:
    from infostream_dedup.runs.sharded.deduplication import JudgedRun, judged_statuses_on_disk, statuses_on_disk

    if policy is not None:
        return judged_statuses_on_disk(JudgedRun(run, run.counted(), run.settings, window_days), policy)
    linked = run.linked(run.settings.representation, window_days=window_days)
    return statuses_on_disk(linked, duplicate_rule=duplicate_rule)


def _rows(
    documents: Iterable[Document],
    found: Iterable[Status],
    kept: list[bool],
    columns: Annotation | None,
    *,
    whole: bool = False,
) -> Iterator[dict[str, Any]]:
    """Documents as they are written; ``whole``: with all columns that any of them has, as a table needs."""
    from infostream_dedup.runs.batch.deduplication import DIFFERENCE_COLUMNS

    checked = documents if columns is None else columns.checked(documents)
    for document, status, stays in zip(checked, found, kept, strict=True):
        if stays:
            values = status.as_dict()
            if whole and "kind" in values:
                values = dict.fromkeys(DIFFERENCE_COLUMNS) | values
            yield row_as_given(document) if columns is None else columns.row(document, values)


def _is_table(out: str | Path) -> bool:
    return str(out) != "-" and ".jsonl" not in Path(out).suffixes


def _removed(documents: Iterable[Document], found: Iterable[Status], kept: list[bool]) -> Iterator[dict[str, Any]]:
    for document, status, stays in zip(documents, found, kept, strict=True):
        if not stays:
            yield row_as_given(document) | status.as_dict()


def drop_near_duplicates(frame: Any, *, text: str = "text", **options: Any) -> Any:
    """Return a frame without the rows that repeat others, as the same kind of frame.

    Args:
        frame: of pandas, polars (lazy, too), pyarrow, or whatever else narwhals knows; its columns are read as
            ``read_documents`` reads them.
        text: name of the column of texts.
        options: of ``dedup``, such as ``preset``, ``join`` or ``show``.

    Returns:
        The rows that are kept, in their order, with all their columns; an index of pandas stays.

    Raises:
        MissingExtraError: narwhals is not installed (extra ``frames``).
        UsageError: there is no such column, or ``annotate`` or ``out`` is given.

    Example:
        >>> import polars
        >>> same = "Мост через Лопань открыл министр транспорта утром."
        >>> drop_near_duplicates(polars.DataFrame({"text": [same, same]})).height
        1
    """
    try:
        import narwhals as nw
    except ImportError:
        raise MissingExtraError("narwhals", "frames", "frames in and out") from None

    try:
        given = nw.from_native(frame)
    except TypeError:
        raise UsageError(f"frame is of type {type(frame).__name__}; expected one of pandas or polars") from None
    table = given.collect() if isinstance(given, nw.LazyFrame) else given
    if text not in table.columns:
        raise UsageError(f"the frame has no column {text!r}; it has {', '.join(map(str, table.columns))}")
    if unfit := options.keys() & {"annotate", "out"}:
        raise UsageError(f"{min(unfit)} is for dedup, which writes rows; here the frame loses those that repeat others")
    known = [name for name in ("title", "lang", "published", "source", "url") if name in table.columns and name != text]
    columns = {"text": table[text].to_list()} | {name: table[name].to_list() for name in known}
    # Ids may be doubled or missing in frames: rows go by their numbers.
    rows = [
        {"id": f"{number:012}", **{name: _cell(value) for name, value in zip(columns, values, strict=True)}}
        for number, values in enumerate(zip(*columns.values(), strict=True))
    ]
    rows = [
        {name: value for name, value in row.items() if value is not None} | {"text": row["text"] or ""} for row in rows
    ]
    if not rows:
        return frame
    removed = {row["id"] for row in dedup(rows, **options).removed or ()}
    kept = table.filter([row["id"] not in removed for row in rows])
    return (kept.lazy() if isinstance(given, nw.LazyFrame) else kept).to_native()


def _cell(value: Any) -> Any:
    """A value as documents have it: no missing numbers of pandas, dates as text."""
    if value is None or value != value:
        return None
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
