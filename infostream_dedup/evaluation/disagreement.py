"""Pairs on which methods disagree, drawn for an expert to judge.

Most pairs on which any two methods disagree come from the one that finds most. So pairs are first sorted by which
methods find them, and each such kind gives one pair in turn, the largest kinds first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.evaluation.overlap import found_by
from infostream_dedup.evaluation.pair_codes import both_of
from infostream_dedup.evaluation.pair_features import PairFeatures, pair_features
from infostream_dedup.methods import Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ComparedPair", "agreed", "compared_pairs", "disputed"]


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """One pair as an example.

    Attributes:
        a: id of the earlier document.
        b: id of the later one.
        found_by: methods that find it, in the order of the comparison.
        of_kind: how many pairs exactly these methods find: what this one stands for in a sample.
        features: what meets in it.
    """

    a: str
    b: str
    found_by: list[str]
    of_kind: int
    features: PairFeatures

    def as_dict(self) -> dict[str, Any]:
        """A row of a labels file that waits for its label: ``label`` is ``None``."""
        return {
            "a": self.a,
            "b": self.b,
            "label": None,
            "found_by": self.found_by,
            "of_kind": self.of_kind,
            **self.features.as_dict(),
        }


def disputed(
    found: Mapping[str, NDArray[np.int64]], number: int, *, known: NDArray[np.int64] | None = None, seed: int = 0
) -> NDArray[np.int64]:
    """Pairs that some methods find and others do not.

    Args:
        found: for each method int64, ascending codes of its pairs.
        number: how many to draw; fewer where there are not so many.
        known: int64, ascending codes that are judged already and left out.
        seed: of the draw; the same for every version of numpy.

    Returns:
        int64, codes in the order of the draw: any beginning of them is as mixed as the whole.
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
    chance = np.random.PCG64(seed).random_raw(len(codes))
    order = np.lexsort((codes, chance, kind))
    turn = np.empty(len(codes), dtype=np.int64)
    turn[order] = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(codes[np.lexsort((rank_of_kind[kind], turn))][:number], dtype=np.int64)


def agreed(found: Mapping[str, NDArray[np.int64]], number: int) -> NDArray[np.int64]:
    """Pairs that the most methods find, spread evenly over them.

    Args:
        found: for each method int64, ascending codes of its pairs.
        number: how many to take; fewer where there are not so many.
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
    """Pairs with the methods that find them and what meets in them.

    Args:
        texts: the collection.
        found: for each method int64, ascending codes of its pairs.
        codes: int64, pairs to show, in this order.
    """
    if not len(codes):
        return []
    names = list(found)
    everything, by = found_by(list(found.values()))
    _, kind, sizes = np.unique(by, axis=0, return_inverse=True, return_counts=True)
    places = np.searchsorted(everything, codes)
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
