"""Precision and recall of links as duplicates (retellings or copies) at every k: estimated only if that is reliable.

Each candidate gets a probability from ``mixture``. P(k) is the mean probability of the pairs linked both ways at k, and
R(k) their share of the total probability. ``fit_check`` says whether the two classes are what they should be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.lab.estimation.fit_check import FEWEST_FAR, FitCheck, ReliableCode, disputed_share
from infostream_dedup.lab.estimation.mixture import (
    MixtureFit,
    are_refilled,
    are_worded,
    fit_mixture,
    levels_of,
    patterns_of,
)
from infostream_dedup.lab.estimation.resampling import Bounds, bounds_of, drawn_documents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.lab.estimation.candidates import ComparedCandidates

__all__ = ["DuplicateEstimate", "DuplicateScores", "estimate_duplicates"]

LOWEST_K: Final = 3

_DRAWS: Final = 100
_GRADES: Final = 256
_REFIT_ROUNDS: Final = 8
_RULE_OF_THREE: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateScores:
    """Duplicates among the links at one k, estimated.

    Attributes:
        step: k, or the number of the threshold.
        precision: mean probability of the links; ``None`` if there are no links.
        recall: their share of the total probability.
        precision_bounds: 95 % interval; ``None`` unless the estimate is reliable.
        recall_bounds: 95 % interval; ``None`` unless the estimate is reliable.
        model_precision: mean probability of the links by the shipped pair model: usually above the truth if the
            estimate is not reliable.
    """

    step: int
    precision: float | None
    recall: float | None
    precision_bounds: Bounds | None
    recall_bounds: Bounds | None
    model_precision: float | None

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if one is not defined."""
        both = (self.precision or 0.0) + (self.recall or 0.0)
        return 2.0 * (self.precision or 0.0) * (self.recall or 0.0) / both if both else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateEstimate:
    """An estimate with its check.

    Attributes:
        scores: scores at each step; empty if the check refuses.
        check: the signs of a wrong fit.
        fit: the two classes; ``None`` if the check refuses.
        lowest_step: lowest step at which all links are candidates.
        without_forms: F1 of the links as copies that are not forms, at each step of ``scores``.
        not_forms: number of candidates that are copies and not forms.
        by_model: expected F1 of the links by the shipped pair model, by step; also if the check refuses.
        accepted: mean probability of the links at ``CHECKED_K`` by the shipped pair model; also if the check refuses.
    """

    scores: list[DuplicateScores]
    check: FitCheck
    fit: MixtureFit | None
    lowest_step: int
    without_forms: list[float] = field(default_factory=list)
    not_forms: int = 0
    by_model: dict[int, float] = field(default_factory=dict)
    accepted: float = 0.0

    @property
    def code(self) -> ReliableCode:
        """How reliable the scores are."""
        return self.check.code


def estimate_duplicates(
    candidates: ComparedCandidates,
    *,
    steps: Sequence[int],
    draws: int = _DRAWS,
    about: NDArray[np.bool_] | None = None,
) -> DuplicateEstimate:
    """Estimate the duplicates among the links at every step.

    Args:
        candidates: compared pairs.
        steps: steps to report; for counts, a step is k.
        draws: draws of documents, for the intervals.
        about: bool (pairs,), candidates that the scores cover; the classes are fitted on all.
    """
    linked = candidates.grades >= candidates.checked_step
    nothing = FitCheck(
        disagreement=1.0,
        overall=1.0,
        unworded=1.0,
        refilled=0.0,
        disputed=0.0,
        far_links=0,
        far=None,
        candidates=len(linked),
        links=int(linked.sum()),
    )
    model = shipped_model().probabilities(candidates.evidence)
    shown = np.ones(len(linked), dtype=np.bool_) if about is None else about
    grades, shown_model = candidates.grades[shown], model[shown]
    accepted = shown_model[grades >= candidates.checked_step]
    unfitted = DuplicateEstimate(
        scores=[],
        check=nothing,
        fit=None,
        lowest_step=candidates.lowest_step,
        by_model={step: _f1(grades >= step, shown_model) for step in steps},
        accepted=float(accepted.mean()) if len(accepted) else 0.0,
    )
    if unfitted.code == "refused":
        return unfitted
    levels = levels_of(candidates.evidence)
    patterns, which = patterns_of(levels)
    weights = np.bincount(which).astype(np.float64)
    fit = fit_mixture(patterns, weights, np.bincount(which, model) / weights)
    probability = fit.probabilities(patterns)[which]
    plain = [_scores(candidates.grades, probability, model, step) for step in steps]
    overall = float(np.abs(probability - model).sum() / probability.sum())
    forms = are_refilled(levels)
    refilled = float(probability[forms].sum() / probability.sum())
    check = _checked(candidates, fit, plain, overall, refilled)
    if about is not None:
        plain = [_scores(grades, probability[shown], shown_model, step) for step in steps]
    real = shown & are_worded(levels) & ~forms
    found = [_f1(candidates.grades[shown] >= step, real[shown]) for step in steps]
    estimate = replace(unfitted, scores=plain, check=check, fit=fit, without_forms=found, not_forms=int(real.sum()))
    if check.code != "reliable":
        return estimate
    drawn = _drawn(candidates, patterns, which, fit, steps, draws, shown)
    return replace(estimate, scores=[_bounded(grades, *one, shown_model) for one in zip(plain, drawn, strict=True)])


