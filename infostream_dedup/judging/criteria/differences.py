"""Difference vectors of pairs, one column for each criterion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.criteria.criterion import CRITERIA, Both, ComparedPairs
from infostream_dedup.judging.criteria.document_models import DocumentModels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["differences"]

_CHUNK: Final = 20_000


def differences(
    models: DocumentModels,
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    criteria: Sequence[str],
    authority: Both | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute difference vectors of pairs in both directions.

    Args:
        models: models of the collection.
        i: int64 (pairs,), ordinals.
        j: int64 (pairs,), ordinals.
        criteria: names of ``CRITERIA``, in the order of the columns.
        authority: two of float64 (pairs,), authority of the sources of i and j, NaN if unknown; ``None`` if all are.

    Returns:
        Two of float64 (pairs, criteria): of i against j, and of j against i; NaN if a difference is unknown.
    """
    first, second = authority or (np.full(len(i), np.nan), np.full(len(i), np.nan))
    forward = np.empty((len(i), len(criteria)))
    backward = np.empty((len(i), len(criteria)))
    for start in range(0, len(i), _CHUNK):
        rows = slice(start, start + _CHUNK)
        pairs = ComparedPairs(models, i[rows], j[rows], (first[rows], second[rows]))
        for column, name in enumerate(criteria):
            forward[rows, column], backward[rows, column] = CRITERIA[name].measure(pairs)
    return forward, backward
