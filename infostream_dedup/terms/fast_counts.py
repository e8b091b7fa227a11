"""Documents as counts of terms, counted by compiled code: the same as ``counts.count_terms`` gives."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.matrix.kernels.threads import thread_count
from infostream_dedup.model import LANGUAGES, Language, Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.fast_surfaces import SurfaceTokens
from infostream_dedup.terms.kernels.counting import (
    NOTHING,
    SEVERAL,
    Row,
    TermsOfSurfaces,
    count_terms,
    mark_used,
)
from infostream_dedup.terms.representations import TERMS_OF_WORDS, terms_of_distinct
from infostream_dedup.text.fast_forms import SurfaceForms, forms_of_all
from infostream_dedup.text.scanner import Scanned
from infostream_dedup.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.text.tokens import Form, Shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fast_count_terms"]

_SHAPES: Final = tuple(Shape)


def fast_count_terms(tokens: SurfaceTokens, settings: Settings, *, workers: int = 0) -> TermCounts:
    """Turn tokens into counts of terms of ``settings.representation``.

    Args:
        tokens: of the documents.
        settings: representation and rule of ``morph``.
        workers: threads; 0 for as many as the process may use. The result does not depend on them.
    """
    held = forms_of_all(tokens.surfaces)
    words = held.numbers * len(_SHAPES)
    if settings.representation not in TERMS_OF_WORDS:
        words += held.shapes
    used = _used(tokens, workers)
    found = [
        _terms(held, words[(used[held.surfaces] >> number & 1).astype(np.bool_)], language, settings)
        for number, language in enumerate(LANGUAGES)
    ]
    terms, term_of_word = _numbered(found, len(held.forms) * len(_SHAPES))
    mapping, most = _mapping(held, words, term_of_word, len(tokens.surfaces))
    with ThreadPoolExecutor(thread_count(workers)) as pool:
        parts = list(
            pool.map(
                lambda chunk, first: _count(
                    chunk, tokens.languages[first : first + len(chunk)], mapping, terms=len(terms), most=most
                ),
                tokens.chunks,
                tokens.firsts(),
            )
        )
    counts, lengths = _joined(parts, len(terms), thread_count(workers))
    return TermCounts(counts, terms, tokens.languages, lengths)


def _used(tokens: SurfaceTokens, workers: int) -> NDArray[np.uint8]:
    """uint8 (surfaces,): bit l tells whether a document of language l holds the surface."""

    def mark(chunk: Scanned, first: int) -> NDArray[np.uint8]:
        used = np.zeros(len(tokens.surfaces), dtype=np.uint8)
        languages = tokens.languages[first : first + len(chunk)]
        mark_used(chunk.tokens, chunk.begins, chunk.lengths, languages, used)
        return used

    by_surface = np.zeros(len(tokens.surfaces), dtype=np.uint8)
    with ThreadPoolExecutor(thread_count(workers)) as pool:
        for used in pool.map(mark, tokens.chunks, tokens.firsts()):
            by_surface |= used
    return by_surface


@dataclass(frozen=True, slots=True)
class _Found:
    """Words of a language, form number * number of shapes + shape, and the term of each, ``None`` where it is none."""

    words: NDArray[np.int64]
    terms: list[str | None]


def _terms(held: SurfaceForms, words: NDArray[np.int64], language: Language, settings: Settings) -> _Found:
    used = np.zeros(len(held.forms) * len(_SHAPES), dtype=np.bool_)
    used[words] = True
    distinct = np.flatnonzero(used)
    with _without_collection():
        numbers, shapes = (part.tolist() for part in np.divmod(distinct, len(_SHAPES)))
        of_words = TERMS_OF_WORDS.get(settings.representation)
        if of_words is not None:
            return _Found(distinct, of_words([held.forms[form] for form in numbers], language, settings))
        forms = [Form(held.forms[form], _SHAPES[shape]) for form, shape in zip(numbers, shapes, strict=True)]
        return _Found(distinct, terms_of_distinct(forms, language, settings))


@contextmanager
def _without_collection() -> Iterator[None]:
    """Do not look for garbage: among a million objects that all stay it takes longer than making them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _numbered(found: Sequence[_Found], words: int) -> tuple[list[str], NDArray[np.int32]]:
    """All terms in code point order, and int32 (languages, words): the term of each word of each language."""
    pool = SurfacePool()
    by_language = np.full((len(found), words), NOTHING, dtype=np.int32)
    for row, language in zip(by_language, found, strict=True):
        held = np.fromiter((term is not None for term in language.terms), np.bool_, len(language.terms))
        listed = SurfaceList.of([term for term in language.terms if term is not None])
        row[language.words[held]] = pool.add(listed, np.zeros(len(listed), dtype=np.int64))
    terms = pool.listed().strings()
    order = sorted(range(len(terms)), key=terms.__getitem__)
    rank = np.empty(len(terms) + 1, dtype=np.int32)
    rank[order], rank[NOTHING] = np.arange(len(terms)), NOTHING
    return [terms[number] for number in order], rank[by_language]


