"""From tokens to weighed key terms: hashes of words, terms of surfaces, counts and weights."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.machine.arrays import GOLDEN, Floats, Int32s, Ints, Table, Uint8s
from infostream_dedup.machine.compiling import compiled, inlined, prefetch

# Two independent 64-bit hashes of words in UTF-8


@inlined
def _finalize(mixed: np.uint64, first: np.uint64, second: np.uint64) -> np.uint64:
    """Spread every bit over the whole word: the finalizer of MurmurHash3 with the given factors."""
    mixed = (mixed ^ (mixed >> np.uint64(33))) * first
    mixed = (mixed ^ (mixed >> np.uint64(33))) * second
    return mixed ^ (mixed >> np.uint64(33))


@compiled
def hash_terms(pool: Uint8s, starts: Ints, hashes: Table[np.uint64]) -> None:
    """Write both hashes of each word.

    ``pool``: words in UTF-8; ``starts``: (words + 1,), start of each word in ``pool``; ``hashes``: (2, words), receives
    FNV-1a, and a sum of bytes times powers of an odd number; both finalized.
    """
    for word in range(starts.size - 1):
        one, other = np.uint64(0xCBF29CE484222325), np.uint64(GOLDEN)
        for place in range(starts[word], starts[word + 1]):
            byte = np.uint64(pool[place])
            one = (one ^ byte) * np.uint64(0x100000001B3)
            other = other * np.uint64(0xA0761D6478BD642F) + byte + np.uint64(1)
        hashes[0, word] = _finalize(one, np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))
        hashes[1, word] = _finalize(other, np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


# Map surfaces to terms by way of their words

NOTHING: Final = -1  # the term of a surface that is not a term

SEVERAL: Final = -2
"""This value and all below: several terms, whose number ``more`` holds at -2 - value, followed by the terms."""

ROOM_FOR_REPEATED: Final = 3  # places in ``more`` per word of a surface after the first: two words take three places


@compiled
def mark_words(holders: Int32s, words: Int32s, used: Uint8s, marks: Uint8s) -> None:
    """Mark the words of each surface with the languages that use the surface.

    ``holders``: (entries,), surfaces; ``words``: (entries,), a word of each; ``used``: (surfaces,), a bit per language;
    ``marks``: (words,), initially zeros; receives the same for words.
    """
    for entry in range(words.size):
        marks[words[entry]] |= used[holders[entry]]


@compiled
def map_surfaces(
    holders: Int32s,
    words: Int32s,
    entered_of_word: Table[np.int32],
    term_of_entered: Int32s,
    terms: Table[np.int32],
    more: Int32s,
) -> tuple[int, int]:
    """Write the terms of each surface in each language.

    ``holders``: (entries,), surfaces, ascending; ``words``: (entries,), a word of each, in order; ``entered_of_word``:
    (languages, words), the term of a word by the number under which it was entered; ``NOTHING`` for a word that is not
    a term; ``term_of_entered``: (terms,), the numbers of the terms; ``terms``: (languages, surfaces), ``NOTHING``
    everywhere; receives terms, ``SEVERAL`` and below; ``more``: receives lists of terms. It needs, for each language,
    ``ROOM_FOR_REPEATED`` places per entry whose surface is that of the entry before, and two more places in all.
    Returns number of places of ``more`` in use; the maximum number of terms of a surface, at least 1.
    """
    end, most = 0, 1
    for language in range(terms.shape[0]):
        entry = 0
        while entry < words.size:
            holder, size = holders[entry], 0
            while entry < words.size and holders[entry] == holder:
                entered = entered_of_word[language, words[entry]]
                if entered != NOTHING:
                    size += 1
                    more[end + size] = term_of_entered[entered]
                entry += 1
            if size == 1:
                terms[language, holder] = more[end + 1]
            elif size > 1:
                terms[language, holder] = SEVERAL - end
                more[end] = size
                end += size + 1
                most = max(most, size)
    return end, most


# Count the terms of tokens, document by document

_AHEAD: Final = 16  # number of tokens to look ahead: about the latency of memory
_FEW: Final = 24
_MANY: Final = 1024  # number of terms above which insertion sort would be too slow if all were in one bucket
_DIGITS: Final = 256
_DIGIT_BITS: Final = 8


class TermsOfSurfaces(NamedTuple):
    """The terms that surfaces contain in each language."""

    # int32 (languages * surfaces,), language by language: a term, `NOTHING`, or `SEVERAL` and below
    terms: Int32s
    surfaces: int  # number of surfaces
    more: Int32s  # int32, lists of the terms of surfaces with several


class Row(NamedTuple):
    """Buffers for the terms of one document, with repetition."""

    terms: Int32s  # int32, as long as the longest row
    other: Int32s  # int32, of the same length
    places: Ints  # int64 (256,)


class TokenRows(NamedTuple):
    """The tokens of documents."""

    tokens: Int32s  # int32, surface of each token
    begins: Ints  # int64 (documents,), first token of each document
    lengths: Ints  # int64 (documents,), number of tokens of each document
    languages: Uint8s  # uint8 (documents,)


class Counted(NamedTuple):
    """Receives the terms of documents, document by document."""

    indices: Int32s  # int32, distinct terms, ascending in each document
    counts: Int32s  # int32, frequency of each
    sizes: Ints  # int64 (documents,), number of distinct terms
    totals: Ints  # int64 (documents,), number of terms with repetition


@compiled
def mark_used(documents: TokenRows, used: Uint8s) -> None:
    """Set bit ``l`` of ``used[s]`` for every surface s that a document of language l contains."""
    tokens, begins, lengths, languages = documents
    for document in range(begins.size):
        bit = np.uint8(1 << languages[document])
        for place in range(begins[document], begins[document] + lengths[document]):
            used[tokens[place]] |= bit


def _sort_few(row: Row, source: Int32s, size: int) -> None:
    """Sort by insertion the first terms of ``source``, which may be ``row.terms`` itself, into ``row.terms``."""
    terms = row.terms
    for place in range(size):
        term, gap = source[place], place
        while gap > 0 and terms[gap - 1] > term:
            terms[gap] = terms[gap - 1]
            gap -= 1
        terms[gap] = term


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
def _count_sorted(row: Row, size: int, end: int, indices: Int32s, counts: Int32s) -> int:
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
def _write_terms(code: int, more: Int32s, size: int, row: Row) -> int:
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

    ``documents``: tokens of the documents; ``mapping``: terms of surfaces; ``largest``: the largest term; ``row``:
    buffers, with room for one term more than the longest document has; ``counted``: receives the terms. Returns the
    number of entries written.
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


@compiled
def order_terms(documents: TokenRows, mapping: TermsOfSurfaces, most: int, found: Int32s, sizes: Ints) -> int:
    """Write the terms of each document's ``most`` first words, one a word, and their ``sizes``; return how many."""
    end = 0
    for document in range(documents.begins.size):
        before, begin = end, documents.begins[document]
        own = documents.languages[document] * np.int64(mapping.surfaces)
        for place in range(begin, begin + min(documents.lengths[document], most)):
            term = mapping.terms[own + documents.tokens[place]]
            if term <= SEVERAL:
                term = mapping.more[SEVERAL - term + 1]
            if term != NOTHING:
                found[end] = term
                end += 1
        sizes[document] = end - before
    return end


