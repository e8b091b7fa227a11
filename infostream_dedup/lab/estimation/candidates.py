"""Samples candidate pairs by a hash of the pair and compares them; duplicates are estimated from these."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.facts import DAY
from infostream_dedup.judging.evidence.pair_evidence import compared, shares_of_pairs
from infostream_dedup.lab.estimation.kernels.copies import DatedSources, GradedLinks, SmallestPairs, draw_pairs
from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.facts import DocumentFacts
    from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
    from infostream_dedup.judging.evidence.records import EvidenceRecords
    from infostream_dedup.lab.estimation.census import SharedWording
    from infostream_dedup.lab.estimation.copy_scores import Links
    from infostream_dedup.lab.estimation.kernels.copies import Universe
    from infostream_dedup.links import SimilarityMatrix


CANDIDATE_COUNT: Final = 3
"""Key terms of one document that the other must contain in a candidate pair."""

MOST_CANDIDATES: Final = 50_000
MOST_LINKS: Final = 20_000
"""Maximum number of links that are checked."""
MOST_FAR_LINKS: Final = 5_000

_FAR: Final = 60 * DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLinks:
    """Links at the checked step and above, sampled separately."""

    sources: NDArray[np.int64]  # int64 (2, pairs), source of each document, `NO_SOURCE` if it is unknown
    grades: NDArray[np.uint8]  # uint8 (pairs,), largest step at which both directions count
    evidence: NDArray[np.float64]  # float64 (pairs, COLUMNS)
    # float64 (far pairs, COLUMNS), evidence of links between different sources more than 60 days apart, inside or
    # outside the window
    far: NDArray[np.float64]
    far_links: int  # number of these links; `far` may be a sample


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCandidates:
    """Candidates with the evidence of each pair."""

    a: NDArray[np.int64]  # int64 (pairs,), ordinals
    b: NDArray[np.int64]  # int64 (pairs,), ordinals
    grades: NDArray[np.uint8]  # uint8 (pairs,), largest step at which both directions count
    evidence: NDArray[np.float64]  # float64 (pairs, COLUMNS)
    texts: NDArray[np.int64]  # int64 (documents,), number of the text of each document, equal for equal texts
    links: CheckedLinks  # links used to check the fit
    checked_step: int  # step at which links are checked: k = 6
    lowest_step: int  # lowest step that may be recommended


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCandidates:
    """Sampled pairs: int64 (2, pairs) each, ordinals a < b, sorted by the later document."""

    pairs: NDArray[np.int64]  # candidates
    linked: NDArray[np.int64]  # links at the checked step
    far: NDArray[np.int64]  # links between different sources more than 60 days apart
    far_links: int  # number of all such links

    def documents(self) -> NDArray[np.int64]:
        """Ordinals of the documents of all pairs, ascending."""
        return np.unique(np.concatenate([self.pairs, self.linked, self.far], axis=1))


def draw_candidates(
    matrix: SimilarityMatrix,
    links: Links,
    *,
    facts: DocumentFacts,
    universe: Universe,
    languages: NDArray[np.uint8],
    checked_step: int,
) -> DrawnCandidates:
    """Draw candidates and links."""
    most = (MOST_CANDIDATES, MOST_LINKS, MOST_FAR_LINKS)
    graded = GradedLinks(links.indptr, links.indices, matrix.counts.data, links.grades)
    published = DatedSources(facts.sources, facts.times, facts.times != NO_TIME)
    threads = thread_count(0)
    samples = [tuple(map(_room_for_pairs, most)) for _ in range(threads)]
    rows = np.searchsorted(links.indptr, np.linspace(0, links.indptr[-1], threads + 1)).tolist()
    rows[0], rows[-1] = 0, len(links.indptr) - 1

    def draw(thread: int) -> None:
        drawn, linked, far = samples[thread]
        draw_pairs(
            graded,
            universe,
            languages,
            published,
            least=CANDIDATE_COUNT,
            step=checked_step,
            far_apart=_FAR,
            first=rows[thread],
            last=rows[thread + 1],
            drawn=drawn,
            linked=linked,
            far=far,
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(draw, range(threads)))
    drawn, linked, far = (_smallest(parts, size) for parts, size in zip(zip(*samples, strict=True), most, strict=True))
    return DrawnCandidates(
        pairs=drawn, linked=linked, far=far, far_links=sum(int(sample[2].state[1]) for sample in samples)
    )


def compare_candidates(
    drawn: DrawnCandidates,
    links: Links,
    keys: ComparedKeys,
    *,
    records: EvidenceRecords,
    wording: SharedWording,
    facts: DocumentFacts,
    checked_step: int,
    lowest_step: int,
) -> ComparedCandidates:
    """Compare the documents of candidates."""
    documents = drawn.documents()
    records = records.some(documents)

    def compare(pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        a, b = np.searchsorted(documents, pairs)
        found = compared(a, b, shares_of_pairs(a, b, keys), keys=keys, records=records, triples=None)
        wording.fill_in(pairs[0], pairs[1], found)
        return found

    (a, b), (one, other) = drawn.pairs, drawn.linked
    # Equal numbers for equal texts; each document without a text has its own.
    own = np.arange(len(facts.texts)) + int(facts.texts.max(initial=-1)) + 1
    texts = np.unique(np.where(facts.texts >= 0, facts.texts, own), return_inverse=True)[1].astype(np.int64)
    return ComparedCandidates(
        a=a,
        b=b,
        grades=links.grades_of(a, b),
        evidence=compare(drawn.pairs),
        texts=texts,
        links=CheckedLinks(
            sources=facts.sources[drawn.linked],
            grades=links.grades_of(one, other),
            evidence=compare(drawn.linked),
            far=compare(drawn.far),
            far_links=drawn.far_links,
        ),
        checked_step=checked_step,
        lowest_step=lowest_step,
    )


def _room_for_pairs(most: int) -> SmallestPairs:
    room = 2 * most
    a, b = (np.empty(room, dtype=np.int32) for _ in range(2))
    bound = np.full(1, np.iinfo(np.uint64).max, dtype=np.uint64)
    return SmallestPairs(np.empty(room, dtype=np.uint64), a, b, np.zeros(2, dtype=np.int64), bound)


def _smallest(parts: Sequence[SmallestPairs], most: int) -> NDArray[np.int64]:
    """The pairs with the smallest hashes of all threads."""
    hashes, a, b = (
        np.concatenate([getattr(one, name)[: one.state[0]] for one in parts]) for name in ("hashes", "a", "b")
    )
    chosen = np.argsort(hashes)[:most]
    pairs = np.stack([a[chosen], b[chosen]]).astype(np.int64)
    return pairs[:, np.lexsort(pairs)]
