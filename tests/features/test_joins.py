"""Every join finds exactly what trying all pairs finds."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.features import joins
from infostream_dedup.machine.arrays import distinct, rows_from

THRESHOLDS = st.sampled_from([0.05, 0.3, 0.44, 0.5, 0.6, 2 / 3, 0.75, 0.8, 0.81, 0.85, 1.0])
BAGS = st.lists(st.lists(st.integers(0, 9), max_size=14), max_size=14)


def _rows(bags):
    return rows_from(bags, np.uint64)


def _jaccard(a, b):
    a, b = Counter(a), Counter(b)
    return (a & b).total() / (a | b).total() if a and b else 0.0


def _found(result):
    return [(a, b, round(score, 9)) for a, b, score in zip(result.a, result.b, result.scores, strict=True)]


def _tried(bags, tau):
    scores = {(a, b): _jaccard(bags[a], bags[b]) for a, b in combinations(range(len(bags)), 2)}
    return [(a, b, round(score, 9)) for (a, b), score in scores.items() if score >= tau - 1e-9]


@given(BAGS, THRESHOLDS)
def test_resembling_sets(bags, tau):
    sets = [sorted(set(bag)) for bag in bags]
    assert _found(joins.resembling(_rows(sets), tau)) == _tried(sets, tau)


@given(BAGS, THRESHOLDS)
def test_resembling_bags_as_numbered_sets(bags, tau):
    assert _found(joins.resembling(distinct(joins.numbered(_rows(bags))), tau)) == _tried(bags, tau)


@pytest.mark.parametrize("tau", [0.44, 0.6, 0.85])
def test_larger_bags(tau):
    random = np.random.default_rng(2)
    originals = [random.zipf(1.5, random.integers(4, 120)) % 200 for _ in range(40)]
    # Edited copies, so that many pairs lie near the threshold.
    copies = [bag[: random.integers(len(bag) // 2, len(bag) + 1)] for bag in originals for _ in range(2)]
    bags = [bag.tolist() for bag in (*originals, *copies) if len(bag)]
    expected = _tried(bags, tau)
    assert len(expected) > 20
    assert _found(joins.resembling(distinct(joins.numbered(_rows(bags))), tau)) == expected


@given(BAGS, THRESHOLDS)
def test_contained_sets(bags, tau):
    sets = [set(bag) for bag in bags]
    expected = [
        (a, b, round(len(sets[a] & sets[b]) / len(sets[a]), 9))
        for a, b in sorted(permutations(range(len(sets)), 2))
        if sets[a] and len(sets[a] & sets[b]) / len(sets[a]) >= tau - 1e-9
    ]
    assert _found(joins.containing(_rows([sorted(one) for one in sets]), tau)) == expected


@given(st.integers(0, 10**6), THRESHOLDS)
def test_similar_vectors(seed, tau):
    random = np.random.default_rng(seed)
    vectors = joins.unit_vectors(sp.csr_array(random.integers(1, 9, (12, 8)) * (random.random((12, 8)) < 0.5)))
    cosines = np.round((vectors @ vectors.T).toarray(), 9)
    expected = [(a, b, cosines[a, b]) for a, b in combinations(range(12), 2) if cosines[a, b] >= tau - 1e-9]
    found = _found(joins.similar_vectors(vectors, tau))
    assert [pair[:2] for pair in found] == [pair[:2] for pair in expected]
    assert [pair[2] for pair in found] == pytest.approx([min(pair[2], 1.0) for pair in expected])


@given(BAGS, st.lists(st.integers(1, 30), min_size=14, max_size=14), st.sampled_from([1.0, 1.15, 1.5, 3.0]))
def test_chains_are_cut_by_length(bags, lengths, ratio):
    lengths = np.array(lengths[: len(bags)], dtype=np.int64)
    met = joins.pairs_sharing(_rows(bags), lengths=lengths, ratio=ratio)
    expected = [
        (a, b, len(set(bags[a]) & set(bags[b])))
        for a, b in combinations(range(len(bags)), 2)
        if set(bags[a]) & set(bags[b]) and max(lengths[a], lengths[b]) <= ratio * min(lengths[a], lengths[b]) + 1e-9
    ]
    assert list(zip(met.a, met.b, met.shared, strict=True)) == expected


@given(BAGS)
def test_chains_without_lengths(bags):
    met = joins.pairs_sharing(_rows(bags))
    expected = [(a, b) for a, b in combinations(range(len(bags)), 2) if set(bags[a]) & set(bags[b])]
    assert list(zip(met.a, met.b, strict=True)) == expected


@given(BAGS)
def test_equal_rows(bags):
    met = joins.equal_pairs(_rows(bags))
    expected = [(a, b) for a, b in combinations(range(len(bags)), 2) if bags[a] and bags[a] == bags[b]]
    assert list(zip(met.a, met.b, strict=True)) == expected
    assert (met.shared == 1).all()
