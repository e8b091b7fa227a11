"""Pairs that an expert should judge next: those the plane is least sure of, spread over the collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.judging.criteria.classifier import Decisions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["suggestions"]


def suggestions(
    decisions: Decisions, ids: Sequence[str], judged: set[tuple[str, str]], number: int
) -> NDArray[np.int64]:
    """Choose the next pairs to label.

    Uncertainty sampling (Lewis & Gale, SIGIR 1994; for planes Tong & Koller, JMLR 2, 2001): pairs nearest to the plane
    come first, by their nearer direction. Ten pairs of one story teach hardly more than one, so no connected component
    of candidates gives a second pair before every other component has given its first.

    Args:
        decisions: decisions on the candidate pairs.
        ids: ids of the documents.
        judged: labelled pairs of ids, the smaller id first.
        number: number of pairs wanted, at least 0.

    Returns:
        int64, index into ``decisions``, at most ``number``; the choice does not depend on the order of the candidates.
    """
    from scipy.sparse.csgraph import connected_components

    ordered = sorted(
        (min(ids[i], ids[j]), max(ids[i], ids[j]), row)
        for row, (i, j) in enumerate(zip(decisions.i.tolist(), decisions.j.tolist(), strict=True))
    )
    links = sp.coo_array((np.ones(len(decisions)), (decisions.i, decisions.j)), shape=(len(ids), len(ids)))
    _, component = connected_components(links.tocsr(), directed=False)
    distance = np.minimum(np.abs(decisions.forward), np.abs(decisions.backward))
    nearest = sorted(
        (float(distance[row]), one, other, row) for one, other, row in ordered if (one, other) not in judged
    )
    given: dict[int, int] = {}
    ranked = []
    for near, one, other, row in nearest:
        own = int(component[decisions.i[row]])
        ranked.append((given.get(own, 0), near, one, other, row))
        given[own] = given.get(own, 0) + 1
    return np.array([row for *_, row in sorted(ranked)[:number]], dtype=np.int64)
