"""Symmetry and transitivity of one relation, the default and the other readings of the source paper.

D. Lande, "Matrix criteria of the quality of duplicate detection" (InfoStream). The formulas are missing in the copy of
the paper at hand; the default and the alternatives follow from its words and tables (methods, section 1.5).

Letters: N documents, M links, R links that are returned, a path i -> j -> k with i, j, k pairwise distinct, closed if
i -> k. Links come as csr (documents, documents) with an empty diagonal and sorted indices; only their pattern counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.plain.sweeping import closed_from, paths_by_middle, reciprocated
from infostream_dedup.links.similarity_matrix import kept_entries, pattern_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "LinkCounts",
    "Ratio",
    "boolean_transitivity",
    "cyclic_transitivity",
    "link_counts",
    "reflexive_symmetry",
    "reflexive_transitivity",
    "rescaled_symmetry",
    "symmetry",
    "symmetry_of_all_pairs",
    "symmetry_of_linked_pairs",
    "transitivity",
]

Average = Literal["micro", "macro"]


@dataclass(frozen=True, slots=True)
class Ratio:
    """A measure with the counts behind it.

    Attributes:
        numerator: a count; for a macro average the sum of the documents' shares.
        denominator: a count; for a macro average the number of documents averaged.
    """

    numerator: float
    denominator: int

    @property
    def value(self) -> float | None:
        """The ratio; ``None`` (never 0 or 1) if there is nothing to divide by."""
        return self.numerator / self.denominator if self.denominator else None


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """The counts that define symmetry and transitivity.

    Attributes:
        documents: N.
        links: M.
        reciprocal: R; a reciprocal pair counts twice.
        paths: i -> j -> k, all distinct.
        closed: paths with i -> k.
    """

    documents: int
    links: int
    reciprocal: int
    paths: int
    closed: int


def link_counts(links: sp.csr_array) -> LinkCounts:
    """Count links, returned links, paths and closed paths exactly."""
    reverse = links.T.tocsr()
    returned = reciprocated(links, reverse)
    paths = paths_by_middle(links, reverse, returned)
    closed = closed_from(links)
    return LinkCounts(int(links.shape[0]), int(links.nnz), int(returned.sum()), int(paths.sum()), int(closed.sum()))


def symmetry(links: sp.csr_array, *, average: Average = "micro") -> Ratio:
    """S = R / M: the share of links that are returned, diagonal left out. The default.

    Equivalently, 1 - sum |a_ij - a_ji| / sum (a_ij + a_ji).

    Args:
        links: the relation.
        average: ``micro`` as above; ``macro`` for the mean share of returned links over all documents with links.
    """
    returned = reciprocated(links, links.T.tocsr())
    if average == "macro":
        return _mean_share(returned, np.diff(links.indptr))
    return Ratio(int(returned.sum()), int(links.nnz))


def symmetry_of_linked_pairs(links: sp.csr_array) -> Ratio:
    """S_und = (R/2) / (M - R/2) = S / (2 - S): reciprocal pairs over unordered linked pairs."""
    reciprocal = symmetry(links).numerator
    return Ratio(int(reciprocal // 2), int(links.nnz - reciprocal // 2))


def reflexive_symmetry(links: sp.csr_array) -> Ratio:
    """S_diag = (R + N) / (M + N): the diagonal counted, as every document resembles itself."""
    documents = links.shape[0]
    return Ratio(int(symmetry(links).numerator) + documents, int(links.nnz) + documents)


def symmetry_of_all_pairs(links: sp.csr_array) -> Ratio:
    """S_N = 1 - sum |a_ij - a_ji| / (N (N - 1)): agreement over all pairs, nearly 1 for every sparse relation."""
    documents = links.shape[0]
    pairs = documents * (documents - 1)
    return Ratio(pairs - 2 * (int(links.nnz) - int(symmetry(links).numerator)), pairs)


def rescaled_symmetry(links: sp.csr_array) -> Ratio:
    """2 S - 1 = 1 - sum |a_ij - a_ji| / sum a_ij."""
    return Ratio(2 * int(symmetry(links).numerator) - int(links.nnz), int(links.nnz))


def transitivity(links: sp.csr_array, *, average: Average = "micro", allow_return: bool = False) -> Ratio:
    """T = closed / paths: the share of two-step paths that a direct link closes. The default.

    Args:
        links: the relation.
        average: ``micro`` as above; ``macro`` for the mean share of closed paths over all documents where paths begin.
        allow_return: also count i -> j -> i, closed by reflexivity: (closed + R) / (paths + R).
    """
    returned = reciprocated(links, links.T.tocsr())
    walks = pattern_of(links).astype(np.int64) @ np.diff(links.indptr).astype(np.int64)
    closed = closed_from(links)
    paths = walks - returned
    if allow_return:
        closed, paths = closed + returned, walks
    if average == "macro":
        return _mean_share(closed, paths)
    return Ratio(int(closed.sum()), int(paths.sum()))


def cyclic_transitivity(links: sp.csr_array) -> Ratio:
    """T_cyc: a path i -> j -> k counts as closed if k -> i."""
    return Ratio(int(closed_from(links, links.T.tocsr()).sum()), link_counts(links).paths)


def reflexive_transitivity(links: sp.csr_array) -> Ratio:
    """T_diag: all N^3 triples with a full diagonal, (closed + R + 2M + N) / (paths + R + 2M + N)."""
    counts = link_counts(links)
    trivial = counts.reciprocal + 2 * counts.links + counts.documents
    return Ratio(counts.closed + trivial, counts.paths + trivial)


def boolean_transitivity(links: sp.csr_array) -> Ratio:
    """T_bool: of the ordered pairs i != k joined by any path, the share that is linked; several paths count once."""
    walked = sp.csr_array(pattern_of(links) @ pattern_of(links))
    from_document = np.repeat(np.arange(links.shape[0]), np.diff(walked.indptr))
    joined = kept_entries(walked, walked.indices != from_document)
    return Ratio(int(joined.multiply(pattern_of(links)).sum()), int(joined.nnz))


def _mean_share(parts: NDArray[np.int64], wholes: NDArray[np.integer]) -> Ratio:
    counted = wholes > 0
    return Ratio(float((parts[counted] / wholes[counted]).sum()), int(counted.sum()))
