"""Learning curve: quality by the size of the training set (Andreev et al., section 7, figure 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.criteria.classifier_presets import PairRule
from infostream_dedup.judging.criteria.cross_validation import found_by_rule
from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs
from infostream_dedup.judging.criteria.learned_authority import Authority, NoAuthority
from infostream_dedup.judging.criteria.pair_vectors import PairVectors
from infostream_dedup.judging.criteria.stories import splits
from infostream_dedup.judging.criteria.svm import prior_plane

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SIZES", "CurvePoint", "curve_criteria", "learning_curve"]

SIZES: Final = (0, 50, 100, 200, 400, 800, 1600)

_ENDS: Final = (0.025, 0.975)
_FOLDS: Final = 3


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Quality at one size of the training set; each figure is the mean over the draws, with an interval.

    Attributes:
        criteria: name of the set of criteria.
        size: number of training pairs.
        draws: number of training sets drawn.
        precision: share of found pairs that are true, 0 to 1.
        recall: share of true pairs that are found, 0 to 1.
        f1: harmonic mean of both.
    """

    criteria: str
    size: int
    draws: int
    precision: tuple[float, float, float]
    recall: tuple[float, float, float]
    f1: tuple[float, float, float]

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
    rule: PairRule,
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

    Args:
        models: models of the collection.
        pairs: judged pairs.
        criteria: sets of criteria by name.
        rule: when a pair counts as found.
        sizes: sizes of the training set; sizes for which one of the thirds leaves too few pairs are skipped, because
            sizes tested on different pairs cannot be compared.
        draws: number of draws for each size.
        seed: equal seeds draw equal pairs with any version of numpy.
        authority: authority of sources; unknown by default.
        prior: weights before learning (``ClassifierPreset.prior``); none by default, and then no size 0. Sets of
            criteria without any of these have no size 0 either.
    """
    parts = [fold for fold in splits(pairs, _FOLDS) if len(fold.test) and len(fold.training)]
    truth = found_by_rule(pairs.i_repeats, pairs.j_repeats, rule)
    source = authority or NoAuthority()
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
                scored[name].append(_scores(truth[fold.test], found_by_rule(forward > 0, backward > 0, rule)))
        for name, rows in scored.items():
            if rows:
                points.append(_point(name, size, np.array(rows)))
    return sorted(points, key=lambda point: list(criteria).index(point.criteria))


def _draw_training(
    training: NDArray[np.int64], truth: NDArray[np.bool_], size: int, generator: np.random.PCG64
) -> NDArray[np.int64] | None:
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


def _scores(truth: NDArray[np.bool_], found: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return precision, recall and F1; 0 if nothing was found or nothing is true."""
    hits = int((truth & found).sum())
    precision = hits / max(int(found.sum()), 1)
    recall = hits / max(int(truth.sum()), 1)
    return precision, recall, 2 * hits / max(int(found.sum()) + int(truth.sum()), 1)


def _point(name: str, size: int, rows: NDArray[np.float64]) -> CurvePoint:
    figures = []
    for column in rows.T:
        low, high = np.quantile(column, _ENDS).tolist()
        figures.append((float(column.mean()), low, high))
    return CurvePoint(name, size, len(rows), figures[0], figures[1], figures[2])
