"""From texts to key terms with compiled code on all cores: tokens, counts of terms, selection.

Texts are gathered into chunks of a megabyte or two, which threads scan while the next ones are read. The threads share
one pool of surfaces and take turns to number what they found, in the order of the documents.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import DTypeLike

from infostream_dedup.language.morphology.stemming import stemmed_text, with_stems
from infostream_dedup.language.text import scanner
from infostream_dedup.language.text.scanner import Scanned, Scanner, detect
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool, Utf8Texts, texts_of
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.machine.arrays import Bools, Floats, Int32s, Ints, Uint8s, offsets_of, sparse_rows
from infostream_dedup.machine.threads import Turns, thread_count
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings, language_number
from infostream_dedup.terms import kernels as counting
from infostream_dedup.terms.kernels import Factors, Kept, add_frequencies, gather_factors, select_heaviest
from infostream_dedup.terms.kernels import count_terms as count_rows
from infostream_dedup.terms.key_terms import KeyTerms, StatisticsOfTerms, pattern
from infostream_dedup.terms.representation import representation, term_frequencies
from infostream_dedup.terms.statistics import (
    DocumentFrequencies,
    Statistics,
    TermCounts,
    Totals,
    document_norms,
    filled_up,
    idf_table,
    weighting,
)

if TYPE_CHECKING:
    import scipy.sparse as sp


_CHUNK: Final = 1 << 20
"""Characters of text scanned at a time. After each compiled step a thread waits up to five milliseconds for Python's
lock while another one reads documents, so chunks are as large as the processor's cache allows."""
_AHEAD: Final = 6  # chunks that may wait beside those that threads read
_STRETCH: Final = 1 << 23
"""Tokens that share one piece of memory: numpy asks for large pages for it, which the system clears faster than small
ones, and it returns to the system as soon as no chunk uses it."""


@dataclass(frozen=True, slots=True)
class SurfaceTokens:
    """The surfaces of each document, token by token."""

    chunks: list[Scanned]  # tokens of consecutive documents, numbers of `surfaces`
    languages: Uint8s  # uint8 (documents,), index into `LANGUAGES`
    _surfaces: list[SurfaceList]
    # which words of a language are terms, and these terms, by representation: others may share them
    listed: dict[tuple[object, ...], tuple[Bools, SurfaceList]] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.languages)

    def forget(self) -> None:
        """Free everything but the languages; the terms can no longer be counted."""
        self.chunks.clear()
        self._surfaces.clear()
        self.listed.clear()

    @property
    def surfaces(self) -> SurfaceList:
        """Distinct surfaces in the order of their first occurrence."""
        if not self._surfaces:
            raise RuntimeError("the words of these documents were forgotten; read the documents again")
        return self._surfaces[0]

    def firsts(self) -> list[int]:
        """Number of the first document of each chunk."""
        return [0, *accumulate(map(len, self.chunks))][:-1]


