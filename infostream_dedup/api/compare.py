"""``compare``: run the methods of the literature side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.keywords import parted
from infostream_dedup.documents.reading import ReadingOptions, chosen_reading

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading
    from infostream_dedup.lab.evaluation.comparison import Comparison, Protocol
    from infostream_dedup.lab.evaluation.labels import Label
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Document

__all__ = ["compare"]


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
        kin: see ``evaluate``.
        kin_field: see ``evaluate``.
        lang: see ``evaluate``.
        domains: see ``evaluate``.
        positive: labels that count as true.
        closed: see ``evaluate``.
        resamples: number of resampled collections from which the intervals of the labels protocol are computed.
        growth: also run every method on half of the collection.
        examples: also pick example pairs on which the methods agree.
        disagreements: number of unlabelled pairs to draw from those on which the methods disagree.
        count_copies: also count, as ``sweep`` does, how many pairs of each method are copies, and how many of all
            copies it finds: figures ``copies, copy_precision, copy_recall`` (and their intervals, ``_low`` and
            ``_high``).
        reading: all reading options at once.
        progress: called with each step.
        options: single reading options by name, instead of ``reading``.

    Returns:
        ``rows``, ``dice`` and more, and the reading report as ``report``.

    Raises:
        ConfigurationError: an unknown method, parameter or protocol, or a protocol that does not suit the input.
        BadDataError, NoInputError: the documents, the labels or the kin cannot be used.
        MissingExtraError: a requested method needs a package that is not installed.
        TypeError: an option is unknown.

    Example:
        >>> from infostream_dedup import compare
        >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
        >>> texts = [story, f"{story} Проезд платный.", "Мост закрыт."]
        >>> rows = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
        >>> found = compare(rows, methods=["md5", "long-sent"], pool="all")
        >>> [(row.run.name, len(row.run.codes), row.figures["recall"]) for row in found.rows]
        [('md5', 0, 0.0), ('long-sent', 1, 1.0)]
    """
    from infostream_dedup.api.sources import read_list
    from infostream_dedup.documents import check_quarantine
    from infostream_dedup.lab.evaluation.comparison import compare_methods
    from infostream_dedup.lab.methods.method import Texts
    from infostream_dedup.model import names_in
    from infostream_dedup.model.limits import Range

    _, reads = parted(compare, ReadingOptions, options)
    read = chosen_reading(reading, reads)
    resamples = Range(1).check("resamples", resamples)
    disagreements = Range(0).check("disagreements", disagreements)
    check_quarantine(read.quarantine, [labels if isinstance(labels, str | Path) else None, kin])
    documents, report = read_list(source, read)
    found = compare_methods(
        Texts(documents),
        methods=None if methods is None else names_in(methods),
        labels=labels,
        protocol=protocol,
        pool=pool,
        kin=kin,
        kin_field=kin_field,
        lang=lang,
        domains=names_in(domains),
        positive=names_in(positive),
        closed=closed,
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
    from infostream_dedup.lab.estimation.copy_scores import count_copies_in_pairs
    from infostream_dedup.lab.estimation.sweep_estimator import copy_columns
    from infostream_dedup.lab.evaluation.labels import both_of
    from infostream_dedup.runs.batch.collection import collect

    reader = EvidenceReader()
    collection = collect(documents, hashes=False, evidence=reader, progress=progress)
    pairs = {row.run.name: both_of(row.run.codes, len(documents)) for row in found.rows}
    scores = count_copies_in_pairs(collection, reader.finish(collection.languages), pairs, progress=progress)
    rows = [replace(row, figures={**row.figures, **copy_columns(scores[row.run.name])}) for row in found.rows]
    return replace(found, rows=rows)