# Rows of terms in a pivot language, of which several terms of a document may become the same


class Rows(NamedTuple):
    """Terms, or columns, of each document, or of each term."""

    indptr: Ints  # int64 (rows + 1,), start of each row in `terms`
    terms: Int32s  # int32 (entries,)


@compiled
def find_places(counted: Rows, canonical: Int32s, chosen: Rows, last: Ints, places: Ints) -> None:
    """Find the entry of ``chosen``, canonical terms, to which each entry of ``counted`` belongs in its document.

    ``canonical``: canonical term of each term, or ``NOTHING``; ``last``: scratch memory, -1 for each canonical term;
    ``places``: receives the entries, ``NOTHING`` for none.
    """
    for document in range(counted.indptr.size - 1):
        begin = chosen.indptr[document]
        for place in range(begin, chosen.indptr[document + 1]):
            last[chosen.terms[place]] = place
        for entry in range(counted.indptr[document], counted.indptr[document + 1]):
            term = canonical[counted.terms[entry]]
            places[entry] = NOTHING
            # What earlier documents left lies below the first entry of this one.
            if term != NOTHING and last[term] >= begin:
                places[entry] = last[term]


@compiled
def list_by_place(places: Ints, terms: Int32s, ends: Ints, listed: Int32s) -> None:
    """List the terms at each place, in their order; ``ends``: where each place begins, afterwards, where it ends."""
    for entry in range(places.size):
        place = places[entry]
        if place != NOTHING:
            listed[ends[place]] = terms[entry]
            ends[place] += 1


