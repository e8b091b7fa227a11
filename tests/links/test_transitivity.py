"""Symmetry and transitivity of one relation: by hand, by brute force, and from draws (methods, section 1.5)."""

from collections import Counter
from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infostream_dedup.links.measures import LinkWalks
from infostream_dedup.links.sweeping import drawn_paths, sampled_closed


class LinkCounts(NamedTuple):
    documents: int
    links: int
    reciprocal: int
    paths: int
    closed: int


def link_counts(links: sp.csr_array) -> LinkCounts:
    """Count links, returned links, paths and closed paths exactly."""
    walks = LinkWalks.of(links.indptr, links.indices)
    returned, closed = walks.counted(paths=True)
    assert closed[0].sum() == closed[1].sum() == closed[2].sum()
    paths = int(walks.paths(returned).sum())
    return LinkCounts(int(links.shape[0]), int(links.nnz), int(returned.sum()), paths, int(closed[0].sum()))


A, B, C, D = range(4)
CLIQUE = [(A, B), (B, A), (A, C), (C, A), (B, C), (C, B)]


@pytest.mark.parametrize(("documents", "linked", "expected"), [
    # S, T: a clique; a clique and a digest; two originals and a digest; a compiled bridge; a chain; a cycle
    (3, CLIQUE, "6/6 6/6"), (4, [*CLIQUE, (A, D), (B, D), (C, D)], "6/9 12/12"), (3, [(A, C), (B, C)], "0/2 0/0"),
    (3, [(A, C), (C, A), (B, C), (C, B)], "4/4 0/2"), (3, [(A, B), (B, C)], "0/2 0/1"),
    (3, [(A, B), (B, C), (C, A)], "0/3 0/3"),
])  # fmt: skip
def test_worked_examples(documents: int, linked: list[tuple[int, int]], expected: str) -> None:
    dense = np.zeros((documents, documents), dtype=np.bool_)
    dense[tuple(zip(*linked, strict=True))] = True
    found = link_counts(sp.csr_array(dense))
    assert f"{found.reciprocal}/{found.links} {found.closed}/{found.paths}" == expected


@given(st.integers(1, 7).flatmap(lambda documents: arrays(np.bool_, (documents, documents))))
def test_counts_equal_brute_force(relation: np.ndarray) -> None:
    np.fill_diagonal(relation, False)
    pairs = list(permutations(range(len(relation)), 2))
    paths = [(i, j, k) for i, j, k in permutations(range(len(relation)), 3) if relation[i, j] and relation[j, k]]
    assert link_counts(sp.csr_array(relation)) == (
        len(relation),
        sum(bool(relation[pair]) for pair in pairs),
        sum(bool(relation[i, j] and relation[j, i]) for i, j in pairs),
        len(paths),
        sum(bool(relation[i, k]) for i, _, k in paths),
    )


def test_a_link_of_any_stored_value_is_a_link() -> None:
    # 16 * 16 is 0 in one byte.
    assert link_counts(sp.csr_array(np.array([[0, 16], [16, 0]], dtype=np.uint8)))[:3] == (2, 2, 2)


def _paths(links: sp.csr_array) -> tuple[sp.csr_array, np.ndarray]:
    walks = LinkWalks.of(links.indptr, links.indices)
    return links.T.tocsr(), walks.paths(walks.counted(paths=False)[0])


def test_every_path_is_drawn_equally_often_and_nothing_else() -> None:
    # Middles of unlike size, and many walks that come back: fifty pairs of documents that only link to each other.
    dense = np.zeros((106, 106), dtype=np.bool_)
    for i, j in [(0, 1), (1, 0), (1, 2), (2, 1), (3, 1), (1, 3), (4, 5), (5, 0)]:
        dense[i, j] = True
    for i in range(6, 106, 2):
        dense[i, i + 1] = dense[i + 1, i] = True
    links = sp.csr_array(dense)
    reverse, paths = _paths(links)
    walked = {(i, j, k) for i, j in np.argwhere(dense).tolist() for k in np.flatnonzero(dense[j]).tolist() if k != i}
    samples = 1_000 * len(walked)
    drawn = Counter(
        zip(*(column.tolist() for column in drawn_paths(links, reverse, paths, samples=samples, seed=5)), strict=True)
    )
    assert drawn.keys() == walked
    chi_square = sum((count - 1_000) ** 2 / 1_000 for count in drawn.values())
    # Its mean is one less than the number of paths; 26 is passed once in some 2,000 seeds.
    assert len(walked) == 8
    assert chi_square < 26


def test_same_seed_same_sample() -> None:
    random = np.random.default_rng(3)
    # Uneven rows and columns: hubs in both directions.
    weight = random.random(60) ** 3
    dense = random.random((60, 60)) < 0.2 * np.add.outer(weight, weight)
    np.fill_diagonal(dense, False)
    links = sp.csr_array(dense)
    reverse, paths = _paths(links)
    first, again, other = (sampled_closed(links, reverse, paths, samples=5_000, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_closed_paths_by_where_they_begin_lead_and_end() -> None:
    # a -> b -> c closed by a -> c; b -> c -> d open.
    links = sp.csr_array(np.array([[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=np.bool_))
    _, closed = LinkWalks.of(links.indptr, links.indices).counted(paths=True)
    assert closed.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
