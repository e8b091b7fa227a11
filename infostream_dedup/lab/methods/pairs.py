"""Pairs of documents that a method links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.judging.features.chains import SharedCounts
from infostream_dedup.judging.features.set_join import Resembling

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Pairs", "directed_pairs", "equal", "symmetric_pairs", "unordered_pairs"]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Distinct linked pairs of different documents, ordered by (a, b).

    Attributes:
        a: int64 (pairs,), ordinals of the first documents.
        b: int64 (pairs,), ordinals of the second documents; a < b if the method is symmetric.
        scores: float64 (pairs,), share of a's signature found in b's, 0 to 1.
        directed: whether a pair only means "a is found in b".
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    scores: NDArray[np.float64]
    directed: bool = False

    def __len__(self) -> int:
        return len(self.a)

    def as_list(self) -> list[tuple[int, int, float]]:
        """Return the pairs as tuples, with scores rounded to 3 decimals."""
        return list(zip(self.a.tolist(), self.b.tolist(), np.round(self.scores, 3).tolist(), strict=True))


def unordered_pairs(a: NDArray[np.int64], b: NDArray[np.int64], scores: NDArray[np.float64]) -> Pairs:
    """Make sorted pairs a < b from distinct pairs in any order."""
    first, second = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((second, first))
    return Pairs(first[order], second[order], scores[order])


def directed_pairs(found: Resembling) -> Pairs:
    """Make pairs a -> b from the result of a join."""
    return Pairs(found.a, found.b, found.scores, directed=True)


def symmetric_pairs(found: Resembling) -> Pairs:
    """Make pairs a < b from the result of a join."""
    return Pairs(found.a, found.b, found.scores)


def equal(met: SharedCounts) -> Pairs:
    """Make the pairs of a method without degrees: every score is 1."""
    return Pairs(met.a, met.b, np.ones(len(met.a), dtype=np.float64))
