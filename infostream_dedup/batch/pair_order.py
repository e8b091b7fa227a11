"""The order in which rows of pairs are listed, where key terms decide about them."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from infostream_dedup.batch.pairing import PairRow

__all__ = ["ordered_rows"]


def ordered_rows(rows: Iterator[PairRow], *, strongest_first: bool, top: int | None) -> Iterator[PairRow]:
    """List rows by strength, or only the strongest: by the smaller of the two shares, then by the larger.

    Args:
        rows: in the order of (a, b), which decides between pairs of one strength.
        strongest_first: list by strength; otherwise in the order given.
        top: keep only so many, the strongest; ``None`` for all.
    """
    if top is None and not strongest_first:
        return rows
    numbered = enumerate(rows)
    chosen = sorted(numbered, key=_strength) if top is None else heapq.nsmallest(top, numbered, key=_strength)
    if not strongest_first:
        chosen.sort(key=lambda item: item[0])
    return (row for _, row in chosen)


def _strength(item: tuple[int, PairRow]) -> tuple[float, float, int]:
    place, row = item
    shares = (row.share_forward, row.share_backward)
    return -min(shares), -max(shares), place
