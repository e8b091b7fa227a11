"""Classes of sentences with equal bags, and classes that resemble each other.

A sentence that a thousand documents repeat is compared only once. Bags are compared by the multiset Jaccard,
sum of the smaller over sum of the larger frequencies (Yu et al., section 4; Theobald et al., SIGIR 2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.passages.kernels.bag_pairs import InvertedLists, find_pairs, list_starts, sort_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_ALIKE: Final = 1000
"""A sentence that resembles more other sentences is made from a template, such as a daily rate: it has equal copies
only. Otherwise, 20,000 sentences from one template in a collection would make 200,000,000 pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class BagIndex:
    """Bags prepared for comparison.

    Attributes:
        class_of: int32 (sentences,), -1 for an empty bag. Classes are in order of size.
        bags: int32 ranks of the elements of each class, the rarest first.
        elements: number of distinct elements.
        lonely: number of elements that occur once; they have the lowest ranks.
        postings: distinct elements summed over all sentences, the length of the inverted lists in the paper.
    """

    class_of: NDArray[np.int32]
    bags: Ragged
    elements: int
    lonely: int
    postings: int


@dataclass(frozen=True, slots=True, eq=False)
class SentenceClasses:
    """Sentences that are copies of each other.

    Attributes:
        class_of: int32 (sentences,), -1 for a sentence without copies.
        members: int64, sentences of each class, ascending.
        alike: int32, other classes that resemble each class, ascending; none if they are more than ``MOST_ALIKE``.
    """

    class_of: NDArray[np.int32]
    members: Ragged
    alike: Ragged

    def pairs(self) -> NDArray[np.int64]:
        """Return all pairs of copies: int64 (pairs, 2), each ascending, in order. For tests and reports."""
        found = [np.zeros((0, 2), dtype=np.int64)]
        for number in range(len(self.members)):
            own = self.members.row(number)
            first, second = np.triu_indices(len(own), 1)
            found.append(np.stack((own[first], own[second]), axis=1))
            for other in self.alike.row(number).tolist():
                if other > number:
                    theirs = self.members.row(other)
                    found.append(np.stack((np.repeat(own, len(theirs)), np.tile(theirs, len(own))), axis=1))
        pairs = np.sort(np.concatenate(found), axis=1)
        return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))], dtype=np.int64)


def sentence_classes(bags: Ragged, tau: float) -> SentenceClasses:
    """Find classes of equal bags, and classes that resemble each other.

    Args:
        bags: uint64, with repetitions, one row per sentence.
        tau: minimum multiset Jaccard, above 0 to 1.

    Example:
        >>> from infostream_dedup.judging.features.rows import rows_from
        >>> found = sentence_classes(rows_from([[1, 2, 3], [2, 3, 1], [1, 2], [9]], np.uint64), 0.6)
        >>> found.pairs().tolist()
        [[0, 1], [0, 2], [1, 2]]
    """
    return matched(index_bags(bags), tau)


def index_bags(bags: Ragged) -> BagIndex:
    """Sort the elements of each bag, and number classes of equal bags.

    Args:
        bags: uint64, with repetitions, one row per sentence.
    """
    elements, place, df = np.unique(bags.values, return_inverse=True, return_counts=True)
    rank = np.empty(len(elements), dtype=np.int32)
    rank[np.argsort(df, kind="stable")] = np.arange(len(elements), dtype=np.int32)
    ranks = rank[place]
    hashes = np.empty(len(bags), dtype=np.uint64)
    sort_rows(bags.indptr, ranks, hashes)
    new = np.ones(len(ranks), dtype=np.bool_)
    new[1:] = ranks[1:] != ranks[:-1]
    new[bags.indptr[:-1][bags.sizes > 0]] = True
    class_of, first = _classes(hashes, bags.sizes)
    return BagIndex(
        class_of, Ragged(bags.indptr, ranks).rows(first), len(elements), int((df == 1).sum()), int(new.sum())
    )


def matched(index: BagIndex, tau: float) -> SentenceClasses:
    """Compare the classes of an index.

    Args:
        tau: minimum multiset Jaccard, above 0 to 1.
    """
    if not 0 < tau <= 1:
        raise ConfigurationError(f"tau is {tau}, expected a number above 0 to 1")
    classes = len(index.bags)
    pairs = _alike(index, float(tau))
    one, other = np.concatenate((pairs, pairs[:, ::-1])).T
    order = np.lexsort((other, one))
    alike = Ragged(_bounds(one, classes), other[order])
    kept = np.flatnonzero(index.class_of >= 0)
    members = kept[np.argsort(index.class_of[kept], kind="stable")]
    return SentenceClasses(index.class_of, Ragged(_bounds(index.class_of[kept], classes), members), alike)


def _alike(index: BagIndex, tau: float) -> NDArray[np.int32]:
    """Pairs of different classes that match: int32 (pairs, 2), the smaller number first."""
    indptr, ranks, rows = index.bags.indptr, index.bags.values, len(index.bags)
    starts = np.zeros(index.elements - index.lonely + 1, np.int64)
    list_starts(indptr, ranks, index.lonely, tau, starts)
    holders, places = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)
    counts = np.zeros(rows, np.int32)
    lists = InvertedLists(starts[:-1].copy(), starts[:-1].copy(), holders, places, np.full(rows, -1, np.int32), counts)
    pairs, used = np.empty((2 * MOST_ALIKE, 2), np.int32), np.zeros(1, np.int64)
    row = 0
    while (row := find_pairs(row, indptr, ranks, index.lonely, tau, MOST_ALIKE, lists, pairs, used)) < rows:
        pairs = np.concatenate((pairs, np.empty_like(pairs)))
    pairs = pairs[: used[0]]
    return pairs[(counts[pairs] <= MOST_ALIKE).all(axis=1)]


def _bounds(numbers: NDArray[np.int32], rows: int) -> NDArray[np.int64]:
    return offsets_of(np.bincount(numbers, minlength=rows))


def _classes(hashes: NDArray[np.uint64], sizes: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the class of each row, in order of size and first row, and the first row of each class."""
    filled = np.flatnonzero(sizes > 0)
    _, first, place = np.unique(hashes[filled], return_index=True, return_inverse=True)
    first = filled[first]
    order = np.lexsort((first, sizes[first]))
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    class_of = np.full(len(sizes), -1, dtype=np.int32)
    class_of[filled] = number[place]
    return class_of, first[order]
