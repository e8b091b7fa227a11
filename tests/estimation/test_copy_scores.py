"""Precision and recall as copies: worked by hand, and against a count of every pair."""

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup.lab.estimation import copy_scores
from infostream_dedup.lab.estimation.census import Copies, CountedPairs, are_kept, find_all_copies
from infostream_dedup.lab.estimation.copy_scores import Links, count_copies
from infostream_dedup.lab.estimation.sweep_estimator import known_k
from infostream_dedup.links import advise


def recommended_k(copies, estimate=None, n=12):
    """The advice where there are no links."""
    return advise([], n=n, known=known_k(copies, estimate, n=n))


def _links(documents, grades):
    table = np.zeros((documents, documents), dtype=np.uint8)
    for (a, b), (forward, backward) in grades.items():
        table[a, b], table[b, a] = forward, backward
    return Links.of(sp.csr_array(table))


def _copies(pairs, **more):
    a, b = np.array([*pairs], dtype=np.int64).reshape(-1, 2).T
    wording = np.array([*pairs.values()], dtype=np.float64)
    return Copies(a=a, b=b, wording=wording, **{"total": len(a), "series": 0, "sampled": 1} | more)


def test_a_case_worked_by_hand(universe):
    links = _links(5, {(0, 1): (9, 6), (1, 2): (3, 7), (0, 3): (4, 4), (2, 4): (12, 2)})
    copies = _copies({(0, 1): 0.9, (0, 3): 0.35, (3, 4): 0.6})
    counted = CountedPairs(universe(5), short=0, undated=0)
    languages = np.zeros(5, dtype=np.uint8)
    three, four, six = count_copies(links, copies, counted, languages, steps=[3, 4, 6])["all"]
    # At 3: 0-1, 1-2 and 0-3 are linked both ways; 2-4 only at 2.
    assert (three.links, three.linked_copies, three.precision, three.recall) == (3, 2, 2 / 3, 2 / 3)
    assert (four.links, four.linked_copies, four.precision) == (2, 2, 1.0)
    assert (six.links, six.linked_copies, six.recall) == (1, 1, 1 / 3)
    assert three.bands == (1.0, 0.0, 1.0)
    assert six.bands == (0.0, 0.0, 1.0)
    assert six.f1 == pytest.approx(0.5)


def test_series_are_counted_apart(universe):
    within = universe(3, days=np.array([0.0, 1.0, 2.0]), sources=np.array([1, 1, 2]), titles=np.array([5, 6, 7]))
    links = _links(3, {(0, 1): (6, 6), (1, 2): (6, 6)})
    copies = _copies({(0, 1): 1.0, (1, 2): 0.4}, total=1, series=1)
    (six,) = count_copies(
        links, copies, CountedPairs(within, short=0, undated=0), np.zeros(3, dtype=np.uint8), steps=[6]
    )["all"]
    assert (six.links, six.copies, six.series_links, six.series_copies) == (1, 1, 1, 1)


def test_equal_to_counting_every_pair(universe, triple_rows, edited):
    random = np.random.default_rng(7)
    rows = triple_rows(edited(8, [40, 12, *[3] * 30]))
    documents = len(rows.begins) - 1
    table = np.triu(random.integers(0, 13, (documents, documents)).astype(np.uint8), 1)
    table = np.where(random.random(table.shape) < 0.7, 0, table + table.T).astype(np.uint8)
    languages = random.integers(0, 2, documents).astype(np.uint8)
    counted = CountedPairs(universe(documents), short=0, undated=0)
    copies = find_all_copies(rows, counted.universe)
    found = count_copies(Links.of(sp.csr_array(table)), copies, counted, languages, steps=range(1, 13))
    both = np.triu(np.minimum(table, table.T), 1)
    copied = np.zeros_like(both, dtype=bool)
    copied[copies.a, copies.b] = True
    across = languages[:, None] != languages[None, :]
    for block, chosen in (("all", np.ones_like(across)), ("mono", ~across), ("cross", across)):
        for one in found[block]:
            linked = (both >= one.step) & chosen
            assert one.links == linked.sum()
            assert one.linked_copies == (linked & copied).sum()
            assert one.copies == (copied & chosen).sum()
            assert one.precision_bounds[0] <= one.precision <= one.precision_bounds[1]
            assert one.recall_bounds[0] <= one.recall <= one.recall_bounds[1]


def test_intervals_are_as_wide_as_the_spread_over_other_documents(universe):
    """Stars of one document and its five copies: pairs are not independent, and Wilson would be far too narrow."""
    stars, links, copies = 60, {}, {}
    for star in range(stars):
        for leaf in range(5):
            pair = (6 * star, 6 * star + 1 + leaf)
            links[pair] = (6, 6) if star % 3 else (2, 2)
            copies[pair] = 0.9
    counted = CountedPairs(universe(6 * stars), short=0, undated=0)
    (six,) = count_copies(
        _links(6 * stars, links), _copies(copies), counted, np.zeros(6 * stars, dtype=np.uint8), steps=[6]
    )["all"]
    low, high = six.recall_bounds
    # The standard error over stars is (2/3 * 1/3 / 60 * 2.2)^.5, 2.2 for the Poisson weights of hub and leaves.
    assert 0.2 < high - low < 0.45


