"""Evaluate a sweep of a collection against labels: every step, the best one and the recommended one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind
from infostream_dedup.lab.evaluation.labels import (
    Label,
    Truth,
    kin_by_field,
    labels_in,
    note_without_positives,
    read_kin,
    truth_of,
)
from infostream_dedup.lab.evaluation.scores import (
    GroupScores,
    Intervals,
    Predictions,
    Scores,
    group_scores,
    intervals,
    predicted_by_count,
    predicted_by_share,
    predicted_pairs,
    scores,
)
from infostream_dedup.links import usual_k
from infostream_dedup.model.tabular import Tabular
from infostream_dedup.runs.batch.deduplication import judged_statuses
from infostream_dedup.runs.batch.linking import SHARE_THRESHOLDS, KChooser, Linked, link
from infostream_dedup.runs.batch.pairing import Between, PairChoice, find_translations, listed_pairs
from infostream_dedup.terms.key_terms import warn_of_terms_above_df_max

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from infostream_dedup.documents import ReadingReport
    from infostream_dedup.model import Document, Settings
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.judging import JudgedCollection


REFUSAL_K: Final = 6
"""The k at which a refusal to recommend is evaluated: the paper's own."""

_SAME_STEP = 1e-9


@dataclass(frozen=True, slots=True)
class StepScores:
    """Figures at one step of the threshold."""

    step: float  # value of k or of the threshold
    step_name: str  # `k` or `threshold`
    scores: Scores  # counts, precision, recall, F1
    intervals: Intervals  # 95 % intervals of precision, recall and F1
    refused: bool = False  # whether the row represents a refusal to recommend

    def as_dict(self) -> dict[str, Any]:
        """Return the values under the names that ``evaluate`` prints.

        ``low`` and ``high`` bound F1; of the ``linked`` pairs, ``judged`` are true or false.
        """
        low, high = self.intervals.f1 or (None, None)
        row = {self.step_name: self.step, **self.scores.figures("tp", "fp", "fn", "precision", "recall", "f1")}
        row |= {"low": low, "high": high, **self.scores.figures("linked", "judged")}
        return row | {"refused": True} if self.refused else row

    def without_step(self) -> dict[str, Any]:
        """Return the same values of a method that has no threshold."""
        return {name: value for name, value in self.as_dict().items() if name != self.step_name}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Evaluation(Tabular):
    """Result of an evaluation."""

    rows: list[StepScores]  # one row for each step, ascending
    best: StepScores | None  # first row with the highest F1; `None` if F1 is above 0 nowhere
    recommended: StepScores  # row of the recommended step
    judged: StepScores | None = None  # scores of the pairs of preset `judged`; `None` if it did not run
    # scores of the groups that this preset makes; `None` as in `group_scores`, or if it did not run
    groups: GroupScores | None = None
    semantic: bool = False  # whether the preset asked the sentence encoder
    notes: list[str] = field(default_factory=list)  # remarks for the reader of the numbers
    report: ReadingReport | None = None  # what was read; `None` if no documents were read

    @property
    def share_of_best(self) -> float | None:
        """F1 of the recommended row divided by F1 of the best, 0 to 1; ``None`` if undefined."""
        best = self.best.scores.f1 if self.best is not None else None
        mine = self.recommended.scores.f1
        return mine / best if best and mine is not None else None

    def as_dict(self) -> dict[str, Any]:
        """Return the values as ``evaluate`` prints them."""
        return {
            "rows": [row.as_dict() for row in self.rows],
            "best": self.best.as_dict() if self.best is not None else {},
            "recommended": self.recommended.as_dict(),
            "judged": None if self.judged is None else self.judged.without_step(),
            "groups": None if self.groups is None else self.groups.as_dict(),
            **({"semantic": True} if self.semantic else {}),
        }

    def as_rows(self) -> list[dict[str, Any]]:
        """The rows, as plain dicts."""
        return [row.as_dict() for row in self.rows]


def evaluate(
    predictions: Predictions, truth: Truth, *, recommended: float | None, resamples: int = 1000, seed: int = 0
) -> Evaluation:
    """Evaluate predictions against the truth."""
    verdicts = truth.judge(predictions.codes)
    found = scores(predictions, verdicts, len(truth.positives), truth.in_scope(predictions.codes))
    bounds = intervals(predictions, verdicts, truth, found, resamples=resamples, seed=seed)
    rows = [
        StepScores(step, predictions.step_name, score, bound)
        for step, score, bound in zip(predictions.steps, found, bounds, strict=True)
    ]
    # Where nothing is true, F1 is 0 at every step, and none is better than another.
    best = max((row for row in rows if row.scores.f1), key=lambda row: row.scores.f1 or 0.0, default=None)
    return Evaluation(rows=rows, best=best, recommended=_find_recommended(rows, recommended))


