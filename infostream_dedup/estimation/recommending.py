"""Which k to use: the one with the best F1 that is known without labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from infostream_dedup.estimation.duplicate_scores import LOWEST_K
from infostream_dedup.links import Recommendation

if TYPE_CHECKING:
    from infostream_dedup.estimation.copy_scores import CopyScores
    from infostream_dedup.estimation.duplicate_scores import DuplicateEstimate

__all__ = ["DEFAULT_K", "FEWEST_COPIES", "recommended_k"]

DEFAULT_K: Final = 6
"""Where nothing better is known: the paper's own."""

FEWEST_COPIES: Final = 50
"""Fewer copies say nothing about the best k."""


def recommended_k(
    copies: Sequence[CopyScores], estimate: DuplicateEstimate | None = None, *, n: int = 12
) -> Recommendation:
    """Choose k: by the estimate where it is reliable, else by the count if there are enough copies, else 6.

    Args:
        copies: what was counted at each k, in any order; none where nothing could be counted.
        estimate: estimate of the duplicates, if any.
        n: the largest k.
    """
    if estimate is not None and estimate.code == "reliable":
        best = max((one for one in estimate.scores if one.step >= LOWEST_K), key=lambda one: (one.f1, -one.step))
        return Recommendation(best.step, f"estimated: F1 of the links as duplicates is greatest ({best.f1:.2f})")
    counted = [one for one in copies if one.step >= LOWEST_K]
    if counted and counted[0].copies >= FEWEST_COPIES:
        most = max(counted, key=lambda one: (one.f1, -one.step))
        found = f"counted: F1 of the links as copies is greatest ({most.f1:.2f}; {most.copies} copies)"
        return Recommendation(most.step, found)
    number = f"{counted[0].copies} copies" if counted else "no copies counted"
    return Recommendation(min(DEFAULT_K, n), f"default: {number}, fewer than the {FEWEST_COPIES} that a choice needs")
