"""Linked nodes become neighbours, whatever threads join them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infostream_dedup.links.compiled import term_rows
from infostream_dedup.links.compiled.earlier import linkage_order
from infostream_dedup.links.compiled.kernels.rows import LinkArrays


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
        reached = np.linalg.matrix_power(joined.astype(float), len(counts)) > 0
        labels.append(reached.argmax(axis=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_rows, "_LEAST_WORK", 1)
        assert _order(counts, [5, 3, 1], threads) == np.lexsort(labels).tolist()


def test_no_nodes() -> None:
    assert _order(np.zeros((0, 0), dtype=np.uint8), [4]) == []
