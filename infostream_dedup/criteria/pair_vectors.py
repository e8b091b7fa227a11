"""Difference vectors of judged pairs, computed once for many trainings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.criteria.authority import authority_of
from infostream_dedup.criteria.differences import differences
from infostream_dedup.criteria.document_models import DocumentModels
from infostream_dedup.criteria.judged_pairs import JudgedPairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PairVectors"]

_LEARNED: Final = "source"


class PairVectors:
    """Vectors of judged pairs in both directions; only the authority of sources differs between trainings.

    Args:
        models: models of the collection.
        pairs: judged pairs.
        criteria: names of ``CRITERIA``.
    """

    def __init__(self, models: DocumentModels, pairs: JudgedPairs, criteria: Sequence[str]) -> None:
        self._models = models
        self._pairs = pairs
        self._criteria = tuple(criteria)
        unknown = np.full(len(models), np.nan)
        self._forward, self._backward = differences(models, pairs.i, pairs.j, criteria, unknown)

    def given(self, authority: Mapping[str, float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the vectors with these authorities: two of float64 (pairs, criteria), i against j and j against i."""
        forward, backward = self._forward, self._backward
        if _LEARNED in self._criteria:
            column = self._criteria.index(_LEARNED)
            forward, backward = forward.copy(), backward.copy()
            of_documents = authority_of(self._models.sources, authority)
            found = differences(self._models, self._pairs.i, self._pairs.j, [_LEARNED], of_documents)
            forward[:, column], backward[:, column] = found[0][:, 0], found[1][:, 0]
        return forward, backward
