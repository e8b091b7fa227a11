"""The pairs that an audit covers: all candidates and all copies of a collection, or a sample of the candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.lab.estimation.auditing import AuditedPairs
from infostream_dedup.lab.estimation.candidates import CANDIDATE_COUNT
from infostream_dedup.lab.estimation.census import COPY_WORDING
from infostream_dedup.lab.estimation.drawn_pairs import DrawnPairs
from infostream_dedup.lab.estimation.universe import in_universe
from infostream_dedup.links.similarity_matrix import at_least
from infostream_dedup.runs.batch.pair_table import LinkedPairs

if TYPE_CHECKING:
    from infostream_dedup.lab.estimation.census import Copies
    from infostream_dedup.lab.estimation.copy_scores import Links
    from infostream_dedup.lab.estimation.kernels.finding_copies import Universe
    from infostream_dedup.lab.estimation.shared_wording import SharedWording
    from infostream_dedup.links import SimilarityMatrix

__all__ = ["audited_pairs"]

_MOST: Final = 100_000
"""Maximum number of linked candidates, and of unlinked ones."""

_WORDING: Final = [COLUMNS.index("wording_forward"), COLUMNS.index("wording_backward")]


def audited_pairs(
    matrix: SimilarityMatrix,
    links: Links,
    copies: Copies,
    *,
    wording: SharedWording,
    universe: Universe,
    step: int,
) -> AuditedPairs:
    """Pairs with three matching key terms in either direction, and copies, in the universe and without series.

    Args:
        matrix: counts of at least ``CANDIDATE_COUNT``, or all that are stored.
        links: the same links with grades.
        copies: the census of copies.
        wording: wording of all documents.
        universe: pairs that are covered.
        step: step at which pairs are linked.
    """
    drawn = DrawnPairs(_MOST), DrawnPairs(_MOST)
    pairs = LinkedPairs(at_least(matrix.counts, CANDIDATE_COUNT))
    for block in pairs.blocks:
        a, b, _, _ = pairs.of(block)
        inside, series = in_universe(universe, a, b)
        a, b = a[inside & ~series], b[inside & ~series]
        linked = links.grades_of(a, b) >= step
        for part, group in ((~linked, drawn[0]), (linked, drawn[1])):
            group.add(a[part], b[part])
    parts = [_candidates(group, wording, linked) for linked, group in ((False, drawn[0]), (True, drawn[1]))]
    _, series = in_universe(universe, copies.a, copies.b)
    a, b = copies.a[~series], copies.b[~series]
    parts.append(
        AuditedPairs(
            a=a,
            b=b,
            linked=links.grades_of(a, b) >= step,
            wording=copies.wording[~series],
            weights=np.full(len(a), float(copies.sampled)),
        )
    )
    return AuditedPairs(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in AuditedPairs.__slots__}
    )


def _candidates(group: DrawnPairs, shared: SharedWording, linked: bool) -> AuditedPairs:
    """Candidates with less common wording than a copy; copies come from the census."""
    a, b = group.pairs()
    evidence = np.zeros((len(a), len(COLUMNS)), dtype=np.float64)
    shared.fill_in(a, b, evidence)
    wording = evidence[:, _WORDING].max(axis=1, initial=0.0)
    weight = group.total / max(len(a), 1)
    kept = wording < COPY_WORDING
    return AuditedPairs(
        a=a[kept],
        b=b[kept],
        linked=np.full(int(kept.sum()), linked),
        wording=wording[kept],
        weights=np.full(int(kept.sum()), weight),
    )
