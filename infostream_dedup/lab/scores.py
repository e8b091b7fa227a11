"""How well found links agree with labels: figures of pairs and groups, their intervals, a whole collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import compress
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import scipy.sparse as sp

from infostream_dedup.documents import ReadingReport
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.kinds import BETWEEN_LANGUAGES, KIND_NAMES, Kind
from infostream_dedup.lab import labels as labelling
from infostream_dedup.links.measures import usual_k
from infostream_dedup.links.pair_rules import count_grades, pair_grades, share_grades
from infostream_dedup.machine.arrays import Bools, Floats, Int8s, Ints, Uint8s
from infostream_dedup.model import Document, Settings
from infostream_dedup.model.tabular import Tabular
from infostream_dedup.runs.batch.collection import Collection
from infostream_dedup.runs.batch.deduplication import judged_statuses
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.runs.batch.linking import SHARE_THRESHOLDS, KChooser, Linked, link
from infostream_dedup.runs.batch.pairing import Between, PairChoice, find_across, listed_pairs
from infostream_dedup.terms.key_terms import warn_of_terms_above_df_max


@dataclass(frozen=True, slots=True)
class Predictions:
    """Unordered pairs, each with the strictest threshold at which it is predicted."""

    codes: Ints  # int64 (pairs,), ascending distinct codes (`pair_codes.codes_of`)
    grades: Uint8s  # uint8 (pairs,), g if the pair is predicted at the first g steps; 0 if at none
    steps: tuple[float, ...]  # ascending values of the threshold
    step_name: str  # name of the threshold, `k` or `threshold`


def predicted_by_count(
    counts: sp.csr_array, sizes: Ints, *, n: int, rule: str = "both", short: str = "scaled"
) -> Predictions:
    """Return the pairs linked at k = 1..n."""
    grades = pair_grades(count_grades(counts, sizes, n=n, short=short), rule)
    return _make_predictions(grades, tuple(range(1, n + 1)), "k")


def predicted_by_share(
    counts: sp.csr_array,
    matched: sp.csr_array,
    own_weights: Ints,
    *,
    thresholds: Sequence[float],
    min_terms: int = 3,
    rule: str = "both",
) -> Predictions:
    """Return the pairs linked at each threshold of the share of matched weight."""
    grades = share_grades(counts, matched, own_weights, thresholds=thresholds, min_terms=min_terms)
    return _make_predictions(pair_grades(grades, rule), tuple(thresholds), "threshold")


def predicted_pairs(a: Ints, b: Ints, documents: int) -> Predictions:
    """Return the pairs of a method without a threshold, as a single step k = 1."""
    codes = np.unique(labelling.codes_of(a, b, documents))
    return Predictions(codes, np.ones(len(codes), dtype=np.uint8), (1,), "k")


def _make_predictions(grades: sp.csr_array, steps: tuple[float, ...], step_name: str) -> Predictions:
    documents = grades.shape[0]
    rows = np.repeat(np.arange(documents, dtype=np.int64), np.diff(grades.indptr))
    return Predictions(rows * documents + grades.indices, grades.data, steps, step_name)


@dataclass(frozen=True, slots=True)
class Scores:
    """Agreement of predicted pairs with the truth."""

    tp: int  # number of true pairs that are predicted
    fp: int  # number of false pairs that are predicted
    fn: int  # number of true pairs that are not predicted
    linked: int  # number of pairs that are predicted, those among them that are not counted included

    @property
    def judged(self) -> int:
        """Number of predicted pairs that are true or false, tp + fp: the pairs on which precision is computed."""
        return self.tp + self.fp

    @property
    def precision(self) -> float | None:
        """Share tp / (tp + fp), 0 to 1; ``None`` if no counted pair is predicted."""
        return _ratio(self.tp, self.judged)

    @property
    def recall(self) -> float | None:
        """Share tp / (tp + fn), 0 to 1; ``None`` if no pair is true."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of both, 2 tp / (2 tp + fp + fn), 0 to 1; ``None`` if no pair is true or predicted."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def figures(self, *names: str) -> dict[str, Any]:
        """Return the figures of these names, in this order."""
        return {name: getattr(self, name) for name in names}


def scores(predictions: Predictions, verdicts: Int8s, positives: int, in_scope: Bools) -> list[Scores]:
    """Score every step of the threshold."""
    steps = len(predictions.steps)
    tp = _count_at_least(predictions.grades[verdicts == labelling.TRUE], steps).tolist()
    fp = _count_at_least(predictions.grades[verdicts == labelling.FALSE], steps).tolist()
    linked = _count_at_least(predictions.grades[in_scope], steps).tolist()
    return [Scores(true, false, positives - true, every) for true, false, every in zip(tp, fp, linked, strict=True)]


