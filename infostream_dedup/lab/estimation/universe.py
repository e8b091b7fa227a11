"""Which pairs of documents an estimate covers: near in time, if there are dates, and not too short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.evidence.facts import DAY, NO_TIME
from infostream_dedup.judging.evidence.kernels.packing import TITLE_AT
from infostream_dedup.lab.estimation.kernels.finding_copies import Universe

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.facts import DocumentFacts
    from infostream_dedup.judging.evidence.records import EvidenceRecords

__all__ = ["ALL_PAIRS", "DATED_SHARE", "LEAST_TOKENS", "WINDOW_DAYS", "CountedPairs", "counted_pairs"]

LEAST_TOKENS: Final = 20
"""Minimum length of counted texts, in words: shorter ones would be copies after five equal words."""

DATED_SHARE: Final = 0.9
"""Minimum share of dated documents for counting only pairs near in time."""

WINDOW_DAYS: Final = 7

ALL_PAIRS: Final = -1
"""Stands in for the window of a universe that has none."""


@dataclass(frozen=True, slots=True)
class CountedPairs:
    """The pairs that are counted, and the documents left out.

    Attributes:
        universe: the universe as compiled code takes it.
        short: number of documents with fewer than ``LEAST_TOKENS`` words.
        undated: number of longer documents without a date, left out if ``windowed``.
    """

    universe: Universe
    short: int
    undated: int

    @property
    def windowed(self) -> bool:
        """Whether only pairs at most ``WINDOW_DAYS`` apart are counted, and series separately."""
        return self.universe.window != ALL_PAIRS

    @property
    def documents(self) -> int:
        """Number of documents that are counted."""
        return int(self.universe.counted.sum())

    def as_dict(self) -> dict[str, Any]:
        """The universe as part of a result."""
        window = WINDOW_DAYS if self.windowed else None
        return {"documents": self.documents, "days": window, "short": self.short, "undated": self.undated}


def counted_pairs(facts: DocumentFacts, records: EvidenceRecords) -> CountedPairs:
    """Choose the pairs that are counted.

    If at least ``DATED_SHARE`` of the documents have dates, these are pairs of dated documents at most ``WINDOW_DAYS``
    apart, and pairs that one source printed on different days under different titles are series. Otherwise, all pairs
    are counted and there are no series.

    Args:
        facts: sources and dates of the documents.
        records: their evidence.
    """
    at, dated = records.begins[:-1], facts.times != NO_TIME
    long_enough = records.words[at].astype(np.int64) >= LEAST_TOKENS
    short = int(len(at) - long_enough.sum())
    none = np.zeros(len(at), dtype=np.int64)
    if len(at) == 0 or dated.mean() < DATED_SHARE:
        return CountedPairs(Universe(long_enough, ALL_PAIRS, none, none, none - 1, none), short, 0)
    times = np.where(dated, facts.times, 0)
    universe = Universe(
        counted=long_enough & dated,
        window=WINDOW_DAYS * DAY,
        times=times,
        days=times // DAY,
        sources=facts.sources,
        titles=records.words[at + TITLE_AT].astype(np.int64),
    )
    return CountedPairs(universe, short, int((long_enough & ~dated).sum()))


def in_universe(
    universe: Universe, a: NDArray[np.int64], b: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Bool (pairs,) twice: whether pairs are in the universe, and whether they are series.

    Args:
        universe: what is counted.
        a: int64 (pairs,), ordinals.
        b: int64 (pairs,), ordinals.
    """
    inside = universe.counted[a] & universe.counted[b]
    if universe.window >= 0:
        inside &= np.abs(universe.times[a] - universe.times[b]) <= universe.window
    one, other = universe.titles[a], universe.titles[b]
    same = (universe.sources[a] == universe.sources[b]) & (universe.sources[a] >= 0)
    series = same & (universe.days[a] != universe.days[b]) & (one != 0) & (other != 0) & (one != other)
    return inside, series & inside
