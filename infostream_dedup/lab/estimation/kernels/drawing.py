"""Draw candidates from the links of a collection: in each sample, the pairs with the smallest hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.lab.estimation.kernels.finding_copies import Universe, hash_of_pair, is_inside, is_series
from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["DatedSources", "GradedLinks", "SmallestPairs", "draw_pairs"]


class GradedLinks(NamedTuple):
    """Directed links.

    Attributes:
        indptr: int64 (documents + 1,), bounds of the rows.
        indices: int32, the document that answers, ascending in each row.
        counts: uint8, key terms found.
        grades: uint8, largest step at which each link counts.
    """

    indptr: Vector[np.int64]
    indices: Vector[np.int32]
    counts: Vector[np.uint8]
    grades: Vector[np.uint8]


class DatedSources(NamedTuple):
    """Who published the documents, and when.

    Attributes:
        sources: int64 (documents,), negative if unknown.
        times: int64 (documents,), microseconds since 1970.
        dated: bool (documents,), whether the time is known.
    """

    sources: Vector[np.int64]
    times: Vector[np.int64]
    dated: Vector[np.bool_]


class SmallestPairs(NamedTuple):
    """Room for pairs. When it is full, the half with the smaller hashes is kept.

    Attributes:
        hashes: uint64 (room,).
        a: int32 (room,), the earlier document.
        b: int32 (room,), the later one.
        state: int64 (2,): number of pairs held, number of pairs that came.
        bound: uint64 (1,), the largest hash that may be kept.
    """

    hashes: Vector[np.uint64]
    a: Vector[np.int32]
    b: Vector[np.int32]
    state: Vector[np.int64]
    bound: Vector[np.uint64]


@compiled
def _halve(drawn: SmallestPairs) -> None:
    kept = drawn.a.size // 2
    order = np.argsort(drawn.hashes)[:kept]
    drawn.hashes[:kept], drawn.a[:kept], drawn.b[:kept] = drawn.hashes[order], drawn.a[order], drawn.b[order]
    drawn.state[0], drawn.bound[0] = kept, drawn.hashes[kept - 1]


@compiled
def _add(drawn: SmallestPairs, a: int, b: int) -> None:
    drawn.state[1] += 1
    hashed = hash_of_pair(a, b)
    if hashed > drawn.bound[0]:
        return
    if drawn.state[0] == drawn.a.size:
        _halve(drawn)
    place = drawn.state[0]
    drawn.hashes[place], drawn.a[place], drawn.b[place] = hashed, a, b
    drawn.state[0] = place + 1


@inlined
def _may_draw(drawn: SmallestPairs, universe: Universe, a: int, b: int) -> bool:
    """Whether a pair has a small hash, is counted and not a series."""
    small = hash_of_pair(a, b) <= drawn.bound[0]
    return bool(small and is_inside(universe, a, b) and not is_series(universe, a, b))


@inlined
def _are_far(published: DatedSources, far: int, a: int, b: int) -> bool:
    source, other = published.sources[a], published.sources[b]
    known = published.dated[a] & published.dated[b] & (source >= 0) & (other >= 0)
    return bool(known and source != other and abs(published.times[a] - published.times[b]) > far)


@inlined
def _holds(links: GradedLinks, least: int, step: int, asks: int, answers: int) -> bool:
    """Whether a document finds enough key terms in another for a candidate, with a link at a step."""
    end = links.indptr[asks + 1]
    place = first_not_below(links.indices, links.indptr[asks], end, answers)
    if place == end or links.indices[place] != answers:
        return False
    return bool(links.counts[place] >= least and links.grades[place] >= step)


@compiled
def draw_pairs(
    links: GradedLinks,
    universe: Universe,
    languages: Vector[np.uint8],
    published: DatedSources,
    least: int,
    step: int,
    far_apart: int,
    first: int,
    last: int,
    drawn: SmallestPairs,
    linked: SmallestPairs,
    far: SmallestPairs,
) -> None:
    """Draw pairs within one language, found in the rows from ``first`` to ``last`` - 1.

    A pair belongs to the row of its earlier document if the count there is large enough, otherwise to the other row.

    Args:
        links: all links.
        universe: which pairs are drawn from, series excepted.
        languages: uint8 (documents,).
        published: sources and dates.
        least: minimum count, in either direction, of a candidate.
        step: minimum grade, in both directions, of a link that is checked.
        far_apart: microseconds above which two documents are far apart.
        first: the first row.
        last: the row after the last.
        drawn: receives candidates.
        linked: receives candidates that have ``least`` terms in both directions and are linked at ``step``.
        far: receives such links between different sources, far apart, inside or outside the universe.
    """
    for row in range(first, last):
        for at in range(links.indptr[row], links.indptr[row + 1]):
            other = signed(links.indices[at])
            if links.counts[at] < least or languages[row] != languages[other]:
                continue
            if other < row:
                # Most pairs are in both rows, and few have a small hash.
                if _may_draw(drawn, universe, other, row) and not _holds(links, least, 0, other, row):
                    _add(drawn, other, row)
                continue
            if _may_draw(drawn, universe, row, other):
                _add(drawn, row, other)
            if links.grades[at] >= step:
                if _are_far(published, far_apart, row, other) and _holds(links, least, step, other, row):
                    _add(far, row, other)
                if _may_draw(linked, universe, row, other) and _holds(links, least, step, other, row):
                    _add(linked, row, other)
