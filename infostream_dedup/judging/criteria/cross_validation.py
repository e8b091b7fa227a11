"""Compute decision values of pairs by planes trained on other pairs: other stories, an earlier time, or one site."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.criteria.classifier import Plane
from infostream_dedup.judging.criteria.classifier_presets import PairRule
from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs
from infostream_dedup.judging.criteria.learned_authority import Authority
from infostream_dedup.judging.criteria.pair_vectors import PairVectors
from infostream_dedup.judging.criteria.stories import Fold, folds

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HeldOut", "best_threshold", "found_by_rule", "held_out", "single_criterion"]

_FOLDS: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Decision values of pairs that were not used for learning.

    Attributes:
        pairs: the pairs, the later document first.
        forward: float64 (pairs,), later document against the earlier; NaN if no fold tests the pair.
        backward: float64 (pairs,), the earlier against the later.
    """

    pairs: JudgedPairs
    forward: NDArray[np.float64]
    backward: NDArray[np.float64]

    def found(self, rule: PairRule) -> NDArray[np.bool_]:
        """Return which pairs are repeats, bool (pairs,); false for pairs that no fold could judge."""
        return found_by_rule(self.forward > 0, self.backward > 0, rule)


def held_out(
    models: DocumentModels,
    pairs: JudgedPairs,
    criteria: Sequence[str],
    authority: Authority,
    prior: Plane,
    *,
    split: Iterable[Fold] | None = None,
) -> HeldOut:
    """Judge each pair by planes learned from others.

    Args:
        models: models of the collection.
        pairs: judged pairs.
        criteria: names of ``CRITERIA``.
        authority: authority of sources.
        prior: weights from which learning starts.
        split: which pairs are tested and which are learned from; five folds by story by default.
    """
    vectors = PairVectors(models, pairs, criteria, authority)
    found = HeldOut(vectors.pairs, np.full(len(pairs), np.nan), np.full(len(pairs), np.nan))
    for fold in folds(pairs, _FOLDS) if split is None else split:
        if not len(fold.test):
            continue
        planes = vectors.fit(fold.training, prior)
        found.forward[fold.test], found.backward[fold.test] = vectors.values(fold.test, planes, fold.training)
    return found


def single_criterion(
    forward: NDArray[np.float64],
    backward: NDArray[np.float64],
    pairs: JudgedPairs,
    rule: PairRule,
    split: Sequence[Fold],
) -> NDArray[np.bool_]:
    """Decide by one criterion alone, at the threshold and side that did best on the other stories.

    Args:
        forward: float64 (pairs,), values of i against j, NaN if unknown.
        backward: float64 (pairs,), values of j against i.
        pairs: judged pairs.
        rule: when a pair counts as found.
        split: folds of the pairs, from ``folds``.

    Returns:
        bool (pairs,), out-of-fold decisions.
    """
    found = np.zeros(len(pairs), dtype=np.bool_)
    truth = _truth(pairs, rule)
    for fold in split:
        tried = []
        for sign in (1.0, -1.0):
            grades = _grades(sign * forward, sign * backward, rule)
            threshold, f1 = best_threshold(grades[fold.training], truth[fold.training])
            tried.append((f1, sign, threshold))
        _, sign, threshold = max(tried)
        found[fold.test] = _grades(sign * forward[fold.test], sign * backward[fold.test], rule) <= threshold
    return found


def best_threshold(grades: NDArray[np.float64], truth: NDArray[np.bool_]) -> tuple[float, float]:
    """Find the threshold with the greatest F1, half way to the next grade, and that F1.

    Args:
        grades: float64 (pairs,); smaller grades mean true, infinite ones are never found.
        truth: bool (pairs,).

    Returns:
        The smallest threshold among equals; minus infinity and 0 if nothing is true.
    """
    order = np.argsort(grades, kind="stable")
    ranked, hits = grades[order], np.cumsum(truth[order])
    if not len(ranked) or not hits[-1]:
        return -np.inf, 0.0
    f1 = 2 * hits / (np.arange(1, len(ranked) + 1) + hits[-1])
    last_of_equals = np.append(ranked[1:] > ranked[:-1], True) & np.isfinite(ranked)
    if not last_of_equals.any():
        return -np.inf, 0.0
    best = int(np.argmax(np.where(last_of_equals, f1, -1.0)))
    upper = ranked[best + 1] if best + 1 < len(ranked) and np.isfinite(ranked[best + 1]) else ranked[best]
    return float((ranked[best] + upper) / 2), float(f1[best])


def found_by_rule(forward: NDArray[np.bool_], backward: NDArray[np.bool_], rule: PairRule) -> NDArray[np.bool_]:
    """Combine both directions by the rule: bool (pairs,)."""
    return forward & backward if rule == "both" else forward | backward


def _truth(pairs: JudgedPairs, rule: PairRule) -> NDArray[np.bool_]:
    return found_by_rule(pairs.i_repeats, pairs.j_repeats, rule)


def _grades(forward: NDArray[np.float64], backward: NDArray[np.float64], rule: PairRule) -> NDArray[np.float64]:
    """Return one value per pair, below a threshold exactly if the rule holds; infinite if unknown."""
    grades = np.maximum(forward, backward) if rule == "both" else np.minimum(forward, backward)
    return np.where(np.isnan(grades), np.inf, grades)
