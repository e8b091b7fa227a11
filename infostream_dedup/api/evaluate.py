"""``evaluate``: precision and recall against labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.judged import chosen_for_judging, is_judged, refuse_without_judged
from infostream_dedup.api.keywords import EvaluateKeywords, chosen
from infostream_dedup.errors import ConfigurationError

if TYPE_CHECKING:
    from infostream_dedup.batch.translations import Between
    from infostream_dedup.corpus import Reading
    from infostream_dedup.evaluation.protocol import Evaluation
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings

__all__ = ["evaluate"]


def evaluate(
    source: Any,
    labels: str | Path,
    *,
    kin: str | Path | None = None,
    kin_field: str | None = "submission=translation",
    lang: str | None = None,
    domains: Sequence[str] = (),
    positive: Sequence[str] = ("dup",),
    between: Between | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    **options: Unpack[EvaluateKeywords],
) -> Evaluation:
    """Measure precision, recall and F1 at every k against labelled pairs.

    Where documents carry a family, every linked pair of two families is false unless they are kin; otherwise only
    labelled pairs count. Pairs with other labels, and unlisted pairs of one family, are ignored.

    With ``preset="judged"`` the rows are steps of the probability instead of k, from .05 to 1; translations, which have
    none, count at every step. If only pairs of two languages count, the rows are steps of the share of key terms that
    met, from .4 to 1.

    Args:
        source: the documents (see ``read_documents``).
        labels: JSON Lines of ``a``, ``b``, ``label``.
        kin: file of pairs of families that are not negatives of each other.
        kin_field: ``name=value``: families whose documents carry this value are kin too; None for no such rule.
        lang: only pairs of one language (``ru``) or of two (``ru-uk``).
        domains: only documents of these domains; ``!name`` leaves one out.
        positive: labels that count as true.
        between: with preset ``judged``, rule for pairs of two languages, as in ``pairs``.
        settings: all settings at once; ``rule`` says which directions must hold.
        reading: all reading options at once.
        engine: ``auto``, ``scipy`` (plain) or ``numba`` (compiled); results are the same.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``.

    Returns:
        ``rows``, ``best``, ``recommended``, and the reading report as ``report``.

    Raises:
        ConfigurationError: an option is out of its range or given twice.
        BadDataError, NoInputError: the documents or the labels cannot be used.
        TypeError: an option is unknown.
    """
    from infostream_dedup.api.sources import read_collection
    from infostream_dedup.batch.evidence_reader import EvidenceReader
    from infostream_dedup.corpus import same_file
    from infostream_dedup.evaluation.collection_scores import evaluate_collection, truth_for

    judged = is_judged(options)
    if not judged:
        refuse_without_judged({"between": between})
    choose = chosen_for_judging if judged else chosen
    agreed, read = choose(evaluate, EvaluateKeywords, options, settings=settings, reading=reading)
    for name in (labels, kin):
        if read.quarantine is not None and name is not None and same_file(name, read.quarantine):
            raise ConfigurationError(f"{read.quarantine} is one of the inputs; give the quarantine a file of its own")
    evidence = EvidenceReader() if judged else None
    collection, report = read_collection(source, read, evidence=evidence, engine=engine, progress=progress)
    protocol: dict[str, Any] = {
        "kin": kin,
        "kin_field": kin_field,
        "lang": lang,
        "domains": domains,
        "positive": positive,
    }
    if evidence is None:
        found = evaluate_collection(collection, labels, agreed, **protocol, engine=engine)
    else:
        from infostream_dedup.batch.judging import JudgedCollection
        from infostream_dedup.evaluation.judged_scores import evaluate_judged

        truth = truth_for(collection, labels, **protocol)
        known = JudgedCollection.of(collection, evidence.finish(collection.languages), agreed)
        found = evaluate_judged(known, truth, lang=lang, between=between or "nothing-better", engine=engine)
    return replace(found, report=report)
