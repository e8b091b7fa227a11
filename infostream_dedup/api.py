"""The public functions: from documents to sweeps, pairs, scores, and a collection without its duplicates.

Sources are paths (``.jsonl``, ``.jsonl.gz``, ``.csv``, ``.parquet``, ``-``), lists of paths, lists of dicts or of
Documents, pandas or polars frames, Arrow tables. Reading options (``on_error``, ``quarantine``, ``max_errors``, ``tz``,
``id_type``) are those of ``read_documents``; settings are the names of ``Settings``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from infostream_dedup.batch.collection import Collection, collect
from infostream_dedup.batch.deduplication import (
    STATUS_COLUMNS,
    DuplicateRule,
    Keep,
    Status,
    kept_documents,
    statuses,
)
from infostream_dedup.batch.epoch_statistics import EpochStatistics, WeighedCollection, epoch_statistics
from infostream_dedup.batch.linking import key_terms_of, least_k, link
from infostream_dedup.batch.pairing import PairRow, pair_rows
from infostream_dedup.batch.sources import Rereadable, rereadable
from infostream_dedup.batch.sweeping import SweepResult, sweep_collection
from infostream_dedup.corpus import (
    Annotation,
    ReadingReport,
    check_output,
    file_kind,
    read_documents,
    row_of,
    same_file,
    write_documents,
)
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.evaluation.collection_scores import evaluate_collection
from infostream_dedup.evaluation.comparison import Comparison, compare_methods
from infostream_dedup.evaluation.protocol import Evaluation
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.progress import Progress
from infostream_dedup.methods.texts import Texts
from infostream_dedup.model import Document, Settings
from infostream_dedup.model.settings import REPRESENTATIONS
from infostream_dedup.report import write_comparison, write_report

__all__ = [
    "DedupSummary",
    "compare",
    "compare_with_report",
    "dedup",
    "evaluate",
    "evaluate_with_report",
    "pairs",
    "pairs_with_report",
    "similarity_matrix",
    "sweep",
    "sweep_store",
    "sweep_with_report",
    "write_comparison",
    "write_report",
]

_PROTOCOL = ("kin", "kin_field", "lang", "domains", "positive", "engine")
_READING = ("on_error", "quarantine", "max_errors", "max_line_bytes", "tz", "id_type")


def sweep(source: Any, *, representations: Sequence[str] | None = None, **options: Any) -> SweepResult:
    """S and T for every k of each representation, with the recommended k.

    Args:
        source: the documents.
        representations: which; every available one by default.
        options: ``ks`` (the k to show), ``boilerplate`` (list of sentences to leave out), reading options and settings.

    Example:
        >>> from infostream_dedup import sweep
        >>> result = sweep([{"id": "1", "text": "Снег идёт в Киеве"}], representations=["stem"])
        >>> result.rows[0].measures.links
        0
    """
    reading, options = _split(options)
    shown = {
        name: options.pop(name) for name in ("ks", "examples", "boilerplate", "engine", "progress") if name in options
    }
    return sweep_with_report(
        source, representations=representations, settings=Settings.of(**options), **shown, **reading
    )[0]


def sweep_with_report(
    source: Any,
    *,
    representations: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    settings: Settings | None = None,
    examples: bool = True,
    boilerplate: str | Path | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    **reading: Any,
) -> tuple[SweepResult, ReadingReport]:
    """The same with what was read."""
    collection, report = _collect(source, engine, progress, reading, boilerplate)
    result = sweep_collection(
        collection,
        settings or Settings(),
        representations or REPRESENTATIONS,
        ks=ks,
        examples=examples,
        engine=engine,
        progress=progress,
    )
    return result, report


def sweep_store(
    path: str | Path,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    ks: Sequence[int] | None = None,
    examples: bool = True,
    engine: str = "auto",
    progress: Progress | None = None,
    **settings: Any,
) -> SweepResult:
    """S and T for every k of what a stream has taken in, without its texts.

    Documents keep the key terms they were given when they came in, by the document frequencies of their epoch. So
    the numbers differ from a sweep over the same documents by statistics of their own.

    Args:
        path: of the store.
        since: the first moment by the stream's clock, with a time zone; from the beginning by default.
        until: the first moment left out; to the end by default.
        ks: the k to show; all by default.
        examples: also pick example pairs at each k.
        engine: what matches; results are the same.
        progress: told of each step.
        settings: names of ``Settings``; those of the store by default. ``n`` and ``target`` may be smaller.

    Raises:
        ConfigurationError: the store cannot give what is asked for.
    """
    from infostream_dedup.batch.stored_collection import stored_collection

    collection = stored_collection(path, since=since, until=until)
    chosen = collection.settings(settings)
    if ks is not None and (chosen.score == "share" or max(ks) > chosen.n):
        raise ConfigurationError(f"k = {max(ks)} of {chosen.n} key terms by score {chosen.score}: there is none")
    result = sweep_collection(
        collection, chosen, [chosen.representation], ks=ks, examples=examples, engine=engine, progress=progress
    )
    result.notes[:0] = collection.notes
    return result


def similarity_matrix(
    source: Any, *, k_min: int | None = None, engine: str = "auto", **options: Any
) -> tuple[SimilarityMatrix, list[str]]:
    """Counts matrix of a collection and the ids of its rows and columns.

    Args:
        source: the documents.
        k_min: leave out smaller counts; 1 by default, or 4 where the matrix would not fit into memory.
        engine: what matches; results are the same.
        options: reading options and settings.
    """
    reading, options = _split(options)
    settings = Settings.of(**options)
    collection, _ = _collect(source, engine, None, reading)
    key_terms = key_terms_of(collection, settings)
    linked = link(key_terms, settings, k_min=least_k(key_terms) if k_min is None else k_min, engine=engine)
    return linked.matrix, [document.id for document in collection.documents]


def pairs(source: Any, *, k_min: int | None = None, terms: bool = True, **options: Any) -> Iterator[PairRow]:
    """Linked pairs in the order of (a, b); see ``PairRow``.

    Args:
        source: the documents.
        k_min: all pairs with max(forward, backward) >= k_min instead of those with a relation at ``k``.
        terms: with the terms that met.
        options: ``cross_language``, ``between_files``, ``statistics`` (``STORE:EPOCH``, a stream's document
            frequencies instead of the collection's own), reading options and settings.
    """
    reading, options = _split(options)
    shown = {name: options.pop(name) for name in ("cross_language", "between_files", "engine") if name in options}
    statistics = _statistics(options.pop("statistics", None))
    settings = Settings.of(**options) if statistics is None else statistics.settings(options)
    rows, _ = pairs_with_report(
        source, settings=settings, k_min=k_min, terms=terms, statistics=statistics, **shown, **reading
    )
    return rows


def pairs_with_report(
    source: Any,
    *,
    settings: Settings,
    k_min: int | None = None,
    terms: bool = True,
    cross_language: bool = False,
    between_files: bool = False,
    statistics: EpochStatistics | None = None,
    boilerplate: str | Path | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    **reading: Any,
) -> tuple[Iterator[PairRow], ReadingReport]:
    """The same with what was read."""
    collection, report = _collect(source, engine, progress, reading, boilerplate)
    rows = pair_rows(
        collection if statistics is None else WeighedCollection(collection, statistics),
        settings,
        k_min=k_min,
        terms=terms,
        cross_language=cross_language,
        parts=np.repeat(np.arange(len(report.used_by_source)), list(report.used_by_source.values()))
        if between_files
        else None,
        engine=engine,
        progress=progress,
    )
    return rows, report


@dataclass(frozen=True, slots=True)
class DedupSummary:
    """What ``dedup`` did.

    Attributes:
        documents: read and used.
        kept: written.
        statuses: how many documents have each status.
        groups: groups of two documents and more.
        report: what was read.
    """

    documents: int
    kept: int
    statuses: dict[str, int]
    groups: int
    report: ReadingReport

    def as_dict(self) -> dict[str, Any]:
        """One row: documents, kept, groups and a column per status."""
        return {"documents": self.documents, "kept": self.kept, "groups": self.groups, **self.statuses}


def dedup(
    source: Any,
    target: str | Path,
    *,
    keep: Keep = "earliest",
    annotate: bool = False,
    prefix: str = "",
    duplicate_rule: DuplicateRule = "equal",
    boilerplate: str | Path | None = None,
    settings: Settings | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    **options: Any,
) -> DedupSummary:
    """Write a collection without its duplicates, every column kept.

    Two passes: the first finds the groups and keeps no texts, the second copies documents.

    Args:
        source: the documents.
        target: file to write (``.jsonl``, ``.jsonl.gz``, ``.csv``, ``.parquet``), ``-`` for standard output.
        keep: which document of a group stays.
        annotate: write every document, with the columns ``status``, ``of`` and ``group``; a document that has such a
            field already is refused.
        prefix: put before the names of these columns.
        duplicate_rule: ``equal`` wants both directions; with ``contained`` a document inside an earlier one is enough.
        boilerplate: list of sentences that are left out of what is compared; they are written all the same.
        settings: instead of single settings among the options.
        engine: what matches; results are the same.
        progress: told of each step.
        options: reading options and settings.
    """
    reading, options = _split(options)
    chosen = settings or Settings.of(**options)
    file_kind(str(target))
    with rereadable(source, reading) as documents:
        check_output(target, inputs=documents.paths, quarantine=reading.get("quarantine"))
        columns = Annotation(STATUS_COLUMNS, prefix=prefix) if annotate else None
        first = documents.first() if columns is None else columns.checked(documents.first())
        collection = collect(_without_boilerplate(first, boilerplate), hashes=True, engine=engine, progress=progress)
        found = statuses(collection, chosen, duplicate_rule=duplicate_rule, engine=engine)
        kept = [True] * len(found) if annotate else kept_documents(collection, found, keep)
        write_documents(_rows(documents, found, kept, columns), target, inputs=documents.paths)
    counts = dict.fromkeys(("new", "exact", "duplicate", "similar", "insufficient_text"), 0)
    sizes: dict[str, int] = {}
    for status in found:
        counts[status.status] += 1
        sizes[status.group] = sizes.get(status.group, 0) + 1
    return DedupSummary(len(found), sum(kept), counts, sum(size > 1 for size in sizes.values()), documents.report)


def _rows(
    documents: Rereadable, found: list[Status], kept: list[bool], columns: Annotation | None
) -> Iterator[dict[str, Any]]:
    for document, status, stays in zip(documents.again(), found, kept, strict=True):
        if stays:
            yield row_of(document) if columns is None else columns.row(document, status.as_dict())


def evaluate(source: Any, labels: str | Path, **options: Any) -> Evaluation:
    """Precision, recall and F1 at every k against labelled pairs.

    Args:
        source: the documents.
        labels: JSONL of ``a``, ``b``, ``label``.
        options: ``kin``, ``kin_field``, ``lang``, ``domains``, ``positive``, reading options and settings.
    """
    reading, options = _split(options)
    protocol = {name: options.pop(name) for name in _PROTOCOL if name in options}
    return evaluate_with_report(source, labels, settings=Settings.of(**options), **protocol, **reading)[0]


def evaluate_with_report(
    source: Any,
    labels: str | Path,
    *,
    settings: Settings,
    progress: Progress | None = None,
    kin: str | Path | None = None,
    kin_field: str | None = "submission=translation",
    lang: str | None = None,
    domains: Sequence[str] = (),
    positive: Sequence[str] = ("dup",),
    engine: str = "auto",
    **reading: Any,
) -> tuple[Evaluation, ReadingReport]:
    """The same with what was read."""
    quarantine = reading.get("quarantine")
    for name in (labels, kin):
        if quarantine is not None and name is not None and same_file(name, quarantine):
            raise ConfigurationError(f"{quarantine} is one of the inputs; give the quarantine a file of its own")
    collection, report = _collect(source, engine, progress, reading)
    found = evaluate_collection(
        collection,
        labels,
        settings,
        kin=kin,
        kin_field=kin_field,
        lang=lang,
        domains=domains,
        positive=positive,
        engine=engine,
    )
    return found, report


def compare(source: Any, **options: Any) -> Comparison:
    """The methods of the literature side by side on a collection.

    Args:
        source: the documents.
        options: ``methods``, ``labels``, ``protocol`` and the others of ``compare_methods``; reading options.

    Example:
        >>> from infostream_dedup import compare
        >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
        >>> texts = [story, f"{story} Проезд платный.", "Мост закрыт."]
        >>> rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
        >>> found = compare(rows, methods=["md5", "long-sent"], pool="all")
        >>> [(row.run.name, len(row.run.codes), row.figures["recall"]) for row in found.rows]
        [('md5', 0, 0.0), ('long-sent', 1, 1.0)]
    """
    return compare_with_report(source, **options)[0]


def compare_with_report(source: Any, **options: Any) -> tuple[Comparison, ReadingReport]:
    """The same with what was read."""
    reading, options = _split(options)
    report = ReadingReport()
    texts = Texts(list(read_documents(source, report=report, **reading)))
    return compare_methods(texts, **options), report


def _statistics(name: str | None) -> EpochStatistics | None:
    return None if name is None else epoch_statistics(name)


def _collect(
    source: Any,
    engine: str,
    progress: Progress | None,
    reading: dict[str, Any],
    boilerplate: str | Path | None = None,
) -> tuple[Collection, ReadingReport]:
    report = ReadingReport()
    documents = _without_boilerplate(read_documents(source, report=report, **reading), boilerplate)
    return collect(documents, hashes=False, engine=engine, progress=progress), report


def _without_boilerplate(documents: Iterable[Document], listed: str | Path | None) -> Iterable[Document]:
    if listed is None:
        return documents
    from infostream_dedup.passages.boilerplate_file import read_boilerplate

    return read_boilerplate(listed).left_out(documents)


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    reading = {name: options[name] for name in _READING if name in options}
    return reading, {name: value for name, value in options.items() if name not in reading}
