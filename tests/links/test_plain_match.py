import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.links import PLAIN, plain, similarity_matrix, work_exceeds

TERMS = 12
N = 4

Keys = list[dict[int, int]]
Targets = list[set[int]]


@st.composite
def collections(draw: st.DrawFn) -> tuple[Keys, Targets]:
    """Key terms with weights, and targets that hold them and more."""
    documents = draw(st.integers(0, 9))
    term = st.integers(0, TERMS - 1)
    weight = st.integers(1, 2**40)
    keys = [draw(st.dictionaries(term, weight, max_size=N)) for _ in range(documents)]
    return keys, [set(own) | draw(st.sets(term)) for own in keys]


def _csr(rows: Keys) -> sp.csr_array:
    dense = np.zeros((len(rows), TERMS), dtype=np.int64)
    for number, row in enumerate(rows):
        for term, weight in row.items():
            dense[number, term] = weight
    return sp.csr_array(dense)


def _pattern(rows: Targets) -> sp.csr_array:
    return _csr([dict.fromkeys(row, 1) for row in rows]).astype(np.bool_)


def _oracle(keys: Keys, targets: Targets, k_min: int) -> dict[tuple[int, int], tuple[int, int]]:
    """Count and matched weight of every link, by sets."""
    found = {}
    for i, own in enumerate(keys):
        for j, target in enumerate(targets):
            met = own.keys() & target
            if i != j and len(met) >= k_min:
                found[i, j] = (len(met), sum(own[term] for term in met))
    return found


def _as_dict(matrix: sp.csr_array) -> dict[tuple[int, int], int]:
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return dict(zip(zip(rows.tolist(), matrix.indices.tolist(), strict=True), matrix.data.tolist(), strict=True))


def test_article_and_digest_by_hand() -> None:
    # The digest (1) holds all key terms of the article (0); the article holds one of the digest's two.
    keys = [{0: 5, 1: 7}, {2: 3, 1: 2}]
    targets = [{0, 1}, {0, 1, 2, 3}]
    matrix = PLAIN.match(_csr(keys), _pattern(targets), n=2, weights=True, k_min=1)
    assert matrix.counts.toarray().tolist() == [[0, 2], [1, 0]]
    assert matrix.matched is not None
    assert matrix.matched.toarray().tolist() == [[0, 12], [2, 0]]
    assert matrix.shares(np.array([12, 5])).toarray().tolist() == [[0, 1.0], [0.4, 0]]


@given(collections(), st.integers(1, N))
def test_equals_matching_by_sets(collection: tuple[Keys, Targets], k_min: int) -> None:
    keys, targets = collection
    matrix = PLAIN.match(_csr(keys), _pattern(targets), n=N, weights=True, k_min=k_min)
    expected = _oracle(keys, targets, k_min)
    assert _as_dict(matrix.counts) == {pair: count for pair, (count, _) in expected.items()}
    assert matrix.matched is not None
    assert _as_dict(matrix.matched) == {pair: weight for pair, (_, weight) in expected.items()}
    assert (matrix.n, matrix.k_min, matrix.counts.dtype) == (N, k_min, np.uint8)


@given(collections(), st.integers(1, 40))
def test_block_size_changes_nothing(collection: tuple[Keys, Targets], block_work: int) -> None:
    keys, targets = _csr(collection[0]), _pattern(collection[1])
    blocks = plain.match(keys, targets, n=N, weights=True, k_min=2, block_work=block_work)
    whole = PLAIN.match(keys, targets, n=N, weights=True, k_min=2)
    for part in ("data", "indices", "indptr"):
        for name in ("counts", "matched"):
            mine, expected = getattr(getattr(blocks, name), part), getattr(getattr(whole, name), part)
            assert mine.dtype == expected.dtype
            assert mine.tolist() == expected.tolist()


@given(collections())
def test_work_is_the_sum_of_document_frequencies(collection: tuple[Keys, Targets]) -> None:
    keys, targets = collection
    touched = sum(term in target for own in keys for term in own for target in targets)
    with pytest.MonkeyPatch.context() as patch:
        # Several blocks, of which the first ones may suffice.
        patch.setattr(similarity_matrix, "_BLOCK_ENTRIES", 3)
        for most in range(touched + 2):
            assert work_exceeds(_csr(keys), _pattern(targets), most) == (touched > most)
    links = PLAIN.match(_csr(keys), _pattern(targets), n=N, weights=False, k_min=1).counts.nnz
    assert links <= touched


def test_counts_reach_255() -> None:
    full = sp.csr_array(np.ones((3, 255), dtype=np.int64))
    matrix = PLAIN.match(full, full, n=255, weights=True, k_min=255)
    assert matrix.counts.toarray().tolist() == [[0, 255, 255], [255, 0, 255], [255, 255, 0]]


def _doubled() -> sp.csr_array:
    return sp.csr_array((np.ones(2, np.int64), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, TERMS))


@pytest.mark.parametrize(("keys", "targets", "message"), [
    (_csr([{0: 1}]), _pattern([{0}, {1}]), "same documents and terms"),
    (_csr([{0: 1}]).astype(np.float64), _pattern([{0}]), "float64"),
    (_csr([{0: -1}]), _pattern([{0}]), "smallest weight of a key term is -1"),
    (_csr([{0: 1, 1: 1, 2: 1}]), _pattern([{0}]), "a document has 3 key terms; expected at most n = 2"),
    (_doubled(), _pattern([{0}, {1}]), "without repeated terms"),
])  # fmt: skip
def test_wrong_input_is_named(keys: sp.csr_array, targets: sp.csr_array, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PLAIN.match(keys, targets, n=2, weights=False, k_min=1)
