"""Count the terms of documents with compiled code."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.language.text import scanner
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.machine.threads import Turns, thread_count
from infostream_dedup.model import LANGUAGES, Language, Settings
from infostream_dedup.terms.kernels import counting
from infostream_dedup.terms.kernels.counting import count_terms as count_rows
from infostream_dedup.terms.representation import representation
from infostream_dedup.terms.statistics import TermCounts

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import DTypeLike, NDArray

    from infostream_dedup.language.text.scanner import Scanned
    from infostream_dedup.terms.compiled.surfaces import SurfaceTokens


_SHAPES: Final = len(Shape)
_AT_ONCE: Final = 1 << 14  # number of words that a thread turns into terms at a time


def count_terms(tokens: SurfaceTokens, settings: Settings, *, workers: int = 0, consume: bool = False) -> TermCounts:
    """Turn tokens into counts of terms of ``settings.representation``.

    consume: forget the tokens while counting, and return counts in the smallest type that holds them.
    """
    terms, mapping, most = _terms_of_surfaces(tokens, settings, workers)
    own = threading.local()
    rows = _Rows(len(tokens), sum(len(chunk.tokens) for chunk in tokens.chunks), np.uint8 if consume else np.int32)
    firsts = tokens.firsts()
    # A chunk that was counted is kept by nothing else.
    chunks = (tokens.chunks.pop(0) for _ in firsts) if consume else iter(tokens.chunks)

    def count(number: int, chunk: Scanned, first: int) -> None:
        with rows.turns.of(number) as wait:
            if not hasattr(own, "counter"):
                own.counter = _Counter(mapping, largest=max(len(terms) - 1, 0), most=most)
            counted = own.counter.count(chunk, tokens.languages[first : first + len(chunk)])
            wait()
            rows.append(counted)

    with ThreadPoolExecutor(thread_count(workers)) as pool:
        list(pool.map(count, range(len(firsts)), chunks, firsts))
    if consume:
        tokens.forget()
    counts, lengths = rows.joined(len(terms))
    return TermCounts(counts, terms, tokens.languages, lengths)


def _terms_of_surfaces(
    tokens: SurfaceTokens, settings: Settings, workers: int
) -> tuple[SurfaceList, counting.TermsOfSurfaces, int]:
    """Return all terms in code point order, the terms of each surface, and the maximum number of terms of a surface."""
    held = scanner.forms(tokens.surfaces)
    # A word is a form, with its shape if the representation asks for it.
    shapes = _SHAPES if representation(settings.representation).shaped else 1
    words = held.numbers if shapes == 1 else held.numbers * np.int32(shapes) + held.shapes
    marks = np.zeros(len(held.forms) * shapes, dtype=np.uint8)
    counting.mark_words(held.surfaces, words, _used(tokens, workers), marks)
    pool = SurfacePool()
    by_language = np.full((len(LANGUAGES), len(marks)), counting.NOTHING, dtype=np.int32)
    for number, language in enumerate(LANGUAGES):
        own = np.flatnonzero(marks & np.uint8(1 << number))
        _enter_terms(own, held.forms, language, settings, pool, by_language[number], workers)
    listed = pool.listed()
    order = listed.code_point_order()
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=np.int32)
    mapping, most = _mapping(held, words, by_language, rank, len(tokens.surfaces))
    return listed.picked(order), mapping, most


def _used(tokens: SurfaceTokens, workers: int) -> NDArray[np.uint8]:
    """uint8 (surfaces,): bit l is set if a document of language l contains the surface."""
    threads = thread_count(workers)
    by_thread = np.zeros((threads, len(tokens.surfaces)), dtype=np.uint8)

    def mark(thread: int) -> None:
        for chunk, first in islice(zip(tokens.chunks, tokens.firsts(), strict=True), thread, None, threads):
            languages = tokens.languages[first : first + len(chunk)]
            counting.mark_used(
                counting.TokenRows(chunk.tokens, chunk.begins, chunk.lengths, languages), by_thread[thread]
            )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(mark, range(threads)))
    return np.asarray(np.bitwise_or.reduce(by_thread), dtype=np.uint8)


def _enter_terms(
    words: NDArray[np.int64],
    scanner: SurfaceList,
    language: Language,
    settings: Settings,
    pool: SurfacePool,
    term_of_word: NDArray[np.int32],
    workers: int,
) -> None:
    """Write the number, in ``pool``, of each word's term, in any order; words without terms are left out."""
    chosen = representation(settings.representation)
    entering = threading.Lock()

    def enter(begin: int) -> None:
        some = words[begin : begin + step]
        taken, terms = chosen.listed_terms(scanner, some, language, settings)
        with entering:
            term_of_word[some[taken]] = pool.add(terms)

    step = _AT_ONCE if chosen.parallel else max(len(words), 1)
    with ThreadPoolExecutor(thread_count(workers)) as threads:
        list(threads.map(enter, range(0, len(words), step)))


