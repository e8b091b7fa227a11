"""Symmetry and transitivity of one relation by the plain counts that other ways are compared with.

D. Lande, "Matrix criteria of the quality of duplicate detection" (InfoStream); methods, section 1.5. Letters: N
documents, M links, R links that are returned, a path i -> j -> k with i, j, k pairwise distinct, closed if i -> k.
"""

from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infostream_dedup.links.plain.sweeping import closed_from, paths_by_middle, reciprocated


class LinkCounts(NamedTuple):
    """N, M, R (a reciprocal pair counts twice), paths, closed paths."""

    documents: int
    links: int
    reciprocal: int
    paths: int
    closed: int


def link_counts(links: sp.csr_array) -> LinkCounts:
    reverse = links.T.tocsr()
    returned = reciprocated(links, reverse)
    paths = paths_by_middle(links, reverse, returned)
    closed = closed_from(links)
    return LinkCounts(int(links.shape[0]), int(links.nnz), int(returned.sum()), int(paths.sum()), int(closed.sum()))


A, B, C, D = range(4)
CLIQUE = [(A, B), (B, A), (A, C), (C, A), (B, C), (C, B)]


@pytest.mark.parametrize(("documents", "links", "counted"), [
    (3, CLIQUE, (6, 6, 6, 6)),
    (4, [*CLIQUE, (A, D), (B, D), (C, D)], (9, 6, 12, 12)),  # a digest of a clique
    (3, [(A, C), (B, C)], (2, 0, 0, 0)),  # two originals, one digest
    (3, [(A, C), (C, A), (B, C), (C, B)], (4, 4, 2, 0)),  # a bridge
    (3, [(A, B), (B, C)], (2, 0, 1, 0)), (3, [(A, B), (B, C), (C, A)], (3, 0, 3, 0)),
])  # fmt: skip
def test_worked_examples(documents, links, counted):
    dense = np.zeros((documents, documents), dtype=np.bool_)
    dense[tuple(np.array(links).T)] = True
    assert link_counts(sp.csr_array(dense)) == (documents, *counted)


@given(st.integers(1, 7).flatmap(lambda documents: arrays(np.bool_, (documents, documents))))
def test_counts_equal_brute_force(relation):
    np.fill_diagonal(relation, False)
    documents = range(len(relation))
    pairs = [(i, j) for i, j in permutations(documents, 2) if relation[i, j]]
    paths = [(i, j, k) for i, j, k in permutations(documents, 3) if relation[i, j] and relation[j, k]]
    returned, closed = sum(relation[j, i] for i, j in pairs), sum(relation[i, k] for i, _, k in paths)
    assert link_counts(sp.csr_array(relation)) == (len(relation), len(pairs), returned, len(paths), closed)


def test_a_link_of_any_stored_value_is_a_link():
    # 16 * 16 is 0 in one byte.
    assert link_counts(sp.csr_array(np.array([[0, 16], [16, 0]], dtype=np.uint8))).reciprocal == 2
