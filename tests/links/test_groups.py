from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import connected_components

from infostream_dedup.links import compiled, group_sizes
from infostream_dedup.links.compiled import earlier, term_rows
from infostream_dedup.links.compiled.earlier import linkage_order
from infostream_dedup.links.compiled.kernels.rows import LinkArrays, join_returned, lead_rows, merge_leaders
from infostream_dedup.links.similarity_matrix import links_at


def group_leaders(counts: sp.csr_array, ks: Iterable[int]) -> np.ndarray:
    """The slow judge: components of returned links, by scipy."""
    leaders = []
    for k in ks:
        links = links_at(counts, k)
        _, component = connected_components(links.multiply(links.T.tocsr()), directed=False)
        _, first, group = np.unique(component, return_index=True, return_inverse=True)
        leaders.append(first[group])
    return np.array(leaders)


def _links(documents: int, links: list[tuple[int, int]]) -> sp.csr_array:
    dense = np.zeros((documents, documents), dtype=np.uint8)
    for i, j in links:
        dense[i, j] = 16
    return sp.csr_array(dense)


def test_only_returned_links_join_and_the_earliest_leads() -> None:
    # 4 <-> 2 <-> 5 and 1 <-> 3 are joined; 0 -> 1 is not returned.
    links = _links(6, [(4, 2), (2, 4), (2, 5), (5, 2), (1, 3), (3, 1), (0, 1)])
    leaders = compiled.group_leaders(links, [1])[0]
    assert leaders.tolist() == group_leaders(links, [1])[0].tolist() == [0, 1, 2, 1, 2, 2]
    assert group_sizes(leaders).tolist() == [1, 2, 3]
    nobody = compiled.group_leaders(_links(0, []), [1])[0]
    assert nobody.tolist() == group_sizes(nobody).tolist() == []


def test_a_link_joins_at_every_k_that_both_directions_reach() -> None:
    dense = np.zeros((4, 4), dtype=np.uint8)
    for i, j, forward, backward in ((0, 1, 9, 5), (1, 2, 7, 7), (2, 3, 12, 0)):
        dense[i, j], dense[j, i] = forward, backward
    expected = [[0, 0, 0, 3], [0, 1, 1, 3], [0, 1, 2, 3], [0, 0, 0, 3]]
    assert compiled.group_leaders(sp.csr_array(dense), [5, 6, 8, 1]).tolist() == expected


counts_of_pairs = st.integers(1, 9).flatmap(
    lambda documents: arrays(np.uint8, (documents, documents), elements=st.integers(0, 4))
)


@given(counts_of_pairs, st.lists(st.integers(1, 5), min_size=1))
def test_compiled_code_finds_the_same_leaders(counts: np.ndarray, ks: list[int]) -> None:
    np.fill_diagonal(counts, 0)
    found = compiled.group_leaders(sp.csr_array(counts), ks)
    assert found.tolist() == group_leaders(sp.csr_array(counts), ks).tolist()


@given(counts_of_pairs, st.integers(0, 9))
def test_rows_joined_apart_and_merged_are_joined(counts: np.ndarray, cut: int) -> None:
    np.fill_diagonal(counts, 0)
    links, ks = sp.csr_array(counts), [1, 2, 4]
    levels = np.searchsorted(ks, np.arange(256), side="right")
    indptr, columns = links.indptr.astype(np.int64), links.indices.astype(np.int32)
    forests = [np.repeat(np.arange(len(counts), dtype=np.int32), 3).reshape(-1, 3) for _ in range(2)]
    cut = min(cut, len(counts))
    for forest, (first, last) in zip(forests, ((0, cut), (cut, len(counts))), strict=True):
        join_returned(first, last, indptr, columns, links.data, levels, forest)
    merge_leaders(forests[0], forests[1])
    lead_rows(forests[1])
    assert forests[1].T.tolist() == group_leaders(links, ks).tolist()


def test_several_threads_find_the_same_groups(monkeypatch) -> None:
    random = np.random.default_rng(4)
    counts = sp.random_array((600, 600), density=0.004, format="csr", rng=random)
    counts = sp.csr_array(counts + counts.T)
    counts.data = random.integers(1, 13, counts.nnz).astype(np.uint8)
    counts.sort_indices()
    monkeypatch.setattr(term_rows, "_LEAST_WORK", 1)
    monkeypatch.setattr(earlier, "thread_count", lambda _: 4)
    found = compiled.group_leaders(counts, range(1, 13))
    assert found.tolist() == group_leaders(counts, range(1, 13)).tolist()
    assert 1 < len(np.unique(found[3])) < 600


def _order(counts: np.ndarray, levels: list[int], threads: int = 1) -> list[int]:
    links = sp.csr_array(counts)
    rows = LinkArrays(links.indptr.astype(np.int64), links.indices.astype(np.int32), links.data)
    return linkage_order(rows, levels, threads).tolist()


def test_a_case_worked_by_hand() -> None:
    counts = np.zeros((6, 6), dtype=np.uint8)
    for i, j, count in ((0, 4, 3), (4, 2, 9), (5, 1, 6)):
        counts[i, j] = count
    # At 6: {2, 4}, {1, 5}. At 3, 0 joins 2 and 4. Components are in the order of their smallest nodes.
    assert _order(counts, [6, 3]) == [0, 2, 4, 1, 5, 3]
    assert _order(counts, [6]) == [0, 1, 5, 2, 4, 3]


@given(
    st.integers(1, 9).flatmap(lambda nodes: arrays(np.uint8, (nodes, nodes), elements=st.integers(0, 6))),
    st.integers(1, 3),
)
def test_components_by_matrix_powers(counts: np.ndarray, threads: int) -> None:
    labels = []
    for low in (5, 3, 1):
        joined = (counts >= low) | (low <= counts.T) | np.eye(len(counts), dtype=bool)
        labels.append((np.linalg.matrix_power(joined.astype(float), len(counts)) > 0).argmax(axis=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_rows, "_LEAST_WORK", 1)
        assert _order(counts, [5, 3, 1], threads) == np.lexsort(labels).tolist()


def test_no_nodes() -> None:
    assert _order(np.zeros((0, 0), dtype=np.uint8), [4]) == []
