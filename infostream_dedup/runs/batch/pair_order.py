"""The order of listed pairs if key terms decide, and the rows that a stricter k keeps."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from infostream_dedup.links.pair_rules import need, relation_of
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.pairing import PairRow


def ordered_rows(rows: Iterator[PairRow], *, strongest_first: bool, top: int | None) -> Iterator[PairRow]:
    """Order rows by strength, or keep only the strongest: by the smaller of the two shares, then by the larger.

    Args:
        rows: rows in the order of (a, b), which decides between pairs of equal strength.
        strongest_first: list by strength; otherwise in the order given.
        top: number of pairs to keep, the strongest first; ``None`` for all.
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


def stricter_rows(
    rows: Iterable[PairRow], settings: Settings, *, k: int | None, min_probability: float | None
) -> Iterator[PairRow]:
    """Filter rows that were listed with a lower threshold.

    Args:
        k: key terms that must match in at least one direction; the relation of each row becomes the one at k.
        min_probability: minimum probability, instead of k; rows without one are kept.
    """
    for row in rows:
        if k is None:
            probability = getattr(row, "probability", None)
            if probability is None or min_probability is None or probability >= min_probability:
                yield row
            continue
        least = int(need(k, np.array([row.n_a]), np.array([row.n_b]), n=settings.n, short=settings.short)[0])
        relation = relation_of(row.forward, row.backward, least)
        if relation is not None:
            yield replace(row, relation=relation)
