"""Precision and recall of links from a few judgements: chooses the pairs to judge, and evaluates the judgements.

Pairs are stratified by wording and by whether they are linked. Judgements are allocated to strata so that the interval
becomes as narrow as possible (Neyman, Journal of the Royal Statistical Society 97, 1934; in integers Wright, The
American Statistician 66, 2012), given a guess of the share of right pairs in each stratum. The share of right pairs in
a stratum is the weighted mean of its judgements (Hajek 1971). Intervals come from draws of these shares from beta
distributions of the judgements, once with the fewest and once with the most right pairs that the unjudged part may
contain (the imprecise beta model: Walley, Journal of the Royal Statistical Society B 58, 1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.lab.estimation.drawn_pairs import hash_of_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.lab.estimation.resampling import Bounds

__all__ = ["STRATA", "AuditScores", "AuditedPairs", "audit_scores", "pairs_to_judge"]

_CUTS: Final = (0.02, 0.08, 0.15, 0.25, 0.4, 0.65)
_BANDS: Final = len(_CUTS) + 1
_GUESSES: Final = np.array([0.002, 0.01, 0.05, 0.3, 0.7, 0.95, 0.98, 0.1, 0.1, 0.2, 0.4, 0.7, 0.95, 0.98])
"""Guessed share of right pairs in each band of wording, for unlinked and for linked pairs; used to allocate judgements.
Links with little common wording are often right: the story is retold in other words."""

STRATA: Final = 2 * _BANDS

_LEAST: Final = 2
_NOTHING: Final = 0.01
_FACTOR: Final = 5.0
_FLOOR: Final = 0.1
_MOST: Final = 0.5
"""Prior weight for right pairs that were not judged, in judgements: five times the guess, at least a tenth and at most
half (Jeffreys); half if at least a tenth of the stratum was judged. Likewise for wrong pairs."""
_MUCH: Final = 0.1
_DRAWS: Final = 4_000
_SEED: Final = 19_340_101
_ENDS: Final = (0.025, 0.975)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedPairs:
    """Pairs that an audit covers, or a sample of them.

    Attributes:
        a: int64 (pairs,), ordinals.
        b: int64 (pairs,), ordinals.
        linked: bool (pairs,), linked both ways.
        wording: float64 (pairs,), the larger direction, 0 to 1.
        weights: float64 (pairs,), number of pairs that each represents, at least 1.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    linked: NDArray[np.bool_]
    wording: NDArray[np.float64]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.a)

    @property
    def strata(self) -> NDArray[np.int64]:
        """int64 (pairs,): band of wording, plus the number of bands if the pair is linked."""
        return np.searchsorted(_CUTS, self.wording, side="right") + _BANDS * self.linked

    @property
    def sizes(self) -> NDArray[np.float64]:
        """float64 (STRATA,): pairs in each stratum."""
        return np.bincount(self.strata, self.weights, minlength=STRATA).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditScores:
    """Results of an audit.

    Attributes:
        judged: number of judged pairs.
        right: number of judged pairs that are right.
        precision: share of the links that are right; ``None`` if there are no links.
        recall: share of the right pairs that are linked; ``None`` if no pair is right.
        precision_bounds: 95 % interval.
        recall_bounds: 95 % interval.
        unjudged: number of strata that have pairs but no judgements, for which the guess is used.
    """

    judged: int
    right: int
    precision: float | None
    recall: float | None
    precision_bounds: Bounds | None
    recall_bounds: Bounds | None
    unjudged: int


def shared_out(sizes: NDArray[np.float64], rows: NDArray[np.int64], pairs: int) -> NDArray[np.int64]:
    """Allocate judgements to strata: int64 (STRATA,), pairs to judge in each.

    Args:
        sizes: float64 (STRATA,), pairs in each stratum.
        rows: int64 (STRATA,), pairs available in each.
        pairs: total number of pairs to judge.
    """
    spread = sizes * np.sqrt(_GUESSES * (1.0 - _GUESSES))
    least = _LEAST if pairs >= _LEAST * int((rows > 0).sum()) else 0
    given = np.minimum(rows, least)
    for _ in range(pairs - int(given.sum())):
        # One more judgement goes where it lowers the variance most.
        gain = np.where(given < rows, spread / np.sqrt(np.maximum(given, 0.5) * (given + 1.0)), -1.0)
        best = int(np.argmax(gain))
        if gain[best] < 0.0:
            break
        given[best] += 1
    return given


