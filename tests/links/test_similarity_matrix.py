from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.links.measures import Choice, KnownK, Measures, advise, checked_way, consistency, usual_k
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, column_counts, kept_entries
from infostream_dedup.links.sweeping import sweep_by_products as sweep_counts
from infostream_dedup.links.sweeping import sweep_shares
from infostream_dedup.machine.progress import Phrase
from infostream_dedup.report.tables import PUBLISHED

from .test_transitivity import link_counts

COUNTS = np.array([[0, 5, 0, 2], [3, 0, 0, 7], [0, 0, 0, 0], [2, 0, 4, 0]], dtype=np.uint8)
MATCHED = COUNTS.astype(np.int64) * 10


@pytest.fixture
def matrix() -> SimilarityMatrix:
    return SimilarityMatrix(sp.csr_array(COUNTS), n=12, k_min=2, matched=sp.csr_array(MATCHED))


def test_links_at_k(matrix: SimilarityMatrix) -> None:
    links = matrix.links_at(4)
    assert links.dtype == np.bool_
    assert np.argwhere(links.toarray()).tolist() == [[0, 1], [1, 3], [3, 2]]
    assert links.nnz == 3
    assert matrix.links_at(2).nnz == 6
    assert matrix.links_at(12).nnz == 0
    assert matrix.documents == 4


def test_links_below_k_min_are_refused(matrix: SimilarityMatrix) -> None:
    with pytest.raises(ConfigurationError, match="k is 1, but this matrix holds only counts of at least 2"):
        matrix.links_at(1)


def test_shares_of_own_weight(matrix: SimilarityMatrix) -> None:
    shares = matrix.shares(np.array([100, 0, 10, 40]))
    expected = [[0, 0.5, 0, 0.2], [0, 0, 0, 0], [0, 0, 0, 0], [0.5, 0, 1.0, 0]]
    assert (shares.dtype, shares.toarray().tolist()) == (np.float64, expected)


def test_shares_need_matched_weights() -> None:
    with pytest.raises(ValueError, match="no matched weights"):
        SimilarityMatrix(sp.csr_array(COUNTS), n=12, k_min=2).shares(np.ones(4, dtype=np.int64))


def test_restricted_to_some_documents_in_any_order(matrix: SimilarityMatrix) -> None:
    order = np.array([3, 0, 1])
    part = matrix.restricted(order)
    assert part.counts.toarray().tolist() == COUNTS[np.ix_(order, order)].tolist()
    assert part.matched.toarray().tolist() == MATCHED[np.ix_(order, order)].tolist()
    assert (part.n, part.k_min, part.between_groups) == (12, 2, False)


def test_blocks_inside_and_between_languages(matrix: SimilarityMatrix) -> None:
    languages = np.array([0, 1, 1, 0], dtype=np.uint8)
    mono, cross = matrix.between(languages, same=True), matrix.between(languages, same=False)
    assert mono.counts.toarray().tolist() == [[0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0]]
    assert (mono.counts + cross.counts).toarray().tolist() == COUNTS.tolist()
    assert cross.matched.toarray().tolist() == (cross.counts.toarray().astype(int) * 10).tolist()
    assert cross.between_groups
    assert not mono.between_groups
    assert cross.restricted(np.array([0, 1])).between_groups


def test_broken_invariants_are_named() -> None:
    unsorted = sp.csr_array((np.array([1, 1], np.uint8), np.array([2, 1]), np.array([0, 2, 2, 2])), shape=(3, 3))
    for change, message in [
        ({"n": 0}, "n is 0"), ({"n": 256}, "n is 256"), ({"k_min": 0}, "k_min is 0"),
        ({"k_min": 3}, "counts run from 2 to 7; expected 3 to 12"),
        ({"n": 6}, "counts run from 2 to 7; expected 2 to 6"),
        ({"counts": sp.csr_array(COUNTS.astype(np.int32))}, "int32"),
        ({"counts": sp.csr_array(COUNTS[:3])}, r"\(3, 4\)"),
        ({"counts": sp.csr_array(np.diag(np.full(4, 2, np.uint8)))}, "diagonal"),
        ({"counts": unsorted}, "sorted indices"), ({"matched": sp.csr_array(MATCHED.astype(np.int32))}, "int32"),
        ({"matched": sp.csr_array(MATCHED.T)}, "different patterns"),
        ({"matched": sp.csr_array(MATCHED * (MATCHED > 20))}, "different patterns"),
    ]:  # fmt: skip
        fine = {"counts": sp.csr_array(COUNTS), "n": 12, "k_min": 2, "matched": None}
        with pytest.raises(ValueError, match=message):
            SimilarityMatrix(**(fine | change))


