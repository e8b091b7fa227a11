from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links import Measures, SimilarityMatrix
from infostream_dedup.links.sweeping import sweep_by_products as sweep_counts
from infostream_dedup.links.sweeping import sweep_shares

from .test_transitivity import link_counts


@st.composite
def matrices(draw: st.DrawFn) -> SimilarityMatrix:
    documents = draw(st.integers(1, 9))
    counts = draw(arrays(np.uint8, (documents, documents), elements=st.integers(0, 5)))
    np.fill_diagonal(counts, 0)
    return SimilarityMatrix(sp.csr_array(counts), n=5, k_min=1)


def _random_matrix() -> SimilarityMatrix:
    random = np.random.default_rng(7)
    counts = random.integers(0, 13, (60, 60)).astype(np.uint8)
    counts[random.random((60, 60)) < 0.5] = 0
    np.fill_diagonal(counts, 0)
    return SimilarityMatrix(sp.csr_array(counts), n=12, k_min=1)


@given(matrices())
def test_each_row_equals_a_count_from_scratch(matrix: SimilarityMatrix) -> None:
    rows = sweep_counts(matrix, [1, 2, 3, 4, 5])
    assert [row.k for row in rows] == [1, 2, 3, 4, 5]
    for row in rows:
        counts = link_counts(matrix.links_at(row.k))
        assert (row.documents, row.links, row.reciprocal, row.paths, row.closed) == counts
        assert row.symmetry == (counts.reciprocal / counts.links if counts.links else None)
        assert row.transitivity == (counts.closed / counts.paths if counts.paths else None)
        assert not row.sampled
        assert row.transitivity_error is None


def test_the_matrix_is_not_changed() -> None:
    matrix = _random_matrix()
    before = matrix.counts.toarray()
    sweep_counts(matrix, range(1, 13))
    assert (matrix.counts.toarray() == before).all()


def test_rows_come_once_each_in_ascending_order() -> None:
    matrix = _random_matrix()
    assert [row.k for row in sweep_counts(matrix, [6, 4, 6, 12])] == [4, 6, 12]
    assert sweep_counts(matrix, []) == []


def test_above_the_budget_transitivity_is_sampled_with_its_error() -> None:
    matrix = _random_matrix()
    exact = sweep_counts(matrix, [3, 6])
    sampled = sweep_counts(matrix, [3, 6], path_budget=0, samples=20_000, exact_from=None)
    for true, row in zip(exact, sampled, strict=True):
        assert row.sampled
        assert (row.links, row.reciprocal, row.paths, row.symmetry) == (
            true.links, true.reciprocal, true.paths, true.symmetry,
        )  # fmt: skip
        expected_error = np.sqrt(true.transitivity * (1 - true.transitivity) / 20_000)
        assert row.transitivity_error == pytest.approx(expected_error, rel=0.1)
        assert abs(row.transitivity - true.transitivity) < 4 * row.transitivity_error
        assert row.closed == round(row.transitivity * row.paths)


def test_a_sampled_row_does_not_depend_on_the_others() -> None:
    matrix = _random_matrix()
    together = sweep_counts(matrix, [2, 4, 6], path_budget=0, samples=1_000, exact_from=None)
    assert sweep_counts(matrix, [4], path_budget=0, samples=1_000, exact_from=None) == [together[1]]


def test_the_budget_counts_walks_that_come_back() -> None:
    # a - b - c, linked both ways: two paths, four walks that come back.
    dense = np.zeros((3, 3), dtype=np.uint8)
    dense[0, 1] = dense[1, 0] = dense[1, 2] = dense[2, 1] = 1
    matrix = SimilarityMatrix(sp.csr_array(dense), n=1, k_min=1)
    assert not sweep_counts(matrix, [1], path_budget=6)[0].sampled
    assert sweep_counts(matrix, [1], path_budget=5, samples=10)[0].sampled


def test_without_links_and_without_paths() -> None:
    empty = sweep_counts(SimilarityMatrix(sp.csr_array((3, 3), dtype=np.uint8), n=12, k_min=1), [1], path_budget=0)
    assert empty == [Measures.of(k=1, documents=3, links=0, reciprocal=0, paths=0, closed=0)]
    pair = SimilarityMatrix(sp.csr_array(np.array([[0, 2], [2, 0]], dtype=np.uint8)), n=12, k_min=1)
    assert sweep_counts(pair, [2], path_budget=0) == [
        Measures.of(k=2, documents=2, links=2, reciprocal=2, paths=0, closed=0)
    ]


def test_no_transitivity_between_languages() -> None:
    matrix = _random_matrix().between(np.arange(60) % 3, same=False)
    for row in sweep_counts(matrix, [1, 6]):
        assert row.paths > 0
        assert row.symmetry is not None
        assert row.transitivity is None
        assert row.closed is None
        assert not row.sampled


def test_k_below_k_min_is_refused() -> None:
    matrix = SimilarityMatrix(sp.csr_array((3, 3), dtype=np.uint8), n=12, k_min=4)
    with pytest.raises(ConfigurationError, match="k is 3, but this matrix holds only counts of at least 4"):
        sweep_counts(matrix, [5, 3])


def test_shares_are_swept_like_counts() -> None:
    matrix = _random_matrix()
    by_share = sweep_shares(matrix.counts.astype(np.float64) / 12, [0.75, 0.25, 0.5, 1.0])
    by_count = sweep_counts(matrix, [3, 6, 9, 12])
    assert [row.threshold for row in by_share] == [0.25, 0.5, 0.75, 1.0]
    for share, count in zip(by_share, by_count, strict=True):
        assert replace(share, threshold=None) == replace(count, k=None)


def test_more_thresholds_than_a_byte_counts_are_refused() -> None:
    shares = sp.csr_array(np.array([[0, 1.0], [0, 0]]))
    assert sweep_shares(shares, [step / 255 for step in range(1, 256)])[-1].links == 1
    with pytest.raises(ConfigurationError, match="256 thresholds"):
        sweep_shares(shares, [step / 256 for step in range(1, 257)])


def test_rows_as_plain_values() -> None:
    row = Measures.of(k=4, documents=10, links=8, reciprocal=6, paths=5, closed=3)
    assert (row.symmetry, row.transitivity) == (0.75, 0.6)
    assert list(row.as_dict()) == [
        "k", "documents", "links", "reciprocal", "paths", "closed", "symmetry", "transitivity", "sampled",
        "transitivity_error", "symmetry_error", "links_error",
    ]  # fmt: skip
    threshold = replace(row, k=None, threshold=0.4).as_dict()
    assert threshold["threshold"] == 0.4
    assert "k" not in threshold
