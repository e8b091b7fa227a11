"""Samples candidate pairs by a hash of the pair and compares them; duplicates are estimated from these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.batch.pair_table import LinkedPairs
from infostream_dedup.estimation.universe import in_universe
from infostream_dedup.evidence.facts import DAY, NO_TIME
from infostream_dedup.evidence.pair_evidence import compared, shares_of_pairs
from infostream_dedup.links.similarity_matrix import at_least

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.estimation.copy_scores import Links
    from infostream_dedup.estimation.kernels.finding_copies import Universe
    from infostream_dedup.estimation.shared_wording import SharedWording
    from infostream_dedup.evidence.facts import DocumentFacts
    from infostream_dedup.evidence.pair_evidence import ComparedKeys
    from infostream_dedup.evidence.records import EvidenceRecords
    from infostream_dedup.links import SimilarityMatrix

__all__ = ["CANDIDATE_COUNT", "CheckedLinks", "ComparedCandidates", "DrawnPairs", "compare_candidates"]

CANDIDATE_COUNT: Final = 3
"""Key terms of one document that the other must contain in a candidate pair."""

MOST_CANDIDATES: Final = 50_000
MOST_LINKS: Final = 20_000
"""Maximum number of links that are checked."""
MOST_FAR_LINKS: Final = 5_000

_FAR: Final = 60 * DAY

_GOLDEN: Final = 0x9E3779B97F4A7C15
_ALL_BITS: Final = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLinks:
    """Links at the checked step and above, sampled separately.

    Attributes:
        grades: uint8 (pairs,), largest step at which both directions count.
        evidence: float64 (pairs, COLUMNS).
        far: float64 (far pairs, COLUMNS), evidence of links between different sources more than 60 days apart, inside
        or outside the window.
        far_links: number of these links; ``far`` may be a sample.
    """

    grades: NDArray[np.uint8]
    evidence: NDArray[np.float64]
    far: NDArray[np.float64]
    far_links: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCandidates:
    """Candidates with the evidence of each pair.

    Attributes:
        a: int64 (pairs,), ordinals.
        b: int64 (pairs,), ordinals.
        grades: uint8 (pairs,), largest step at which both directions count.
        evidence: float64 (pairs, COLUMNS).
        texts: int64 (documents,), number of the text of each document, equal for equal texts.
        links: links used to check the fit.
        checked_step: step at which links are checked: k = 6.
        lowest_step: lowest step that may be recommended.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    grades: NDArray[np.uint8]
    evidence: NDArray[np.float64]
    texts: NDArray[np.int64]
    links: CheckedLinks
    checked_step: int
    lowest_step: int