def _f1(linked: NDArray[np.bool_], right: NDArray[np.bool_] | NDArray[np.float64]) -> float:
    """F1 of links; ``right`` says which pairs are right, or how probably."""
    both = float(linked.sum()) + float(right.sum())
    return 2.0 * float(right[linked].sum()) / both if both else 0.0


def _scores(
    grades: NDArray[np.uint8], probability: NDArray[np.float64], model: NDArray[np.float64], step: int
) -> DuplicateScores:
    linked = grades >= step
    some = bool(linked.any())
    return DuplicateScores(
        step=step,
        precision=float(probability[linked].mean()) if some else None,
        recall=float(probability[linked].sum() / probability.sum()),
        precision_bounds=None,
        recall_bounds=None,
        model_precision=float(model[linked].mean()) if some else None,
    )


def _checked(
    candidates: ComparedCandidates,
    fit: MixtureFit,
    scores: Sequence[DuplicateScores],
    overall: float,
    refilled: float,
) -> FitCheck:
    """Look for signs of a wrong fit over the links, which are sampled separately from the candidates."""
    links = candidates.links
    probability = fit.probabilities(levels_of(links.evidence))
    apart = np.abs(probability - shipped_model().probabilities(links.evidence))
    best = max((one for one in scores if one.step >= candidates.lowest_step), key=lambda one: (one.f1, -one.step)).step
    checked = (links.grades >= step for step in (candidates.checked_step, max(best, candidates.checked_step)))
    return FitCheck(
        disagreement=max((float(apart[one].mean()) for one in checked if one.any()), default=1.0),
        overall=overall,
        unworded=fit.unworded,
        refilled=refilled,
        disputed=disputed_share(links.sources, apart),
        far_links=links.far_links,
        far=float(fit.probabilities(levels_of(links.far)).mean()) if links.far_links >= FEWEST_FAR else None,
        candidates=len(candidates.grades),
        links=int((candidates.grades >= candidates.checked_step).sum()),
    )


def _drawn(
    candidates: ComparedCandidates,
    patterns: NDArray[np.int8],
    which: NDArray[np.int64],
    fit: MixtureFit,
    steps: Sequence[int],
    draws: int,
    shown: NDArray[np.bool_],
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Precision and recall at each step in each draw; equal texts are drawn together, and classes are refitted."""
    pairs = np.stack([candidates.texts[candidates.a], candidates.texts[candidates.b]])
    texts, places = np.unique(pairs, return_inverse=True)
    one, other = places.reshape(pairs.shape)
    # Only a few of all texts are in a pair; their draws alone fit into the cache.
    times = drawn_documents(int(texts.max(initial=-1)) + 1, draws=draws)[texts].T.copy()
    start = fit.probabilities(patterns)
    found = np.full((len(steps), 2, draws), np.nan)
    for draw in range(draws):
        weighted = times[draw, one].astype(np.float64) * times[draw, other]
        weights = np.bincount(which, weighted, minlength=len(patterns)).astype(np.float64)
        if weights.sum() == 0:
            continue
        again = fit_mixture(patterns, weights, start, rounds=_REFIT_ROUNDS)
        weighted *= shown
        expected = weighted * again.probabilities(patterns)[which]
        # Summed from the greatest grade downwards: at each step, the pairs linked there.
        drawn_links, drawn_duplicates = (
            np.bincount(candidates.grades, one, minlength=_GRADES)[::-1].cumsum()[::-1] for one in (weighted, expected)
        )
        for place, step in enumerate(steps):
            if drawn_links[step] > 0:
                found[place, 0, draw] = drawn_duplicates[step] / drawn_links[step]
            if drawn_duplicates[0] > 0:
                found[place, 1, draw] = drawn_duplicates[step] / drawn_duplicates[0]
    return [(one[0], one[1]) for one in found]


def _bounded(
    grades: NDArray[np.uint8],
    scores: DuplicateScores,
    drawn: tuple[NDArray[np.float64], NDArray[np.float64]],
    model: NDArray[np.float64],
) -> DuplicateScores:
    """Scores with intervals that also cover the pair model's value, and errors too rare to have been seen."""
    linked = grades >= scores.step
    precision_bounds = None
    if scores.precision is not None and scores.model_precision is not None:
        unseen = _RULE_OF_THREE / int(linked.sum())
        precision_bounds = _widened(bounds_of(drawn[0], scores.precision), scores.model_precision, unseen)
    recall = scores.recall or 0.0
    unseen = _RULE_OF_THREE / max(float(model.sum()), _RULE_OF_THREE)
    recall_bounds = _widened(bounds_of(drawn[1], recall), float(model[linked].sum() / model.sum()), unseen)
    return DuplicateScores(
        step=scores.step,
        precision=scores.precision,
        recall=scores.recall,
        precision_bounds=precision_bounds,
        recall_bounds=recall_bounds,
        model_precision=scores.model_precision,
    )


def _widened(bounds: Bounds, other: float, unseen: float) -> Bounds:
    low, high = bounds
    return max(min(low, other) - unseen, 0.0), min(max(high, other) + unseen, 1.0)
