"""Pairs of documents that a method links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.features.chains import SharedCounts
from infostream_dedup.features.set_join import Resembling

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Pairs", "directed_pairs", "equal", "symmetric_pairs", "unordered_pairs"]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Linked pairs, ordered by (a, b), no pair twice, no document with itself.

    Attributes:
        a: int64 (pairs,), ordinals.
        b: int64 (pairs,), ordinals; a < b where the method is symmetric.
        scores: float64 (pairs,), how much of a's signature was found in b's, 0 to 1.
        directed: whether a pair means only "a is found in b".
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    scores: NDArray[np.float64]
    directed: bool = False

    def __len__(self) -> int:
        return len(self.a)

    def as_list(self) -> list[tuple[int, int, float]]:
        """The pairs one by one, scores rounded to 3 decimals."""
        return list(zip(self.a.tolist(), self.b.tolist(), np.round(self.scores, 3).tolist(), strict=True))


def unordered_pairs(a: NDArray[np.int64], b: NDArray[np.int64], scores: NDArray[np.float64]) -> Pairs:
    """Pairs in whichever order, each once, as pairs a < b in their order."""
    first, second = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((second, first))
    return Pairs(first[order], second[order], scores[order])


def directed_pairs(found: Resembling) -> Pairs:
    """Pairs a -> b as a join found them."""
    return Pairs(found.a, found.b, found.scores, directed=True)


def symmetric_pairs(found: Resembling) -> Pairs:
    """Pairs a < b as a join found them."""
    return Pairs(found.a, found.b, found.scores)


def equal(met: SharedCounts) -> Pairs:
    """Pairs of a method that knows only yes and no: every score is 1."""
    return Pairs(met.a, met.b, np.ones(len(met.a), dtype=np.float64))
