"""Errors of S and T: intervals agree with resampling by hand, and a sampled share never claims certainty."""

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup.links import Measures, SimilarityMatrix, sweep_counts
from infostream_dedup.links.intervals import NO_INTERVAL, intervals
from infostream_dedup.links.measures import error_of_share


def of(dense, n=12):
    matrix = SimilarityMatrix(sp.csr_array(np.asarray(dense, dtype=np.uint8)), n, 1)
    rows = sweep_counts(matrix, range(1, n + 1))
    return rows, intervals(matrix, rows)


@pytest.fixture(scope="module")
def clusters():
    """Sixty groups of different sizes, in which links are returned and closed with different luck."""
    random = np.random.default_rng(5)
    dense = np.zeros((300, 300))
    begin = 0
    while begin < 290:
        size = int(random.integers(2, 9))
        block = random.random((size, size)) < random.uniform(0.4, 1.0)
        dense[begin : begin + size, begin : begin + size] = block * random.integers(5, 9)
        begin += size
    np.fill_diagonal(dense, 0)
    return dense


def test_intervals_are_those_of_poisson_resamples(clusters):
    rows, found = of(clusters)
    linked = clusters >= 6
    random = np.random.default_rng(8)
    symmetry, transitivity = [], []
    for _ in range(1500):
        w = random.poisson(1.0, len(linked)).astype(float)
        weighted = linked * w[:, None] * w[None, :]
        symmetry.append((weighted * linked.T).sum() / weighted.sum())
        steps = (linked * w[:, None]) @ (linked * w[:, None]) * w[None, :]
        np.fill_diagonal(steps, 0)
        transitivity.append((steps * linked).sum() / steps.sum())
    row = next(one for one in rows if one.k == 6)
    for name, drawn in (("symmetry", symmetry), ("transitivity", transitivity)):
        low, high = getattr(found[6], f"{name}_low"), getattr(found[6], f"{name}_high")
        assert low < getattr(row, name) < high
        assert high - low == pytest.approx(2 * 1.96 * np.std(drawn), rel=0.25)


def test_few_links_or_paths_have_no_interval():
    dense = np.zeros((8, 8))
    dense[0, 1] = dense[1, 0] = dense[1, 2] = 6
    rows, found = of(dense)
    assert next(one for one in rows if one.k == 6).links == 3
    assert found[6] == NO_INTERVAL


def test_a_share_of_one_is_not_certain():
    dense = np.kron(np.eye(10), np.full((3, 3), 6))
    np.fill_diagonal(dense, 0)
    _, found = of(dense)
    assert found[6].symmetry_low == found[6].transitivity_low == pytest.approx(0.9)
    assert found[6].symmetry_high == found[6].transitivity_high == 1


def test_inside_it_is_the_binomial_one_and_at_the_ends_the_rule_of_three():
    assert error_of_share(0.5, 100) == pytest.approx(0.05)
    for share in (0.0, 1.0):
        assert 1.96 * error_of_share(share, 300) == pytest.approx(0.01)
        assert 1.96 * error_of_share(share, 2) == 1.0, "nothing is known"


def test_a_transitivity_of_one_is_not_certain_if_it_is_sampled():
    counts = {"k": 2, "documents": 9, "links": 20, "reciprocal": 20, "paths": 1000}
    sampled = Measures.of(**counts, closed=50, draws=50)
    assert (sampled.transitivity, sampled.closed) == (1.0, 1000)
    assert sampled.transitivity_error == pytest.approx(3 / 50 / 1.96)
    assert Measures.of(**counts, closed=1000).transitivity_error is None
