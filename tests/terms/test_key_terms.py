"""The choice of key terms."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.model import Settings
from infostream_dedup.terms.key_terms import heaviest
from infostream_dedup.terms.statistics import TermCounts
from tests.oracles.key_terms import select_key_terms


def test_heaviest_by_hand_ties_go_to_the_smaller_column():
    weights = sp.csr_array(np.array([[5, 9, 5, 0, 7], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=np.int64))
    assert heaviest(weights, 3).toarray().tolist() == [[5, 9, 0, 0, 7], [0, 0, 0, 0, 0], [1, 1, 1, 0, 0]]


@given(st.lists(st.lists(st.integers(0, 5), min_size=6, max_size=6), min_size=1, max_size=8), st.integers(1, 7))
def test_heaviest_equals_plain_sorting(rows, n):
    found = heaviest(sp.csr_array(np.array(rows, dtype=np.int64)), n)
    for row, weights in enumerate(rows):
        expected = sorted((column for column in range(6) if weights[column] > 0), key=lambda c: (-weights[c], c))[:n]
        assert found[[row]].indices.tolist() == sorted(expected)


def test_explicit_zeros_are_never_key_terms():
    weights = sp.csr_array((np.array([0, 3], dtype=np.int64), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert heaviest(weights, 2).indices.tolist() == [1]


@pytest.fixture
def counts():
    # Ten documents of four terms: document d holds term d // 3 and, all of them, none in common.
    table = np.zeros((9, 4), dtype=np.int32)
    for document in range(9):
        table[document, document // 3] = 2
        table[document, 3] = document % 2
    return TermCounts(
        sp.csr_array(table), ["a", "b", "c", "d"], np.zeros(9, dtype=np.uint8), table.sum(axis=1).astype(np.int64)
    )


def test_key_terms_and_targets(counts):
    found = select_key_terms(counts, Settings(n=1, k=1, min_terms=1, background=False))
    assert found.terms_of(0) == ["a"]
    assert found.terms_of(8) == ["c"]
    assert found.sizes.tolist() == [1] * 9
    assert found.targets.toarray().tolist() == (counts.counts.toarray() > 0).tolist()


def test_target_signature_is_the_key_terms_themselves(counts):
    found = select_key_terms(counts, Settings(n=1, k=1, min_terms=1, background=False, target="signature"))
    assert found.targets.indices.tolist() == found.keys.indices.tolist()


def test_target_top_m_is_between_key_terms_and_text(counts):
    found = select_key_terms(counts, Settings(n=1, k=1, min_terms=1, background=False, target="top:2"))
    assert set(found.targets[[1]].indices) == {0, 3}
    assert set(found.keys[[1]].indices) == {0}


def test_own_weights_sum_the_key_terms(counts):
    found = select_key_terms(counts, Settings(n=2, k=1, min_terms=1, background=False))
    assert found.own_weights.tolist() == found.keys.toarray().sum(axis=1).tolist()