class SurfaceCounter:
    """Counts surfaces, many documents at a time; the result does not depend on the number of threads."""

    def __init__(self, workers: int = 0) -> None:
        self._threads = thread_count(workers)
        self._pool = ThreadPoolExecutor(self._threads)
        self._surfaces = SurfacePool()
        self._own = threading.local()
        self._turns = Turns()
        self._texts: list[str] = []
        self._languages: list[str | None] = []
        self._characters = 0
        self._documents = 0
        self._running: deque[Future[_Chunk]] = deque()
        self._chunks: list[_Chunk] = []
        self._stretch = np.empty(0, dtype=np.int32)

    def __len__(self) -> int:
        return self._documents

    def add(self, text: str, language: str | None) -> None:
        """Count one document."""
        self._texts.append(text if language is None or language in OUR_LANGUAGES else stemmed_text(text, language))
        self._languages.append(language)
        self._characters += len(text)
        self._documents += 1
        if self._characters >= _CHUNK:
            self._submit()

    def add_texts(self, texts: Utf8Texts, languages: Sequence[str | None]) -> None:
        """Count documents that are already in memory as UTF-8, such as a column of an Arrow table."""
        self._submit()
        if any(one is not None and one not in OUR_LANGUAGES for one in languages):
            texts = with_stems(texts, languages)
        self._run(lambda: texts, languages)
        self._documents += len(texts)

    def finish(self) -> SurfaceTokens:
        """Return the tokens of all documents added so far; the counter must not be used again."""
        self._submit()
        for running in self._running:
            self._keep(running.result())
        self._pool.shutdown()
        languages = [chunk.languages for chunk in self._chunks]
        every = np.concatenate(languages) if languages else np.zeros(0, dtype=np.uint8)
        tokens = SurfaceTokens([chunk.scanned for chunk in self._chunks], every, [self._surfaces.listed()])
        # A reference to the counter must not keep its memory alive.
        self._surfaces, self._chunks, self._stretch = SurfacePool(), [], self._stretch[:0].copy()
        return tokens

    def _submit(self) -> None:
        if not self._texts:
            return
        strings = self._texts
        self._run(lambda: texts_of(strings), self._languages)
        self._texts, self._languages, self._characters = [], [], 0

    def _run(self, read: Callable[[], Utf8Texts], languages: Sequence[str | None]) -> None:
        self._running.append(self._pool.submit(self._scan, read, languages, len(self._chunks) + len(self._running)))
        # A fast reader must not pile up texts, nor threads wait while the reader keeps what others have found.
        while len(self._running) > self._threads + _AHEAD:
            self._keep(self._running.popleft().result())

    def _keep(self, chunk: _Chunk) -> None:
        scanned, size = chunk.scanned, len(chunk.scanned.tokens)
        if size > len(self._stretch):
            self._stretch = np.empty(max(size, _STRETCH), dtype=np.int32)
        kept, self._stretch = self._stretch[:size], self._stretch[size:]
        kept[:] = scanned.tokens
        self._chunks.append(_Chunk(Scanned(kept, scanned.begins, scanned.lengths), chunk.languages))

    def _scan(self, read: Callable[[], Utf8Texts], languages: Sequence[str | None], number: int) -> _Chunk:
        if not hasattr(self._own, "scanner"):
            self._own.scanner = Scanner(self._surfaces)
        scanner: Scanner = self._own.scanner
        with self._turns.of(number) as wait:
            texts = read()
            found = scanner.find(texts)
            given = np.array([_NOT_GIVEN if one is None else language_number(one) for one in languages], dtype=np.uint8)
            if None in languages:
                given = np.where(given == _NOT_GIVEN, detect(texts), given)
            wait()
            return _Chunk(scanner.number(found), given)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Tokens and languages of consecutive documents."""

    scanned: Scanned
    languages: Uint8s


_NOT_GIVEN: Final = 255  # marks a language to be detected
_SHAPES: Final = len(Shape)
_AT_ONCE: Final = 1 << 14  # number of words that a thread turns into terms at a time


def count_terms(tokens: SurfaceTokens, settings: Settings, *, workers: int = 0, consume: bool = False) -> TermCounts:
    """Turn tokens into counts of terms; ``consume``: forget them meanwhile, and count in the smallest type."""
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
        _enter_terms(own, tokens, held.forms, language, settings, pool, by_language[number], workers)
    listed = pool.listed()
    order = listed.code_point_order()
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=np.int32)
    mapping, most = _mapping(held, words, by_language, rank, len(tokens.surfaces))
    return listed.picked(order), mapping, most


def _used(tokens: SurfaceTokens, workers: int) -> Uint8s:
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
    words: Ints,
    tokens: SurfaceTokens,
    forms: SurfaceList,
    language: Language,
    settings: Settings,
    pool: SurfacePool,
    term_of_word: Int32s,
    workers: int,
) -> None:
    """Write the number, in ``pool``, of each word's term, in any order; words without terms are left out."""
    chosen = representation(settings.representation).of_language(language)
    entering = threading.Lock()

    def enter(begin: int) -> None:
        some, of = words[begin : begin + step], (chosen.name, settings.morph, language, begin)
        if of not in tokens.listed:
            tokens.listed[of] = chosen.listed_terms(forms, some, language, settings)
        taken, terms = tokens.listed[of]
        with entering:
            term_of_word[some[taken]] = pool.add(terms)

    step = _AT_ONCE if chosen.parallel else max(len(words), 1)
    with ThreadPoolExecutor(thread_count(workers)) as threads:
        list(threads.map(enter, range(0, len(words), step)))


