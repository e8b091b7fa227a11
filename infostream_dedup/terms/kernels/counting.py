"""Count the terms of tokens, document by document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled, prefetch
from infostream_dedup.terms.kernels.surface_mapping import NOTHING, SEVERAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Counted", "Row", "TermsOfSurfaces", "TokenRows", "count_terms", "mark_used"]

_AHEAD: Final = 16
"""Number of tokens to look ahead: about the latency of memory."""

_NEAR: Final = 8
"""Number of tokens to look ahead once their terms have arrived."""

_FEW: Final = 24
_MANY: Final = 1024
"""Number of terms above which insertion sort would be too slow if all were in one bucket."""

_DIGITS: Final = 256
_DIGIT_BITS: Final = 8


class TermsOfSurfaces(NamedTuple):
    """The terms that surfaces contain in each language.

    Attributes:
        terms: int32 (languages * surfaces,), language by language: a term, ``NOTHING``, or ``SEVERAL`` and below.
        surfaces: number of surfaces.
        more: int32, lists of the terms of surfaces with several.
    """

    terms: NDArray[np.int32]
    surfaces: int
    more: NDArray[np.int32]


class Row(NamedTuple):
    """Buffers for sorting one row.

    Attributes:
        terms: int32, as long as the longest row.
        counts: int32, of the same length.
        places: int64 (256,).
    """

    terms: NDArray[np.int32]
    counts: NDArray[np.int32]
    places: NDArray[np.int64]


class TokenRows(NamedTuple):
    """The tokens of documents.

    Attributes:
        tokens: int32, surface of each token.
        begins: int64 (documents,), first token of each document.
        lengths: int64 (documents,), number of tokens of each document.
        languages: uint8 (documents,).
    """

    tokens: NDArray[np.int32]
    begins: NDArray[np.int64]
    lengths: NDArray[np.int64]
    languages: NDArray[np.uint8]


class Counted(NamedTuple):
    """Receives the terms of documents, document by document.

    Attributes:
        indices: int32, distinct terms, ascending in each document.
        counts: int32, frequency of each.
        sizes: int64 (documents,), number of distinct terms.
        totals: int64 (documents,), number of terms with repetition.
    """

    indices: NDArray[np.int32]
    counts: NDArray[np.int32]
    sizes: NDArray[np.int64]
    totals: NDArray[np.int64]


@compiled
def mark_used(documents: TokenRows, used: NDArray[np.uint8]) -> None:
    """Set bit ``l`` of ``used[s]`` for every surface s that a document of language l contains."""
    tokens, begins, lengths, languages = documents
    for document in range(begins.size):
        bit = np.uint8(1 << languages[document])
        for place in range(begins[document], begins[document] + lengths[document]):
            used[tokens[place]] |= bit


@compiled
def _sort_few(terms: NDArray[np.int32], counts: NDArray[np.int32], begin: int, end: int) -> None:
    for place in range(begin + 1, end):
        term, count = terms[place], counts[place]
        gap = place
        while gap > begin and terms[gap - 1] > term:
            terms[gap], counts[gap] = terms[gap - 1], counts[gap - 1]
            gap -= 1
        terms[gap], counts[gap] = term, count


@compiled
def _sort_some(
    terms: NDArray[np.int32], counts: NDArray[np.int32], begin: int, end: int, largest: int, room: Row
) -> None:
    """Sort by the highest byte of the terms, then by insertion: few terms of a document share that byte."""
    shift = 0
    while largest >> shift >= _DIGITS:
        shift += 1
    room.places[:] = 0
    for place in range(begin, end):
        room.places[terms[place] >> shift] += 1
    total = 0
    for digit in range(_DIGITS):
        total, room.places[digit] = total + room.places[digit], total
    for place in range(begin, end):
        digit = terms[place] >> shift
        goal = room.places[digit]
        room.places[digit] = goal + 1
        room.terms[goal], room.counts[goal] = terms[place], counts[place]
    for place in range(end - begin):
        term, gap = room.terms[place], begin + place
        while gap > begin and terms[gap - 1] > term:
            terms[gap], counts[gap] = terms[gap - 1], counts[gap - 1]
            gap -= 1
        terms[gap], counts[gap] = term, room.counts[place]


@compiled
def _sort_many(
    terms: NDArray[np.int32], counts: NDArray[np.int32], begin: int, end: int, largest: int, room: Row
) -> None:
    """Sort by each byte of the terms in turn, the lowest first."""
    shift = 0
    while largest >> shift:
        room.places[:] = 0
        for place in range(begin, end):
            room.places[(terms[place] >> shift) % _DIGITS] += 1
        total = 0
        for digit in range(_DIGITS):
            total, room.places[digit] = total + room.places[digit], total
        for place in range(begin, end):
            digit = (terms[place] >> shift) % _DIGITS
            goal = room.places[digit]
            room.places[digit] = goal + 1
            room.terms[goal], room.counts[goal] = terms[place], counts[place]
        for place in range(end - begin):
            terms[begin + place], counts[begin + place] = room.terms[place], room.counts[place]
        shift += _DIGIT_BITS


@compiled
def count_terms(
    documents: TokenRows, mapping: TermsOfSurfaces, stamps: NDArray[np.int64], base: int, room: Row, counted: Counted
) -> int:
    """Count the terms of each document.

    Args:
        documents: tokens of the documents.
        mapping: terms of surfaces.
        stamps: int64 (terms,), all below ``base``; afterwards all below ``base`` plus the return value.
        base: any non-negative number.
        room: buffers for sorting.
        counted: receives the terms.

    Returns:
        The number of entries written.
    """
    tokens, begins, lengths, languages = documents
    indices, counts, sizes, totals = counted
    end = 0
    for document in range(begins.size):
        begin, total = end, 0
        own = languages[document] * np.int64(mapping.surfaces)
        for place in range(begins[document], begins[document] + lengths[document]):
            # The tables are far larger than the cache. The token may belong to the next document; that is harmless.
            prefetch(mapping.terms, own + tokens[min(place + _AHEAD, tokens.size - 1)])
            prefetch(stamps, max(mapping.terms[own + tokens[min(place + _NEAR, tokens.size - 1)]], 0))
            term = mapping.terms[own + tokens[place]]
            if term == NOTHING:
                continue
            at, last = 0, 0
            if term <= SEVERAL:
                at = SEVERAL - term + 1
                last = at + mapping.more[at - 1] - 1
                term = mapping.more[at]
            while True:
                total += 1
                stamp = stamps[term] - base
                if stamp >= begin:
                    counts[stamp] += 1
                else:
                    stamps[term] = base + end
                    indices[end], counts[end] = term, 1
                    end += 1
                if at >= last:
                    break
                at += 1
                term = mapping.more[at]
        if end - begin <= _FEW:
            _sort_few(indices, counts, begin, end)
        elif end - begin <= _MANY:
            _sort_some(indices, counts, begin, end, stamps.size - 1, room)
        else:
            _sort_many(indices, counts, begin, end, stamps.size - 1, room)
        sizes[document], totals[document] = end - begin, total
    return end
