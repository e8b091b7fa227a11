"""Sentences that resemble one another: the index against every pair compared."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.passages.passage_runs import index_bags, matched
from infostream_dedup.machine.arrays import rows_from


def _jaccard(one, other):
    a, b = Counter(one), Counter(other)
    return (a & b).total() / (a | b).total()


def _brute_force(bags, tau):
    return [
        [one, other]
        for one, other in combinations(range(len(bags)), 2)
        if bags[one] and bags[other] and _jaccard(bags[one], bags[other]) >= tau - 1e-9
    ]


def test_multisets_by_hand():
    # {x, 9 y} and {2 x, 8 y}: 9 of 11, though the authors of SpotSigs' bound says 0.
    bags = [[1] + [2] * 9, [1] * 2 + [2] * 8]
    assert matched(index_bags(rows_from(bags, np.uint64)), 9 / 11).pairs().tolist() == [[0, 1]]
    assert matched(index_bags(rows_from(bags, np.uint64)), 0.82).pairs().tolist() == []


def test_equal_bags_are_one_class():
    index = index_bags(rows_from([[5, 7, 5], [], [7, 5, 5], [7, 5], [7]], np.uint64))
    assert (index.class_of.tolist(), len(index.bags)) == ([2, -1, 2, 1, 0], 3)
    assert (index.elements, index.lonely, index.postings) == (2, 0, 7)
    found = matched(index, 0.6)
    assert (found.members.row(2).tolist(), found.alike.row(2).tolist()) == ([0, 2], [1])
    assert found.alike.row(0).tolist() == []
    assert found.pairs().tolist() == [[0, 2], [0, 3], [2, 3]]


@pytest.mark.parametrize("tau", [0, -1, 1.01, float("nan")])
def test_tau_out_of_range(tau):
    with pytest.raises(ConfigurationError, match="tau"):
        matched(index_bags(rows_from([[1]], np.uint64)), tau)


@given(
    st.lists(st.lists(st.integers(0, 6), max_size=9), max_size=14),
    st.sampled_from([0.05, 0.2, 1 / 3, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.9, 1.0]),
)
def test_all_pairs_are_found_and_no_others(bags, tau):
    assert matched(index_bags(rows_from(bags, np.uint64)), tau).pairs().tolist() == _brute_force(bags, tau)


@given(
    st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=14),
    st.sampled_from([0.2, 1 / 3, 0.6]),
    st.integers(0, 4),
)
def test_sentences_from_a_template_have_equal_copies_only(bags, tau, most):
    every = rows_from(bags, np.uint64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("infostream_dedup.judging.passages.passage_runs.MOST_ALIKE", most)
        found = matched(index_bags(every), tau)
    index = index_bags(every)
    classes = [Counter(index.bags.row(number).tolist()) for number in range(len(index.bags))]
    # The other classes that resemble each class, by comparing all.
    alike = [[n for n, two in enumerate(classes) if two != own and _jaccard(own, two) >= tau - 1e-9] for own in classes]
    for number, all_alike in enumerate(alike):
        kept = [other for other in all_alike if len(all_alike) <= most and len(alike[other]) <= most]
        assert found.alike.row(number).tolist() == kept


@pytest.mark.parametrize("seed", range(4))
def test_long_bags_of_frequent_and_rare_elements(seed):
    random = np.random.default_rng(seed)
    base = [random.zipf(1.3, random.integers(1, 60)) % 500 for _ in range(40)]
    edited = [row[random.random(len(row)) < 0.85] for row in base]
    bags = [[int(value) for value in row] for row in (*base, *edited)]
    for tau in (0.3, 0.6, 0.8):
        assert matched(index_bags(rows_from(bags, np.uint64)), tau).pairs().tolist() == _brute_force(bags, tau)
