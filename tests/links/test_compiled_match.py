"""Matching against plain sets."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import CannotCreateError
from infostream_dedup.links import similarity_matrix
from infostream_dedup.links.compiled.matching import PostingIndex, Resources, match, match_nodes, match_weights
from infostream_dedup.links.compiled.term_rows import term_rows
from infostream_dedup.links.compiled.totals import LinkBlock, block_totals, sweep_counts
from infostream_dedup.links.similarity_matrix import work_exceeds
from infostream_dedup.links.sweeping import sweep_by_products

TERMS = 14
term_sets = st.sets(st.integers(0, TERMS - 1), max_size=8)


@st.composite
def collections(draw):
    """Documents as (key terms, target): some equal to an earlier one, targets not always around the key terms."""
    documents: list[tuple[frozenset[int], frozenset[int]]] = []
    for _ in range(draw(st.integers(0, 14))):
        if documents and draw(st.booleans()):
            documents.append(draw(st.sampled_from(documents)))
        else:
            keys = draw(term_sets)
            target = draw(term_sets) | (keys if draw(st.booleans()) else set())
            documents.append((frozenset(keys), frozenset(target)))
    return documents


def rows(sets, *, weighted):
    table = np.zeros((len(sets), TERMS), dtype=np.int64)
    for document, terms in enumerate(sets):
        for term in terms:
            table[document, term] = 1 + term * 10**9 + document % 3 if weighted else 1
    return sp.csr_array(table) if weighted else sp.csr_array(table.astype(np.bool_))


def matrices(documents):
    keys = rows([keys for keys, _ in documents], weighted=True)
    return keys, rows([target for _, target in documents], weighted=False)


def counted(documents, k_min):
    size = len(documents)
    table = np.zeros((size, size), dtype=np.uint8)
    for i, (keys, _) in enumerate(documents):
        for j, (_, target) in enumerate(documents):
            if i != j and len(keys & target) >= k_min:
                table[i, j] = len(keys & target)
    return table


@given(documents=collections(), share=st.sampled_from([0.3, 0.5, 0.8]), terms=st.integers(1, 3))
def test_pairs_by_weight_are_those_with_a_share_and_enough_terms(documents, share, terms):
    keys, targets = matrices(documents)
    found = list(zip(*(ends.tolist() for ends in match_weights(keys, targets, share, terms=terms)), strict=True))
    assert found == sorted(set(found), key=lambda pair: pair[::-1])
    weights = keys.toarray()
    for b, (own, whole) in enumerate(documents):
        for a, (its, other) in enumerate(documents[:b]):
            ways = [(a, its & whole, its), (b, own & other, own)]
            shares = [sum(weights[one][list(met)]) / max(sum(weights[one][list(of)]), 1) for one, met, of in ways]
            enough = max(len(met) for _, met, _ in ways) >= terms
            if enough and max(shares) >= share:
                assert (a, b) in found
            elif not enough or max(shares) < share - max(len(its), len(own)) / 240:
                assert (a, b) not in found


@pytest.mark.parametrize("shard_size", [1, 3, 1 << 18])
@given(documents=collections(), k_min=st.integers(1, 5))
def test_counts_equal_plain_sets(shard_size, documents, k_min):
    keys, targets = matrices(documents)
    found = match(
        keys, targets, n=12, weights=False, k_min=k_min, resources=Resources(workers=1, shard_size=shard_size)
    )
    assert found.counts.dtype == np.uint8
    assert found.counts.has_sorted_indices
    assert found.counts.nnz == np.count_nonzero(found.counts.toarray())
    assert found.counts.toarray().tolist() == counted(documents, k_min).tolist()
    assert found.matched is None


@given(documents=collections(), k_min=st.integers(1, 3))
def test_matched_weights_are_those_of_the_asking_document(documents, k_min):
    keys, targets = matrices(documents)
    found = match(keys, targets, n=12, weights=True, k_min=k_min, resources=Resources(workers=2))
    weight = keys.toarray()
    for i, j in zip(*found.counts.nonzero(), strict=True):
        assert found.matched[i, j] == sum(weight[i, term] for term in documents[i][0] & documents[j][1])
    assert found.matched.indices.tolist() == found.counts.indices.tolist()


def large_collection(documents=3000, terms=500, density=0.06):
    random = np.random.default_rng(5)
    table = random.random((documents, terms)) < density
    table[1::7] = table[::7][: len(table[1::7])]
    return sp.csr_array((table & (random.random(terms) < 0.4)).astype(np.int64)), sp.csr_array(table)


@pytest.mark.parametrize("k_min", [1, 4])
def test_rows_are_split_where_their_links_need_too_much_room(k_min, monkeypatch):
    monkeypatch.setattr("infostream_dedup.links.compiled.matching._LINKS_AT_ONCE", 5000)
    keys, targets = large_collection()
    product = (keys @ targets.T.astype(np.int64)).toarray()
    np.fill_diagonal(product, 0)
    product[product < k_min] = 0
    found = match(keys, targets, n=60, weights=False, k_min=k_min, resources=Resources(workers=3, shard_size=700))
    assert np.array_equal(found.counts.toarray(), product)


@pytest.mark.parametrize("k_min", [1, 2, 3, 4, 9])
def test_long_lists_give_the_same_counts(k_min):
    keys, targets = large_collection(density=0.15)
    asking = keys.toarray()
    asking[5:9], asking[9, 40:] = 0, 0
    keys = sp.csr_array(asking)
    product = (keys @ targets.T.astype(np.int64)).toarray()
    # Most questions walk thousands of postings along their first lists, and not all have k_min key terms.
    prefix = np.sort(targets.sum(axis=0)[None, :] * asking, axis=1)[:, ::-1][:, k_min - 1 :].sum(axis=1)
    assert np.median(prefix) > 5000
    np.fill_diagonal(product, 0)
    product[product < k_min] = 0
    found = match(keys, targets, n=60, weights=False, k_min=k_min, resources=Resources(workers=2))
    assert np.array_equal(found.counts.toarray(), product)


def test_lists_count_only_as_far_as_they_can_matter():
    # Rarest first, question 0 has terms 0 (one document), 1 (two) and 2 (four). For k >= 2 the first two lists count
    # documents 0, 0 and 1. The last counts only for these, so that documents 2 and 3 are never touched.
    documents = [({0, 1, 2}, {0, 1, 2}), (set(), {1, 2}), (set(), {2}), (set(), {2})]
    keys, targets = (term_rows(matrix) for matrix in matrices(documents))
    index = PostingIndex.build(keys, targets, np.arange(4))
    questions = index.own_questions(keys)
    place = index.order.tolist().index(0)
    scratch = index.scratch(links=4)
    links = index.ask(questions, place, place + 1, k_min=2, scratch=scratch)
    assert [(index.order[link >> 8 & 0xFFFFFFFF], link & 0xFF) for link in links.tolist()] == [(1, 2)]
    assert not scratch.hits.any()


@given(collections(), st.integers(2, 5))
def test_questions_do_not_depend_on_threads(collection, threads):
    keys, targets = (term_rows(matrix) for matrix in matrices(collection))
    index = PostingIndex.build(keys, targets, np.arange(keys.documents))
    one, several = index.own_questions(keys), index.own_questions(keys, threads)
    for column, other in zip(one, several, strict=True):
        assert column.dtype == other.dtype
        assert column.tolist() == other.tolist()


def lies_on_disk(array):
    return isinstance(array, np.memmap) or (isinstance(array, np.ndarray) and lies_on_disk(array.base))


def test_links_beyond_the_memory_budget_are_on_disk(tmp_path: Path):
    keys, targets = large_collection(400)
    in_memory = match(keys, targets, n=60, weights=True, k_min=2)
    on_disk = match(keys, targets, n=60, weights=True, k_min=2, resources=Resources(folder=tmp_path, memory=1000))
    for found, expected in ((on_disk.counts, in_memory.counts), (on_disk.matched, in_memory.matched)):
        assert lies_on_disk(found.data)
        assert lies_on_disk(found.indices)
        assert found.indices.tolist() == expected.indices.tolist()
        assert found.data.tolist() == expected.data.tolist()
    # The files have no names, so nothing is left behind even by a process that is killed.
    assert list(tmp_path.iterdir()) == []


def test_links_that_fit_nowhere_are_an_error(tmp_path: Path):
    keys, targets = large_collection(400)
    with pytest.raises(CannotCreateError, match="TMPDIR"):
        match(
            keys, targets, n=60, weights=False, k_min=2, resources=Resources(folder=tmp_path / "missing", memory=1000)
        )


def test_unsorted_indices_are_refused():
    targets = sp.csr_array((np.ones(2, np.bool_), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    with pytest.raises(ValueError, match="sorted indices"):
        match(sp.csr_array((1, 2), dtype=np.int64), targets, n=3, weights=False, k_min=1)


@given(documents=collections(), k_min=st.integers(1, 3))
def test_nodes_give_the_symmetry_and_transitivity_of_their_documents(documents, k_min):
    keys, targets = matrices(documents + documents[:5] + documents[:2])
    ks = range(k_min, 9)
    nodes = match_nodes(keys, targets, n=12, k_min=k_min)
    found = block_totals(LinkBlock(nodes.counts, nodes.nodes.weights, nodes.inside), ks).measures()
    assert found == sweep_by_products(match(keys, targets, n=12, weights=False, k_min=k_min), ks)


def test_a_large_verbatim_cluster_is_matched_once():
    copies = 20_000
    keys, targets = matrices([({0, 1, 2, 3}, {0, 1, 2, 3, 4}), ({0, 1, 5}, {0, 1, 2, 5})])
    picked = np.repeat([0, 1], [copies, 1])
    nodes = match_nodes(keys[picked], targets[picked], n=12, k_min=1)
    assert len(nodes.nodes) == 2
    block = LinkBlock(nodes.counts, nodes.nodes.weights, nodes.inside)
    at = {row.k: row for row in block_totals(block, range(1, 5)).measures()}
    assert at[4].links == copies * (copies - 1)
    assert at[3].links == copies * (copies - 1) + copies
    assert at[2].links == copies * (copies - 1) + 2 * copies
    assert at[2].transitivity == 1


@given(documents=collections(), k_min=st.integers(1, 4), cut=st.integers(0, 14), shard_size=st.integers(1, 9))
def test_an_index_of_some_documents_answers_questions_of_all(documents, k_min, cut, shard_size):
    # Two indexes that list the key terms of all documents find together what one matching of all finds.
    keys, targets = (term_rows(matrix) for matrix in matrices(documents))
    listed = np.unique(keys.indices).astype(np.int64)
    every = np.arange(len(documents))
    found = np.zeros((len(documents), len(documents)), dtype=np.uint8)
    for part in (every[:cut], every[cut:]):
        index = PostingIndex.build(keys, targets, part, terms=listed, shard_size=shard_size)
        place = np.full(len(documents), -1, dtype=np.int64)
        place[index.order] = np.arange(len(index))
        questions = index.questions(keys, every.astype(np.uint32), place)
        scratch = index.scratch(links=len(index) * len(documents))
        for link in index.ask(questions, 0, len(documents), k_min=k_min, scratch=scratch).tolist():
            found[link >> 40, index.order[link >> 8 & 0xFFFFFFFF]] = link & 0xFF
    assert found.tolist() == counted(documents, k_min).tolist()


def test_links_without_room_are_refused_not_cut():
    keys, targets = (term_rows(matrix) for matrix in large_collection(50))
    index = PostingIndex.build(keys, targets, np.arange(50))
    scratch = index.scratch(links=0)
    assert index.ask(index.own_questions(keys), 0, 50, k_min=1, scratch=scratch) is None
    assert index.ask(index.own_questions(keys), 0, 1, k_min=1, scratch=scratch) is not None


def test_article_and_digest_by_hand() -> None:
    # The digest (1) holds all key terms of the article (0); the article holds one of the digest's two.
    keys = np.array([[5, 7, 0, 0], [0, 2, 3, 0]])
    targets = np.array([[1, 1, 0, 0], [1, 1, 1, 1]], dtype=np.bool_)
    matrix = match(sp.csr_array(keys), sp.csr_array(targets), n=2, weights=True, k_min=1)
    assert matrix.counts.toarray().tolist() == [[0, 2], [1, 0]]
    assert matrix.matched.toarray().tolist() == [[0, 12], [2, 0]]
    assert matrix.shares(np.array([12, 5])).toarray().tolist() == [[0, 1.0], [0.4, 0]]


@given(collections())
def test_signature_targets_are_symmetric_at_every_k(documents) -> None:
    keys, _ = matrices(documents)
    matrix = match(keys, keys, n=8, weights=False, k_min=1)
    assert (matrix.counts.toarray() == matrix.counts.toarray().T).all()
    assert {row.symmetry for row in sweep_counts(matrix, range(1, 9))} <= {1.0, None}


@given(collections())
def test_work_is_the_sum_of_document_frequencies(documents) -> None:
    touched = sum(term in target for own, _ in documents for term in own for _, target in documents)
    with pytest.MonkeyPatch.context() as patch:
        # Several blocks, of which the first ones may suffice.
        patch.setattr(similarity_matrix, "_BLOCK_ENTRIES", 3)
        for most in {0, touched // 2, max(touched - 1, 0), touched, touched + 1}:
            assert work_exceeds(*matrices(documents), most) == (touched > most)


def test_counts_reach_255() -> None:
    full = sp.csr_array(np.ones((3, 255), dtype=np.int64))
    matrix = match(full, full, n=255, weights=True, k_min=255)
    assert matrix.counts.toarray().tolist() == [[0, 255, 255], [255, 0, 255], [255, 255, 0]]


@pytest.mark.parametrize(("keys", "message"), [
    (np.eye(1, 5, dtype=np.int64), "same documents and terms"), (np.eye(2, 5), "float64"),
    (-np.eye(2, 5, dtype=np.int64), "smallest weight of a key term is -1"),
    (np.ones((2, 5), dtype=np.int64), "a document has 5 key terms; expected at most n = 2"),
    ((np.ones(2, np.int64), np.array([1, 1]), np.array([0, 2, 2])), "without repeated terms"),
])  # fmt: skip
def test_wrong_input_is_named(keys, message: str) -> None:
    given = sp.csr_array(keys, shape=(2, 5)) if isinstance(keys, tuple) else sp.csr_array(keys)
    with pytest.raises(ValueError, match=message):
        match(given, sp.csr_array(np.eye(2, 5, dtype=np.bool_)), n=2, weights=False, k_min=1)
