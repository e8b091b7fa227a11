"""Figures of the paper (Lande, tables 1 and 2): March 2009, 1,272,217 documents, a different corpus from yours."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

__all__ = ["PUBLISHED", "PublishedSeries", "published_beside"]


@dataclass(frozen=True, slots=True)
class PublishedSeries:
    """One column group of the paper's tables.

    Attributes:
        name: the paper's name for it.
        symmetry: S by k.
        transitivity: T by k.
        links: number of duplicates found by k (presumably directed links).
    """

    name: str
    symmetry: dict[int, float]
    transitivity: dict[int, float]
    links: dict[int, int]


PUBLISHED: Final = {
    "stem": PublishedSeries(
        "standard way (stems)",
        {6: 0.43, 7: 0.50, 8: 0.55},
        {6: 0.72, 7: 0.82, 8: 0.90},
        {6: 11_623_225, 7: 6_704_983, 8: 4_525_533},
    ),
    "morph": PublishedSeries(
        "new way (frequency dictionaries)",
        {4: 0.26, 5: 0.31, 6: 0.35, 7: 0.41, 8: 0.45},
        {4: 0.57, 5: 0.64, 6: 0.69, 7: 0.73, 8: 0.83},
        {4: 23_263_120, 5: 9_905_076, 6: 5_388_866, 7: 3_412_895, 8: 2_539_295},
    ),
    "pivot": PublishedSeries(
        "across languages",
        {4: 0.16, 5: 0.13, 6: 0.10, 7: 0.07, 8: 0.06},
        {4: 0.08, 5: 0.03, 6: 0.01, 7: 0.02, 8: 0.03},
        {4: 3_488_705, 5: 873_533, 6: 283_027, 7: 125_533, 8: 63_698},
    ),
}


def published_beside(representation: str, block: str, blocks: Collection[tuple[str, str]]) -> PublishedSeries | None:
    """Return the paper's series to show beside one of ours; ``None`` if there is none.

    Across languages, the paper matched only against documents of the other language, which is our cross block.

    Args:
        representation: representation of our series.
        block: block of our series.
        blocks: representation and block of all our series.
    """
    counterpart = "cross" if (representation, "cross") in blocks else "all"
    return PUBLISHED.get(representation) if block == counterpart else None
