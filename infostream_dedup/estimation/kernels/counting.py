"""Count links and copies by grade: once for the collection itself, and once for each resample of its documents.

The grade of a pair is the largest k at which both documents are linked to each other. In a resample, each document has
a multiplicity (Poisson with mean 1), and a pair counts as often as the product of its two multiplicities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.estimation.kernels.finding_copies import Universe, is_inside, is_series, thinned_out
from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled, compiled_bare, inlined, signed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PickedPairs", "count_drawn", "count_linked_pairs", "grades_of_pairs"]

PLAIN_ON_ARRAYS: Final = True
"""Computes with slices of arrays."""


@inlined
def _grade(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], grades: NDArray[np.uint8], asks: int, answers: int
) -> int:
    """Grade of a directed link; 0 if there is no link."""
    end = indptr[asks + 1]
    place = first_not_below(indices, indptr[asks], end, answers)
    return signed(grades[place]) if place < end and indices[place] == answers else 0


class PickedPairs(NamedTuple):
    """Room for linked pairs. When it is full, half of the pairs are dropped, chosen by a hash of the pair.

    Attributes:
        a: int32 (room,), the earlier document.
        b: int32 (room,), the later one.
        grades: uint8 (room,), largest k at which both directions count.
        state: int64 (2,): number of pairs kept, number of halvings.
    """

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    grades: NDArray[np.uint8]
    state: NDArray[np.int64]


@compiled_bare
def _pick(picked: PickedPairs, a: int, b: int, grade: int) -> None:
    while picked.state[0] == picked.a.size and not thinned_out(a, b, picked.state[1]):
        picked.state[1] += 1
        kept = 0
        for pair in range(picked.state[0]):
            if not thinned_out(signed(picked.a[pair]), signed(picked.b[pair]), picked.state[1]):
                picked.a[kept], picked.b[kept] = picked.a[pair], picked.b[pair]
                picked.grades[kept] = picked.grades[pair]
                kept += 1
        picked.state[0] = kept
    if not thinned_out(a, b, picked.state[1]):
        place = picked.state[0]
        picked.a[place], picked.b[place], picked.grades[place] = a, b, grade
        picked.state[0] = place + 1


@compiled_bare
def count_linked_pairs(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    grades: NDArray[np.uint8],
    universe: Universe,
    languages: NDArray[np.uint8],
    first: int,
    last: int,
    read: NDArray[np.int64],
    counts: NDArray[np.int64],
    picked: PickedPairs,
) -> None:
    """Count the pairs of the universe that are linked both ways, and keep those outside a series.

    Args:
        indptr: int64 (documents + 1,), bounds of the rows of links.
        indices: int32, the document that answers, ascending in each row.
        grades: uint8, largest k at which each link counts, 0 for none.
        universe: which pairs are counted.
        languages: uint8 (documents,), language of each document.
        first: the first of the earlier documents.
        last: the document after the last of them.
        read: int64 (documents,), a copy of the starts of the rows; receives how far each row has been read.
        counts: int64 (2, 2, grades + 1), zeros; receives the number of pairs by series, language crossing, grade.
        picked: receives the pairs, or a sample of them; its arrays hold at least one.
    """
    # The asking documents ascend, so what they look up in a row ascends too, and no row is read twice.
    for a in range(first, last):
        if not universe.counted[a]:
            continue
        for at in range(indptr[a], indptr[a + 1]):
            b = signed(indices[at])
            grade = signed(grades[at])
            if b <= a or grade == 0 or not is_inside(universe, a, b):
                continue
            back, end = read[b], indptr[b + 1]
            while back < end and indices[back] < a:
                back += 1
            read[b] = back
            if back == end or indices[back] != a or grades[back] == 0:
                continue
            grade = min(grade, signed(grades[back]))
            series = is_series(universe, a, b)
            counts[signed(series), signed(languages[a] != languages[b]), grade] += 1
            if not series:
                _pick(picked, a, b, grade)


@compiled_bare
def grades_of_pairs(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    grades: NDArray[np.uint8],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    found: NDArray[np.uint8],
) -> None:
    """Write the grade of each pair: the smaller of its two directions. Arguments as in ``count_linked_pairs``."""
    for pair in range(a.size):
        forward = _grade(indptr, indices, grades, a[pair], b[pair])
        found[pair] = min(forward, _grade(indptr, indices, grades, b[pair], a[pair])) if forward else 0


@compiled
def count_drawn(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    grades: NDArray[np.uint8],
    drawn: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> None:
    """Count pairs by grade in each resample.

    Args:
        a: int64 (pairs,), ordinals.
        b: int64 (pairs,), ordinals.
        grades: uint8 (pairs,), 0 for pairs that are not linked.
        drawn: uint8 (documents, draws), multiplicity of each document in each resample.
        counts: int64 (grades + 1, draws), zeros; receives the pairs.
    """
    for pair in range(a.size):
        # No multiplicity exceeds 8, so a product fits in a byte.
        counts[grades[pair]] += drawn[a[pair]] * drawn[b[pair]]
