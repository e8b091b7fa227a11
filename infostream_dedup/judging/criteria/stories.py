"""Stories of judged pairs, and folds that never separate a story."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Fold", "by_time", "folds", "part_of", "splits", "stories"]

_LARGEST_SHARE: Final = 3
_LEAST_SPLIT: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One split of judged pairs.

    Attributes:
        training: int64, training pairs, ascending.
        test: int64, test pairs, ascending; none of their documents belongs to a story in ``training``.
    """

    training: NDArray[np.int64]
    test: NDArray[np.int64]


def stories(pairs: JudgedPairs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the story of i and of j for each pair: connected components of the judged pairs.

    Random examples of "different" would connect everything. Therefore, if one component would hold more than a third of
    the pairs, pairs labelled ``different`` do not connect, and may link two stories.

    Returns:
        Two of int64 (pairs,), from 0.
    """
    one, other = _components(pairs, np.ones(len(pairs), dtype=np.bool_))
    if len(pairs) and np.bincount(one).max() * _LARGEST_SHARE > len(pairs):
        return _components(pairs, pairs.joined)
    return one, other


def _components(pairs: JudgedPairs, joining: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    from scipy.sparse.csgraph import connected_components

    documents, places = np.unique(np.concatenate((pairs.i, pairs.j)), return_inverse=True)
    i, j = places[: len(pairs)], places[len(pairs) :]
    entries = (np.ones(int(joining.sum())), (i[joining], j[joining]))
    graph = sp.coo_array(entries, shape=(len(documents), len(documents)))
    _, story = connected_components(graph.tocsr(), directed=False)
    return story[i].astype(np.int64), story[j].astype(np.int64)


def folds(pairs: JudgedPairs, number: int) -> list[Fold]:
    """Split by story: every pair is tested once, by a training without the stories of its documents.

    Stories are dealt into ``number`` parts. Pairs inside a part are tested with all pairs outside it, pairs between two
    parts with all pairs outside both; so there are more splits than parts.

    Args:
        pairs: in the order of ``judged_pairs``.
        number: number of parts, at least 2.
    """
    part = part_of(pairs, number)
    one, other = (part[story] for story in stories(pairs))
    low, high = np.minimum(one, other), np.maximum(one, other)
    found = []
    for first in range(number):
        for second in range(first, number):
            touched = np.isin(low, (first, second)) | np.isin(high, (first, second))
            tested = np.flatnonzero((low == first) & (high == second))
            if len(tested):
                found.append(Fold(np.flatnonzero(~touched), tested))
    return found


def splits(pairs: JudgedPairs, number: int) -> list[Fold]:
    """Split like ``folds``, but test all pairs of a part at once; pairs between parts belong to the first part.

    Pairs that share a story with a test pair are not used for training, so training sets are smaller.
    """
    one, other = stories(pairs)
    part = part_of(pairs, number)
    found = []
    for chosen in range(number):
        tested = part[one] == chosen
        taken = np.zeros(len(part), dtype=np.bool_)
        taken[one[tested]] = True
        taken[other[tested]] = True
        found.append(Fold(np.flatnonzero(~taken[one] & ~taken[other]), np.flatnonzero(tested)))
    return found


def part_of(pairs: JudgedPairs, number: int) -> NDArray[np.int64]:
    """Deal stories into parts: int64 (stories,), from 0 to ``number`` - 1.

    The largest stories are dealt first, each to the part that keeps repeats and originals spread most evenly. Equal
    pairs give equal parts.
    """
    one, other = stories(pairs)
    count = int(max(one.max(initial=-1), other.max(initial=-1))) + 1
    positives = np.bincount(one, pairs.repeats, minlength=count)
    negatives = np.bincount(one, ~pairs.repeats, minlength=count)
    kinds = np.stack((positives / max(positives.sum(), 1), negatives / max(negatives.sum(), 1)), axis=1)
    shares = kinds.tolist()
    parts = np.zeros(count, dtype=np.int64)
    loads = [[0.0, 0.0] for _ in range(number)]
    for story in np.lexsort((np.arange(count), -kinds.sum(axis=1))).tolist():
        one_share, other_share = shares[story]
        # The sum of squares is least where both kinds are spread evenly.
        growth = [one_share * (2 * load[0] + one_share) + other_share * (2 * load[1] + other_share) for load in loads]
        parts[story] = chosen = growth.index(min(growth))
        loads[chosen][0] += one_share
        loads[chosen][1] += other_share
    return parts


def by_time(pairs: JudgedPairs, times: NDArray[np.float64], share: float = 0.5) -> Fold | None:
    """Split at a moment: train on pairs complete before it, test on pairs that begin after it.

    The moment is when ``share`` of the repeating pairs with known times were complete. Pairs that straddle it, or whose
    times are not known, are left out.

    Args:
        pairs: judged pairs.
        times: float64 (documents,), NaN if unknown.
        share: above 0, below 1.

    Returns:
        The split; ``None`` if fewer than two repeating pairs have times.
    """
    first, last = np.minimum(times[pairs.i], times[pairs.j]), np.maximum(times[pairs.i], times[pairs.j])
    known = ~np.isnan(last)
    moments = np.sort(last[known & pairs.repeats])
    if len(moments) < _LEAST_SPLIT:
        return None
    moment = moments[int(share * len(moments))]
    return Fold(np.flatnonzero(known & (last < moment)), np.flatnonzero(known & (first >= moment)))
