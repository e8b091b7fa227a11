"""Train a classifier of pairs from judged pairs, with held-out scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from infostream_dedup.errors import BadDataError
from infostream_dedup.judging.criteria import classifier
from infostream_dedup.judging.criteria.criterion import CRITERIA, Both, authority_of
from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.judging.criteria.judged_pairs import Fold, JudgedPairs, by_time, folds, splits
from infostream_dedup.machine.arrays import Bools, Floats, Ints
from infostream_dedup.model.version import VERSION

_STEPS: Final = 100
_RIDGE: Final = 1e-12
_CLOSE: Final = 1e-9
_SHORTEST: Final = 1e-10


def calibrate(values: Floats, repeats: Bools) -> classifier.Calibration:
    """Fit the sigmoid by Newton's method with a line search.

    H.-T. Lin, C.-J. Lin, R. Weng: A note on Platt's probabilistic outputs for support vector machines, Machine Learning
    68, 2007. The targets are smoothed, so that separable values do not give probabilities of 0 and 1.

    Example:
        >>> found = calibrate(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
        >>> found.probabilities(np.array([0.0])).round(3).tolist()
        [0.5]
    """
    yes, no = int(repeats.sum()), int((~repeats).sum())
    targets = np.where(repeats, (yes + 1) / (yes + 2), 1 / (no + 2))
    slope, offset = 0.0, float(np.log((no + 1) / (yes + 1)))
    loss = _loss(values, targets, slope, offset)
    for _ in range(_STEPS):
        step = _step(values, targets, slope, offset)
        if step is None:
            break
        length = 1.0
        while length >= _SHORTEST:
            tried = slope + length * step[0], offset + length * step[1]
            reached = _loss(values, targets, *tried)
            if reached < loss:
                break
            length /= 2
        else:
            break
        (slope, offset), loss = tried, reached
    return classifier.Calibration(slope, offset)


def _loss(values: Floats, targets: Floats, slope: float, offset: float) -> float:
    exponents = slope * values + offset
    return float((targets * exponents + np.logaddexp(0, -exponents)).sum())


def _step(values: Floats, targets: Floats, slope: float, offset: float) -> tuple[float, float] | None:
    """Return Newton's step, or ``None`` if the gradient is close to zero."""
    probabilities = classifier.Calibration(slope, offset).probabilities(values)
    gradient = targets - probabilities
    toward_slope, toward_offset = float((values * gradient).sum()), float(gradient.sum())
    if max(abs(toward_slope), abs(toward_offset)) < _CLOSE * len(values):
        return None
    curvature = probabilities * (1 - probabilities)
    a = float((values * values * curvature).sum()) + _RIDGE
    b = float((values * curvature).sum())
    c = float(curvature.sum()) + _RIDGE
    determinant = a * c - b * b
    return (
        -(c * toward_slope - b * toward_offset) / determinant,
        -(a * toward_offset - b * toward_slope) / determinant,
    )


_COST: Final = 2.0
"""C. It multiplies the mean loss, not the sum, so that thousands of labels of one collection adapt the prior but do not
replace it: the result remains useful for other collections."""

_FEWEST: Final = 8
_FEWEST_OF_A_CLASS: Final = 10
_WORTH_MOVING: Final = 0.005
_BIAS_PENALTY: Final = 0.01
_ROUNDS: Final = 200
_PLANE_CLOSE: Final = 1e-10
_PLANE_SHORTEST: Final = 1e-7
_DIGITS: Final = 10


def prior_plane(criteria: Sequence[str], weights: Mapping[str, float]) -> classifier.Plane:
    """Return the plane of a classifier that has learned nothing."""
    typical = [CRITERIA[name].typical for name in criteria]
    return classifier.Plane(
        np.array([one.mean for one in typical], dtype=np.float64),
        np.array([one.scale for one in typical], dtype=np.float64),
        np.array([weights.get(name, 0.0) for name in criteria], dtype=np.float64),
        0.0,
    )


def fit_plane(vectors: Floats, repeats: Bools, prior: classifier.Plane) -> classifier.Plane:
    """Learn the plane that separates repeats from originals; figures are rounded to 10 digits."""
    columns = np.column_stack((prior.standardised(vectors), np.ones(len(vectors))))
    signs = np.where(repeats, 1.0, -1.0)
    start = np.append(prior.weights, prior.bias)
    penalty = np.append(np.ones(len(prior.weights)), _BIAS_PENALTY)

    costs = _COST * min(len(vectors) / _FEWEST, 1.0) * _shares(repeats)

    def loss(at: Floats) -> float:
        missing = np.maximum(0.0, 1.0 - signs * (columns @ at))
        return float((penalty * (at - start) ** 2).sum() / 2 + (costs * missing**2).sum())

    found = start
    for _ in range(_ROUNDS):
        missing = 1.0 - signs * (columns @ found)
        active = missing > 0
        weighted = columns[active] * costs[active, None]
        slope = penalty * (found - start) - 2 * weighted.T @ (signs * missing)[active]
        step = np.linalg.solve(np.diag(penalty) + 2 * weighted.T @ columns[active], slope)
        size, reached = 1.0, loss(found)
        while size > _PLANE_SHORTEST and loss(found - size * step) > reached:
            size /= 2
        if size <= _PLANE_SHORTEST:
            break
        found = found - size * step
        if np.abs(size * step).max() < _PLANE_CLOSE:
            break
    found[-1] -= _shift(columns @ found, repeats)
    rounded = np.array([float(f"{value:.{_DIGITS}g}") for value in found.tolist()], dtype=np.float64)
    return classifier.Plane(prior.means, prior.scales, rounded[:-1], float(rounded[-1]))


def _shift(values: Floats, repeats: Bools) -> float:
    """Threshold of the greatest F1, the nearest to 0; 0 if none is better by half a point, or classes are small."""
    if min(int(repeats.sum()), int((~repeats).sum())) < _FEWEST_OF_A_CLASS:
        return 0.0
    order = np.argsort(-values, kind="stable")
    ranked, hits = values[order], np.cumsum(repeats[order])
    # Equal values are found together.
    last = np.append(ranked[1:] < ranked[:-1], True)
    f1 = np.where(last, 2 * hits / (np.arange(1, len(ranked) + 1) + hits[-1]), -1.0)
    now = 2 * int((repeats & (values > 0)).sum()) / (int(hits[-1]) + int((values > 0).sum()))
    if f1.max() < now + _WORTH_MOVING:
        return 0.0
    between = (ranked + np.append(ranked[1:], ranked[-1] - 2.0)) / 2
    best = between[f1 == f1.max()]
    return float(best[np.argmin(np.abs(best))])


def _shares(repeats: Bools) -> Floats:
    """Return the share of each vector in the mean, float64 (vectors,): together a class has the root of its size."""
    weights = 1 / np.sqrt(np.where(repeats, repeats.sum(), (~repeats).sum()))
    return np.asarray(weights / weights.sum() if len(weights) else weights, dtype=np.float64)


DOUBT: Final = 10.0
"""Number of documents of average originality credited to every source (m), so that a source with one or two judged
documents is close to the average, not at 0 or 1."""


class GivenAuthority:
    """Authority values given by an expert: 0 to 1 by source."""

    def __init__(self, models: DocumentModels, given: Mapping[str, float]) -> None:
        self._given = dict(given)
        self._known = authority_of(models.sources, given)

    def table(self, pairs: JudgedPairs) -> dict[str, float]:
        """Return the given values."""
        del pairs
        return self._given

    def of_training(self, pairs: JudgedPairs) -> Both:
        """Return the given values."""
        return self._known[pairs.i], self._known[pairs.j]


class LearnedAuthority:
    """The share of originals among the judged documents of a source: (originals + m p) / (documents + m).

    p is the share among all judged documents, m is ``DOUBT``. A document is judged if it occurs in a pair, and is not
    an original if it is the later document of a repeating pair. In training, a pair sees only documents that are
    earlier than both of its own (ordered target statistics: L. Prokhorenkova et al.: CatBoost, NeurIPS 2018, section
    3.2): a share that counts the pair itself, or all but the pair itself, would give its label away.
    """

    def __init__(self, models: DocumentModels) -> None:
        self._models = models
        order = np.lexsort((np.arange(len(models)), np.nan_to_num(models.times, nan=-np.inf)))
        self._ranks = np.empty(len(models), dtype=np.int64)
        self._ranks[order] = np.arange(len(models))

    def table(self, pairs: JudgedPairs) -> dict[str, float]:
        """Return authority by source, in code point order; sources without a judged document are missing."""
        documents, originals = self._judged(pairs)
        average = float(originals.mean()) if len(originals) else 0.0
        judged: dict[str, list[bool]] = {}
        for document, original in zip(documents.tolist(), originals.tolist(), strict=True):
            source = self._models.sources[document]
            if source is not None:
                judged.setdefault(source, []).append(original)
        return {name: _shrunken(sum(judged[name]), len(judged[name]), average) for name in sorted(judged)}

    def of_training(self, pairs: JudgedPairs) -> Both:
        """Return the authority of both sources as known before the earlier document of each pair."""
        documents, originals = self._judged(pairs)
        order = np.argsort(self._ranks[documents])
        ranks, originals = self._ranks[documents][order], originals[order].astype(np.float64)
        sources = [self._models.sources[document] for document in documents[order].tolist()]
        seen = np.searchsorted(ranks, np.minimum(self._ranks[pairs.i], self._ranks[pairs.j]))
        sums = np.concatenate(([0.0], np.cumsum(originals)))
        # One original is assumed before the first judged document.
        average = (sums[seen] + 1) / (seen + 1)
        places: dict[str | None, list[int]] = {}
        for place, source in enumerate(sources):
            places.setdefault(source, []).append(place)
        known = {name: np.array(found, dtype=np.int64) for name, found in places.items() if name is not None}
        totals = {name: np.concatenate(([0.0], np.cumsum(originals[found]))) for name, found in known.items()}

        def of(ends: Ints) -> Floats:
            found = np.full(len(ends), np.nan)
            for row, document in enumerate(ends.tolist()):
                name = self._models.sources[document]
                if name is not None:
                    count = int(np.searchsorted(known[name], seen[row]))
                    found[row] = _shrunken(float(totals[name][count]), count, float(average[row]))
            return found

        return of(pairs.i), of(pairs.j)

    def _judged(self, pairs: JudgedPairs) -> tuple[Ints, Bools]:
        """Return the judged documents, ascending, and whether each is an original."""
        later = np.where(self._ranks[pairs.i] > self._ranks[pairs.j], pairs.i, pairs.j)
        documents = np.unique(np.concatenate((pairs.i, pairs.j)))
        return documents, ~np.isin(documents, later[pairs.repeats])


def _shrunken(originals: float, documents: int, average: float) -> float:
    return float(f"{(originals + DOUBT * average) / (documents + DOUBT):.10g}")


Authority: TypeAlias = GivenAuthority | LearnedAuthority  # where the authority of sources comes from
_LEARNED: Final = "source"
# Of the vectors of the later document against the earlier, and of the earlier against the later.
Planes = tuple[classifier.Plane, classifier.Plane]


class PairVectors:
    """Vectors of pairs both ways, the later document first; only the authority of sources differs between trainings."""

    def __init__(self, models: DocumentModels, pairs: JudgedPairs, names: Sequence[str], authority: Authority) -> None:
        self.pairs = pairs.later_first(classifier.comes_later(models.times, pairs.i, pairs.j))
        self._models, self._criteria, self._authority = models, tuple(names), authority
        self._later, self._earlier = classifier.differences(models, self.pairs.i, self.pairs.j, names)

    def fit(self, rows: Ints, prior: classifier.Plane) -> Planes:
        """Learn both planes from some of the pairs."""
        training = self.pairs.at(rows)
        later, earlier = self._with_authority(rows, self._authority.of_training(training))
        return fit_plane(later, training.i_repeats, prior), fit_plane(earlier, training.j_repeats, prior)

    def values(self, rows: Ints, planes: Planes, trained_on: Ints) -> Both:
        """Return decision values of pairs: two of float64 (rows,), later against earlier and earlier against later."""
        known = authority_of(self._models.sources, self._authority.table(self.pairs.at(trained_on)))
        found = self.pairs.at(rows)
        later, earlier = self._with_authority(rows, (known[found.i], known[found.j]))
        return planes[0].values(later), planes[1].values(earlier)

    def _with_authority(self, rows: Ints, authority: Both) -> Both:
        later, earlier = self._later[rows], self._earlier[rows]
        if _LEARNED in self._criteria:
            column = self._criteria.index(_LEARNED)
            found = classifier.differences(self._models, self.pairs.i[rows], self.pairs.j[rows], [_LEARNED], authority)
            later[:, column], earlier[:, column] = found[0][:, 0], found[1][:, 0]
        return later, earlier


_FOLDS: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Decision values of pairs that were not used for learning."""

    pairs: JudgedPairs  # the pairs, the later document first
    forward: Floats  # float64 (pairs,), later document against the earlier; NaN if no fold tests the pair
    backward: Floats  # float64 (pairs,), the earlier against the later

    def found(self, rule: classifier.PairRule) -> Bools:
        """Return which pairs are repeats, bool (pairs,); false for pairs that no fold could judge."""
        return found_by_rule(self.forward > 0, self.backward > 0, rule)


def held_out(
    models: DocumentModels,
    pairs: JudgedPairs,
    criteria: Sequence[str],
    authority: Authority,
    prior: classifier.Plane,
    *,
    split: Iterable[Fold] | None = None,
) -> HeldOut:
    """Judge each pair by planes learned from others."""
    vectors = PairVectors(models, pairs, criteria, authority)
    found = HeldOut(vectors.pairs, np.full(len(pairs), np.nan), np.full(len(pairs), np.nan))
    for fold in folds(pairs, _FOLDS) if split is None else split:
        if not len(fold.test):
            continue
        planes = vectors.fit(fold.training, prior)
        found.forward[fold.test], found.backward[fold.test] = vectors.values(fold.test, planes, fold.training)
    return found


def found_by_rule(forward: Bools, backward: Bools, rule: classifier.PairRule) -> Bools:
    """Combine both directions by the rule: bool (pairs,)."""
    return forward & backward if rule == "both" else forward | backward


def _grades(forward: Floats, backward: Floats, rule: classifier.PairRule) -> Floats:
    """Return one value per pair, below a threshold exactly if the rule holds; infinite if unknown."""
    grades = np.maximum(forward, backward) if rule == "both" else np.minimum(forward, backward)
    return np.where(np.isnan(grades), np.inf, grades)


def train(
    models: DocumentModels,
    pairs: JudgedPairs,
    preset: classifier.ClassifierPreset,
    *,
    criteria: Sequence[str] | None = None,
    domain: str = "",
    authority: Authority | None = None,
    labels: str = "labels",
) -> classifier.Classifier:
    """Learn a classifier. It does not depend on the order of the labels.

    Learning starts from the preset's prior. Each pair teaches two planes: the later document against the earlier, and
    the other way round. Probabilities are calibrated on decision values from five folds by story; if these do not cover
    both classes, on the training values, which are overconfident.

    domain: subject of the documents, empty for any.
    """
    names = classifier.chosen_criteria(preset.criteria if criteria is None else criteria)
    authority = authority or GivenAuthority(models, {})
    repeats = np.concatenate((pairs.i_repeats, pairs.j_repeats))
    if repeats.all() or not repeats.any():
        raise BadDataError(
            f"{int(pairs.repeats.sum())} of {len(pairs)} judged pairs repeat each other; a classifier needs some of "
            "both kinds: label more pairs",
            code="E_ONE_CLASS",
            source=labels,
        )
    prior = prior_plane(names, preset.prior)
    vectors = PairVectors(models, pairs, names, authority)
    everything = np.arange(len(pairs))
    planes = vectors.fit(everything, prior)
    unseen = held_out(models, pairs, names, authority, prior)
    calibration, out_of_fold = _calibration(unseen, vectors.values(everything, planes, everything))
    facts = _facts(unseen, preset, out_of_fold=out_of_fold)
    if (split := by_time(pairs, models.times)) is not None and len(split.test):
        later = held_out(models, pairs, names, authority, prior, split=[split])
        tested = HeldOut(later.pairs.at(split.test), later.forward[split.test], later.backward[split.test])
        facts["by_time"] = _scores(tested, facts["rule"]) | {"learned_from": len(split.training)}
    return classifier.Classifier(
        preset=preset.name,
        domain=domain,
        criteria=names,
        later=planes[0],
        earlier=planes[1],
        calibration=calibration,
        authority=authority.table(vectors.pairs),
        training=facts,
        statistics=models.statistics,
    )


def _calibration(unseen: HeldOut, trained: Both) -> tuple[classifier.Calibration, bool]:
    """Fit the sigmoid; also return whether it was fitted on out-of-fold values."""
    repeats = np.concatenate((unseen.pairs.i_repeats, unseen.pairs.j_repeats))
    values = np.concatenate((unseen.forward, unseen.backward))
    known = ~np.isnan(values)
    judged = repeats[known]
    out_of_fold = bool(judged.any() and not judged.all())
    found = calibrate(values[known], judged) if out_of_fold else calibrate(np.concatenate(trained), repeats)
    return classifier.Calibration(float(f"{found.slope:.10g}"), float(f"{found.offset:.10g}")), out_of_fold


def _facts(unseen: HeldOut, preset: classifier.ClassifierPreset, *, out_of_fold: bool) -> dict[str, Any]:
    pairs = unseen.pairs
    # If some judgements have a direction, "both" would leave hardly any pair to find.
    rule: classifier.PairRule = "either" if pairs.directed else preset.rule
    return {
        "pairs": len(pairs),
        "repeats": int(found_by_rule(pairs.i_repeats, pairs.j_repeats, rule).sum()),
        "rule": rule,
        "positive": list(preset.positive),
        "folds": _scores(unseen, rule),
        "directions": {
            "later_repeats_earlier": _counts(pairs.i_repeats, unseen.forward > 0),
            "earlier_repeats_later": _counts(pairs.j_repeats, unseen.backward > 0),
        },
        "calibrated_out_of_folds": out_of_fold,
        "infostream_dedup": VERSION,
    }


def _scores(unseen: HeldOut, rule: classifier.PairRule) -> dict[str, Any]:
    return _counts(found_by_rule(unseen.pairs.i_repeats, unseen.pairs.j_repeats, rule), unseen.found(rule))


def _counts(truth: Bools, found: Bools) -> dict[str, Any]:
    hits = int((truth & found).sum())
    return {
        "tp": hits,
        "fp": int(found.sum()) - hits,
        "fn": int(truth.sum()) - hits,
        "f1": round(2 * hits / max(int(found.sum()) + int(truth.sum()), 1), 4),
    }


SIZES: Final = (0, 50, 100, 200, 400, 800, 1600)
_ENDS: Final = (0.025, 0.975)
_CURVE_FOLDS: Final = 3


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Quality at one size of the training set; each figure is the mean over the draws, with an interval."""

    criteria: str  # name of the set of criteria
    size: int  # number of training pairs
    draws: int  # number of training sets drawn
    precision: tuple[float, float, float]  # share of found pairs that are true, 0 to 1
    recall: tuple[float, float, float]  # share of true pairs that are found, 0 to 1
    f1: tuple[float, float, float]  # harmonic mean of both

    def as_dict(self) -> dict[str, Any]:
        """Return a row of the table."""
        row: dict[str, Any] = {"criteria": self.criteria, "size": self.size, "draws": self.draws}
        for name in ("precision", "recall", "f1"):
            mean, low, high = getattr(self, name)
            row |= {name: round(mean, 4), f"{name}_low": round(low, 4), f"{name}_high": round(high, 4)}
        return row


def curve_criteria(criteria: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the paper's three sets: words only, paragraphs only, and all of ``criteria``."""
    return {"words": ("words",), "paragraphs": ("paragraphs",), "all": tuple(criteria)}


def learning_curve(
    models: DocumentModels,
    pairs: JudgedPairs,
    criteria: Mapping[str, Sequence[str]],
    rule: classifier.PairRule,
    *,
    sizes: Sequence[int] = SIZES,
    draws: int = 20,
    seed: int = 0,
    authority: Authority | None = None,
    prior: Mapping[str, float] | None = None,
) -> list[CurvePoint]:
    """Measure classifiers learned from growing training sets on pairs of other stories.

    Each draw keeps another third of the pairs, by story, for testing. Training pairs are drawn from the rest without
    replacement until they include a repeat and an original. The intervals contain 95 % of the draws; they reflect the
    choice of the training pairs, not of the stories. At size 0 the prior itself is measured, on each third once.
    """
    parts = [fold for fold in splits(pairs, _CURVE_FOLDS) if len(fold.test) and len(fold.training)]
    truth = found_by_rule(pairs.i_repeats, pairs.j_repeats, rule)
    source = authority or GivenAuthority(models, {})
    vectors = {name: PairVectors(models, pairs, names, source) for name, names in criteria.items()}
    priors = {name: prior_plane(names, prior or {}) for name, names in criteria.items()}
    generator = np.random.PCG64(seed)
    nothing = np.zeros(0, dtype=np.int64)
    points = []
    room = min((len(fold.training) for fold in parts), default=0)
    for size in (one for one in sizes if one <= room):
        scored: dict[str, list[tuple[float, float, float]]] = {name: [] for name in criteria}
        for draw in range(min(draws, len(parts)) if not size else draws if parts else 0):
            fold = parts[draw % len(parts)]
            drawn = _draw_training(fold.training, truth, size, generator) if size else nothing
            if drawn is None:
                continue
            for name in criteria:
                if not size and not priors[name].weights.any():
                    continue
                planes = vectors[name].fit(drawn, priors[name])
                forward, backward = vectors[name].values(fold.test, planes, drawn)
                scored[name].append(_curve_scores(truth[fold.test], found_by_rule(forward > 0, backward > 0, rule)))
        for name, rows in scored.items():
            if rows:
                points.append(_point(name, size, np.array(rows)))
    return sorted(points, key=lambda point: list(criteria).index(point.criteria))


def _draw_training(training: Ints, truth: Bools, size: int, generator: np.random.PCG64) -> Ints | None:
    """Draw training pairs, as many as there are or fewer; ``None`` if all are of one class."""
    kinds = truth[training]
    if kinds.all() or not kinds.any():
        return None
    order = training[np.argsort(generator.random_raw(len(training)), kind="stable")]
    chosen = order[:size]
    for kind in (True, False):
        if not (truth[chosen] == kind).any():
            chosen = np.append(chosen[:-1], order[truth[order] == kind][0])
    return np.sort(chosen)


def _curve_scores(truth: Bools, found: Bools) -> tuple[float, float, float]:
    """Return precision, recall and F1; 0 if nothing was found or nothing is true."""
    hits = int((truth & found).sum())
    precision = hits / max(int(found.sum()), 1)
    recall = hits / max(int(truth.sum()), 1)
    return precision, recall, 2 * hits / max(int(found.sum()) + int(truth.sum()), 1)


def _point(name: str, size: int, rows: Floats) -> CurvePoint:
    figures = []
    for column in rows.T:
        low, high = np.quantile(column, _ENDS).tolist()
        figures.append((float(column.mean()), low, high))
    return CurvePoint(name, size, len(rows), figures[0], figures[1], figures[2])