def _mapping(
    held: SurfaceForms, words: NDArray[np.int64], term_of_word: NDArray[np.int32], surfaces: int
) -> tuple[TermsOfSurfaces, int]:
    """Surfaces to terms, and the most terms that a surface holds."""
    terms = np.full((len(LANGUAGES), surfaces), NOTHING, dtype=np.int32)
    more: list[int] = []
    most = 1
    for language, by_word in enumerate(term_of_word):
        found = by_word[words]
        holders, found = held.surfaces[found != NOTHING], found[found != NOTHING]
        terms[language, holders] = found
        repeated = np.unique(holders[1:][holders[1:] == holders[:-1]])
        for surface, begin, end in zip(
            repeated.tolist(),
            np.searchsorted(holders, repeated).tolist(),
            np.searchsorted(holders, repeated, side="right").tolist(),
            strict=True,
        ):
            terms[language, surface] = SEVERAL - len(more)
            more += [end - begin, *found[begin:end].tolist()]
            most = max(most, end - begin)
    return TermsOfSurfaces(terms.ravel(), surfaces, np.array(more, dtype=np.int32)), most


@dataclass(frozen=True, slots=True)
class _Part:
    """Counts of consecutive documents: terms, how often, how many terms each document has, distinct and repeated."""

    indices: NDArray[np.int32]
    counts: NDArray[np.int32]
    sizes: NDArray[np.int64]
    totals: NDArray[np.int64]


_NOTHING: Final = _Part(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64))


def _count(chunk: Scanned, languages: NDArray[np.uint8], mapping: TermsOfSurfaces, *, terms: int, most: int) -> _Part:
    longest = int(chunk.lengths.max(initial=0)) * most
    room = Row(np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(256, np.int64))
    indices, counts = (np.empty(len(chunk.tokens) * most, dtype=np.int32) for _ in range(2))
    sizes, totals = np.empty(len(chunk), dtype=np.int64), np.empty(len(chunk), dtype=np.int64)
    stamps = np.full(terms, -1, dtype=np.int32)
    end = count_terms(
        chunk.tokens, chunk.begins, chunk.lengths, languages, mapping, stamps, room, indices, counts, sizes, totals
    )
    return _Part(indices[:end].copy(), counts[:end].copy(), sizes, totals)


def _joined(parts: list[_Part], terms: int, threads: int) -> tuple[sp.csr_array, NDArray[np.int64]]:
    """All parts as one matrix and the lengths of the documents; the parts are used up."""
    nothing = np.zeros(0, dtype=np.int64)
    sizes = np.concatenate([nothing, *(part.sizes for part in parts)])
    lengths = np.concatenate([nothing, *(part.totals for part in parts)])
    entries = int(sizes.sum())
    kind = np.int32 if entries < 2**31 else np.int64
    indptr = np.concatenate([np.zeros(1, dtype=kind), np.cumsum(sizes, dtype=kind)])
    indices, counts = np.empty(entries, dtype=kind), np.empty(entries, dtype=np.int32)
    begins = np.cumsum([0, *(len(part.indices) for part in parts)])

    def move(number: int) -> None:
        part, parts[number] = parts[number], _NOTHING
        here = slice(begins[number], begins[number + 1])
        indices[here], counts[here] = part.indices, part.counts

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(move, range(len(parts))))
    return sp.csr_array((counts, indices, indptr), shape=(len(sizes), terms)), lengths