def pairs_to_judge(population: AuditedPairs, pairs: int, *, draw: int = 0) -> NDArray[np.int64]:
    """Draw rows of the population to judge, in an order that reveals nothing about them.

    Args:
        population: pairs to draw from.
        pairs: number of pairs to draw, at least 1; fewer are drawn if there are fewer.
        draw: another number, from 0, draws other pairs.
    """
    strata = population.strata
    given = shared_out(population.sizes, np.bincount(strata, minlength=STRATA), pairs)
    shuffled = np.argsort(hash_of_pairs(population.a, population.b, seed=draw + 1), kind="stable")
    chosen = [shuffled[strata[shuffled] == stratum][: given[stratum]] for stratum in range(STRATA)]
    kept = np.zeros(len(population), dtype=np.bool_)
    kept[np.concatenate(chosen)] = True
    return shuffled[kept[shuffled]]


def audit_scores(population: AuditedPairs, rows: NDArray[np.int64], right: NDArray[np.bool_]) -> AuditScores:
    """Estimate precision and recall from judgements.

    Args:
        population: all pairs.
        rows: int64 (judged,), rows of the judged pairs, each once.
        right: bool (judged,), whether each is right.
    """
    sizes, strata = population.sizes, population.strata[rows]
    weights = population.weights[rows]
    judged = np.bincount(strata, minlength=STRATA).astype(np.float64)
    weight = np.bincount(strata, weights, minlength=STRATA)
    hits = np.bincount(strata, weights * right, minlength=STRATA)
    shares = np.divide(hits, weight, out=_GUESSES.copy(), where=weight > 0)
    fewer, more = _drawn_shares(judged, shares, sizes, np.maximum(sizes - weight, 0.0))
    precision, recall = _scores(sizes, shares)
    in_links = np.arange(STRATA) >= _BANDS
    low, low_recall = _scores(sizes, np.where(in_links, fewer, more))
    high, high_recall = _scores(sizes, np.where(in_links, more, fewer))
    return AuditScores(
        judged=len(rows),
        right=int(right.sum()),
        precision=_known(precision),
        recall=_known(recall),
        precision_bounds=_bounds(low, high, precision),
        recall_bounds=_bounds(low_recall, high_recall, recall),
        unjudged=int(((sizes > 0) & (judged == 0)).sum()),
    )


def _scores(sizes: NDArray[np.float64], shares: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Precision and recall for given shares: float64 (STRATA,), or (draws, STRATA)."""
    right = sizes * shares
    linked, links = right[..., _BANDS:].sum(axis=-1), sizes[_BANDS:].sum()
    every = right.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(linked / links), np.asarray(linked / every)


def _known(value: NDArray[np.float64]) -> float | None:
    return None if np.isnan(value) else float(value)


def _bounds(low: NDArray[np.float64], high: NDArray[np.float64], value: NDArray[np.float64]) -> Bounds | None:
    if np.isnan(value):
        return None
    lowest, highest = np.nanquantile(low, _ENDS[0]), np.nanquantile(high, _ENDS[1])
    return min(float(lowest), float(value)), max(float(highest), float(value))


def _drawn_shares(
    judged: NDArray[np.float64],
    shares: NDArray[np.float64],
    sizes: NDArray[np.float64],
    unjudged: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw shares of right pairs, assuming the fewest and the most among unjudged pairs: float64 (draws, STRATA) each.

    Right pairs among the unjudged are drawn as whole pairs: if one in twenty of fourteen pairs is right, half of the
    draws contain at least one right pair.

    Args:
        judged: float64 (STRATA,), number of judgements.
        shares: float64 (STRATA,), share of the judged pairs that are right.
        sizes: float64 (STRATA,), number of pairs.
        unjudged: float64 (STRATA,), number of unjudged pairs; only these are drawn.
    """
    random = np.random.default_rng(_SEED)
    known = judged > 0
    right, wrong = judged * shares * known, judged * (1.0 - shares) * known
    seen = np.divide(sizes - unjudged, sizes, out=np.ones_like(sizes), where=sizes > 0)
    floor = np.clip(_MOST * seen / _MUCH, _FLOOR, _MOST)
    could_be_right, could_be_wrong = (np.clip(_FACTOR * one, floor, _MOST) for one in (_GUESSES, 1.0 - _GUESSES))
    rest = np.divide(unjudged, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    pairs = np.rint(unjudged).astype(np.int64)
    found = []
    for alpha, beta in ((right + _NOTHING, wrong + could_be_wrong), (right + could_be_right, wrong + _NOTHING)):
        drawn = random.binomial(pairs, random.beta(alpha, beta, size=(_DRAWS, STRATA))) / np.maximum(pairs, 1)
        found.append(rest * drawn + (1.0 - rest) * shares)
    return found[0], found[1]
