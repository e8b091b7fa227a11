"""Count the terms of tokens, document by document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled, inlined, prefetch
from infostream_dedup.terms.kernels.surface_mapping import NOTHING, SEVERAL

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["Counted", "Row", "TermsOfSurfaces", "TokenRows", "count_terms", "mark_used"]

_AHEAD: Final = 16
"""Number of tokens to look ahead: about the latency of memory."""

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

    terms: Vector[np.int32]
    surfaces: int
    more: Vector[np.int32]


class Row(NamedTuple):
    """Buffers for the terms of one document, with repetition.

    Attributes:
        terms: int32, as long as the longest row.
        other: int32, of the same length.
        places: int64 (256,).
    """

    terms: Vector[np.int32]
    other: Vector[np.int32]
    places: Vector[np.int64]


class TokenRows(NamedTuple):
    """The tokens of documents.

    Attributes:
        tokens: int32, surface of each token.
        begins: int64 (documents,), first token of each document.
        lengths: int64 (documents,), number of tokens of each document.
        languages: uint8 (documents,).
    """

    tokens: Vector[np.int32]
    begins: Vector[np.int64]
    lengths: Vector[np.int64]
    languages: Vector[np.uint8]


class Counted(NamedTuple):
    """Receives the terms of documents, document by document.

    Attributes:
        indices: int32, distinct terms, ascending in each document.
        counts: int32, frequency of each.
        sizes: int64 (documents,), number of distinct terms.
        totals: int64 (documents,), number of terms with repetition.
    """

    indices: Vector[np.int32]
    counts: Vector[np.int32]
    sizes: Vector[np.int64]
    totals: Vector[np.int64]


@compiled
def mark_used(documents: TokenRows, used: Vector[np.uint8]) -> None:
    """Set bit ``l`` of ``used[s]`` for every surface s that a document of language l contains."""
    tokens, begins, lengths, languages = documents
    for document in range(begins.size):
        bit = np.uint8(1 << languages[document])
        for place in range(begins[document], begins[document] + lengths[document]):
            used[tokens[place]] |= bit


@compiled
def _sort_few(row: Row, source: Vector[np.int32], size: int) -> None:
    """Sort by insertion the first terms of ``source``, which may be ``row.terms`` itself, into ``row.terms``."""
    terms = row.terms
    for place in range(size):
        term, gap = source[place], place
        while gap > 0 and terms[gap - 1] > term:
            terms[gap] = terms[gap - 1]
            gap -= 1
        terms[gap] = term


@compiled
def _spread(row: Row, size: int, shift: int) -> None:
    """Copy the terms into ``row.other``, ordered by one byte; terms with equal bytes stay in order."""
    places = row.places
    places[:] = 0
    for place in range(size):
        places[(row.terms[place] >> shift) % _DIGITS] += 1
    total = 0
    for digit in range(_DIGITS):
        total, places[digit] = total + places[digit], total
    for place in range(size):
        digit = (row.terms[place] >> shift) % _DIGITS
        row.other[places[digit]] = row.terms[place]
        places[digit] += 1


@compiled
def _sort(row: Row, size: int, largest: int) -> None:
    """Sort the first terms of a row, none of which is above ``largest``."""
    shift = 0
    if size <= _FEW:
        _sort_few(row, row.terms, size)
    elif size <= _MANY:
        while largest >> shift >= _DIGITS:
            shift += 1
        _spread(row, size, shift)
        # Few terms of a document share their highest byte.
        _sort_few(row, row.other, size)
    else:
        while largest >> shift:
            _spread(row, size, shift)
            row.terms[:size] = row.other[:size]
            shift += _DIGIT_BITS


@inlined
def _count_sorted(row: Row, size: int, end: int, indices: Vector[np.int32], counts: Vector[np.int32]) -> int:
    """Write each term once, with its frequency, from place ``end`` on; return the new end."""
    for place in range(size):
        term = row.terms[place]
        if place > 0 and row.terms[place - 1] == term:
            counts[end - 1] += 1
        else:
            indices[end], counts[end] = term, 1
            end += 1
    return end


@inlined
def _write_terms(code: int, more: Vector[np.int32], size: int, row: Row) -> int:
    """Append the terms of a surface to a row; return its new size."""
    if code > SEVERAL:
        row.terms[size] = code
        return size + (code != NOTHING)
    begin = SEVERAL - code + 1
    for place in range(begin, begin + more[begin - 1]):
        row.terms[size] = more[place]
        size += 1
    return size


@compiled
def count_terms(documents: TokenRows, mapping: TermsOfSurfaces, largest: int, row: Row, counted: Counted) -> int:
    """Count the terms of each document.

    Args:
        documents: tokens of the documents.
        mapping: terms of surfaces.
        largest: the largest term.
        row: buffers, with room for one term more than the longest document has.
        counted: receives the terms.

    Returns:
        The number of entries written.
    """
    tokens, begins, lengths, languages = documents
    indices, counts, sizes, totals = counted
    end = 0
    for document in range(begins.size):
        size, before = 0, end
        own = languages[document] * np.int64(mapping.surfaces)
        for place in range(begins[document], begins[document] + lengths[document]):
            # The table is far larger than the cache. The token may belong to the next document; that is harmless.
            prefetch(mapping.terms, own + tokens[min(place + _AHEAD, tokens.size - 1)])
            size = _write_terms(mapping.terms[own + tokens[place]], mapping.more, size, row)
        _sort(row, size, largest)
        end = _count_sorted(row, size, end, indices, counts)
        sizes[document], totals[document] = end - before, size
    return end
