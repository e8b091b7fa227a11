"""What betrays a template that comes back: one site, another day, another title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.criteria.differences import CRITERIA, Criterion, Pairs, differences
from infostream_dedup.criteria.document_models import DocumentModels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ALL_CRITERIA", "difference_vectors", "edition"]


def edition(pairs: Pairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """ln(1 + hours apart) where both are of one site under different titles, else 0; symmetric.

    Not in the paper. A plane adds what the criteria say one by one; but neither one site nor a day in between nor
    another title speaks against a duplicate alone: only the three together tell today's prices from yesterday's. 0
    also where a source or a date is unknown, for then nothing says that it is another edition.
    """
    site, _ = CRITERIA["site"](pairs)
    apart, _ = CRITERIA["time_apart"](pairs)
    title, _ = CRITERIA["title"](pairs)
    values = np.where((site == 0) & (title > 0), np.nan_to_num(apart, nan=0.0), 0.0)
    return values, values


ALL_CRITERIA: Final[Mapping[str, Criterion]] = MappingProxyType({**CRITERIA, edition.__name__: edition})
"""The criteria of ``differences`` and those made of several of them, by name."""


def difference_vectors(
    models: DocumentModels,
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    criteria: Sequence[str],
    authority: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Difference vectors of pairs in both directions, as ``differences``, with every criterion of ``ALL_CRITERIA``.

    Args:
        models: of the collection.
        i: int64 (pairs,), ordinals.
        j: int64 (pairs,), ordinals.
        criteria: names of ``ALL_CRITERIA``, in the order of the columns.
        authority: float64 (documents,), of each document's source, NaN where unknown.

    Returns:
        Two of float64 (pairs, criteria): of i against j, and of j against i; NaN where a criterion cannot be told.
    """
    plain = [name for name in criteria if name in CRITERIA]
    found = differences(models, i, j, plain, authority)
    if len(plain) == len(criteria):
        return found
    made = ALL_CRITERIA[edition.__name__](Pairs(models, i, j, authority))
    forward, backward = (
        np.column_stack([table[:, plain.index(name)] if name in CRITERIA else column for name in criteria])
        for table, column in zip(found, made, strict=True)
    )
    return forward, backward
