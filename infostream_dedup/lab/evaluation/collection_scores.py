"""Evaluates key terms on a collection: from documents and labels to scores at every k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.evaluation.groups import group_scores
from infostream_dedup.lab.evaluation.labels import Label, kin_by_field, labels_in, read_kin
from infostream_dedup.lab.evaluation.predictions import Predictions, predicted_by_count, predicted_by_share
from infostream_dedup.lab.evaluation.protocol import Evaluation, evaluate
from infostream_dedup.lab.evaluation.second_look import checked_kinds, judged_groups, judged_predictions
from infostream_dedup.lab.evaluation.truth import Truth, note_without_positives, truth_of
from infostream_dedup.links import default_recommendation
from infostream_dedup.model import Document, Settings
from infostream_dedup.runs.batch.collection import Collection
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.runs.batch.link_estimate import KChooser
from infostream_dedup.runs.batch.linking import SHARE_THRESHOLDS, Linked, link
from infostream_dedup.runs.batch.translations import Between
from infostream_dedup.terms.too_frequent import warn_of_terms_above_df_max

__all__ = ["Documents", "evaluate_collection", "predictions_of", "truth_for"]


class Documents(Protocol):
    """Documents with the language of each: a ``Collection``, or the ``Texts`` of the methods."""

    @property
    def documents(self) -> Sequence[Document]:
        """The documents in input order."""

    @property
    def languages(self) -> Sequence[str]:
        """Language of each document, given or detected."""


def evaluate_collection(
    collection: Collection,
    labels: str | Path | Sequence[Label],
    settings: Settings,
    *,
    kin: str | Path | None = None,
    kin_field: str | None = "submission=translation",
    lang: str | None = None,
    domains: Sequence[str] = (),
    positive: Sequence[str] = ("dup",),
    closed: bool = False,
    second_look: JudgedCollection | None = None,
    chooser: KChooser | None = None,
    kinds: Sequence[str] | None = None,
    between: Between = "nothing-better",
    resamples: int = 1000,
    engine: str = "auto",
) -> Evaluation:
    """Evaluate key-term links and preset ``judged`` against labelled pairs.

    The recommended k is chosen without labels, on the documents that the restrictions leave. The share score is
    evaluated at ``settings.threshold`` instead.

    Args:
        collection: the documents.
        labels: labelled pairs, or the file that contains them.
        settings: ``rule`` decides which directions must be linked.
        kin: file of kin families, whose pairs do not count as negatives.
        kin_field: ``name=value``: families whose documents carry this value are kin (people translated the same
            stories); ``None`` to disable the rule.
        lang: ``ru``, or ``ru-uk`` for pairs of two languages.
        domains: see ``truth_of``.
        positive: labels that count as true.
        closed: see ``truth_of``.
        second_look: the same documents with their evidence; ``None`` to leave out preset ``judged`` and its groups.
        chooser: recommends k without labels; 6 by default.
        kinds: evaluate only these kinds of pairs of preset ``judged``.
        between: rule of preset ``judged`` for pairs of two languages.
        resamples: number of collections drawn for the intervals.
        engine: engine that matches; results are the same.
    """
    kinds = checked_kinds(kinds)
    listed = labels_in(labels)
    truth = truth_for(
        collection,
        listed,
        kin=kin,
        kin_field=kin_field,
        lang=lang,
        domains=domains,
        positive=positive,
        closed=closed,
    )
    cross = lang is not None and "-" in lang
    found = _evaluate_key_terms(
        collection, settings, truth, chooser=chooser, cross=cross, resamples=resamples, engine=engine
    )
    found = replace(found, notes=note_without_positives(truth, listed, positive))
    if second_look is None:
        return found
    one_language = lang is not None and not cross
    predictions = judged_predictions(second_look, kinds, between=None if one_language else between, engine=engine)
    judged = evaluate(predictions, truth, recommended=1, resamples=resamples).recommended
    return replace(found, judged=judged, groups=group_scores(judged_groups(second_look, engine=engine), truth))


def _evaluate_key_terms(
    collection: Collection,
    settings: Settings,
    truth: Truth,
    *,
    chooser: KChooser | None,
    cross: bool,
    resamples: int,
    engine: str,
) -> Evaluation:
    share = settings.score == "share"
    key_terms = collection.key_terms(settings)
    warn_of_terms_above_df_max(key_terms, settings)
    linked = link(key_terms, settings, k_min=settings.min_terms if share else 1, engine=engine)
    predictions = predictions_of(linked)
    if share:
        return evaluate(predictions, truth, recommended=settings.threshold, resamples=resamples)
    if chooser is None:
        recommended = default_recommendation(settings.n).k
    else:
        recommended = chooser.recommendation(linked, np.flatnonzero(truth.scope.documents()), cross=cross).k
    return evaluate(predictions, truth, recommended=recommended, resamples=resamples)


def truth_for(
    collection: Documents,
    labels: str | Path | Sequence[Label],
    *,
    kin: str | Path | None = None,
    kin_field: str | None = "submission=translation",
    lang: str | None = None,
    domains: Sequence[str] = (),
    positive: Sequence[str] = ("dup",),
    closed: bool = False,
) -> Truth:
    """Combine the labels, families and kin of a collection.

    Args:
        collection: the documents with their languages.
        labels: labelled pairs, or the file that contains them.
        kin: file of kin families; ``None`` for no file.
        kin_field: ``name=value``: families whose documents carry this value are kin; ``None`` to disable the rule.
        lang: see ``scope_of``.
        domains: see ``scope_of``.
        positive: labels that count as true.
        closed: see ``truth_of``.

    Raises:
        ConfigurationError: `kin_field` is not of that form, or an option of ``truth_of`` is invalid.
        BadDataError: the labels or the kin families do not fit the documents.
        NoInputError: a file cannot be opened.
    """
    related = list(read_kin(kin)) if kin is not None else []
    if kin_field is not None:
        name, equals, value = kin_field.partition("=")
        if not (name and equals):
            raise ConfigurationError(f"kin field is {kin_field!r}; expected name=value")
        related.extend(kin_by_field(collection.documents, name, value))
    return truth_of(
        collection.documents,
        collection.languages,
        labels_in(labels),
        kin=related,
        positive=positive,
        language_pairs=lang,
        domains=domains,
        closed=closed,
    )


def predictions_of(linked: Linked) -> Predictions:
    """Return the pairs that key-term links predict at every k, or at every threshold of the share score."""
    settings, matrix, key_terms = linked.settings, linked.matrix, linked.key_terms
    if settings.score == "count":
        return predicted_by_count(
            matrix.counts, key_terms.sizes, n=settings.n, rule=settings.rule, short=settings.short
        )
    if matrix.matched is None:
        raise ValueError("the matrix holds no matched weights; link with weights=True")
    thresholds = sorted({*SHARE_THRESHOLDS, settings.threshold})
    return predicted_by_share(
        matrix.counts,
        matrix.matched,
        key_terms.own_weights,
        thresholds=thresholds,
        min_terms=settings.min_terms,
        rule=settings.rule,
    )
