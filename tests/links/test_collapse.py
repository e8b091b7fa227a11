"""Equal documents become one node."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.links.compiled.posting_index import collapse, row_hashes
from infostream_dedup.links.compiled.term_rows import row_parts, term_rows

# Weights of key terms may differ within a node.
tables = st.lists(
    st.tuples(st.lists(st.integers(0, 2), min_size=3, max_size=3), st.lists(st.booleans(), min_size=3, max_size=3)),
    max_size=12,
)


@given(documents=tables)
def test_documents_of_a_node_are_equal_and_equal_documents_share_a_node(documents):
    keys = np.array([keys for keys, _ in documents], dtype=np.int64).reshape(-1, 3)
    targets = np.array([target for _, target in documents], dtype=np.bool_).reshape(-1, 3)
    found = collapse(sp.csr_array(keys), sp.csr_array(targets))
    seen: dict[tuple[tuple[int, ...], tuple[bool, ...]], int] = {}
    for document in range(len(documents)):
        key = keys[document] > 0
        node = seen.setdefault((tuple(key.tolist()), tuple(targets[document].tolist())), len(seen))
        assert found.node_of[document] == node
    assert len(found) == len(seen)
    assert found.weights.tolist() == np.bincount(found.node_of, minlength=len(seen)).tolist()
    for node in range(len(found)):
        members = found.members[found.indptr[node] : found.indptr[node + 1]]
        assert members.tolist() == np.flatnonzero(found.node_of == node).tolist()
        assert found.leaders[node] == members[0]


def test_equal_hashes_are_not_trusted(monkeypatch):
    monkeypatch.setattr("infostream_dedup.links.compiled.posting_index.mix_rows", lambda *_: None)
    keys = sp.csr_array(np.array([[1, 0], [0, 1], [1, 0], [1, 1], [0, 1]]))
    assert collapse(keys, keys).node_of.tolist() == [0, 1, 0, 2, 1]


def test_parts_of_rows_get_the_same_hashes(monkeypatch):
    random = np.random.default_rng(1)
    rows = [term_rows(sp.csr_array(random.random((500, 40)) < 0.2)) for _ in range(2)]
    whole = row_hashes(*rows)
    monkeypatch.setattr("infostream_dedup.links.compiled.term_rows._LEAST_WORK", 1)
    assert len([*row_parts(np.ones(500, dtype=np.int64), 2)]) > 10
    assert row_hashes(*rows).tolist() == whole.tolist()
    assert len(np.unique(whole)) == 500
