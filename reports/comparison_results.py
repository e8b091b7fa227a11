"""What the methods found in one collection, as the pages of the comparison ask for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from infostream_dedup.lab.evaluation.comparison import Comparison
from infostream_dedup.lab.evaluation.method_runs import MethodRuns

BEST = "key-terms-morph:n=30:score=share"

FEWEST_VERIFIED = 30
"""Pools of fewer pairs say nothing about orderings."""


@dataclass
class Judged:
    """All measurements, by corpus and by set.

    Attributes:
        runs: results of the methods on each corpus.
        sets: comparison by labels for each labelled set.
        pools: comparison by the pool for each corpus.
        cross: comparison by labels for each set across languages.
    """

    runs: dict[str, MethodRuns]
    sets: dict[str, Comparison]
    pools: dict[str, Comparison]
    cross: dict[str, Comparison]

    def add(self, other: Judged) -> None:
        """Take what was measured on another corpus."""
        self.runs |= other.runs
        self.sets |= other.sets
        self.pools |= other.pools
        self.cross |= other.cross


def all_comparisons(judged: Judged) -> Iterable[tuple[str, Comparison]]:
    """Give the comparisons by labels and by pools that have verified pairs enough, each with its caption."""
    yield from ((f"{name}, labels", found) for name, found in judged.sets.items())
    for name, found in judged.pools.items():
        if found.pool is not None and found.pool.verified >= FEWEST_VERIFIED:
            yield f"{name}, pool", found


def as_figure(found: Comparison, method: str, figure: str) -> Any:
    """Look up one figure of one method."""
    return next(row.as_dict().get(figure) for row in found.rows if row.run.name == method)