def _find_recommended(rows: list[StepScores], step: float | None) -> StepScores:
    if step is None:
        if rows[0].step_name != "k":
            raise ConfigurationError(f"a refusal is judged as a k, but the steps are a {rows[0].step_name}; name one")
        return replace(min(rows, key=lambda row: abs(row.step - REFUSAL_K)), refused=True)
    for row in rows:
        if abs(row.step - step) < _SAME_STEP:
            return row
    known = ", ".join(f"{row.step:g}" for row in rows)
    name = rows[0].step_name
    raise ConfigurationError(f"the recommended {name} is {step:g}, which was not evaluated; known are {known}")


KINDS: Final = KIND_NAMES
"""What ``kinds`` may name."""

_TRANSLATION: Final = KIND_NAMES[Kind.TRANSLATION]


def checked_kinds(kinds: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the kinds to which an evaluation is restricted, ``None`` for all."""
    if kinds is None:
        return None
    wrong = [kind for kind in kinds if kind not in KINDS]
    if wrong or not kinds:
        raise ConfigurationError(
            f"kinds are {', '.join(map(repr, kinds)) or 'empty'}; expected one or more of {', '.join(KINDS)}"
        )
    return tuple(kinds)


def judged_predictions(
    collection: JudgedCollection, kinds: Sequence[str] | None = None, *, between: Between | None = "nothing-better"
) -> Predictions:
    """Return the pairs that ``pairs --preset judged`` lists."""
    listed = listed_pairs(collection, PairChoice())
    chosen = np.ones(len(listed.a), dtype=np.bool_)
    if kinds is not None:
        chosen = np.isin(listed.kinds, [KINDS.index(kind) for kind in kinds])
    a, b = listed.a[chosen], listed.b[chosen]
    if between is not None and (kinds is None or _TRANSLATION in kinds):
        translated = find_translations(collection, between=between)
        if translated is not None:
            a, b = np.concatenate([a, translated.a]), np.concatenate([b, translated.b])
    return predicted_pairs(a, b, len(collection.collection))


def judged_groups(collection: JudgedCollection) -> NDArray[np.int64]:
    """Return int64 (documents,), equal numbers for documents that ``dedup --preset judged`` puts into one group."""
    numbers: dict[str, int] = {}
    statuses = judged_statuses(collection)
    return np.array([numbers.setdefault(status.group, len(numbers)) for status in statuses], dtype=np.int64)


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
    way: str | int = "auto",
    kinds: Sequence[str] | None = None,
    between: Between = "nothing-better",
    resamples: int = 1000,
) -> Evaluation:
    """Evaluate key-term links and preset ``judged`` against labelled pairs.

    The recommended k is chosen without labels, on the documents that the restrictions leave. The share score is
    evaluated at ``settings.threshold`` instead.
    """
    kinds = checked_kinds(kinds)
    listed = labels_in(labels)
    truth = truth_for(
        collection, listed, kin=kin, kin_field=kin_field, lang=lang, domains=domains, positive=positive, closed=closed
    )
    cross = lang is not None and "-" in lang
    found = _evaluate_key_terms(collection, settings, truth, chooser=chooser, way=way, cross=cross, resamples=resamples)
    found = replace(found, notes=note_without_positives(truth, listed, positive))
    if second_look is None:
        return found
    one_language = lang is not None and not cross
    predictions = judged_predictions(second_look, kinds, between=None if one_language else between)
    judged = evaluate(predictions, truth, recommended=1, resamples=resamples).recommended
    return replace(found, judged=judged, groups=group_scores(judged_groups(second_look), truth))


def _evaluate_key_terms(
    collection: Collection,
    settings: Settings,
    truth: Truth,
    *,
    chooser: KChooser | None,
    way: str | int,
    cross: bool,
    resamples: int,
) -> Evaluation:
    share = settings.score == "share"
    key_terms = collection.key_terms(settings)
    warn_of_terms_above_df_max(key_terms, settings)
    linked = link(key_terms, settings, k_min=settings.min_terms if share else 1)
    predictions = predictions_of(linked)
    if share:
        return evaluate(predictions, truth, recommended=settings.threshold, resamples=resamples)
    recommended = None
    if chooser is not None:
        recommended = chooser.advice(linked, np.flatnonzero(truth.scope.documents()), cross=cross, way=way).chosen
    recommended = recommended or usual_k(settings.n)
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
    """Combine the labels, families and kin of a collection."""
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