def _count_at_least(grades: Uint8s, steps: int) -> Ints:
    """Return int64 (steps,), the number of grades that are at least 1, at least 2, ..."""
    return np.cumsum(np.bincount(grades, minlength=steps + 1)[::-1])[::-1][1:]


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


Interval = tuple[float, float]  # lower and upper end of a 95 % interval, 0 to 1
_ENDS: Final = (0.025, 0.975)
_CHUNK: Final = 100


@dataclass(frozen=True, slots=True)
class Intervals:
    """95 % intervals at one step; ``None`` if the figure itself is undefined or there are fewer than two stories."""

    precision: Interval | None
    recall: Interval | None
    f1: Interval | None


@dataclass(frozen=True, slots=True)
class _Contributions:
    """What each story contributes to the counts."""

    positives: Floats  # float64 (stories,), number of true pairs
    tp: Floats  # float64 (stories, steps), number of true pairs predicted at each step
    # float64 (stories, steps), number of false pairs within a story predicted at each step
    fp_within: Floats
    # for each step, float64 (stories, stories), number of false pairs between two stories that are predicted up to this
    # step and no further
    fp_between: list[sp.csr_array]


def intervals(
    predictions: Predictions,
    verdicts: Int8s,
    truth: labelling.Truth,
    estimates: list[Scores],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> list[Intervals]:
    """Compute percentile intervals of precision, recall and F1 at every step."""
    stories = int(truth.stories.max(initial=-1)) + 1
    if stories < 2:
        return [Intervals(None, None, None)] * len(predictions.steps)
    parts = _count_contributions(predictions, verdicts, truth, stories)
    samples = [_count_pairs(parts, weights) for weights in _draw_stories(stories, resamples, seed)]
    tp, fp, positives = (np.concatenate(column, axis=1) for column in zip(*samples, strict=True))
    return [
        Intervals(
            _compute_interval(tp[step], tp[step] + fp[step], estimate.precision),
            _compute_interval(tp[step], positives[0], estimate.recall),
            _compute_interval(2 * tp[step], tp[step] + fp[step] + positives[0], estimate.f1),
        )
        for step, estimate in enumerate(estimates)
    ]


def _count_contributions(given: Predictions, verdicts: Int8s, truth: labelling.Truth, stories: int) -> _Contributions:
    steps = len(given.steps)
    counted = (verdicts != 0) & (given.grades > 0)
    a, b = labelling.both_of(given.codes[counted], truth.documents)
    one, other = truth.stories[a], truth.stories[b]
    grades, verdicts = given.grades[counted].astype(np.int64), verdicts[counted]
    true = verdicts == labelling.TRUE
    within = (verdicts == labelling.FALSE) & (one == other)
    between = (verdicts == labelling.FALSE) & (one != other)
    low, high = np.minimum(one, other)[between], np.maximum(one, other)[between]
    last = grades[between]
    return _Contributions(
        np.bincount(truth.stories[labelling.both_of(truth.positives, truth.documents)[0]], minlength=stories).astype(
            np.float64
        ),
        _count_by_story(one[true], grades[true], stories, steps),
        _count_by_story(one[within], grades[within], stories, steps),
        [
            sp.coo_array((np.ones(int(own.sum())), (low[own], high[own])), shape=(stories, stories)).tocsr()
            for own in (last == step for step in range(1, steps + 1))
        ],
    )


def _count_by_story(stories_of: Ints, grades: Ints, stories: int, steps: int) -> Floats:
    """Return float64 (stories, steps), number of pairs of each story with a grade of at least 1, at least 2, ..."""
    exactly = np.bincount(stories_of * (steps + 1) + grades, minlength=stories * (steps + 1))
    table = exactly.reshape(stories, steps + 1)
    return np.cumsum(table[:, ::-1], axis=1)[:, ::-1][:, 1:].astype(np.float64)


def _draw_stories(stories: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield float64 (stories, resamples), how often each was drawn: from raw output, which numpy never changes."""
    generator = np.random.PCG64(seed)
    for start in range(0, resamples, _CHUNK):
        columns = min(_CHUNK, resamples - start)
        drawn = (generator.random_raw(stories * columns) % np.uint64(stories)).astype(np.int64)
        cells = drawn * columns + np.repeat(np.arange(columns), stories)
        yield np.bincount(cells, minlength=stories * columns).reshape(stories, columns).astype(np.float64)


def _count_pairs(parts: _Contributions, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return tp and fp (steps, resamples) and positives (1, resamples), in whole numbers, so exactly."""
    between = np.stack([(weights * (table @ weights)).sum(axis=0) for table in parts.fp_between])
    fp = parts.fp_within.T @ weights + np.cumsum(between[::-1], axis=0)[::-1]
    return parts.tp.T @ weights, fp, (parts.positives @ weights)[None, :]


def _compute_interval(part: Floats, whole: Floats, estimate: float | None) -> Interval | None:
    defined = whole > 0
    if estimate is None or not defined.any():
        return None
    low, high = np.quantile(part[defined] / whole[defined], _ENDS).tolist()
    return min(low, estimate), max(high, estimate)


@dataclass(frozen=True, slots=True)
class GroupScores:
    """Agreement of groups with the true groups, averaged over documents or counted over pairs."""

    bcubed_precision: float  # mean over documents of the share of its group that belongs there, itself included; 0 to 1
    bcubed_recall: float  # mean over documents of the share of its true group that its group contains; 0 to 1
    bcubed_f1: float  # harmonic mean of both
    ari: float  # adjusted Rand index: 1 for equal groups, about 0 for groups drawn at random
    pairwise_f1: float | None  # F1 of the pairs of documents in one group; `None` if there is no pair in either

    def as_dict(self) -> dict[str, float | None]:
        """Return the measures by name, in order."""
        return asdict(self)


GROUP_MEASURES: Final = tuple(field.name for field in fields(GroupScores))  # names of the measures, in order


def group_scores(groups: Ints, truth: labelling.Truth) -> GroupScores | None:
    """Compare groups with the true ones."""
    documents = np.flatnonzero(truth.takes_part())
    if not len(documents):
        return None
    true_groups = truth.classes()
    # A document without a family forms its own circle.
    circles = np.where(truth.circles >= 0, truth.circles, truth.documents + np.arange(truth.documents))
    members = _Members(documents, truth)
    group, named, circle = groups[documents], true_groups[documents], circles[documents]
    # Return listed pairs that do not count although they join two true groups and two circles: int64 (2, pairs).
    a, b = labelling.both_of(truth.others, truth.documents)
    taking = truth.takes_part()
    kept = (true_groups[a] != true_groups[b]) & (circles[a] != circles[b]) & taking[a] & taking[b]
    listed = np.stack((a[kept], b[kept]))
    right = members.sharing(group, named)
    linked = members.sharing(group) - members.sharing(group, circle) + members.sharing(group, circle, named)
    true = members.sharing(named)
    counted = members.sharing() - members.sharing(circle) + members.sharing(circle, named)
    linked -= members.meetings(listed[:, groups[listed[0]] == groups[listed[1]]])
    counted -= members.meetings(listed)
    # The measures, from counts of documents, itself included, that share something: int64 (documents,) each.
    precision, recall = float(np.mean(right / linked)), float(np.mean(right / true))
    tp, both = (int(one.sum() - len(one)) // 2 for one in (right, counted))
    fp, fn = int((linked - right).sum()) // 2, int((true - right).sum()) // 2
    tn = both - tp - fp - fn
    chance = (tp + fn) * (fn + tn) + (tp + fp) * (fp + tn)
    return GroupScores(
        precision,
        recall,
        2 * precision * recall / (precision + recall),
        2 * (tp * tn - fn * fp) / chance if fp or fn else 1.0,
        2 * tp / (2 * tp + fp + fn) if tp or fp or fn else None,
    )


class _Members:
    """Counts, for each document, the documents that share something with it and whose pair with it is in scope."""

    def __init__(self, documents: Ints, truth: labelling.Truth) -> None:
        self._documents = documents
        self._all = truth.documents
        self._languages = truth.scope.languages[documents].astype(np.int64)
        self._seen = truth.scope.blocks[self._languages]
        own = self._seen[np.arange(len(documents)), self._languages]
        self._itself = np.where(own, 0, 1).astype(np.int64)

    def sharing(self, *numbers: Ints) -> Ints:
        """Return int64 (documents,), the number of documents with the same numbers, including the document itself."""
        places = np.zeros(len(self._documents), dtype=np.int64)
        for one in numbers:
            places = np.unique(np.stack((places, one)), axis=1, return_inverse=True)[1].reshape(-1)
        languages = self._seen.shape[1]
        cells = np.bincount(places * languages + self._languages, minlength=(places.max() + 1) * languages)
        table = cells.reshape(-1, languages)
        return np.asarray((table[places] * self._seen).sum(axis=1) + self._itself, dtype=np.int64)

    def meetings(self, pairs: Ints) -> Ints:
        """Return int64 (documents,), the number of pairs, int64 (2, pairs), that contain each document."""
        return np.bincount(pairs.ravel(), minlength=self._all)[self._documents]


# Evaluate a sweep of a collection against labels: every step, the best one and the recommended one.


REFUSAL_K: Final = 6  # the k at which a refusal to recommend is evaluated: the paper's own
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
        """Return the values under the names that ``evaluate`` prints."""
        # ``low`` and ``high`` bound F1; of the ``linked`` pairs, ``judged`` are true or false.
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
    predictions: Predictions, truth: labelling.Truth, *, recommended: float | None, resamples: int = 1000, seed: int = 0
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


KINDS: Final = KIND_NAMES  # what ``kinds`` may name
_TRANSLATION: Final = KIND_NAMES[Kind.TRANSLATION]


def checked_kinds(kinds: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the kinds to which an evaluation is restricted, ``None`` for all."""
    return None if kinds is None else labelling.some_of("kinds", kinds, KINDS)


def judged_predictions(
    collection: JudgedCollection, kinds: Sequence[str] | None = None, *, between: Between | None = "nothing-better"
) -> Predictions:
    """Return the pairs that ``pairs --preset judged`` lists; those of ``same-story`` only if it is named."""
    listed = listed_pairs(collection, PairChoice())
    chosen = np.ones(len(listed.a), dtype=np.bool_)
    if kinds is not None:
        chosen = np.isin(listed.kinds, [KINDS.index(kind) for kind in kinds])
    a, b = listed.a[chosen], listed.b[chosen]
    wanted = [KIND_NAMES[kind] in (kinds or (_TRANSLATION,)) for kind in BETWEEN_LANGUAGES]
    found = find_across(collection, between=between) if between is not None and any(wanted) else None
    for one in compress(found or (), wanted):
        a, b = np.concatenate([a, one.a]), np.concatenate([b, one.b])
    return predicted_pairs(a, b, len(collection.collection))


class Documents(Protocol):
    """Documents with the language of each: a ``Collection``, or the ``Texts`` of the methods."""

    @property
    def documents(self) -> Sequence[Document]:
        """The documents in input order."""

    @property
    def languages(self) -> Sequence[str]:
        """Language of each document, given or detected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthRules:
    """How labels are applied to documents; fields as the keywords of ``evaluate``."""

    kin: str | Path | None = None
    kin_field: str | None = "submission=translation"
    lang: str | None = None
    domains: Sequence[str] = ()
    positive: Sequence[str] = ("dup",)
    closed: bool = False

    def truth(self, collection: Documents, labels: str | Path | Sequence[labelling.Label]) -> labelling.Truth:
        """Combine the labels, families and kin of a collection."""
        related = list(labelling.read_kin(self.kin)) if self.kin is not None else []
        if self.kin_field is not None:
            name, equals, value = self.kin_field.partition("=")
            if not (name and equals):
                raise ConfigurationError(f"kin field is {self.kin_field!r}; expected name=value")
            related.extend(labelling.kin_by_field(collection.documents, name, value))
        return labelling.truth_of(
            collection.documents,
            collection.languages,
            labelling.labels_in(labels),
            kin=related,
            positive=self.positive,
            language_pairs=self.lang,
            domains=self.domains,
            closed=self.closed,
        )


PLAIN_RULES: Final = TruthRules()


def evaluate_collection(
    collection: Collection,
    labels: str | Path | Sequence[labelling.Label],
    settings: Settings,
    rules: TruthRules = PLAIN_RULES,
    *,
    second_look: JudgedCollection | None = None,
    chooser: KChooser | None = None,
    way: str | int = "auto",
    kinds: Sequence[str] | None = None,
    between: Between = "nothing-better",
    resamples: int = 1000,
) -> Evaluation:
    """Evaluate key-term links and preset ``judged`` against labelled pairs."""
    # The recommended k is chosen without labels, on the documents that the restrictions leave. The share score is
    # evaluated at ``settings.threshold`` instead.
    kinds = checked_kinds(kinds)
    listed = labelling.labels_in(labels)
    truth, lang = rules.truth(collection, listed), rules.lang
    cross = lang is not None and "-" in lang
    found = _evaluate_key_terms(collection, settings, truth, chooser=chooser, way=way, cross=cross, resamples=resamples)
    found = replace(found, notes=labelling.note_without_positives(truth, listed, rules.positive))
    if second_look is None:
        return found
    one_language = lang is not None and not cross
    predictions = judged_predictions(second_look, kinds, between=None if one_language else between)
    judged = evaluate(predictions, truth, recommended=1, resamples=resamples).recommended
    return replace(found, judged=judged, groups=group_scores(judged_statuses(second_look).group, truth))


def _evaluate_key_terms(
    collection: Collection,
    settings: Settings,
    truth: labelling.Truth,
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
