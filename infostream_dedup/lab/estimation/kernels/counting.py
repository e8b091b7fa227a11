"""Count links and copies by grade: once for the collection itself, and once for each resample of its documents.

The grade of a pair is the largest k at which both documents are linked to each other. In a resample, each document has
a multiplicity (Poisson with mean 1), and a pair counts as often as the product of its two multiplicities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.lab.estimation.kernels.finding_copies import Universe, is_inside, is_series, thinned_out
from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Cube, Table, Vector

__all__ = ["PickedPairs", "count_drawn", "count_linked_pairs", "grades_of_pairs"]


@inlined
def _grade(
    indptr: Vector[np.int64], indices: Vector[np.int32], grades: Vector[np.uint8], asks: int, answers: int
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

    a: Vector[np.int32]
    b: Vector[np.int32]
    grades: Vector[np.uint8]
    state: Vector[np.int64]


@compiled
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


@compiled
def _count_answers(
    indptr: Vector[np.int64],
    indices: Vector[np.int32],
    grades: Vector[np.uint8],
    first: int,
    last: int,
    heads: Vector[np.int64],
) -> None:
    """Count the links from later documents to each of the documents from ``first`` to ``last`` - 1, by bounds."""
    for b in range(first + 1, indptr.size - 1):
        end, upto = indptr[b + 1], min(last, b)
        at = first_not_below(indices, indptr[b], end, first)
        while at < end and indices[at] < upto:
            heads[indices[at] - first + 1] += grades[at] != 0
            at += 1
    for row in range(heads.size - 1):
        heads[row + 1] += heads[row]


@compiled
def _take_answers(
    indptr: Vector[np.int64],
    indices: Vector[np.int32],
    grades: Vector[np.uint8],
    first: int,
    last: int,
    fill: Vector[np.int64],
    answers: Vector[np.int32],
    answered: Vector[np.uint8],
) -> None:
    """Write the later document and the grade of each of these links, ascending in each row."""
    for b in range(first + 1, indptr.size - 1):
        end, upto = indptr[b + 1], min(last, b)
        at = first_not_below(indices, indptr[b], end, first)
        while at < end and indices[at] < upto:
            if grades[at] != 0:
                row = indices[at] - first
                answers[fill[row]], answered[fill[row]] = b, grades[at]
                fill[row] += 1
            at += 1


@compiled
def count_linked_pairs(
    indptr: Vector[np.int64],
    indices: Vector[np.int32],
    grades: Vector[np.uint8],
    universe: Universe,
    languages: Vector[np.uint8],
    first: int,
    last: int,
    counts: Cube[np.int64],
    picked: PickedPairs,
) -> None:
    """Count the pairs of the universe that are linked both ways, and keep those outside a series.

    Looking every link up in the row of its answer would wait for memory each time, so the links of later documents to
    the earlier ones are gathered by the earlier one first.

    Args:
        indptr: int64 (documents + 1,), bounds of the rows of links.
        indices: int32, the document that answers, ascending in each row.
        grades: uint8, largest k at which each link counts, 0 for none.
        universe: which pairs are counted.
        languages: uint8 (documents,), language of each document.
        first: the first of the earlier documents.
        last: the document after the last of them.
        counts: int64 (2, 2, grades + 1); the number of pairs by series, language crossing, grade is added.
        picked: receives the pairs, or a sample of them; its arrays hold at least one.
    """
    heads = np.zeros(last - first + 1, dtype=np.int64)
    _count_answers(indptr, indices, grades, first, last, heads)
    answers, answered = np.empty(heads[-1], dtype=np.int32), np.empty(heads[-1], dtype=np.uint8)
    _take_answers(indptr, indices, grades, first, last, heads[:-1].copy(), answers, answered)
    for a in range(first, last):
        back, stop, end = heads[a - first], heads[a - first + 1], indptr[a + 1]
        at = first_not_below(indices, indptr[a], end, a + 1)
        while at < end and back < stop:
            b, answer = signed(indices[at]), signed(answers[back])
            grade = min(signed(grades[at]), signed(answered[back]))
            if b == answer and grade > 0 and is_inside(universe, a, b):
                series = is_series(universe, a, b)
                counts[signed(series), signed(languages[a] != languages[b]), grade] += 1
                if not series:
                    _pick(picked, a, b, grade)
            at += b <= answer
            back += answer <= b


@compiled
def grades_of_pairs(
    indptr: Vector[np.int64],
    indices: Vector[np.int32],
    grades: Vector[np.uint8],
    a: Vector[np.int64],
    b: Vector[np.int64],
    found: Vector[np.uint8],
) -> None:
    """Write the grade of each pair: the smaller of its two directions. Arguments as in ``count_linked_pairs``."""
    for pair in range(a.size):
        forward = _grade(indptr, indices, grades, a[pair], b[pair])
        found[pair] = min(forward, _grade(indptr, indices, grades, b[pair], a[pair])) if forward else 0


@compiled
def count_drawn(
    a: Vector[np.int64],
    b: Vector[np.int64],
    grades: Vector[np.uint8],
    drawn: Table[np.uint8],
    counts: Table[np.int64],
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
        grade, one, other = grades[pair], a[pair], b[pair]
        for draw in range(drawn.shape[1]):
            counts[grade, draw] += drawn[one, draw] * drawn[other, draw]
