"""Draws pairs on which methods disagree, for an expert to judge.

Most pairs on which two methods disagree come from the method that finds the most. So pairs are first grouped by which
methods find them, and each such kind contributes one pair in turn, the largest kinds first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.lab.evaluation.overlap import found_by
from infostream_dedup.lab.evaluation.pair_codes import both_of
from infostream_dedup.lab.evaluation.pair_features import PairFeatures, pair_features
from infostream_dedup.lab.methods import Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ComparedPair", "agreed", "compared_pairs", "disputed"]


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A pair as an example.

    Attributes:
        a: id of the earlier document.
        b: id of the later one.
        found_by: names of the methods that find it, in the order of the comparison.
        of_kind: number of pairs found by exactly these methods, which this pair represents in a sample.
        features: what the two documents have in common.
    """

    a: str
    b: str
    found_by: list[str]
    of_kind: int
    features: PairFeatures

    def as_dict(self) -> dict[str, Any]:
        """Return a row of a labels file that has yet to be labelled: ``label`` is ``None``."""
        return {
            "a": self.a,
            "b": self.b,
            "label": None,
            "found_by": self.found_by,
            "of_kind": self.of_kind,
            **self.features.as_dict(),
        }


def disputed(
    found: Mapping[str, NDArray[np.int64]], number: int, *, known: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Draw pairs that some methods find and others do not, the same with any version of numpy.

    Args:
        found: by method, int64 (pairs,), ascending codes of its pairs.
        number: number of pairs to draw; fewer are returned if there are not enough.
        known: int64 (pairs,), ascending codes of pairs already judged, which are left out.

    Returns:
        int64 (pairs,), codes in the order drawn, so that any prefix is as mixed as the whole.
    """
    codes, by = found_by(list(found.values()))
    open_pairs = ~by.all(axis=1)
    if known is not None:
        open_pairs &= ~np.isin(codes, known)
    codes, by = codes[open_pairs], by[open_pairs]
    if not len(codes):
        return np.zeros(0, dtype=np.int64)
    kinds, kind, sizes = np.unique(by, axis=0, return_inverse=True, return_counts=True)
    rank_of_kind = np.empty(len(kinds), dtype=np.int64)
    rank_of_kind[np.argsort(-sizes, kind="stable")] = np.arange(len(kinds))
    chance = np.random.PCG64(0).random_raw(len(codes))
    order = np.lexsort((codes, chance, kind))
    turn = np.empty(len(codes), dtype=np.int64)
    turn[order] = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(codes[np.lexsort((rank_of_kind[kind], turn))][:number], dtype=np.int64)


def agreed(found: Mapping[str, NDArray[np.int64]], number: int) -> NDArray[np.int64]:
    """Pick pairs evenly from those that the most methods find.

    Args:
        found: by method, int64 (pairs,), ascending codes of its pairs.
        number: number of pairs to pick; fewer are returned if there are not enough.

    Returns:
        int64 (pairs,), ascending codes.
    """
    codes, by = found_by(list(found.values()))
    times = by.sum(axis=1)
    best = codes[times == times.max(initial=0)]
    if len(best) <= number:
        return np.asarray(best, dtype=np.int64)
    return np.asarray(best[np.arange(number) * len(best) // number], dtype=np.int64)


def compared_pairs(
    texts: Texts, found: Mapping[str, NDArray[np.int64]], codes: NDArray[np.int64]
) -> list[ComparedPair]:
    """Describe pairs by the methods that find them and what their documents have in common.

    Args:
        texts: the collection.
        found: by method, int64 (pairs,), ascending codes of its pairs.
        codes: int64 (pairs,), pairs to describe, in this order; each is found by some method.
    """
    if not len(codes):
        return []
    names = list(found)
    all_codes, by = found_by(list(found.values()))
    _, kind, sizes = np.unique(by, axis=0, return_inverse=True, return_counts=True)
    places = np.searchsorted(all_codes, codes)
    a, b = both_of(codes, len(texts))
    ids = [document.id for document in texts.documents]
    return [
        ComparedPair(
            ids[one],
            ids[other],
            [name for name, finds in zip(names, by[place].tolist(), strict=True) if finds],
            int(sizes[kind[place]]),
            features,
        )
        for one, other, place, features in zip(
            a.tolist(), b.tolist(), places.tolist(), pair_features(texts, a, b), strict=True
        )
    ]
