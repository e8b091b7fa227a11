"""Count the terms of documents with compiled code."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import LANGUAGES, Language, Settings
from infostream_dedup.terms.compiled.surfaces import SurfaceTokens
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.kernels import counting
from infostream_dedup.terms.kernels.counting import Counted, Row, TermsOfSurfaces, TokenRows, mark_used
from infostream_dedup.terms.kernels.surface_mapping import NOTHING, ROOM_FOR_REPEATED, map_surfaces, mark_words
from infostream_dedup.terms.representation import representation
from infostream_dedup.text.compiled import forms
from infostream_dedup.text.compiled.scanner import Scanned
from infostream_dedup.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.text.tokens import Shape

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray

__all__ = ["count_terms"]

_SHAPES: Final = len(Shape)

_AT_ONCE: Final = 1 << 14
"""Number of words that a thread turns into terms at a time."""


def count_terms(tokens: SurfaceTokens, settings: Settings, *, workers: int = 0) -> TermCounts:
    """Turn tokens into counts of terms of ``settings.representation``.

    Args:
        tokens: tokens of the documents.
        settings: representation and rule of ``morph``.
        workers: threads; 0 for as many as the process may use. The result does not depend on them.
    """
    terms, mapping, most = _terms_of_surfaces(tokens, settings, workers)
    own = threading.local()

    def count(chunk: Scanned, first: int) -> _Part:
        if not hasattr(own, "counter"):
            own.counter = _Counter(mapping, terms=len(terms), most=most)
        counter: _Counter = own.counter
        return counter.count(chunk, tokens.languages[first : first + len(chunk)])

    with ThreadPoolExecutor(thread_count(workers)) as pool:
        parts = pool.map(count, tokens.chunks, tokens.firsts())
        counts, lengths = _joined(parts, sum(len(chunk.tokens) for chunk in tokens.chunks), len(terms))
    return TermCounts(counts, terms, tokens.languages, lengths)


def _terms_of_surfaces(
    tokens: SurfaceTokens, settings: Settings, workers: int
) -> tuple[SurfaceList, TermsOfSurfaces, int]:
    """Return all terms in code point order, the terms of each surface, and the maximum number of terms of a surface."""
    held = forms.forms(tokens.surfaces)
    # A word is a form, with its shape if the representation asks for it.
    shapes = _SHAPES if representation(settings.representation).shaped else 1
    words = held.numbers if shapes == 1 else held.numbers * np.int32(shapes) + held.shapes
    marks = np.zeros(len(held.forms) * shapes, dtype=np.uint8)
    mark_words(held.surfaces, words, _used(tokens, workers), marks)
    pool = SurfacePool()
    by_language = np.full((len(LANGUAGES), len(marks)), NOTHING, dtype=np.int32)
    for number, language in enumerate(LANGUAGES):
        own = np.flatnonzero(marks & np.uint8(1 << number))
        _enter_terms(own, held.forms, language, settings, pool, by_language[number], workers)
    listed = pool.listed()
    order = listed.code_point_order()
    rank = np.empty(len(order) + 1, dtype=np.int32)
    rank[order], rank[NOTHING] = np.arange(len(order), dtype=np.int32), NOTHING
    np.take(rank, by_language, out=by_language)
    mapping, most = _mapping(held, words, by_language, len(tokens.surfaces))
    return listed.picked(order), mapping, most


def _used(tokens: SurfaceTokens, workers: int) -> NDArray[np.uint8]:
    """uint8 (surfaces,): bit l is set if a document of language l contains the surface."""
    threads = thread_count(workers)
    by_thread = np.zeros((threads, len(tokens.surfaces)), dtype=np.uint8)

    def mark(thread: int) -> None:
        for chunk, first in islice(zip(tokens.chunks, tokens.firsts(), strict=True), thread, None, threads):
            languages = tokens.languages[first : first + len(chunk)]
            mark_used(TokenRows(chunk.tokens, chunk.begins, chunk.lengths, languages), by_thread[thread])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(mark, range(threads)))
    return np.asarray(np.bitwise_or.reduce(by_thread), dtype=np.uint8)


def _enter_terms(
    words: NDArray[np.int64],
    forms: SurfaceList,
    language: Language,
    settings: Settings,
    pool: SurfacePool,
    term_of_word: NDArray[np.int32],
    workers: int,
) -> None:
    """Write the number, in ``pool``, of each word's term; entries of words that are not terms are left unchanged.

    Threads enter terms in any order; the caller renumbers them in code point order.
    """
    chosen = representation(settings.representation)
    entering = threading.Lock()

    def enter(begin: int) -> None:
        some = words[begin : begin + step]
        taken, terms = chosen.listed_terms(forms, some, language, settings)
        with entering:
            term_of_word[some[taken]] = pool.add(terms)

    step = _AT_ONCE if chosen.parallel else max(len(words), 1)
    with ThreadPoolExecutor(thread_count(workers)) as threads:
        list(threads.map(enter, range(0, len(words), step)))


def _mapping(
    held: forms.SurfaceForms, words: NDArray[np.int32], term_of_word: NDArray[np.int32], surfaces: int
) -> tuple[TermsOfSurfaces, int]:
    """Return the terms of each surface, and the maximum number of terms of a surface."""
    terms = np.full((len(LANGUAGES), surfaces), NOTHING, dtype=np.int32)
    repeated = int(np.count_nonzero(held.surfaces[1:] == held.surfaces[:-1]))
    more = np.empty(ROOM_FOR_REPEATED * repeated * len(LANGUAGES) + 2, dtype=np.int32)
    end, most = map_surfaces(held.surfaces, words, term_of_word, terms, more)
    return TermsOfSurfaces(terms.ravel(), surfaces, more[:end].copy()), most


@dataclass(frozen=True, slots=True)
class _Part:
    """Counts of consecutive documents: terms, frequencies, and numbers of distinct and of all terms per document."""

    indices: NDArray[np.int32]
    counts: NDArray[np.int32]
    sizes: NDArray[np.int64]
    totals: NDArray[np.int64]


class _Counter:
    """Counts the terms of documents in one thread; its buffers are reused from chunk to chunk.

    Args:
        mapping: surfaces to terms.
        terms: number of terms.
        most: maximum number of terms of a surface.
    """

    def __init__(self, mapping: TermsOfSurfaces, *, terms: int, most: int) -> None:
        self._mapping = mapping
        self._most = most
        self._stamps = np.full(terms, -1, dtype=np.int64)
        self._base = 0
        self._room = _room(0)
        self._indices, self._counts = (np.empty(0, dtype=np.int32) for _ in range(2))

    def count(self, chunk: Scanned, languages: NDArray[np.uint8]) -> _Part:
        longest = int(chunk.lengths.max(initial=0)) * self._most
        if len(self._room.terms) < longest:
            self._room = _room(longest)
        if len(self._indices) < len(chunk.tokens) * self._most:
            self._indices, self._counts = (np.empty(len(chunk.tokens) * self._most, dtype=np.int32) for _ in range(2))
        sizes, totals = np.empty(len(chunk), dtype=np.int64), np.empty(len(chunk), dtype=np.int64)
        documents = TokenRows(chunk.tokens, chunk.begins, chunk.lengths, languages)
        counted = Counted(self._indices, self._counts, sizes, totals)
        end = counting.count_terms(documents, self._mapping, self._stamps, self._base, self._room, counted)
        self._base += end
        return _Part(self._indices[:end].copy(), self._counts[:end].copy(), sizes, totals)


def _room(longest: int) -> Row:
    return Row(np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(256, np.int64))


def _joined(parts: Iterable[_Part], tokens: int, terms: int) -> tuple[sp.csr_array, NDArray[np.int64]]:
    """Join all parts into one matrix and the lengths of the documents.

    Args:
        parts: parts in the order of the documents; each is copied as it arrives, so that there is never a second copy
            of all.
        tokens: roughly the number of entries; pages that are not written to take no memory.
        terms: number of terms.
    """
    import scipy.sparse as sp

    indices, counts = (np.empty(tokens, dtype=np.int32) for _ in range(2))
    sizes, lengths = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    end = 0
    for part in parts:
        before, end = end, end + len(part.indices)
        if end > len(indices):
            # Words with several terms outnumber the repeated words of a text.
            indices, counts = (np.concatenate([old, np.empty(end, dtype=np.int32)]) for old in (indices, counts))
        indices[before:end], counts[before:end] = part.indices, part.counts
        sizes.append(part.sizes)
        lengths.append(part.totals)
    kind = np.int32 if end < 2**31 else np.int64
    indptr = np.concatenate([np.zeros(1, dtype=kind), np.cumsum(np.concatenate(sizes), dtype=kind)])
    rows = (counts[:end], indices[:end].astype(kind, copy=False), indptr)
    return sp.csr_array(rows, shape=(len(indptr) - 1, terms)), np.concatenate(lengths)