# Document frequencies, factors of weights, and the heaviest terms of each document

_UNITS = 1e9


class Factors(NamedTuple):
    """The factors of the weights of terms."""

    indices: Int32s  # int32 (entries,), terms, row by row
    counts: Uint8s | Int32s  # uint8 or int32 (entries,), frequency of each in its document
    languages: Uint8s  # uint8 (documents,)
    idf: Table[np.float64]  # float64 (languages, terms)
    norms: Floats  # float64 (documents,)


class Kept(NamedTuple):
    """Receives the weights kept of each row."""

    sizes: Ints  # int64 (rows,), number of weights kept
    places: Ints  # int64, places of the weights, ascending in each row
    weights: Ints  # int64, the weights in units of 1e-9


@compiled
def add_frequencies(indptr: Ints, indices: Int32s, languages: Uint8s, df: Table[np.int64]) -> None:
    """Add to ``df`` (languages, terms) the number of documents that contain each term."""
    for document in range(languages.size):
        language = languages[document]
        for place in range(indptr[document], indptr[document + 1]):
            df[language, indices[place]] += 1


@compiled
def gather_factors(first: int, last: int, indptr: Ints, factors: Factors, f: Floats, idf: Floats, norm: Floats) -> None:
    """Write the factors of all entries of documents ``first`` .. ``last`` - 1, in order."""
    begin = indptr[first]
    for document in range(first, last):
        language, own = factors.languages[document], factors.norms[document]
        for place in range(indptr[document], indptr[document + 1]):
            f[place - begin] = factors.counts[place]
            idf[place - begin] = factors.idf[language, factors.indices[place]]
            norm[place - begin] = own


def _sink(heap: Ints, size: int) -> None:
    """Move the first weight of a heap down until no weight below it is lighter."""
    parent, weight = 0, int(heap[0])
    while 2 * parent + 1 < size:
        child = 2 * parent + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= weight:
            break
        heap[parent] = heap[child]
        parent = child
    heap[parent] = weight


def _nth_heaviest(weights: Ints, size: int, n: int, heap: Ints) -> int:
    """The n-th heaviest of ``size`` > n weights: the top of a heap of the n heaviest."""
    heap[:n] = 0
    for place in range(size):
        if weights[place] > heap[0]:
            heap[0] = weights[place]
            _sink(heap, n)
    return int(heap[0])


@compiled
def select_heaviest(indptr: Ints, values: Floats, n: int, ties: bool, row: Ints, heap: Ints, kept: Kept) -> int:
    """Select the n heaviest positive weights of each row.

    ``indptr``: (rows + 1,), bounds of the rows; they begin ``indptr[0]`` entries before ``values``; ``values``:
    (entries,), weights; ``n``: number of weights to keep; ``ties``: whether to keep all weights equal to the n-th;
    otherwise, only the first of them; ``row``: scratch memory as long as the longest row; ``heap``: scratch memory for
    n weights or the longest row, whichever is less; ``kept``: receives the weights. Returns the number of weights
    written.
    """
    sizes, places, weights = kept
    written = 0
    for number in range(sizes.size):
        begin, end, before = indptr[number] - indptr[0], indptr[number + 1] - indptr[0], written
        positive = 0
        for place in range(begin, end):
            value = values[place]
            weight = np.int64(np.rint(value * _UNITS)) if value > 0 else np.int64(0)
            row[place - begin] = weight
            positive += int(weight > 0)
        least, spare = 1, n
        if positive > n:
            least = _nth_heaviest(row, end - begin, n, heap)
            for place in range(end - begin):
                spare -= row[place] > least
        for place in range(end - begin):
            weight = row[place]
            if weight > least or (weight == least and (ties or spare > 0)):
                spare -= int(positive > n and weight == least)
                places[written], weights[written] = begin + place, weight
                written += 1
        sizes[number] = written - before
    return written
