import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links import SimilarityMatrix
from infostream_dedup.links.similarity_matrix import column_counts, kept_entries

COUNTS = np.array([[0, 5, 0, 2], [3, 0, 0, 7], [0, 0, 0, 0], [2, 0, 4, 0]], dtype=np.uint8)
MATCHED = COUNTS.astype(np.int64) * 10


@pytest.fixture
def matrix() -> SimilarityMatrix:
    return SimilarityMatrix(sp.csr_array(COUNTS), n=12, k_min=2, matched=sp.csr_array(MATCHED))


def test_links_at_k(matrix: SimilarityMatrix) -> None:
    links = matrix.links_at(4)
    assert links.dtype == np.bool_
    assert np.argwhere(links.toarray()).tolist() == [[0, 1], [1, 3], [3, 2]]
    assert links.nnz == 3
    assert matrix.links_at(2).nnz == 6
    assert matrix.links_at(12).nnz == 0
    assert matrix.documents == 4


def test_links_below_k_min_are_refused(matrix: SimilarityMatrix) -> None:
    with pytest.raises(ConfigurationError, match="k is 1, but this matrix holds only counts of at least 2"):
        matrix.links_at(1)


def test_shares_of_own_weight(matrix: SimilarityMatrix) -> None:
    shares = matrix.shares(np.array([100, 0, 10, 40]))
    expected = [[0, 0.5, 0, 0.2], [0, 0, 0, 0], [0, 0, 0, 0], [0.5, 0, 1.0, 0]]
    assert shares.dtype == np.float64
    assert shares.toarray().tolist() == expected


def test_shares_need_matched_weights() -> None:
    with pytest.raises(ValueError, match="no matched weights"):
        SimilarityMatrix(sp.csr_array(COUNTS), n=12, k_min=2).shares(np.ones(4, dtype=np.int64))


def test_restricted_to_some_documents_in_any_order(matrix: SimilarityMatrix) -> None:
    order = np.array([3, 0, 1])
    part = matrix.restricted(order)
    assert part.counts.toarray().tolist() == COUNTS[np.ix_(order, order)].tolist()
    assert part.matched is not None
    assert part.matched.toarray().tolist() == MATCHED[np.ix_(order, order)].tolist()
    assert (part.n, part.k_min, part.between_groups) == (12, 2, False)


def test_blocks_inside_and_between_languages(matrix: SimilarityMatrix) -> None:
    languages = np.array([0, 1, 1, 0], dtype=np.uint8)
    mono, cross = matrix.between(languages, same=True), matrix.between(languages, same=False)
    assert mono.counts.toarray().tolist() == [[0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0]]
    assert (mono.counts + cross.counts).toarray().tolist() == COUNTS.tolist()
    assert cross.matched is not None
    assert cross.matched.toarray().tolist() == (cross.counts.toarray().astype(int) * 10).tolist()
    assert cross.between_groups
    assert not mono.between_groups
    assert cross.restricted(np.array([0, 1])).between_groups


def _unsorted() -> sp.csr_array:
    return sp.csr_array((np.array([1, 1], np.uint8), np.array([2, 1]), np.array([0, 2, 2, 2])), shape=(3, 3))


def test_broken_invariants_are_named() -> None:
    for change, message in [
        ({"n": 0}, "n is 0"), ({"n": 256}, "n is 256"), ({"k_min": 0}, "k_min is 0"),
        ({"k_min": 3}, "counts run from 2 to 7; expected 3 to 12"),
        ({"n": 6}, "counts run from 2 to 7; expected 2 to 6"),
        ({"counts": sp.csr_array(COUNTS.astype(np.int32))}, "int32"),
        ({"counts": sp.csr_array(COUNTS[:3])}, r"\(3, 4\)"),
        ({"counts": sp.csr_array(np.diag(np.full(4, 2, np.uint8)))}, "diagonal"),
        ({"counts": _unsorted()}, "sorted indices"), ({"matched": sp.csr_array(MATCHED.astype(np.int32))}, "int32"),
        ({"matched": sp.csr_array(MATCHED.T)}, "different patterns"),
        ({"matched": sp.csr_array(MATCHED * (MATCHED > 20))}, "different patterns"),
    ]:  # fmt: skip
        fine = {"counts": sp.csr_array(COUNTS), "n": 12, "k_min": 2, "matched": None}
        with pytest.raises(ValueError, match=message):
            SimilarityMatrix(**(fine | change))


@given(arrays(np.uint8, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=st.integers(0, 3)), st.data())
def test_kept_entries(dense: np.ndarray, data: st.DataObject) -> None:
    matrix = sp.csr_array(dense)
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=matrix.nnz, max_size=matrix.nnz)), dtype=np.bool_)
    expected = dense.copy()
    expected[dense > 0] *= keep
    kept = kept_entries(matrix, keep)
    assert kept.toarray().tolist() == expected.tolist()
    assert kept.nnz == keep.sum()
    # Two bytes of offsets more for each entry would double the memory of a month's counts.
    assert kept.indices.dtype == kept.indptr.dtype == np.int32


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_columns_are_counted_in_blocks_of_any_size(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infostream_dedup.links.similarity_matrix._BLOCK_ENTRIES", block)
    assert column_counts(sp.csr_array(np.array([[5, 0, 1, 0], [7, 0, 0, 0], [1, 0, 9, 0]]))).tolist() == [3, 0, 2, 0]
    assert column_counts(sp.csr_array((0, 3), dtype=np.int64)).tolist() == [0, 0, 0]
