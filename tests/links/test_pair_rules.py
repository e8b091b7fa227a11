from collections.abc import Iterable
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import connected_components

from infostream_dedup import Settings
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.compiled import earlier, term_rows
from infostream_dedup.links.compiled.earlier import EarlierDocuments, accept, linkage_order, linked_pairs
from infostream_dedup.links.compiled.kernels.rows import LinkArrays, join_returned, lead_rows, merge_leaders
from infostream_dedup.links.pair_rules import count_grades, need, pair_grades, share_grades
from infostream_dedup.links.relation import group_sizes
from infostream_dedup.links.similarity_matrix import links_at
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.deduplication import K_SIMILAR, _decided_by_links, _decided_by_pairs
from infostream_dedup.runs.batch.linking import LinkedPairs, candidate_pairs, link
from infostream_dedup.sample import documents_path


def _matrix(entries: dict[tuple[int, int], int], documents: int, dtype: type = np.uint8) -> sp.csr_array:
    dense = np.zeros((documents, documents), dtype=dtype)
    for place, value in entries.items():
        dense[place] = value
    return sp.csr_array(dense)


@pytest.mark.parametrize(("k", "expected_by_size"), [
    # sizes        0  1  2  3  4  5  6  7  8  9 10 11 12
    (1, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]), (2, [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]),
    (3, [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]), (4, [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4]),
    (6, [3, 3, 3, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6]), (8, [3, 3, 3, 3, 3, 4, 4, 5, 6, 6, 7, 8, 8]),
    (12, [3, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
])  # fmt: skip
def test_need_of_short_documents(k: int, expected_by_size: list[int]) -> None:
    sizes = np.arange(13)
    assert need(k, sizes, np.full(13, 12), n=12).tolist() == expected_by_size
    assert need(k, np.full(13, 12), sizes, n=12).tolist() == expected_by_size
    assert need(k, sizes, sizes, n=12, short="strict").tolist() == [k] * 13


@given(st.integers(1, 60), st.data())
def test_need_follows_the_definition(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    shorter = min(a, b)
    expected = k if shorter >= n else max(min(3, k), ceil(Fraction(k * shorter, n)))
    assert need(k, np.array([a]), np.array([b]), n=n).tolist() == [expected]


@given(st.integers(1, 20), st.sampled_from(["scaled", "strict"]), st.data())
def test_a_grade_is_the_last_k_at_which_a_link_holds(n: int, short: str, data: st.DataObject) -> None:
    sizes = np.array(data.draw(st.lists(st.integers(0, n), min_size=2, max_size=2)))
    count = data.draw(st.integers(1, n))
    grades = count_grades(_matrix({(0, 1): count}, 2), sizes, n=n, short=short)
    holds = [k for k in range(1, n + 1) if count >= need(k, sizes[:1], sizes[1:], n=n, short=short)[0]]
    assert holds == list(range(1, int(grades[0, 1]) + 1))


def test_a_short_document_is_linked_with_fewer_terms() -> None:
    counts = _matrix({(0, 1): 4, (1, 0): 4, (0, 2): 4, (2, 0): 4}, 3)
    sizes = np.array([12, 8, 12])
    grades = count_grades(counts, sizes, n=12)
    assert (grades[0, 1], grades[0, 2]) == (6, 4)
    assert count_grades(counts, sizes, n=12, short="strict")[0, 1] == 4


def test_share_grades_count_the_thresholds_reached() -> None:
    counts = _matrix({(0, 1): 5, (1, 0): 3, (0, 2): 2}, 3)
    matched = _matrix({(0, 1): 400, (1, 0): 450, (0, 2): 900}, 3, np.int64)
    own = np.array([1000, 500, 700])
    grades = share_grades(counts, matched, own, thresholds=(0.2, 0.4, 0.6, 0.95), min_terms=3)
    assert grades[0, 1] == 2  # .40 exactly reaches .40
    assert grades[1, 0] == 3  # .90
    assert grades[0, 2] == 0  # too few terms


def test_a_share_that_equals_a_threshold_reaches_it() -> None:
    # 0.55 * 100 is more than 55 in floating point.
    for step in range(1, 21):
        grades = share_grades(
            _matrix({(0, 1): 20}, 2), _matrix({(0, 1): 5 * step}, 2, np.int64), np.array([100, 100]),
            thresholds=(round(0.05 * step, 2),), min_terms=3,
        )  # fmt: skip
        assert grades[0, 1] == 1


def test_both_takes_the_weaker_direction_and_either_the_stronger() -> None:
    grades = _matrix({(0, 1): 7, (1, 0): 5, (0, 2): 3, (2, 1): 9}, 3)
    both, either = pair_grades(grades, "both"), pair_grades(grades, "either")
    assert both.toarray().tolist() == [[0, 5, 0], [0, 0, 0], [0, 0, 0]]
    assert either.toarray().tolist() == [[0, 7, 3], [0, 0, 9], [0, 0, 0]]
    assert (both.nnz, either.nnz) == (1, 3)


def test_links_that_hold_nowhere_are_not_pairs() -> None:
    counts = _matrix({(0, 1): 2, (1, 0): 2}, 2)
    grades = share_grades(counts, counts.astype(np.int64), np.array([2, 2]), thresholds=(0.5,), min_terms=3)
    assert grades.nnz == 2
    assert pair_grades(grades, "either").nnz == 0


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="expected both or either"):
        pair_grades(_matrix({}, 2), "any")


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
def test_pairs_linked_in_either_direction_are_listed(seed, documents, density):
    random = np.random.default_rng(seed)
    counts = random.integers(1, 256, (documents, documents)) * (random.random((documents, documents)) < density)
    np.fill_diagonal(counts, 0)
    matrix = sp.csr_array(counts.astype(np.uint8))
    ends = np.argwhere(np.triu(counts + counts.T)).tolist()
    assert np.stack(linked_pairs(matrix)).T.tolist() == sorted(ends, key=lambda pair: pair[::-1])
    counted = LinkedPairs(matrix)
    assert [row for block in counted.blocks for row in np.stack(counted.of(block)).T.tolist()] == [
        [a, b, counts[a, b], counts[b, a]] for a, b in ends
    ]


def group_leaders(counts: sp.csr_array, ks: Iterable[int]) -> np.ndarray:
    """The slow judge: components of returned links, by scipy."""
    leaders = []
    for k in ks:
        links = links_at(counts, k)
        _, component = connected_components(links.multiply(links.T.tocsr()), directed=False)
        _, first, group = np.unique(component, return_index=True, return_inverse=True)
        leaders.append(first[group])
    return np.array(leaders)


def _links(documents: int, links: list[tuple[int, int]]) -> sp.csr_array:
    dense = np.zeros((documents, documents), dtype=np.uint8)
    for i, j in links:
        dense[i, j] = 16
    return sp.csr_array(dense)


def test_only_returned_links_join_and_the_earliest_leads() -> None:
    # 4 <-> 2 <-> 5 and 1 <-> 3 are joined; 0 -> 1 is not returned.
    links = _links(6, [(4, 2), (2, 4), (2, 5), (5, 2), (1, 3), (3, 1), (0, 1)])
    leaders = earlier.group_leaders(links, [1])[0]
    assert leaders.tolist() == group_leaders(links, [1])[0].tolist() == [0, 1, 2, 1, 2, 2]
    assert group_sizes(leaders).tolist() == [1, 2, 3]
    nobody = earlier.group_leaders(_links(0, []), [1])[0]
    assert nobody.tolist() == group_sizes(nobody).tolist() == []


counts_of_pairs = st.integers(1, 9).flatmap(lambda n: arrays(np.uint8, (n, n), elements=st.integers(0, 4)))


@given(counts_of_pairs, st.lists(st.integers(1, 5), min_size=1))
def test_compiled_code_finds_the_same_leaders(counts: np.ndarray, ks: list[int]) -> None:
    np.fill_diagonal(counts, 0)
    found = earlier.group_leaders(sp.csr_array(counts), ks)
    assert found.tolist() == group_leaders(sp.csr_array(counts), ks).tolist()


@given(counts_of_pairs, st.integers(0, 9))
def test_rows_joined_apart_and_merged_are_joined(counts: np.ndarray, cut: int) -> None:
    np.fill_diagonal(counts, 0)
    links, ks = sp.csr_array(counts), [1, 2, 4]
    levels = np.searchsorted(ks, np.arange(256), side="right")
    indptr, columns = links.indptr.astype(np.int64), links.indices.astype(np.int32)
    forests = [np.repeat(np.arange(len(counts), dtype=np.int32), 3).reshape(-1, 3) for _ in range(2)]
    cut = min(cut, len(counts))
    for forest, (first, last) in zip(forests, ((0, cut), (cut, len(counts))), strict=True):
        join_returned(first, last, LinkArrays(indptr, columns, links.data), levels, forest)
    merge_leaders(forests[0], forests[1])
    lead_rows(forests[1])
    assert forests[1].T.tolist() == group_leaders(links, ks).tolist()


def test_several_threads_find_the_same_groups(monkeypatch) -> None:
    random = np.random.default_rng(4)
    counts = sp.random_array((600, 600), density=0.004, format="csr", rng=random)
    counts = sp.csr_array(counts + counts.T)
    counts.data = random.integers(1, 13, counts.nnz).astype(np.uint8)
    counts.sort_indices()
    monkeypatch.setattr(term_rows, "_LEAST_WORK", 1)
    monkeypatch.setattr(earlier, "thread_count", lambda _: 4)
    found = earlier.group_leaders(counts, range(1, 13))
    assert found.tolist() == group_leaders(counts, range(1, 13)).tolist()
    assert 1 < len(np.unique(found[3])) < 600


def _order(counts: np.ndarray, levels: list[int], threads: int = 1) -> list[int]:
    links = sp.csr_array(counts)
    rows = LinkArrays(links.indptr.astype(np.int64), links.indices.astype(np.int32), links.data)
    return linkage_order(rows, levels, threads).tolist()


def test_a_case_worked_by_hand() -> None:
    counts = np.zeros((6, 6), dtype=np.uint8)
    for i, j, count in ((0, 4, 3), (4, 2, 9), (5, 1, 6)):
        counts[i, j] = count
    # At 6: {2, 4}, {1, 5}. At 3, 0 joins 2 and 4. Components are in the order of their smallest nodes.
    assert _order(counts, [6, 3]) == [0, 2, 4, 1, 5, 3]
    assert _order(counts, [6]) == [0, 1, 5, 2, 4, 3]


@given(st.integers(1, 9).flatmap(lambda n: arrays(np.uint8, (n, n), elements=st.integers(0, 6))), st.integers(1, 3))
def test_components_by_matrix_powers(counts: np.ndarray, threads: int) -> None:
    labels = []
    for low in (5, 3, 1):
        joined = (counts >= low) | (low <= counts.T) | np.eye(len(counts), dtype=bool)
        labels.append((np.linalg.matrix_power(joined.astype(float), len(counts)) > 0).argmax(axis=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_rows, "_LEAST_WORK", 1)
        assert _order(counts, [5, 3, 1], threads) == np.lexsort(labels).tolist()


def test_no_nodes() -> None:
    assert _order(np.zeros((0, 0), dtype=np.uint8), [4]) == []