@given(arrays(np.uint8, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=st.integers(0, 3)), st.data())
def test_kept_entries(dense: np.ndarray, data: st.DataObject) -> None:
    matrix = sp.csr_array(dense)
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=matrix.nnz, max_size=matrix.nnz)), dtype=np.bool_)
    expected = dense.copy()
    expected[dense > 0] *= keep
    kept = kept_entries(matrix, keep)
    assert kept.toarray().tolist() == expected.tolist()
    assert kept.nnz == keep.sum()
    # Two bytes of offsets more for each entry would double the memory of a month's counts.
    assert kept.indices.dtype == kept.indptr.dtype == np.int32


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_columns_are_counted_in_blocks_of_any_size(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infostream_dedup.links.similarity_matrix._BLOCK_ENTRIES", block)
    assert column_counts(sp.csr_array(np.array([[5, 0, 1, 0], [7, 0, 0, 0], [1, 0, 9, 0]]))).tolist() == [3, 0, 2, 0]
    assert column_counts(sp.csr_array((0, 3), dtype=np.int64)).tolist() == [0, 0, 0]


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
    expected = Measures.of(k=2, documents=2, links=2, reciprocal=2, paths=0, closed=0)
    assert sweep_counts(pair, [2], path_budget=0) == [expected]


def test_no_transitivity_between_languages() -> None:
    for row in sweep_counts(_random_matrix().between(np.arange(60) % 3, same=False), [1, 6]):
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


def row(k, symmetry, transitivity, links=1000, paths=1000):
    return Measures.of(
        k=k, documents=500, links=links, reciprocal=round(symmetry * links), paths=paths,
        closed=None if transitivity is None else round(transitivity * paths),
    )  # fmt: skip


def table(*levels, links=1000):
    return [row(4 + place, level, level, links=links) for place, level in enumerate(levels)]


@pytest.mark.parametrize(("level", "k", "said"), [
    (0.5, 7, "at k = 6, 50 of 100 links are returned and 50 of 100 paths closed: far from copies"),
    (0.899, 7, "7 is advised, which keeps 100 of 100 links; 6 or 5 if stories are wanted"),
    (0.9, 6, "close to copies of one text; 6 is advised; 5 if stories are wanted"), (0.949, 6, "close"),
    (0.95, 5, "copies of one text; 5 is advised"),
])  # fmt: skip
def test_the_level_at_the_usual_k_tells_families_from_streams(level, k, said):
    found = advise(table(0.1, 0.2, level, 0.99), n=12)
    assert (found.consistent, found.chosen, found.chosen_by) == (k, k, "consistency")
    assert said in found.consistency
    assert found.reason == f"consistency: {found.consistency}"
    at_k = {4: 0.1, 5: 0.2, 6: level, 7: 0.99}[k]
    assert (found.symmetry, found.transitivity, found.links) == (pytest.approx(at_k), pytest.approx(at_k), 1000)


@pytest.mark.parametrize(("links", "paths"), [(49, 1000), (1000, 49)])
def test_few_links_or_paths_choose_nothing(links, paths):
    found = advise([row(6, 0.5, 0.5, links, paths)], n=12)
    assert (found.consistent, found.chosen, found.chosen_by) == (None, 6, "default")
    assert f"{links} links and {paths} paths at k = 6" in found.reason
    assert advise([row(6, 0.5, 0.5, 50, 50)], n=12).chosen == 7


def test_another_n_has_another_usual_k():
    assert [usual_k(n) for n in (1, 2, 5, 8, 12, 30)] == [1, 1, 3, 4, 6, 15]
    assert advise([row(4, 0.5, 0.5)], n=8).chosen == 5
    assert advise([row(4, 0.99, 0.99)], n=8).chosen == 3
    assert (advise([row(1, 0.5, 0.5)], n=1).chosen, advise([row(1, 1, 1)], n=1).chosen) == (1, 1)


def test_an_estimate_below_the_usual_k_needs_s_and_t_near_their_best():
    known = KnownK(estimated=Choice(4, Phrase.of("given: k = {k}", k=4)))
    # .97 of .80 is .776: 4 and 5 are below it, 6 is not.
    vetoed = advise(table(0.7, 0.775, 0.777, 0.8), n=12, known=known)
    assert (vetoed.estimated, vetoed.chosen, vetoed.chosen_by) == (4, 6, "estimate")
    assert "raised from 4 to 6" in vetoed.reason
    assert advise(table(0.7, 0.777, 0.78, 0.8), n=12, known=known).chosen == 5
    assert advise(table(0.777, 0.7, 0.78, 0.8), n=12, known=known).chosen == 4
    # A best far above 7 does not count, and an estimate is never raised past 6.
    assert advise(table(0.5, 0.5, 0.5, 0.5, 0.9), n=12, known=known).chosen == 4
    assert advise(table(0.1, 0.1, 0.1, 0.9), n=12, known=known).chosen == 6
    high = KnownK(estimated=Choice(8, Phrase.of("given: k = {k}", k=8)), by_model=True)
    assert (advise(table(0.9, 0.1, 0.1, 0.1), n=12, known=high).chosen_by) == "model"
    assert advise(table(0.7, 0.775, 0.777, 0.8), n=12, known=known, way="estimate").chosen == 4


def test_each_way_can_be_asked_for():
    nine, ten = (Choice(k, Phrase.of("given: k = {k}", k=k)) for k in (9, 10))
    known = KnownK(estimated=nine, counted=ten)
    rows = table(0.1, 0.2, 0.5, 0.9)

    def by(way):
        found = advise(rows, n=12, known=known, way=way)
        assert (found.estimated, found.counted, found.consistent) == (9, 10, 7)
        return found.chosen, found.chosen_by

    found = [by(way) for way in ("auto", "estimate", "count", "consistency", 3)]
    assert found == [(9, "estimate"), (9, "estimate"), (10, "count"), (7, "consistency"), (3, "given")]
    for way in ("estimate", "count", "consistency"):
        assert advise([], n=12, way=way).chosen_by == "default"
    assert advise(rows, n=12, known=KnownK(counted=known.counted)).chosen_by == "count"


def test_one_k_is_recommended_and_what_s_and_t_alone_would_say_is_told_beside_it():
    known = KnownK(counted=Choice(6, Phrase.of("given: k = {k}", k=6)))
    found = advise(table(0.1, 0.2, 0.5, 0.9), n=12, known=known)
    assert (found.chosen, found.consistent) == (6, 7)
    assert "S and T alone would say 7, which keeps 100 of 100 links" in found.consistency
    assert "advised" not in found.consistency + found.reason


def test_where_s_and_t_fall_topics_come_apart():
    # H of k = 4 to 12, worked by hand: it falls to 9 and rises again.
    found = advise(table(0.8, 0.7, 0.6, 0.5, 0.45, 0.4, 0.41, 0.6, 0.9), n=12)
    assert (found.chosen, found.chosen_by) == (9, "consistency")
    assert "fewer than at k = 5, so most links join texts of one topic, which come apart up to k = 9" in found.reason
    # A fall to the last k ends at 10; no fall up to 6, a high level, and few links higher up are no such case.
    assert advise(table(0.8, 0.7, 0.6, 0.5, 0.45, 0.4, 0.3, 0.2, 0.1), n=12).chosen == 10
    assert advise(table(0.7, 0.7, 0.6, 0.5, 0.45), n=12).chosen == 7
    assert advise(table(0.99, 0.98, 0.97, 0.5, 0.45), n=12).chosen == 5
    assert advise([*table(0.8, 0.7, 0.6, 0.5), row(8, 0.1, 0.1, links=49)], n=12).chosen == 7
    # Of 1,000 links, one standard error of .40 is .0155: the lowest k within it keeps most links.
    assert advise(table(0.8, 0.7, 0.6, 0.5, 0.415, 0.4, 0.41, 0.6, 0.9), n=12).chosen == 8
    assert advise(table(0.8, 0.7, 0.6, 0.5, 0.416, 0.4, 0.41, 0.6, 0.9), n=12).chosen == 9


def test_links_inside_languages_decide_and_those_between_them_have_no_t():
    found = advise(table(0.9, 0.9, 0.99, 0.99), n=12, inside=table(0.1, 0.2, 0.5, 0.9))
    assert (found.consistent, found.symmetry) == (7, 0.99)
    assert "50 of 100 links inside languages" in found.consistency
    across = advise([row(6, 0.2, None)], n=12, across=True)
    assert (across.consistent, across.chosen, across.symmetry) == (None, 6, 0.2)
    assert "T says nothing" in across.reason


def test_a_way_is_a_word_or_a_k():
    assert [checked_way(way, 12) for way in ("auto", "count", "7", 12)] == ["auto", "count", 7, 12]
    for way in ("best", "0", 13, "-1", "6.5", "", "²"):
        with pytest.raises(UsageError, match="choose_by"):
            checked_way(way, 12)


def test_the_published_table_rises_to_its_edge():
    """The paper's criterion, both coefficients as great as possible, gives k = 8: the last k it measured."""
    for one in (PUBLISHED["stem"], PUBLISHED["morph"]):
        rows = [row(k, one.symmetry[k], one.transitivity[k]) for k in one.symmetry]
        levels = {found.k: consistency(found) for found in rows}
        assert max(levels, key=levels.__getitem__) == max(levels) == 8
        assert advise(rows, n=12).consistent == 7
