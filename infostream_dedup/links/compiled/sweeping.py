"""Symmetry and transitivity at every k of one similarity matrix, exact from ``EXACT_FROM`` upwards."""

from __future__ import annotations

from collections.abc import Iterable

from infostream_dedup.links.compiled.block_totals import LinkBlock, block_totals
from infostream_dedup.links.measures import EXACT_FROM, Measures
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.links.sweeping import sweep_by_products
from infostream_dedup.machine.progress import Progress


def sweep_counts(matrix: SimilarityMatrix, ks: Iterable[int], *, progress: Progress | None = None) -> list[Measures]:
    """Measure the links at each distinct k, ascending."""
    ascending = matrix.stored_ks(ks)
    low = sweep_by_products(matrix, [k for k in ascending if k < EXACT_FROM])
    exact = [k for k in ascending if k >= EXACT_FROM]
    totals = block_totals(LinkBlock(matrix.counts), exact, closed=not matrix.between_groups, progress=progress)
    return [*low, *totals.measures()]
