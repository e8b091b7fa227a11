from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infostream_dedup.links.readings import (
    LinkCounts,
    Ratio,
    boolean_transitivity,
    cyclic_transitivity,
    link_counts,
    reflexive_symmetry,
    reflexive_transitivity,
    rescaled_symmetry,
    symmetry,
    symmetry_of_all_pairs,
    symmetry_of_linked_pairs,
    transitivity,
)

A, B, C, D = range(4)
CLIQUE = [(A, B), (B, A), (A, C), (C, A), (B, C), (C, B)]

COLUMNS: dict[str, Callable[[sp.csr_array], Ratio]] = {
    "S": symmetry,
    "S_und": symmetry_of_linked_pairs,
    "S_diag": reflexive_symmetry,
    "T": transitivity,
    "T_cyc": cyclic_transitivity,
    "T_k=i": lambda links: transitivity(links, allow_return=True),
    "T_diag": reflexive_transitivity,
}

# The table of worked examples: numerators and denominators in the order of COLUMNS.
EXAMPLES = {
    "clique of 3": (3, CLIQUE, "6/6 3/3 9/9 6/6 6/6 12/12 27/27"),
    "clique and digest": (4, [*CLIQUE, (A, D), (B, D), (C, D)], "6/9 3/6 10/13 12/12 6/12 18/18 40/40"),
    "two originals, one digest": (3, [(A, C), (B, C)], "0/2 0/2 3/5 0/0 0/0 0/0 7/7"),
    "compiled bridge": (3, [(A, C), (C, A), (B, C), (C, B)], "4/4 2/2 7/7 0/2 0/2 4/6 15/17"),
    "chain": (3, [(A, B), (B, C)], "0/2 0/2 3/5 0/1 0/1 0/1 7/8"),
    "cycle": (3, [(A, B), (B, C), (C, A)], "0/3 0/3 3/6 0/3 3/3 0/3 9/12"),
}


def _links(documents: int, links: list[tuple[int, int]]) -> sp.csr_array:
    dense = np.zeros((documents, documents), dtype=np.bool_)
    for i, j in links:
        dense[i, j] = True
    return sp.csr_array(dense)


@st.composite
def relations(draw: st.DrawFn) -> np.ndarray:
    documents = draw(st.integers(1, 7))
    relation = draw(arrays(np.bool_, (documents, documents)))
    np.fill_diagonal(relation, False)
    return relation


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("column", COLUMNS)
def test_worked_example(example: str, column: str) -> None:
    documents, links, expected = EXAMPLES[example]
    numerator, denominator = map(int, expected.split()[list(COLUMNS).index(column)].split("/"))
    ratio = COLUMNS[column](_links(documents, links))
    assert (ratio.numerator, ratio.denominator) == (numerator, denominator)
    assert ratio.value == (numerator / denominator if denominator else None)


def test_other_readings_of_the_clique_with_a_digest() -> None:
    links = _links(4, EXAMPLES["clique and digest"][1])
    assert symmetry_of_all_pairs(links) == Ratio(12 - 6, 12)
    assert rescaled_symmetry(links) == Ratio(12 - 9, 9)
    # Each of the clique has 2 of 3 links returned and all its paths closed; the digest has no links: it counts nowhere.
    assert symmetry(links, average="macro").value == pytest.approx(2 / 3)
    assert transitivity(links, average="macro") == Ratio(3.0, 3)
    # Joined by paths: the six ordered pairs of the clique and its three links to the digest; all are linked.
    assert boolean_transitivity(links) == Ratio(9, 9)
    assert boolean_transitivity(_links(3, EXAMPLES["compiled bridge"][1])) == Ratio(0, 2)


def test_macro_averages_weigh_documents_not_links() -> None:
    # a is linked both ways with b and c, d only to a.
    links = _links(4, [(A, B), (B, A), (A, C), (C, A), (B, C), (D, A)])
    assert symmetry(links).value == 4 / 6
    assert symmetry(links, average="macro") == Ratio(1 + 1 / 2 + 1 + 0, 4)
    # Paths: from a one (a-b-c, closed); from b two (b-a-c closed, b-c-a closed); from c one (c-a-b, open); from d two
    # (d-a-b, d-a-c, open).
    assert transitivity(links).value == 3 / 6
    assert transitivity(links, average="macro") == Ratio(2.0, 4)


@given(relations())
def test_counts_equal_brute_force(relation: np.ndarray) -> None:
    links = sp.csr_array(relation)
    documents = len(relation)
    triples = list(permutations(range(documents), 3))
    pairs = list(permutations(range(documents), 2))
    paths = [(i, j, k) for i, j, k in triples if relation[i, j] and relation[j, k]]
    counted = LinkCounts(
        documents=documents,
        links=sum(bool(relation[i, j]) for i, j in pairs),
        reciprocal=sum(bool(relation[i, j] and relation[j, i]) for i, j in pairs),
        paths=len(paths),
        closed=sum(bool(relation[i, k]) for i, _, k in paths),
    )
    assert link_counts(links) == counted
    assert symmetry(links) == Ratio(counted.reciprocal, counted.links)
    assert transitivity(links) == Ratio(counted.closed, counted.paths)
    assert cyclic_transitivity(links) == Ratio(sum(bool(relation[k, i]) for i, _, k in paths), counted.paths)
    joined = {(i, k) for i, _, k in paths}
    assert boolean_transitivity(links) == Ratio(sum(bool(relation[i, k]) for i, k in joined), len(joined))


@given(relations())
def test_reflexive_transitivity_equals_all_triples_with_a_full_diagonal(relation: np.ndarray) -> None:
    full = (relation | np.eye(len(relation), dtype=np.bool_)).astype(np.int64)
    walks = full @ full
    assert reflexive_transitivity(sp.csr_array(relation)) == Ratio(int((walks * full).sum()), int(walks.sum()))


@given(relations())
def test_identities_of_symmetry(relation: np.ndarray) -> None:
    links = sp.csr_array(relation)
    a = relation.astype(np.int64)
    value = symmetry(links).value
    if value is None:
        assert not relation.any()
        return
    differing = np.abs(a - a.T).sum()
    assert value == pytest.approx(1 - differing / (a + a.T).sum())
    assert rescaled_symmetry(links).value == pytest.approx(1 - differing / a.sum())
    assert rescaled_symmetry(links).value == pytest.approx(2 * value - 1)
    assert symmetry_of_linked_pairs(links).value == pytest.approx(value / (2 - value))
    n = len(relation)
    assert symmetry_of_all_pairs(links).value == pytest.approx(1 - differing / (n * (n - 1)))


def test_a_link_of_any_stored_value_is_a_link() -> None:
    # 16 * 16 is 0 in one byte.
    counts = sp.csr_array(np.array([[0, 16], [16, 0]], dtype=np.uint8))
    assert symmetry(counts) == Ratio(2, 2)
