"""``evaluate``: precision and recall against labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.keywords import EvaluateKeywords, chosen

if TYPE_CHECKING:
    from infostream_dedup.documents import Reading
    from infostream_dedup.lab.evaluation.collection_scores import Evaluation
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings
    from infostream_dedup.runs.batch.translations import Between

__all__ = ["evaluate"]


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
    settings: Settings | None = None,
    reading: Reading | None = None,
    engine: str = "auto",
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
        labels: JSON Lines of ``a``, ``b``, ``label``.
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
        settings: all settings of the rows at once; ``rule`` says which directions must hold. Preset ``judged`` has its
            own settings.
        reading: all reading options at once.
        engine: ``auto``, ``scipy`` (plain) or ``numba`` (compiled); results are the same.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``.

    Returns:
        ``rows``, ``best``, ``recommended``, ``judged``, ``groups``, ``notes``, and the reading report as ``report``.

    Raises:
        ConfigurationError: an option is out of range or given twice.
        BadDataError, NoInputError: the documents or the labels cannot be used.
        MissingExtraError: ``semantic`` without its extra.
        TypeError: an option is unknown.
    """
    from infostream_dedup.api.sources import read_collection
    from infostream_dedup.documents import check_quarantine
    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.lab.estimation.census import CopyCensus
    from infostream_dedup.lab.estimation.sweep_estimator import SweepEstimator
    from infostream_dedup.lab.evaluation.collection_scores import checked_kinds, evaluate_collection
    from infostream_dedup.model import Settings, names_in
    from infostream_dedup.model.limits import OneOf
    from infostream_dedup.runs.batch.judging import JudgedCollection
    from infostream_dedup.runs.batch.translations import BETWEEN

    chosen_kinds = checked_kinds(None if kinds is None else names_in(kinds))
    OneOf(*BETWEEN).check("between", between)
    agreed, read = chosen(evaluate, EvaluateKeywords, options, settings=settings, reading=reading)
    check_quarantine(read.quarantine, [labels, kin])
    evidence = EvidenceReader(semantic=semantic)
    collection, report = read_collection(source, read, evidence=evidence, engine=engine, progress=progress)
    taken = evidence.finish(collection.languages)
    found = evaluate_collection(
        collection,
        labels,
        agreed,
        kin=kin,
        kin_field=kin_field,
        lang=lang,
        domains=names_in(domains),
        positive=names_in(positive),
        closed=closed,
        second_look=JudgedCollection.of(collection, taken, Settings()),
        chooser=SweepEstimator(collection, CopyCensus(collection.documents, taken)),
        kinds=chosen_kinds,
        between=between,
        engine=engine,
    )
    return replace(found, report=report, semantic=semantic)
