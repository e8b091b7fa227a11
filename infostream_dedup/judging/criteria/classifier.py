"""The linear classifier of pairs: which of the two documents repeats the other (Andreev et al., sections 4 and 6).

The vector of differences of i from j is on one side of a plane or the other: D(i, j) = 1 means that i adds nothing to
j. There are two planes: one judges the later document of a pair against the earlier, as the paper does, one the earlier
against the later. This lets time, source, pictures and links have weight: with one plane for both directions they would
cancel out. Both directions together give the four outcomes. Only numpy is needed; ``training`` learns the planes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.criteria.authority import authority_of
from infostream_dedup.judging.criteria.differences import differences
from infostream_dedup.judging.criteria.document_models import DocumentModels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OUTCOMES", "Calibration", "Classifier", "Decisions", "Plane", "comes_later"]

_FARTHEST: Final = 3.0

OUTCOMES: Final = ("both original", "a repeats b", "b repeats a", "each repeats the other")
"""The paper's four; the index is 1 for "a repeats b" plus 2 for "b repeats a"."""


def comes_later(times: NDArray[np.float64], i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find the pairs whose document i is the later one: by time; if times are equal or unknown, by input order.

    Args:
        times: float64 (documents,), NaN if unknown.
        i: int64 (pairs,), ordinals.
        j: int64 (pairs,), ordinals.
    """
    known = ~(np.isnan(times[i]) | np.isnan(times[j])) & (times[i] != times[j])
    return np.asarray(np.where(known, times[i] > times[j], i > j), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Standardisation and hyperplane.

    Attributes:
        means: float64 (criteria,), the values from which criteria are measured (``Typical``).
        scales: float64 (criteria,), the unit of each.
        weights: float64 (criteria,), weights of the standardised criteria; positive means "repeats".
        bias: decision value of the vector of means.
    """

    means: NDArray[np.float64]
    scales: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float

    def standardised(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Standardise criteria by their means and scales, to -3 .. 3; an unknown criterion (NaN) becomes 0.

        The bounds keep a difference of years from outweighing everything else.

        Args:
            vectors: float64 (vectors, criteria).
        """
        standardised = np.clip((vectors - self.means) / self.scales, -_FARTHEST, _FARTHEST)
        return np.asarray(np.where(np.isnan(standardised), 0.0, standardised), dtype=np.float64)

    def contributions(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each criterion adds to the decision value: its weight times its standardised value.

        An unknown criterion (NaN) counts as the mean, so it adds 0.

        Args:
            vectors: float64 (vectors, criteria).

        Returns:
            float64 (vectors, criteria).
        """
        return self.standardised(vectors) * self.weights

    def values(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return decision values; above 0 means "repeats", 0 itself does not.

        Columns are summed one by one: a matrix product may add in a different order for a different number of rows, so
        the same pair could be decided in two ways.

        Args:
            vectors: float64 (vectors, criteria).

        Returns:
            float64 (vectors,).
        """
        parts = self.contributions(vectors)
        values = np.full(len(vectors), self.bias)
        for column in range(parts.shape[1]):
            values += parts[:, column]
        return values


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probability of "repeats" from a decision value: 1 / (1 + exp(slope * value + offset)) (Platt, 1999).

    Attributes:
        slope: negative if greater values are more likely.
        offset: 0 if a value of 0 means one half.
    """

    slope: float
    offset: float

    def probabilities(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return probabilities: float64, shape of ``values``, 0 to 1."""
        # exp overflows beyond 700, where the probability has long been 0 or 1.
        exponents = np.clip(self.slope * values + self.offset, -700, 700)
        return np.asarray(1 / (1 + np.exp(exponents)), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """Decisions of a classifier on pairs.

    Attributes:
        i: int64 (pairs,), ordinals of a.
        j: int64 (pairs,), ordinals of b.
        forward: float64 (pairs,), decision values of i against j.
        backward: float64 (pairs,), decision values of j against i.
        probability_forward: float64 (pairs,), probability that i repeats j, 0 to 1.
        probability_backward: float64 (pairs,), probability that j repeats i, 0 to 1.
    """

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    forward: NDArray[np.float64]
    backward: NDArray[np.float64]
    probability_forward: NDArray[np.float64]
    probability_backward: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.i)

    def at(self, rows: NDArray[np.int64]) -> Decisions:
        """Select decisions by index."""
        return Decisions(
            self.i[rows],
            self.j[rows],
            self.forward[rows],
            self.backward[rows],
            self.probability_forward[rows],
            self.probability_backward[rows],
        )

    @property
    def outcomes(self) -> NDArray[np.int64]:
        """Index into ``OUTCOMES``, int64 (pairs,)."""
        return (self.forward > 0).astype(np.int64) + 2 * (self.backward > 0).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Classifier:
    """A trained model.

    Attributes:
        preset: what it was trained for, a name of ``CLASSIFIER_PRESETS``.
        domain: subject it was trained on, empty for any.
        criteria: names of ``CRITERIA``, in the order of the vector.
        later: judges the later document of a pair against the earlier.
        earlier: judges the earlier document against the later.
        calibration: turns decision values into probabilities.
        authority: authority of sources, 0 to 1, given by an expert or learned.
        training: facts about the training, plain JSON values; for people, never used to decide.
        statistics: word statistics used in training, one of ``STATISTICS``; documents to judge need the same.
    """

    preset: str
    domain: str
    criteria: tuple[str, ...]
    later: Plane
    earlier: Plane
    calibration: Calibration
    authority: Mapping[str, float] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    statistics: str = "collection"

    def vectors(
        self, models: DocumentModels, i: NDArray[np.int64], j: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return difference vectors of i against j and of j against i: two of float64 (pairs, criteria)."""
        known = authority_of(models.sources, self.authority)
        return differences(models, i, j, self.criteria, (known[i], known[j]))

    def decide_vectors(
        self,
        i: NDArray[np.int64],
        j: NDArray[np.int64],
        forward: NDArray[np.float64],
        backward: NDArray[np.float64],
        *,
        i_is_later: NDArray[np.bool_],
    ) -> Decisions:
        """Decide pairs whose vectors are known.

        Args:
            i: int64 (pairs,), ordinals, passed on to the result.
            j: int64 (pairs,), ordinals.
            forward: float64 (pairs, criteria), i against j.
            backward: float64 (pairs, criteria), j against i.
            i_is_later: bool (pairs,), whether i is the later document.
        """
        one = np.where(i_is_later, self.later.values(forward), self.earlier.values(forward))
        other = np.where(i_is_later, self.earlier.values(backward), self.later.values(backward))
        probabilities = self.calibration.probabilities
        return Decisions(i, j, one, other, probabilities(one), probabilities(other))

    def decide(self, models: DocumentModels, i: NDArray[np.int64], j: NDArray[np.int64]) -> Decisions:
        """Decide pairs of a collection.

        Args:
            models: models of the collection's documents.
            i: int64 (pairs,), ordinals.
            j: int64 (pairs,), ordinals.
        """
        forward, backward = self.vectors(models, i, j)
        return self.decide_vectors(i, j, forward, backward, i_is_later=comes_later(models.times, i, j))
