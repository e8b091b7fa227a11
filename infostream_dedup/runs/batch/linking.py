"""Compute the links of a collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from infostream_dedup.links import (
    EXACT_FROM,
    LowLinks,
    Relation,
    ShareLinks,
    SimilarityMatrix,
    StoredLinks,
    match,
    work_exceeds,
)
from infostream_dedup.machine.memory import give_back_memory
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.verbatim import MOST_VERBATIM_LINKS, link_nodes, verbatim_links
from infostream_dedup.terms.key_terms import KeyTerms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MOST_LINKS: Final = 300_000_000
"""If a matrix might hold more links than this, at 5 bytes each, only links of higher k are stored."""

SHARE_THRESHOLDS: Final = tuple(round(0.05 * step, 2) for step in range(1, 21))


@dataclass(frozen=True, slots=True)
class Linked:
    """A collection's key terms and the links between its documents.

    Attributes:
        key_terms: key terms, targets and the statistics they were weighted by.
        matrix: counts for all k >= ``matrix.k_min``, with matched weights if requested.
        settings: the settings that decided both.
    """

    key_terms: KeyTerms
    matrix: SimilarityMatrix
    settings: Settings

    def relation(self, documents: NDArray[np.int64] | None = None) -> StoredLinks:
        """The links, ready to be measured.

        Args:
            documents: int64, ordinals: only the links between these; default: all documents.
        """
        terms = self.key_terms
        links = StoredLinks(matrix=self.matrix, keys=terms.keys, targets=terms.targets)
        return links if documents is None else links.restricted(documents)


def least_k(key_terms: KeyTerms, wanted: int = 1) -> int:
    """The smallest k whose links surely fit in memory: ``wanted``, or at least 4 (n if smaller)."""
    few = key_terms.keys.shape[0] ** 2 <= MOST_LINKS
    if few or not work_exceeds(key_terms.keys, key_terms.targets, MOST_LINKS):
        return wanted
    return max(wanted, min(EXACT_FROM, int(key_terms.sizes.max(initial=1))))


def link(
    key_terms: KeyTerms,
    settings: Settings,
    *,
    k_min: int = 1,
    weights: bool = False,
    progress: Progress | None = None,
) -> Linked:
    """Match every document's key terms against every other document.

    Args:
        settings: ``n``; ``score`` ``share`` implies ``weights``.
    """
    # Links take as much memory as the texts did.
    give_back_memory()
    matrix = match(
        key_terms.keys,
        key_terms.targets,
        n=settings.n,
        weights=weights or settings.score == "share",
        k_min=k_min,
        progress=progress,
    )
    return Linked(key_terms, matrix, settings)


def relate(
    key_terms: KeyTerms,
    settings: Settings,
    *,
    exact: bool = False,
    progress: Progress | None = None,
) -> Relation:
    """Link a collection in the form that fits its size.

    If there are too many links between equal documents, they are not written out.
    """
    if settings.score == "count" and key_terms.pivot is None and verbatim_links(key_terms) > MOST_VERBATIM_LINKS:
        nodes = link_nodes(key_terms, settings, k_min=min(EXACT_FROM, settings.n), progress=progress)
        return LowLinks(nodes, exact)
    linked = link(key_terms, settings, k_min=least_k(key_terms), progress=progress)
    if settings.score == "share":
        return ShareLinks(linked.relation(), key_terms.own_weights, SHARE_THRESHOLDS)
    return LowLinks(linked.relation(), exact)