def test_k_is_chosen_by_f1_where_there_are_50_copies(universe):
    links = {(2 * pair, 2 * pair + 1): (5 + pair % 2, 5 + pair % 2) for pair in range(60)}
    noise = {(2 * pair, 2 * pair + 3): (4, 4) for pair in range(50)}
    counted = CountedPairs(universe(130), short=0, undated=0)

    def chosen(copies):
        copied = _copies({(2 * pair, 2 * pair + 1): 0.8 for pair in range(copies)})
        none = np.zeros(130, dtype=np.uint8)
        return recommended_k(count_copies(_links(130, links | noise), copied, counted, none, steps=range(1, 13))["all"])

    assert chosen(60).chosen == 5
    assert chosen(60).reason.startswith("counted: ")
    assert chosen(49).chosen == 6
    assert chosen(49).reason.startswith("default: 49 copies")
    assert recommended_k([]).chosen == 6
    assert recommended_k([]).reason == (
        "default: copies were not counted; 0 links and 0 paths at k = 6; S and T need 50 of each to choose"
    )


def test_blocks_of_links_change_nothing(universe, monkeypatch):
    random = np.random.default_rng(9)
    grades = sp.csr_array(np.where(random.random((80, 80)) < 0.4, random.integers(1, 12, (80, 80)), 0).astype(np.uint8))
    grades.setdiag(0)
    grades.eliminate_zeros()
    links, languages = Links.of(grades), random.integers(0, 2, 80).astype(np.uint8)
    within = universe(
        80, days=random.random(80) * 20, sources=random.integers(0, 3, 80), titles=random.integers(0, 9, 80)
    )
    counted = CountedPairs(within, short=0, undated=0)
    monkeypatch.setattr(copy_scores, "_MOST_DRAWN", 100)
    whole = count_copies(links, _copies({(0, 1): 0.5}), counted, languages, steps=[1, 4, 8])
    monkeypatch.setattr(copy_scores, "_LINKS_AT_ONCE", 30)
    assert count_copies(links, _copies({(0, 1): 0.5}), counted, languages, steps=[1, 4, 8]) == whole
    assert whole["all"][0].links > 100


@pytest.mark.parametrize("sampled", [1, 2])
def test_sampled_links_never_hold_more_copies_than_links(universe, monkeypatch, sampled):
    """Drawn from other pairs than the links, copies of a large cluster made intervals of precision up to 3.25."""
    random = np.random.default_rng(3)
    pairs = [(a, b) for a in range(60) for b in range(a + 1, 60)]
    grades = random.choice([4, 4, 4, 4, 8, 12], len(pairs)).tolist()
    links = _links(80, {pair: (grade, grade) for pair, grade in zip(pairs, grades, strict=True)} | {(60, 70): (4, 4)})
    a, b = np.array(pairs, dtype=np.int64).T
    kept = are_kept(a, b, sampled.bit_length() - 1)
    copies = _copies({pair: 0.9 for pair, one in zip(pairs, kept.tolist(), strict=True) if one}, sampled=sampled)
    counted = CountedPairs(universe(80), short=0, undated=0)
    monkeypatch.setattr(copy_scores, "_MOST_DRAWN", 200)
    four, *others = count_copies(links, copies, counted, np.zeros(80, dtype=np.uint8), steps=[4, 8, 12])["all"]
    assert four.links == len(pairs) + 1
    assert 0.9 < four.precision_bounds[0] <= four.precision <= four.precision_bounds[1] <= 1.0
    for one in others:
        assert 0.0 < one.precision_bounds[0] <= one.precision <= one.precision_bounds[1] <= 1.0


@pytest.mark.parametrize("pairs", [0, 1, 50])
def test_pairs_are_counted_in_each_draw_whatever_the_threads(pairs, monkeypatch):
    random = np.random.default_rng(pairs)
    a, b = random.integers(0, 20, (2, pairs))
    grades, across = random.integers(0, 13, pairs).astype(np.uint8), random.integers(0, 2, pairs)
    weights = random.integers(0, 9, (20, 7)).astype(np.uint8)
    expected = np.zeros((2, copy_scores._GRADES, 7))
    for one, other, grade, part in zip(a, b, grades, across, strict=True):
        expected[part, grade] += weights[one].astype(float) * weights[other]
    for threads in (1, 2, 3):
        monkeypatch.setattr(copy_scores, "thread_count", lambda _, threads=threads: threads)
        assert np.array_equal(copy_scores._drawn(a, b, grades, across, weights), expected)
