"""Links that are counted and not stored, against the matrix written out."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.links.compiled.low_k import sweep_unstored
from infostream_dedup.links.compiled.matching import match
from infostream_dedup.links.measures import error_of_share
from infostream_dedup.links.relation import drawn_documents
from infostream_dedup.links.sweeping import sweep_by_products as sweep_counts

TERMS = 8
documents_strategy = st.lists(
    st.tuples(st.sets(st.integers(0, TERMS - 1), max_size=5), st.sets(st.integers(0, TERMS - 1), max_size=7)),
    max_size=9,
)


def matrices(documents):
    keys = np.zeros((len(documents), TERMS), dtype=np.int64)
    targets = np.zeros((len(documents), TERMS), dtype=np.bool_)
    for row, (key_terms, target) in enumerate(documents):
        keys[row, list(key_terms)] = 1
        targets[row, list(target)] = True
    return sp.csr_array(keys), sp.csr_array(targets)


@given(documents=documents_strategy, doubled=st.booleans(), shard_size=st.integers(1, 9))
def test_all_but_closed_paths_is_exact_and_those_are_near(documents, doubled, shard_size):
    # Doubled documents are matched as nodes of two and three.
    keys, targets = matrices(documents * 2 + documents[:1] if doubled else documents)
    found = sweep_unstored(keys, targets, n=5, most=3, walks=2000, shard_size=shard_size)
    expected = sweep_counts(match(keys, targets, n=5, weights=False, k_min=1), [1, 2, 3])
    for ours, theirs in zip(found, expected, strict=True):
        unsampled = {"closed": 0, "transitivity": None, "sampled": False, "transitivity_error": None}
        assert replace(ours, **unsampled) == replace(theirs, **unsampled)
        if theirs.transitivity is None:
            assert ours.transitivity is None
            assert not ours.sampled
            continue
        assert ours.sampled
        most, least = (error_of_share(ours.transitivity, draws) for draws in (500, 2000))
        assert least <= ours.transitivity_error <= most
        # All paths or none closed leaves no room for chance; else six standard errors of at least 500 draws.
        spread = np.sqrt(theirs.transitivity * (1 - theirs.transitivity) / 500)
        assert abs(ours.transitivity - theirs.transitivity) <= 6 * spread


@given(documents=documents_strategy.filter(bool), doubled=st.booleans())
def test_a_sample_of_all_documents_is_exact(documents, doubled):
    keys, targets = matrices(documents * 2 + documents[:1] if doubled else documents)
    expected = sweep_unstored(keys, targets, n=5)
    for ours, theirs in zip(sweep_unstored(keys, targets, n=5, sample=np.arange(keys.shape[0])), expected, strict=True):
        assert (ours.symmetry_error, ours.links_error) == (None if ours.symmetry is None else 0, 0)
        assert replace(ours, sampled=theirs.sampled, symmetry_error=None, links_error=None) == theirs


def test_the_mean_over_all_samples_is_the_truth_and_their_spread_is_the_error():
    random = np.random.default_rng(3)
    keys, targets = random.random((12, 9)) < 0.3, random.random((12, 9)) < 0.5
    # Two pairs of equal documents share a place.
    keys[[3, 7]], targets[[3, 7]] = keys[[0, 1]], targets[[0, 1]]
    keys, targets = sp.csr_array(keys.astype(np.int64)), sp.csr_array(targets)
    truth = sweep_unstored(keys, targets, n=9, most=1)[0]
    found = [
        sweep_unstored(keys, targets, n=9, most=1, walks=1, sample=np.array(chosen), workers=1)[0]
        for chosen in combinations(range(12), 4)
    ]
    links = np.array([row.links for row in found])
    assert links.mean() == pytest.approx(truth.links, abs=0.1)
    assert np.mean([row.reciprocal for row in found]) == pytest.approx(truth.reciprocal, abs=0.2)
    assert np.mean([row.paths for row in found]) == pytest.approx(truth.paths, rel=0.001)
    # The variance is estimated without bias.
    assert np.mean([row.links_error**2 for row in found]) == pytest.approx(links.var(), rel=0.01)
    symmetries = np.array([row.symmetry for row in found])
    assert symmetries.mean() == pytest.approx(truth.symmetry, abs=0.01)
    assert np.mean([row.symmetry_error**2 for row in found]) == pytest.approx(symmetries.var(), rel=0.3)


def test_the_error_of_transitivity_is_that_of_samples_even_if_few_documents_hold_the_open_paths():
    # Stories of twelve copies, whose paths are all closed, and digests that hold a term of several stories each.
    random = np.random.default_rng(1)
    holds = np.zeros((1230, 300), dtype=np.int64)
    for story in range(100):
        holds[12 * story : 12 * story + 12, 3 * story : 3 * story + 3] = 1
    for digest in holds[1200:]:
        digest[3 * random.choice(100, 4, replace=False)] = 1
    keys, targets = sp.csr_array(holds), sp.csr_array(holds.astype(np.bool_))
    truth = sweep_unstored(keys, targets, n=5, most=1, walks=300_000)[0]
    found = [
        sweep_unstored(keys, targets, n=5, most=1, walks=4000, sample=np.sort(random.permutation(1230)[:150]))[0]
        for _ in range(60)
    ]
    estimates = np.array([row.transitivity for row in found])
    errors = np.array([row.transitivity_error for row in found])
    assert 0.6 < truth.transitivity < 0.9
    assert estimates.mean() == pytest.approx(truth.transitivity, abs=0.03)
    assert errors.mean() == pytest.approx(estimates.std(), rel=0.2)
    assert 0.7 < ((estimates - truth.transitivity) / errors).std() < 1.3


def test_documents_are_drawn_by_number_and_only_where_all_would_be_too_many():
    keys = sp.csr_array(np.ones((30, 2), dtype=np.int64))
    assert drawn_documents(keys, keys, most_postings=1800, size=10) is None
    drawn = drawn_documents(keys, keys, most_postings=1799, size=10)
    assert len(drawn) == len(set(drawn.tolist())) == 10
    assert (np.diff(drawn) > 0).all()
    other = sp.csr_array(np.eye(30, dtype=np.int64))
    assert drawn_documents(other, other, most_postings=0, size=10).tolist() == drawn.tolist()
    assert drawn_documents(keys, keys, most_postings=0, size=30) is None


def test_draws_do_not_depend_on_threads_or_on_other_ks():
    random = np.random.default_rng(1)
    keys = sp.csr_array((random.random((300, 40)) < 0.1).astype(np.int64))
    targets = sp.csr_array(random.random((300, 40)) < 0.3)
    three = sweep_unstored(keys, targets, n=40, most=3, workers=3)
    assert sweep_unstored(keys, targets, n=40, most=2, workers=1) == three[:2]
    exact = sweep_counts(match(keys, targets, n=40, weights=False, k_min=1), [1, 2, 3])
    for ours, theirs in zip(three, exact, strict=True):
        assert abs(ours.transitivity - theirs.transitivity) < 4 * ours.transitivity_error < 0.007
