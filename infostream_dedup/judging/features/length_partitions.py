"""Pairs of bags that resemble each other, by partitions of their sizes and pruned inverted lists.

M. Theobald, J. Siddharth, A. Paepcke: SpotSigs, SIGIR 2008, section 4: bags whose sizes differ too much cannot resemble
one another, so each is compared only within its own partition of sizes and the next one; the rarest elements of a bag
are looked up first, and the search ends when too much of the bag has not been found.

Two bounds of the authors' code are not used:

* it stops comparing two bags by a bound that holds for sets only ({x: 1, y: 9} and {x: 2, y: 8} resemble one another by
  .818, and it gives up at .81);
* it skips a smaller B when delta + |A| - |B| > (1 - tau) |A|, where delta elements of A were not found. Those
  elements are part of what A has more than B, so they count twice: a B inside A, with |B| = 6 and |A| = 10, resembles A
  by .6 and is skipped at tau = .6 as soon as delta = 1. Here the smaller bag always asks for the larger.

Every bound here is one inequality: with m the most that can still match, J <= m / (|A| + |B| - m).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.features.set_join import Resembling

_SLACK: Final = 1e-9

_Bag = Mapping[int, int]


def partition_bounds(shortest: int, longest: int, tau: float) -> list[int]:
    """Return the largest size of every partition.

    Within a partition the largest bag may still resemble the smallest; a bag of one partition never resembles a bag of
    the next but one.

    Args:
        shortest: smallest size, at least 1.
        tau: minimum resemblance, above 0 to 1.

    Example:
        >>> partition_bounds(4, 20, 0.5)
        [9, 20]
    """
    bounds: list[int] = []
    first = shortest
    for size in range(shortest, longest):
        if size - first > (1 - tau) * size:
            bounds.append(size)
            first = size + 1
    return [*bounds, longest]


def weighted_jaccard(a: _Bag, b: _Bag, size_a: int, size_b: int, tau: float) -> float:
    """Return the sum of smaller over the sum of larger frequencies, or 0 as soon as it must be below tau.

    If m is the intersection so far and r the smaller rest of both bags, it is at most (m + r) / (|A| + |B| - m - r).
    """
    met = 0
    left_a, left_b = size_a, size_b
    for element, frequency in a.items():
        other = b.get(element, 0)
        met += min(frequency, other)
        left_a -= frequency
        left_b -= other
        possible = met + min(left_a, left_b)
        if possible < tau * (size_a + size_b - possible) - _SLACK:
            return 0.0
    return met / (size_a + size_b - met)


def resembling_bags(bags: Ragged, tau: float) -> Resembling:
    """Find unordered pairs a < b with a multiset resemblance of at least tau; empty bags have no pairs.

    Args:
        tau: above 0 to 1.
    """
    found = sorted(_Search(bags, tau).pairs())
    return Resembling(
        np.array([pair[0] for pair in found], dtype=np.int64),
        np.array([pair[1] for pair in found], dtype=np.int64),
        np.array([pair[2] for pair in found], dtype=np.float64),
    )


@dataclass(frozen=True, slots=True)
class _Partition:
    """Bags of similar sizes.

    Attributes:
        last: largest size in the partition.
        documents: documents of the bags, by size, then ordinal.
        holders: for each element the documents that contain it, largest first.
    """

    last: int
    documents: list[int]
    holders: dict[int, list[int]]


class _Search:
    """Searches all pairs: every bag looks up those after it in the order of (size, document)."""

    def __init__(self, rows: Ragged, tau: float) -> None:
        self.tau = tau
        self.sizes = rows.sizes.tolist()
        self.bags: list[_Bag] = [Counter(rows.row(document).tolist()) for document in range(len(rows))]
        self.partitions = self._partitions()

    def pairs(self) -> Iterator[tuple[int, int, float]]:
        for number, partition in enumerate(self.partitions):
            for document in partition.documents:
                yield from self._search_partition(document, partition)
                size = self.sizes[document]
                if number + 1 < len(self.partitions) and partition.last - size <= (1 - self.tau) * partition.last:
                    yield from self._search_partition(document, self.partitions[number + 1])

    def _partitions(self) -> list[_Partition]:
        order = sorted((size, document) for document, size in enumerate(self.sizes) if size)
        if not order:
            return []
        partitions = [_Partition(last, [], {}) for last in partition_bounds(order[0][0], order[-1][0], self.tau)]
        number = 0
        for size, document in order:
            while size > partitions[number].last:
                number += 1
            partitions[number].documents.append(document)
        for partition in partitions:
            for document in reversed(partition.documents):
                for element in self.bags[document]:
                    partition.holders.setdefault(element, []).append(document)
        return partitions

    def _search_partition(self, a: int, partition: _Partition) -> Iterator[tuple[int, int, float]]:
        """Find pairs of one bag with larger bags of a partition."""
        bag, size = self.bags[a], self.sizes[a]
        holders = partition.holders
        elements = sorted(bag, key=lambda element: (len(holders.get(element, ())), element))
        seen: set[int] = set()
        delta = 0
        for element in elements:
            # A bag not found yet lacks the delta elements; at best it has all others and nothing else.
            if size - delta < self.tau * size - _SLACK:
                return
            for b in holders.get(element, ()):
                if (self.sizes[b], b) <= (size, a):
                    break
                if b not in seen:
                    seen.add(b)
                    yield from self._judge_pair(a, b, delta)
            delta += bag[element]

    def _judge_pair(self, a: int, b: int, delta: int) -> Iterator[tuple[int, int, float]]:
        size, other = self.sizes[a], self.sizes[b]
        most = min(size - delta, other)
        if most < self.tau * (size + other - most) - _SLACK:
            return
        score = weighted_jaccard(self.bags[a], self.bags[b], size, other, self.tau)
        if score >= self.tau - _SLACK:
            yield min(a, b), max(a, b), score
