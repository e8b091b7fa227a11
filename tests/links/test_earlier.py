"""The best earlier document from links: worked by hand, and equal to a search through all pairs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Settings
from infostream_dedup.documents import read_documents
from infostream_dedup.links.compiled import earlier, term_rows
from infostream_dedup.links.compiled.earlier import EarlierDocuments, accept, linked_pairs
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.deduplication import K_SIMILAR, _decided_by_links, _decided_by_pairs
from infostream_dedup.runs.batch.linking import candidate_pairs, link
from infostream_dedup.sample import documents_path

BOTH = (False, False, False, True)
ANY = (False, True, True, True)
BACKWARD = (False, False, True, True)


def _found(keys, targets, accepted, *, stored):
    """Return the best documents and the leaders of groups; only counts from ``stored`` upwards are given."""
    counts = (keys.astype(int) @ targets.T.astype(int)).astype(np.uint8)
    np.fill_diagonal(counts, 0)
    counts[counts < stored] = 0
    parents = np.arange(len(keys), dtype=np.int32)
    of = EarlierDocuments.of(*(sp.csr_array(one) for one in (counts, keys, targets))).best(accepted, parents)
    for document in range(len(parents)):
        parents[document] = parents[parents[document]]
    return of.tolist(), parents.tolist()


def _searched(keys, targets, k, short, relations, fewest):
    n, sizes = 4, keys.sum(axis=1).tolist()
    counts = (keys.astype(int) @ targets.T.astype(int)).tolist()
    best, leaders = [], list(range(len(sizes)))
    for b in range(len(sizes)):
        found = []
        for a in range(b):
            shorter = min(sizes[a], sizes[b])
            need = k if short == "strict" or shorter >= n else max(min(3, k), -(-k * shorter // n))
            forward, backward = counts[a][b], counts[b][a]
            if shorter >= fewest and relations[(forward >= need) + 2 * (backward >= need)]:
                found.append((-min(forward, backward), -max(forward, backward), a))
                one, other = sorted((leaders[a], leaders[b]))
                leaders = [one if leader == other else leader for leader in leaders]
        best.append(min(found)[2] if found else -1)
    return best, leaders


def test_a_weak_direction_is_counted_where_it_decides():
    # Documents 0 and 1 have three key terms of document 2 in their targets, so all three are joined; 2 has none of the
    # key terms of 0, and one of 1's.
    keys = np.array([[1, 1, 1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1, 1]], dtype=bool)
    targets = keys.copy()
    targets[0, 6:] = True
    targets[1, 6:] = True
    assert _found(keys, targets, accept(3, n=4, short="scaled", relations=ANY), stored=3) == ([-1, -1, 1], [0, 0, 0])
    both = accept(3, n=4, short="scaled", relations=BOTH)
    assert _found(keys, targets, both, stored=3) == ([-1, -1, -1], [0, 1, 2])


@st.composite
def _collections(draw):
    documents = draw(st.integers(0, 9))
    random = np.random.default_rng(draw(st.integers(0, 2**20)))
    targets = random.random((documents, 7)) < draw(st.sampled_from([0.5, 0.8]))
    keys = targets & (random.random((documents, 7)) < 0.7)
    keys &= np.cumsum(keys, axis=1) <= 4
    return keys, targets


@given(_collections(), st.integers(1, 4), st.sampled_from(["scaled", "strict"]), st.sampled_from([ANY, BOTH, BACKWARD]))
def test_equal_to_a_search_through_all_pairs(collection, k, short, relations):
    for fewest in (0, 3):
        stored = k if short == "strict" else min(3, k)
        found = _found(*collection, accept(k, n=4, short=short, relations=relations, fewest=fewest), stored=stored)
        assert found == _searched(*collection, k, short, relations, fewest)


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_join_the_same_groups(monkeypatch, threads):
    monkeypatch.setattr(term_rows, "_LEAST_WORK", 1)
    monkeypatch.setattr(earlier, "thread_count", lambda _: threads)
    for seed in range(20):
        random = np.random.default_rng(seed)
        targets = random.random((60, 30)) < 0.2
        keys = targets & (random.random((60, 30)) < 0.6)
        keys &= np.cumsum(keys, axis=1) <= 4
        found = _found(keys, targets, accept(3, n=4, short="scaled", relations=ANY), stored=3)
        assert found == _searched(keys, targets, 3, "scaled", ANY, 0)
        assert 1 < len(set(found[1])) < 60


@pytest.mark.parametrize("stored", [1, 2, 3])
def test_counts_that_are_left_out_change_nothing(stored):
    random = np.random.default_rng(3)
    targets = random.random((60, 12)) < 0.6
    keys = targets & (random.random((60, 12)) < 0.5)
    keys &= np.cumsum(keys, axis=1) <= 4
    accepted = accept(4, n=4, short="scaled", relations=ANY)
    assert _found(keys, targets, accepted, stored=stored) == _found(keys, targets, accepted, stored=1)


@pytest.mark.parametrize("duplicate_rule", ["equal", "contained"])
@pytest.mark.parametrize(
    "given", [{}, {"rule": "either"}, {"short": "strict"}, {"k": 2}, {"k": 9, "target": "signature"}]
)
def test_statuses_of_the_sample_equal_those_decided_from_exact_counts(given, duplicate_rule):
    collection = collect(read_documents(documents_path()), hashes=True)
    settings = Settings(representation="stem", **given)
    key_terms = collection.key_terms(settings)
    pairs = candidate_pairs(link(key_terms, settings, k_min=1), min(K_SIMILAR, settings.k))
    plainly = _decided_by_pairs(key_terms, settings, duplicate_rule, pairs)
    fast = _decided_by_links(link(key_terms, settings, k_min=1), duplicate_rule)
    assert (fast[0] >= 0).any()
    assert fast[0].tolist() == plainly[0].tolist()
    assert fast[1].tolist() == plainly[1].tolist()


@given(seed=st.integers(0, 10_000), documents=st.integers(0, 12), density=st.floats(0, 1))
def test_pairs_linked_in_either_direction_are_listed_by_the_later_document(seed, documents, density):
    counts = (np.random.default_rng(seed).random((documents, documents)) < density).astype(np.uint8)
    np.fill_diagonal(counts, 0)
    a, b = linked_pairs(sp.csr_array(counts))
    expected = [
        (one, other) for other in range(documents) for one in range(other) if counts[one, other] | counts[other, one]
    ]
    assert list(zip(a.tolist(), b.tolist(), strict=True)) == expected