def _mapping(
    held: scanner.SurfaceForms, words: Int32s, entered_of_word: Int32s, term_of_entered: Int32s, surfaces: int
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

    def count(self, chunk: Scanned, languages: Uint8s) -> counting.Counted:
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
        """Append consecutive documents."""
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

    def joined(self, terms: int) -> tuple[sp.csr_array, Ints]:
        """Return the counts as a matrix with this many columns, and the lengths of the documents."""
        end, shape = int(self._ends[-1]), (len(self._lengths), terms)
        return sparse_rows(self._counts[:end], self._indices[:end], self._ends, shape), self._lengths


# Select the key terms of each document


_ROWS_AT_ONCE: Final = 512  # documents weighted at once: few enough for their arrays to stay in the processor's cache


def select_key_terms(
    counts: TermCounts, settings: Settings, statistics: list[Statistics] | None = None, *, workers: int = 0
) -> KeyTerms:
    """Select the ``settings.n`` heaviest terms of medium document frequency in every document (Lande, section 2)."""
    statistics = statistics_of(counts, settings, workers=workers) if statistics is None else statistics
    rows = _Weighed(counts, statistics, settings)
    keys = rows.heaviest(settings.n, workers)
    size = settings.target_size()
    if size is None:
        return KeyTerms(keys, pattern(counts.counts), counts, statistics)
    return KeyTerms(keys, pattern(rows.heaviest(size, workers) if size else keys), counts, statistics)


def statistics_of(counts: TermCounts, settings: Settings, *, workers: int = 0) -> list[Statistics]:
    """Return the statistics per language, in the order of ``LANGUAGES``."""
    indptr, indices = rows_of(counts.counts)
    threads = thread_count(workers)
    bounds = np.linspace(0, len(indptr) - 1, threads + 1).astype(np.int64)

    def add(thread: int) -> Ints:
        df = np.zeros((len(LANGUAGES), len(counts.terms)), dtype=np.int64)
        first, last = bounds[thread], bounds[thread + 1]
        add_frequencies(indptr[first : last + 1], indices, counts.languages[first:last], df)
        return df

    with ThreadPoolExecutor(threads) as pool:
        df = sum(pool.map(add, range(threads)), start=np.zeros((1, 1), dtype=np.int64))
    return statistics_by_language(counts, df, settings)


def statistics_by_language(counts: TermCounts, df: Ints, settings: Settings) -> list[Statistics]:
    """Statistics of a collection per language, in the order of ``LANGUAGES``."""
    found = []
    for number, language in enumerate(LANGUAGES):
        own = counts.lengths[counts.languages == number]
        totals = Totals(len(own), int(own.sum()))
        background = partial(term_frequencies, language, settings.representation) if settings.background else None
        # A language that no document has needs no statistics, so its background is not loaded.
        found.append(filled_up(counts.terms, df[number], totals, background if len(own) else None))
    return found


def statistics_of_distinct(
    counts: TermCounts, statistics: Sequence[Statistics], settings: Settings, repeats: Bools
) -> list[Statistics]:
    """Add to statistics the frequencies among documents that do not repeat an earlier one."""
    found = []
    for number, (language, one) in enumerate(zip(LANGUAGES, statistics, strict=True)):
        own = counts.languages == number
        if not np.any(own & repeats):
            found.append(one)
            continue
        distinct = own & ~repeats
        df = np.bincount(counts.counts[distinct].indices, minlength=len(counts.terms))
        totals = Totals(int(distinct.sum()), int(counts.lengths[distinct].sum()))
        background = partial(term_frequencies, language, settings.representation) if settings.background else None
        among = filled_up(counts.terms, df, totals, background)
        found.append(replace(one, distinct=DocumentFrequencies(among.documents, among.df)))
    return found


class _Weighed:
    """Documents whose terms are weighted part by part; weights of terms that are not kept are never stored."""

    def __init__(self, counts: TermCounts, statistics: list[Statistics], settings: Settings) -> None:
        self._shape = counts.counts.shape
        self._indptr, self._indices = rows_of(counts.counts)
        data = counts.counts.data
        if data.dtype != np.uint8:
            # The loops are compiled for two types; as the larger one, the counts of a month would take .8 GB.
            data = data.astype(np.int32, copy=False)
        norms = document_norms(counts, statistics, settings)
        self._factors = Factors(self._indices, data, counts.languages, idf_table(statistics, settings), norms)
        self._settings = settings

    def heaviest(self, n: int, workers: int) -> sp.csr_array:
        """Return the n heaviest positive weights of each row: int64 (documents, terms)."""
        weigh = weighting(self._settings.weighting).weight
        documents, indptr = self._shape[0], self._indptr

        def select(first: int) -> tuple[Ints, Int32s, Ints]:
            """Numbers of terms kept from each of some documents, the terms, and their weights."""
            last = min(first + _ROWS_AT_ONCE, documents)
            begin, end = indptr[first], indptr[last]
            f, idf, norm = np.empty((3, end - begin), dtype=np.float64)
            gather_factors(first, last, indptr, self._factors, f, idf, norm)
            sizes, places, weights = heaviest_of_rows(indptr[first : last + 1], weigh(f, idf, norm, self._settings), n)
            return sizes, self._indices[begin:end][places], weights

        with ThreadPoolExecutor(thread_count(workers)) as pool:
            parts = list(pool.map(select, range(0, documents, _ROWS_AT_ONCE)))
        parts.append((np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64)))
        sizes, indices, weights = map(np.concatenate, zip(*parts, strict=True))
        return sparse_rows(weights, indices, offsets_of(sizes), self._shape)


