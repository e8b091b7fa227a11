"""Which k to use: the one with the best F1 that the estimates know of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from infostream_dedup.links import Recommendation

if TYPE_CHECKING:
    from infostream_dedup.estimation.copy_scores import CopyScores

__all__ = ["DEFAULT_K", "FEWEST_COPIES", "recommended_k"]

DEFAULT_K: Final = 6
"""Where nothing better is known: the paper's own."""

FEWEST_COPIES: Final = 50
"""Fewer copies say nothing about the best k."""

_LOWEST_K: Final = 3


def recommended_k(copies: Sequence[CopyScores]) -> Recommendation:
    """Choose k.

    Args:
        copies: what was counted at each k, in any order; none where nothing could be counted.
    """
    counted = [one for one in copies if one.step >= _LOWEST_K]
    if counted and counted[0].copies >= FEWEST_COPIES:
        best = max(counted, key=lambda one: (one.f1, -one.step))
        return Recommendation(
            best.step,
            f"counted: F1 of the links as copies is greatest ({best.f1:.2f}; {best.copies} copies)",
        )
    found = f"{counted[0].copies} copies" if counted else "no copies counted"
    return Recommendation(DEFAULT_K, f"default: {found}, fewer than the {FEWEST_COPIES} that a choice needs")
