"""Symmetry and transitivity of one relation, the default and the other readings of the source paper.

D. Lande, "Matrix criteria of the quality of duplicate detection" (InfoStream). The formulas are missing in the copy of
the paper at hand; the default and the alternatives follow from its words and tables (methods, section 1.5).

Letters: N documents, M links, R links that are returned, a path i -> j -> k with i, j, k pairwise distinct, closed if
i -> k. Links come as csr (documents, documents) with an empty diagonal and sorted indices; only their pattern counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from infostream_dedup.links.plain.sweeping import closed_from, paths_by_middle, reciprocated
from infostream_dedup.links.similarity_matrix import kept_entries, pattern_of

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


A, B, C, D = range(4)
CLIQUE = [(A, B), (B, A), (A, C), (C, A), (B, C), (C, B)]

COLUMNS: dict[str, Callable[[sp.csr_array], Ratio]] = {
    "S": symmetry, "S_und": symmetry_of_linked_pairs, "S_diag": reflexive_symmetry, "T": transitivity,
    "T_cyc": cyclic_transitivity, "T_k=i": lambda links: transitivity(links, allow_return=True),
    "T_diag": reflexive_transitivity,
}  # fmt: skip

# The table of worked examples: numerators and denominators in the order of COLUMNS.
EXAMPLES = {
    "clique of 3": (3, CLIQUE, "6/6 3/3 9/9 6/6 6/6 12/12 27/27"),
    "clique and digest": (4, [*CLIQUE, (A, D), (B, D), (C, D)], "6/9 3/6 10/13 12/12 6/12 18/18 40/40"),
    "two originals, one digest": (3, [(A, C), (B, C)], "0/2 0/2 3/5 0/0 0/0 0/0 7/7"),
    "compiled bridge": (3, [(A, C), (C, A), (B, C), (C, B)], "4/4 2/2 7/7 0/2 0/2 4/6 15/17"),
    "chain": (3, [(A, B), (B, C)], "0/2 0/2 3/5 0/1 0/1 0/1 7/8"),
    "cycle": (3, [(A, B), (B, C), (C, A)], "0/3 0/3 3/6 0/3 3/3 0/3 9/12"),
}


def _links(documents: int, links: list[tuple[int, int]]) -> sp.csr_array:
    dense = np.zeros((documents, documents), dtype=np.bool_)
    for i, j in links:
        dense[i, j] = True
    return sp.csr_array(dense)


@st.composite
def relations(draw: st.DrawFn) -> np.ndarray:
    documents = draw(st.integers(1, 7))
    relation = draw(arrays(np.bool_, (documents, documents)))
    np.fill_diagonal(relation, False)
    return relation


def test_worked_examples() -> None:
    for example, (documents, links, expected) in EXAMPLES.items():
        for (column, reading), fraction in zip(COLUMNS.items(), expected.split(), strict=True):
            numerator, denominator = map(int, fraction.split("/"))
            ratio = reading(_links(documents, links))
            assert (ratio.numerator, ratio.denominator) == (numerator, denominator), (example, column)
            assert ratio.value == (numerator / denominator if denominator else None)


def test_other_readings_of_the_clique_with_a_digest() -> None:
    links = _links(4, EXAMPLES["clique and digest"][1])
    assert symmetry_of_all_pairs(links) == Ratio(12 - 6, 12)
    assert rescaled_symmetry(links) == Ratio(12 - 9, 9)
    # Each of the clique has 2 of 3 links returned and all its paths closed; the digest has no links: it counts nowhere.
    assert symmetry(links, average="macro").value == pytest.approx(2 / 3)
    assert transitivity(links, average="macro") == Ratio(3.0, 3)
    # Joined by paths: the six ordered pairs of the clique and its three links to the digest; all are linked.
    assert boolean_transitivity(links) == Ratio(9, 9)
    assert boolean_transitivity(_links(3, EXAMPLES["compiled bridge"][1])) == Ratio(0, 2)


def test_macro_averages_weigh_documents_not_links() -> None:
    # a is linked both ways with b and c, d only to a.
    links = _links(4, [(A, B), (B, A), (A, C), (C, A), (B, C), (D, A)])
    assert symmetry(links).value == 4 / 6
    assert symmetry(links, average="macro") == Ratio(1 + 1 / 2 + 1 + 0, 4)
    # Paths: from a one (a-b-c, closed); from b two (b-a-c closed, b-c-a closed); from c one (c-a-b, open); from d two
    # (d-a-b, d-a-c, open).
    assert transitivity(links).value == 3 / 6
    assert transitivity(links, average="macro") == Ratio(2.0, 4)


@given(relations())
def test_counts_equal_brute_force(relation: np.ndarray) -> None:
    links = sp.csr_array(relation)
    documents = len(relation)
    triples = list(permutations(range(documents), 3))
    pairs = list(permutations(range(documents), 2))
    paths = [(i, j, k) for i, j, k in triples if relation[i, j] and relation[j, k]]
    counted = LinkCounts(
        documents=documents,
        links=sum(bool(relation[i, j]) for i, j in pairs),
        reciprocal=sum(bool(relation[i, j] and relation[j, i]) for i, j in pairs),
        paths=len(paths),
        closed=sum(bool(relation[i, k]) for i, _, k in paths),
    )
    assert link_counts(links) == counted
    assert symmetry(links) == Ratio(counted.reciprocal, counted.links)
    assert transitivity(links) == Ratio(counted.closed, counted.paths)
    assert cyclic_transitivity(links) == Ratio(sum(bool(relation[k, i]) for i, _, k in paths), counted.paths)
    joined = {(i, k) for i, _, k in paths}
    assert boolean_transitivity(links) == Ratio(sum(bool(relation[i, k]) for i, k in joined), len(joined))


@given(relations())
def test_reflexive_transitivity_equals_all_triples_with_a_full_diagonal(relation: np.ndarray) -> None:
    full = (relation | np.eye(len(relation), dtype=np.bool_)).astype(np.int64)
    walks = full @ full
    assert reflexive_transitivity(sp.csr_array(relation)) == Ratio(int((walks * full).sum()), int(walks.sum()))


@given(relations())
def test_identities_of_symmetry(relation: np.ndarray) -> None:
    links = sp.csr_array(relation)
    a = relation.astype(np.int64)
    value = symmetry(links).value
    if value is None:
        assert not relation.any()
        return
    differing = np.abs(a - a.T).sum()
    assert value == pytest.approx(1 - differing / (a + a.T).sum())
    assert rescaled_symmetry(links).value == pytest.approx(1 - differing / a.sum())
    assert rescaled_symmetry(links).value == pytest.approx(2 * value - 1)
    assert symmetry_of_linked_pairs(links).value == pytest.approx(value / (2 - value))
    n = len(relation)
    assert symmetry_of_all_pairs(links).value == pytest.approx(1 - differing / (n * (n - 1)))


def test_a_link_of_any_stored_value_is_a_link() -> None:
    # 16 * 16 is 0 in one byte.
    counts = sp.csr_array(np.array([[0, 16], [16, 0]], dtype=np.uint8))
    assert symmetry(counts) == Ratio(2, 2)
