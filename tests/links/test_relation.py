"""Every form in which links are stored measures the same links."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.links import (
    GroupCounts,
    LowLinks,
    Measures,
    NodeLinks,
    ShareLinks,
    SimilarityMatrix,
    StoredLinks,
    group_counts,
    match,
    sweep_counts,
)
from infostream_dedup.links.compiled.matching import match_nodes
from infostream_dedup.links.measures import error_of_share
from infostream_dedup.links.sweeping import NO_INTERVAL, intervals

N = 6
TERMS = 8
sets = st.sets(st.integers(0, TERMS - 1), max_size=N)


@st.composite
def collections(draw):
    """Key terms and targets; some documents equal an earlier one."""
    documents = draw(st.lists(st.tuples(sets, sets), min_size=1, max_size=7))
    documents += draw(st.lists(st.sampled_from(documents), max_size=7))
    tables = np.zeros((2, len(documents), TERMS), dtype=np.int64)
    for row, pair in enumerate(documents):
        for table, terms in zip(tables, pair, strict=True):
            table[row, list(terms)] = 1
    return sp.csr_array(tables[0]), sp.csr_array(tables[1] > 0)


def stored(keys, targets, *, k_min=1, weights=False):
    return StoredLinks(matrix=match(keys, targets, n=N, weights=weights, k_min=k_min), keys=keys, targets=targets)


def nodes(keys, targets, *, k_min):
    matched = match_nodes(keys, targets, n=N, k_min=k_min)
    return NodeLinks(matched=matched, keys=keys, targets=targets, n=N, k_min=k_min)


@given(terms=collections(), k_min=st.integers(1, 4))
def test_all_forms_agree_where_links_are_stored(terms, k_min):
    plain = stored(*terms)
    ks = range(k_min, N + 1)
    others = [nodes(*terms, k_min=k_min), LowLinks(stored(*terms, k_min=k_min)), LowLinks(nodes(*terms, k_min=k_min))]
    for other in others:
        assert other.measures(ks) == plain.measures(ks)
        for ours, theirs in zip(other.group_sizes(ks), plain.group_sizes(ks), strict=True):
            assert Counter(ours.tolist()) == Counter(theirs.tolist())
        assert Counter(other.group_sizes([1])[0].tolist()) == Counter(plain.group_sizes([k_min])[0].tolist())


@given(terms=collections(), k_min=st.integers(2, 4))
def test_low_links_are_counted_exactly(terms, k_min):
    found = LowLinks(stored(*terms, k_min=k_min)).measures()
    assert [row.k for row in found] == list(range(1, N + 1))
    for ours, exact in zip(found, stored(*terms).measures(), strict=True):
        unsampled = {name: getattr(exact, name) for name in ("closed", "transitivity", "sampled", "transitivity_error")}
        assert replace(ours, **unsampled) == exact


@given(terms=collections(), data=st.data())
def test_blocks_of_languages_are_measured_alike(terms, data):
    documents = terms[0].shape[0]
    labels = np.array(data.draw(st.lists(st.integers(0, 1), min_size=documents, max_size=documents)), dtype=np.uint8)
    plain = stored(*terms)
    for same in (True, False):
        expected = plain.between(labels, same=same)
        assert LowLinks(plain).between(labels, same=same).measures() == expected.measures()
    links = [plain.between(labels, same=same).measures([1])[0].links for same in (True, False)]
    assert sum(links) == plain.measures([1])[0].links


@given(terms=collections())
def test_with_equal_weights_shares_are_counts(terms):
    # Only full documents: a share of k / n is then reached by exactly k terms.
    full = np.flatnonzero(np.diff(terms[0].indptr) == 4)
    keys, targets = terms[0][full], terms[1][full]
    links = stored(keys, targets, weights=True)
    shares = ShareLinks(links, np.full(len(full), 4), [0.25, 0.5, 0.75, 1.0])
    counts = links.measures(range(1, 5))
    assert [replace(row, k=k, threshold=None) for k, row in enumerate(shares.measures(), start=1)] == counts
    assert shares.matrix is links.matrix


def test_links_of_some_documents():
    keys = sp.csr_array(np.array([[1, 1, 0], [1, 0, 1], [1, 1, 0]], dtype=np.int64))
    links = stored(keys, keys > 0).restricted(np.array([0, 2]))
    assert [(row.k, row.links) for row in links.measures([1, 2, 3])] == [(1, 2), (2, 2), (3, 0)]


def test_nodes_cannot_be_split_by_label():
    keys = sp.csr_array(np.ones((2, 1), dtype=np.int64))
    with pytest.raises(ValueError, match="split by label"):
        nodes(keys, keys > 0, k_min=1).between(np.array([0, 1]), same=True)


def test_groups_of_at_least_two_documents_are_counted():
    assert GroupCounts.of(np.array([1, 2, 1, 3])) == GroupCounts(2, 5, 3)
    assert GroupCounts.of(np.array([1, 1])) == GroupCounts(0, 0, 0)
    keys = sp.csr_array(np.array([[1, 1, 1, 0], [1, 1, 1, 0], [0, 1, 1, 1]]))
    links = LowLinks(stored(keys, keys > 0, k_min=2))
    assert links.k_min == 2
    rows = links.measures([1, 2, 3])
    # At 2 all three return each other's links, at 3 the first two do; links at 1 are not stored.
    assert group_counts(links, rows) == [None, GroupCounts(1, 3, 3), GroupCounts(1, 2, 2)]
    shares = ShareLinks(stored(keys, keys > 0, weights=True), np.array([3, 3, 3]), [0.5])
    assert group_counts(shares, shares.measures()) == [None]


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
