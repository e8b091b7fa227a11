"""Compiled totals against three plain loops, and against the plain backend."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.compiled import totals as compiled
from infostream_dedup.links.compiled.totals import LinkBlock, block_totals
from infostream_dedup.links.measures import KTotals, LinkTotals
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.links.sweeping import sweep_by_products as sweep_counts

N = 5


@st.composite
def count_tables(draw, largest=9):
    size = draw(st.integers(0, largest))
    table = np.array(draw(st.lists(st.integers(0, N), min_size=size * size, max_size=size * size)), dtype=np.uint8)
    table = table.reshape(size, size)
    if draw(st.booleans()):
        table = np.maximum(table, table.T)
    np.fill_diagonal(table, 0)
    return table


def by_loops(table, k):
    """(links, reciprocal, paths, closed) of a square table of counts, straight from the definitions."""
    linked = table >= k
    np.fill_diagonal(linked, False)
    size = len(table)
    reciprocal = sum(linked[i, j] and linked[j, i] for i, j in itertools.permutations(range(size), 2))
    paths = [(i, j, x) for i, j, x in itertools.permutations(range(size), 3) if linked[i, j] and linked[j, x]]
    return int(linked.sum()), reciprocal, len(paths), sum(bool(linked[i, x]) for i, _, x in paths)


def numbers(row):
    return row.links, row.reciprocal, row.paths, row.closed


@given(table=count_tables(), workers=st.integers(1, 3))
def test_every_k_equals_plain_loops(table, workers):
    found = block_totals(LinkBlock(sp.csr_array(table)), range(1, N + 2), workers=workers).measures()
    assert [row.k for row in found] == list(range(1, N + 2))
    for row in found:
        assert numbers(row) == by_loops(table, row.k)
        assert row.documents == len(table)
        assert row.symmetry == (row.reciprocal / row.links if row.links else None)
        assert row.transitivity == (row.closed / row.paths if row.paths else None)


@given(table=count_tables(6), data=st.data())
def test_nodes_equal_their_documents_written_out(table, data):
    size = len(table)
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=size, max_size=size)), dtype=np.int64)
    own = np.array(data.draw(st.lists(st.integers(0, N), min_size=size, max_size=size)), dtype=np.uint8)
    node_of = np.repeat(np.arange(size), weights)
    documents = (table + np.diag(own))[np.ix_(node_of, node_of)] if size else np.zeros((0, 0), np.uint8)
    for row in block_totals(LinkBlock(sp.csr_array(table), weights, own), range(1, N + 1)).measures():
        assert numbers(row) == by_loops(documents, row.k)
        assert row.documents == len(node_of)


@st.composite
def weighted_relations(draw):
    """Counts between nodes, documents of each node, counts inside nodes."""
    table = draw(count_tables(7))
    size = len(table)
    weights = np.array(draw(st.lists(st.integers(1, 3), min_size=size, max_size=size)), dtype=np.int64)
    return table, weights, np.array(draw(st.lists(st.integers(0, N), min_size=size, max_size=size)), dtype=np.uint8)


@given(relation=weighted_relations(), data=st.data())
def test_totals_of_any_cut_add_up_to_those_of_the_whole(relation, data):
    table, weights, inside = relation
    whole = block_totals(LinkBlock(sp.csr_array(table), weights, inside), range(1, N + 1))
    part_of = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(table), max_size=len(table))), dtype=np.int64)
    parts = []
    for part in range(3):
        own = part_of == part
        # A block gets its own rows and those they lead to, no others.
        rows = np.where((own | (table[own] > 0).any(axis=0))[:, None], table, 0).astype(np.uint8)
        parts.append(block_totals(LinkBlock(sp.csr_array(rows), weights, inside, own), range(1, N + 1)))
    assert parts[0] + parts[1] + parts[2] == whole
    assert (parts[0] + parts[1] + parts[2]).measures() == whole.measures()


def closed_by_matrix(table, weights, k):
    """Closed paths over documents of three different nodes, as a product of matrices."""
    linked = (table >= k).astype(np.int64)
    through = (linked * weights) @ linked
    return int((weights[:, None] * linked * through * weights).sum())


@pytest.mark.parametrize("returned", [False, True])
@pytest.mark.parametrize("heaviest", [1, 3])
@pytest.mark.parametrize("size", [1, 63, 64, 65, 300])
def test_closed_paths_of_many_groups_of_rows(size, heaviest, returned):
    # Clusters of all sizes and single links all over: words in tiles, and words left in rows.
    random = np.random.default_rng(size)
    cluster = random.integers(0, 12, size=size) * random.integers(0, 2, size=size)
    near = cluster[:, None] == cluster[None, :]
    drawn = random.random((size, size)) < np.where(near, 0.7, 0.02)
    table = (drawn * random.integers(1, N + 1, size=(size, size))).astype(np.uint8)
    if returned:
        table = np.maximum(table, table.T)
    np.fill_diagonal(table, 0)
    weights = random.integers(1, heaviest + 1, size=size)
    own = random.random(size) < 0.5
    totals = block_totals(LinkBlock(sp.csr_array(table), weights), range(1, N + 1), workers=2)
    parts = [block_totals(LinkBlock(sp.csr_array(table), weights, own=half), range(1, N + 1)) for half in (own, ~own)]
    assert parts[0] + parts[1] == totals
    assert {k: one.closed for k, one in totals.by_k.items()} == {
        k: closed_by_matrix(table, weights, k) for k in range(1, N + 1)
    }


def test_a_block_counts_what_starts_in_its_own_rows():
    # 0 <-> 1 -> 2 and 0 -> 2: from 0 start two links (one returned), the path 0 -> 1 -> 2, which is closed.
    table = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 0]], dtype=np.uint8)
    block = LinkBlock(sp.csr_array(table), own=np.array([True, False, False]))
    assert block_totals(block, [1]) == LinkTotals(1, {1: KTotals(links=2, reciprocal=1, paths=1, closed=1)})


def test_totals_at_different_k_do_not_add():
    with pytest.raises(ConfigurationError, match="cannot be added"):
        LinkTotals(1, {4: KTotals(1, 0, 0, 0)}) + LinkTotals(1, {5: KTotals(1, 0, 0, 0)})


def test_a_verbatim_cluster_too_large_for_64_bits():
    size = 3_000_000
    block = LinkBlock(sp.csr_array((1, 1), dtype=np.uint8), np.array([size]), np.array([12], dtype=np.uint8))
    (row,) = block_totals(block, [12]).measures()
    assert row.links == row.reciprocal == size * (size - 1)
    assert row.closed == row.paths == size * (size - 1) * (size - 2) > 2**63
    assert row.transitivity == 1


def test_links_between_groups_have_no_transitivity():
    table = np.ones((3, 3), dtype=np.uint8) - np.eye(3, dtype=np.uint8)
    matrix = SimilarityMatrix(sp.csr_array(table), 1, 1, between_groups=True)
    assert compiled.sweep_counts(matrix, [1]) == sweep_counts(matrix, [1])
    assert compiled.sweep_counts(matrix, [1])[0].transitivity is None


def test_k_below_what_is_stored_is_refused():
    matrix = SimilarityMatrix(sp.csr_array((2, 2), dtype=np.uint8), 12, 4)
    with pytest.raises(ConfigurationError, match="k_min 3"):
        compiled.sweep_counts(matrix, [5, 3])
