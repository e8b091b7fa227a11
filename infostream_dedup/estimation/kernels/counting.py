"""Links and copies counted by grade: once as they are, and many times over with documents drawn anew.

The grade of a pair is the largest k at which both documents are linked to each other. In a draw, a document counts as
often as it was drawn (Poisson with mean 1), and a pair as often as the product of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.estimation.kernels.finding_copies import Universe, is_series, thinned_out
from infostream_dedup.machine.compiling import compiled, compiled_bare, inlined, signed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["count_drawn", "count_linked_pairs", "grades_of_pairs", "pick_linked_pairs"]

PLAIN_ON_ARRAYS: Final = True
"""Computes with slices of arrays."""


@inlined
def _grade(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], grades: NDArray[np.uint8], asks: int, answers: int
) -> int:
    """Grade of a directed link, 0 where there is none."""
    low, high = indptr[asks], indptr[asks + 1]
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < answers:
            low = middle + 1
        else:
            high = middle
    if low < indptr[asks + 1] and indices[low] == answers:
        return signed(grades[low])
    return 0


@inlined
def _inside(universe: Universe, a: int, b: int) -> bool:
    near = universe.window < 0 or abs(universe.times[a] - universe.times[b]) <= universe.window
    return bool(near and universe.counted[a] and universe.counted[b])


@compiled_bare
def count_linked_pairs(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    grades: NDArray[np.uint8],
    universe: Universe,
    languages: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> None:
    """Count unordered pairs in the universe that are linked both ways.

    Args:
        indptr: int64 (documents + 1,), bounds of the rows of links.
        indices: int32, the document that answers, ascending in each row.
        grades: uint8, largest k at which each link counts, 0 for none.
        universe: which pairs are counted.
        languages: uint8 (documents,), language of each document.
        counts: int64 (2, 2, grades + 1), zeros; receives the pairs by series or not, between languages or not, grade.
    """
    for a in range(indptr.size - 1):
        if not universe.counted[a]:
            continue
        for at in range(indptr[a], indptr[a + 1]):
            b = signed(indices[at])
            grade = signed(grades[at])
            if b <= a or grade == 0 or not _inside(universe, a, b):
                continue
            grade = min(grade, _grade(indptr, indices, grades, b, a))
            if grade:
                counts[signed(is_series(universe, a, b)), signed(languages[a] != languages[b]), grade] += 1


@compiled_bare
def grades_of_pairs(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    grades: NDArray[np.uint8],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    found: NDArray[np.uint8],
) -> None:
    """Fill in the grade of each pair, the smaller of its two directions; arguments as in ``count_linked_pairs``."""
    for pair in range(a.size):
        forward = _grade(indptr, indices, grades, a[pair], b[pair])
        found[pair] = min(forward, _grade(indptr, indices, grades, b[pair], a[pair])) if forward else 0


@compiled_bare
def pick_linked_pairs(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    grades: NDArray[np.uint8],
    universe: Universe,
    halvings: int,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    found: NDArray[np.uint8],
) -> int:
    """List pairs that are linked both ways and no series, one in ``2 ** halvings``; other arguments as above.

    Returns:
        How many there are; where the arrays are too short, only as many are listed as fit.
    """
    picked = 0
    for one in range(indptr.size - 1):
        if not universe.counted[one]:
            continue
        for at in range(indptr[one], indptr[one + 1]):
            other = signed(indices[at])
            if other <= one or grades[at] == 0 or thinned_out(one, other, halvings):
                continue
            if not _inside(universe, one, other) or is_series(universe, one, other):
                continue
            grade = min(signed(grades[at]), _grade(indptr, indices, grades, other, one))
            if grade:
                if picked < a.size:
                    a[picked], b[picked], found[picked] = one, other, grade
                picked += 1
    return picked


@compiled
def count_drawn(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    grades: NDArray[np.uint8],
    drawn: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> None:
    """Count pairs by grade in each draw.

    Args:
        a: int64 (pairs,), ordinals.
        b: int64 (pairs,), ordinals.
        grades: uint8 (pairs,), 0 for pairs that are not linked.
        drawn: uint8 (documents, draws), how often each document was drawn.
        counts: int64 (grades + 1, draws), zeros; receives the pairs.
    """
    for pair in range(a.size):
        # Nobody is drawn more than 8 times, so a product fits into a byte.
        counts[grades[pair]] += drawn[a[pair]] * drawn[b[pair]]
