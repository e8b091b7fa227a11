"""The links of a collection that a second look confirms: links between pairs that the evidence accepts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links import LowLinks, Relation, SimilarityMatrix, StoredLinks
from infostream_dedup.machine.progress import Progress
from infostream_dedup.runs.batch.judged_pairing import LEAST_PROBABILITY
from infostream_dedup.runs.batch.judging import CANDIDATE_TERMS, JudgedCollection
from infostream_dedup.runs.batch.pair_table import LinkedPairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["confirmed_links"]


def confirmed_links(
    relation: Relation, second_look: JudgedCollection, *, progress: Progress | None = None
) -> StoredLinks | None:
    """Keep the links between pairs to which the pair model gives a probability of at least .5.

    As in preset ``judged``, pairs of two languages, and pairs with fewer than three shared key terms in both
    directions, are not judged and therefore not confirmed.

    Args:
        relation: all links, by count.
        second_look: the same documents with their evidence.
        progress: called with the number of pairs judged.

    Returns:
        The links at every stored k; ``None`` if links are not written out document by document.
    """
    links = relation.stored if isinstance(relation, LowLinks) else relation
    if not isinstance(links, StoredLinks):
        return None
    a, b = _candidates(links.matrix, second_look)
    accepted = [np.zeros((2, 0), dtype=np.int64)]
    for judged in second_look.judged(a, b, screened=True, progress=progress):
        kept = judged.probability >= LEAST_PROBABILITY
        accepted.append(np.stack((judged.a[kept], judged.b[kept])))
    return replace(links, matrix=_restricted(links.matrix, *np.concatenate(accepted, axis=1)))


def _candidates(matrix: SimilarityMatrix, second_look: JudgedCollection) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs a < b of one language with three terms in either direction."""
    languages = second_look.key_terms.counts.languages
    pairs = LinkedPairs(matrix.counts)
    found = [np.zeros((2, 0), dtype=np.int64)]
    for block in pairs.blocks:
        a, b, forward, backward = pairs.of(block)
        kept = (np.maximum(forward, backward) >= CANDIDATE_TERMS) & (languages[a] == languages[b])
        found.append(np.stack((a[kept], b[kept])))
    a, b = np.concatenate(found, axis=1)
    return a, b


def _restricted(matrix: SimilarityMatrix, a: NDArray[np.int64], b: NDArray[np.int64]) -> SimilarityMatrix:
    """Return only the links between some pairs, in both directions."""
    ends = (np.concatenate((a, b)), np.concatenate((b, a)))
    accepted = sp.coo_array((np.ones(2 * len(a), dtype=np.uint8), ends), shape=matrix.counts.shape).tocsr()
    counts = sp.csr_array(matrix.counts.multiply(accepted))
    counts.eliminate_zeros()
    counts.sort_indices()
    return SimilarityMatrix(counts, matrix.n, matrix.k_min)