class DrawnPairs:
    """Keeps the pairs with the smallest hashes, in whatever order pairs are added.

    Args:
        most: maximum number of pairs to keep.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = np.zeros((3, 0), dtype=np.uint64)
        self.total = 0

    def add(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> None:
        """Add pairs, each at most once."""
        self.total += len(a)
        hashes = hash_of_pairs(a, b)
        if self._kept.shape[1] == self._most > 0:
            # The kept pairs are in the order of their hashes.
            small = hashes <= self._kept[0, -1]
            a, b, hashes = a[small], b[small], hashes[small]
        new = np.stack([hashes, a.astype(np.uint64), b.astype(np.uint64)])
        both = np.concatenate([self._kept, new], axis=1)
        if both.shape[1] >= self._most:
            both = both[:, np.lexsort((both[2], both[1], both[0]))[: self._most]]
        self._kept = both

    def may_keep(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Bool (pairs,): pairs that ``add`` might keep now; the others need no further test."""
        if self._kept.shape[1] < self._most:
            return np.ones(len(a), dtype=np.bool_)
        return np.asarray(hash_of_pairs(a, b) <= self._kept[0, -1], dtype=np.bool_)

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ordinals of the pairs, sorted by the later document."""
        _, a, b = self._kept.astype(np.int64)
        order = np.lexsort((a, b))
        return a[order], b[order]


def hash_of_pairs(a: NDArray[np.int64], b: NDArray[np.int64], *, seed: int = 0) -> NDArray[np.uint64]:
    """Uint64 (pairs,), evenly distributed; depends only on the two ordinals and the seed."""
    state = a.astype(np.uint64) << np.uint64(32) | b.astype(np.uint64)
    state ^= np.uint64(seed * _GOLDEN & _ALL_BITS)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
    return state ^ (state >> np.uint64(31))


def compare_candidates(
    matrix: SimilarityMatrix,
    links: Links,
    keys: ComparedKeys,
    *,
    records: EvidenceRecords,
    wording: SharedWording,
    facts: DocumentFacts,
    universe: Universe,
    languages: NDArray[np.uint8],
    checked_step: int,
    lowest_step: int,
) -> ComparedCandidates:
    """Draw candidates and links, and compare their documents.

    Args:
        matrix: counts of at least ``CANDIDATE_COUNT``, or all that are stored.
        links: the same links with grades.
        keys: 30 key terms of each document.
        records: packed evidence of all documents.
        wording: their wording.
        facts: sources, dates and texts.
        universe: pairs to draw from; series are left out.
        languages: uint8 (documents,); only pairs within one language are drawn.
        checked_step: lowest step at which links are checked.
        lowest_step: lowest step that may be recommended.
    """
    drawn, checked, far = DrawnPairs(MOST_CANDIDATES), DrawnPairs(MOST_LINKS), DrawnPairs(MOST_FAR_LINKS)
    pairs = LinkedPairs(at_least(matrix.counts, CANDIDATE_COUNT))
    for block in pairs.blocks:
        a, b, forward, backward = pairs.of(block)
        alike = languages[a] == languages[b]
        a, b = a[alike], b[alike]
        # Links are checked that have ``CANDIDATE_COUNT`` terms in both directions; need(k) is no less.
        linked = (forward[alike] > 0) & (backward[alike] > 0)
        linked[linked] = links.grades_of(a[linked], b[linked]) >= checked_step
        apart = np.flatnonzero(linked)
        apart = apart[_are_far(facts, a[apart], b[apart])]
        far.add(a[apart], b[apart])
        asked = linked | drawn.may_keep(a, b)
        a, b, linked = a[asked], b[asked], linked[asked]
        inside, series = in_universe(universe, a, b)
        kept = inside & ~series
        drawn.add(a[kept], b[kept])
        checked.add(a[kept & linked], b[kept & linked])

    def compare(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        shares = shares_of_pairs(a, b, keys)
        found = compared(a, b, shares, keys=keys, records=records, triples=None)
        wording.fill_in(a, b, found)
        return found

    (a, b), (one, other) = drawn.pairs(), checked.pairs()
    return ComparedCandidates(
        a=a,
        b=b,
        grades=links.grades_of(a, b),
        evidence=compare(a, b),
        texts=_numbers_of_texts(facts),
        links=CheckedLinks(
            grades=links.grades_of(one, other),
            evidence=compare(one, other),
            far=compare(*far.pairs()),
            far_links=far.total,
        ),
        checked_step=checked_step,
        lowest_step=lowest_step,
    )


def _are_far(facts: DocumentFacts, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    sources, times = facts.sources, facts.times
    known = (sources[a] >= 0) & (sources[b] >= 0) & (times[a] != NO_TIME) & (times[b] != NO_TIME)
    apart = np.abs(np.where(known, times[a] - times[b], 0))
    return np.asarray(known & (sources[a] != sources[b]) & (apart > _FAR), dtype=np.bool_)


def _numbers_of_texts(facts: DocumentFacts) -> NDArray[np.int64]:
    """Equal numbers for equal texts; each document without a text has its own number."""
    own = np.arange(len(facts.texts)) + int(facts.texts.max(initial=-1)) + 1
    return np.unique(np.where(facts.texts >= 0, facts.texts, own), return_inverse=True)[1].astype(np.int64)
