"""Difference vectors of judged pairs, computed once for many trainings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.criteria.authority import authority_of
from infostream_dedup.judging.criteria.classifier import Plane, comes_later
from infostream_dedup.judging.criteria.criterion import Both
from infostream_dedup.judging.criteria.differences import differences
from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs
from infostream_dedup.judging.criteria.learned_authority import Authority
from infostream_dedup.judging.criteria.svm import fit_plane

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PairVectors", "Planes"]

_LEARNED: Final = "source"

Planes = tuple[Plane, Plane]
"""Vectors of the later document against the earlier, and of the earlier against the later."""


class PairVectors:
    """Vectors of judged pairs in both directions; only the authority of sources differs between trainings.

    Args:
        models: models of the collection.
        pairs: judged pairs.
        criteria: names of ``CRITERIA``.
        authority: authority of sources.

    Attributes:
        pairs: the same, the later document first.
    """

    def __init__(
        self, models: DocumentModels, pairs: JudgedPairs, criteria: Sequence[str], authority: Authority
    ) -> None:
        self.pairs = pairs.later_first(comes_later(models.times, pairs.i, pairs.j))
        self._models, self._criteria, self._authority = models, tuple(criteria), authority
        self._later, self._earlier = differences(models, self.pairs.i, self.pairs.j, criteria)

    def fit(self, rows: NDArray[np.int64], prior: Plane) -> Planes:
        """Learn both planes from some of the pairs.

        Args:
            rows: int64, pairs to learn from.
            prior: planes to start from.
        """
        training = self.pairs.at(rows)
        later, earlier = self.training_vectors(rows)
        return fit_plane(later, training.i_repeats, prior), fit_plane(earlier, training.j_repeats, prior)

    def training_vectors(self, rows: NDArray[np.int64]) -> Both:
        """Return the vectors that ``fit`` learns from: float64 (rows, criteria) twice."""
        return self._with_authority(rows, self._authority.of_training(self.pairs.at(rows)))

    def values(self, rows: NDArray[np.int64], planes: Planes, trained_on: NDArray[np.int64]) -> Both:
        """Return decision values of pairs: two of float64 (rows,), later against earlier and earlier against later.

        Args:
            rows: int64, pairs to judge.
            planes: planes that judge them.
            trained_on: int64, pairs that the authority of sources may be learned from.
        """
        known = authority_of(self._models.sources, self._authority.table(self.pairs.at(trained_on)))
        found = self.pairs.at(rows)
        later, earlier = self._with_authority(rows, (known[found.i], known[found.j]))
        return planes[0].values(later), planes[1].values(earlier)

    def _with_authority(self, rows: NDArray[np.int64], authority: Both) -> Both:
        later, earlier = self._later[rows], self._earlier[rows]
        if _LEARNED in self._criteria:
            column = self._criteria.index(_LEARNED)
            found = differences(self._models, self.pairs.i[rows], self.pairs.j[rows], [_LEARNED], authority)
            later[:, column], earlier[:, column] = found[0][:, 0], found[1][:, 0]
        return later, earlier