def heaviest_of_rows(indptr: Ints, values: Floats, n: int, *, ties: bool = False) -> tuple[Ints, Ints, Ints]:
    """Select the n heaviest terms of each row; ``ties`` keeps all as heavy as the n-th, not only the first ones.

    Returns int64 (rows,), number of terms kept in each row; int64 (kept,), their positions in ``values``, ascending;
    and int64 (kept,), their weights in units of 1e-9, at least 1.
    """
    sizes = indptr[1:] - indptr[:-1]
    longest = int(sizes.max(initial=0))
    room = len(values) if ties else int(np.minimum(sizes, n).sum())
    kept = Kept(np.empty(len(sizes), np.int64), np.empty(room, np.int64), np.empty(room, np.int64))
    row, heap = np.empty(longest, np.int64), np.empty(min(n, longest), np.int64)
    written = select_heaviest(indptr, values, n, ties, row, heap, kept)
    return kept.sizes, kept.places[:written], kept.weights[:written]


def rows_of(matrix: sp.csr_array) -> counting.Rows:
    """Return row bounds and columns in the types for which the loops are compiled."""
    return counting.Rows(matrix.indptr.astype(np.int64, copy=False), matrix.indices.astype(np.int32, copy=False))


def key_terms_of_surfaces(
    surfaces: SurfaceTokens,
    settings: Settings,
    *,
    counts: TermCounts | None = None,
    statistics: StatisticsOfTerms | None = None,
    workers: int = 0,
) -> KeyTerms:
    """Select the key terms of every document."""
    if counts is None:
        counts = count_terms(surfaces, settings, workers=workers)
    select = partial(select_key_terms, workers=workers)
    return representation(settings.representation).key_terms(counts, settings, select, statistics)