def _mapping(
    held: scanner.SurfaceForms,
    words: NDArray[np.int32],
    entered_of_word: NDArray[np.int32],
    term_of_entered: NDArray[np.int32],
    surfaces: int,
) -> tuple[counting.TermsOfSurfaces, int]:
    """Return the terms of each surface, and the maximum number of terms of a surface."""
    terms = np.full((len(LANGUAGES), surfaces), counting.NOTHING, dtype=np.int32)
    repeated = int(np.count_nonzero(held.surfaces[1:] == held.surfaces[:-1]))
    more = np.empty(counting.ROOM_FOR_REPEATED * repeated * len(LANGUAGES) + 2, dtype=np.int32)
    end, most = counting.map_surfaces(held.surfaces, words, entered_of_word, term_of_entered, terms, more)
    return counting.TermsOfSurfaces(terms.ravel(), surfaces, more[:end].copy()), most


class _Counter:
    """Counts the terms of documents in one thread; its buffers are reused from chunk to chunk."""

    def __init__(self, mapping: counting.TermsOfSurfaces, *, largest: int, most: int) -> None:
        self._mapping = mapping
        self._largest = largest
        self._most = most
        self._row = _row(0)
        self._indices, self._counts = (np.empty(0, dtype=np.int32) for _ in range(2))

    def count(self, chunk: Scanned, languages: NDArray[np.uint8]) -> counting.Counted:
        """Count the terms of consecutive documents; the next call writes over the result."""
        longest = int(chunk.lengths.max(initial=0)) * self._most + 1
        if len(self._row.terms) < longest:
            self._row = _row(longest)
        if len(self._indices) < len(chunk.tokens) * self._most:
            self._indices, self._counts = (np.empty(len(chunk.tokens) * self._most, dtype=np.int32) for _ in range(2))
        sizes, totals = np.empty(len(chunk), dtype=np.int64), np.empty(len(chunk), dtype=np.int64)
        documents = counting.TokenRows(chunk.tokens, chunk.begins, chunk.lengths, languages)
        counted = counting.Counted(self._indices, self._counts, sizes, totals)
        end = count_rows(documents, self._mapping, self._largest, self._row, counted)
        return counting.Counted(self._indices[:end], self._counts[:end], sizes, totals)


def _row(longest: int) -> counting.Row:
    return counting.Row(np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(256, np.int64))


class _Rows:
    """The counts of all documents, to which threads append theirs in ``turns``; their type grows if needed."""

    def __init__(self, documents: int, tokens: int, dtype: DTypeLike) -> None:
        self.turns = Turns()
        # Pages that are not written to take no memory.
        self._indices, self._counts = np.empty(tokens, dtype=np.int32), np.empty(tokens, dtype=dtype)
        self._ends = np.zeros(documents + 1, dtype=np.int64)
        self._lengths = np.empty(documents, dtype=np.int64)
        self._documents = 0

    def append(self, counted: counting.Counted) -> None:
        first, last = self._documents, self._documents + len(counted.sizes)
        self._documents = last
        self._lengths[first:last] = counted.totals
        begin = int(self._ends[first])
        self._ends[first + 1 : last + 1] = begin + np.cumsum(counted.sizes)
        end = begin + len(counted.indices)
        if end > len(self._indices):
            # Words with several terms outnumber the repeated words of a text.
            self._indices, self._counts = (
                np.concatenate([old, np.empty(end, dtype=old.dtype)]) for old in (self._indices, self._counts)
            )
        largest = int(counted.counts.max(initial=0))
        if largest > np.iinfo(self._counts.dtype).max:
            self._counts = self._counts.astype(np.uint16 if largest < 1 << 16 else np.int32)
        self._indices[begin:end], self._counts[begin:end] = counted.indices, counted.counts

    def joined(self, terms: int) -> tuple[sp.csr_array, NDArray[np.int64]]:
        """Return the counts as a matrix with this many columns, and the lengths of the documents."""
        import scipy.sparse as sp

        end = int(self._ends[-1])
        kind = np.int32 if end < 2**31 else np.int64
        indices, indptr = (one.astype(kind, copy=False) for one in (self._indices[:end], self._ends))
        return sp.csr_array((self._counts[:end], indices, indptr), shape=(len(indptr) - 1, terms)), self._lengths
