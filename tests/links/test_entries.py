"""Parts of sparse matrices, taken in blocks."""

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup.links.similarity_matrix import column_counts


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_columns_are_counted_in_blocks_of_any_size(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infostream_dedup.links.similarity_matrix._BLOCK_ENTRIES", block)
    matrix = sp.csr_array(np.array([[5, 0, 1, 0], [7, 0, 0, 0], [1, 0, 9, 0]]))
    assert column_counts(matrix).tolist() == [3, 0, 2, 0]


def test_columns_of_an_empty_matrix() -> None:
    assert column_counts(sp.csr_array((0, 3), dtype=np.int64)).tolist() == [0, 0, 0]
