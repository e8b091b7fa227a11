"""Reads a batch in the terms of the pivot language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Document, Settings
from infostream_dedup.stream.analysis import Analysed, Analyser
from infostream_dedup.stream.kernels.pivot_rows import find_places, mark_missing
from infostream_dedup.stream.kernels.pivot_sharing import PLACE_BITS
from infostream_dedup.stream.pivot_words import NO_TERM, PivotWords
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.stream.written_words import WrittenWords

if TYPE_CHECKING:
    from numpy.typing import NDArray


_TERM_BITS: Final = 32
_TERM: Final = (1 << _TERM_BITS) - 1
_ENGLISH: Final = LANGUAGES.index("en")


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of documents, in the order of the documents.

    Attributes:
        owners: int64 (entries,), number of the document.
        words: int64 (entries,), each word of a document once, or twice if it is a name (``written_names``).
        counts: int (entries,), how often it occurs there; of a word that is there twice, a part.
    """

    owners: NDArray[np.int64]
    words: NDArray[np.int64]
    counts: NDArray[Any]


@dataclass(frozen=True, slots=True)
class PivotRead:
    """Documents of a batch in the pivot language.

    Attributes:
        canonical: counts of the terms that may be key terms; languages and lengths are those of the documents.
        matched_by: int64, ascending: all terms by which other documents can match each document.
        entries: document and canonical term of each word, packed into one number, and the terms by which it is matched.
    """

    canonical: Analysed
    matched_by: Ragged
    entries: tuple[NDArray[np.int64], NDArray[np.int64]]

    def members(self, first: int, keys: Ragged) -> Ragged:
        """Which terms count as which key term of a document: packed numbers, ascending.

        Args:
            keys: canonical key terms of this and the following documents, at most 32 each.
        """
        codes, terms = self.entries
        owners, places = (codes >> _TERM_BITS) - first, np.empty(len(codes), dtype=np.int64)
        find_places(owners, codes & _TERM, keys.indptr, keys.values, places)
        hit = places >= 0
        pairs = _distinct(owners[hit] << np.int64(_TERM_BITS + PLACE_BITS) | packed(terms[hit], places[hit]))
        bounds = np.searchsorted(pairs >> (_TERM_BITS + PLACE_BITS), np.arange(len(keys) + 1))
        return Ragged(bounds.astype(np.int64), pairs & ((1 << (_TERM_BITS + PLACE_BITS)) - 1))


class PivotReader:
    """Reads batches in the pivot language.

    Args:
        settings: settings of the stream's terms.
        numbers: numbers of the stream's terms.
        words: pivot terms of words.
    """

    def __init__(self, settings: Settings, numbers: TermNumbers, words: PivotWords) -> None:
        # Russian and Ukrainian terms are nouns already; English terms are stems, which no dictionary contains.
        self._english = Analyser(settings.but(representation="pivot"), numbers)
        self._written = WrittenWords(numbers)
        self._words = words

    def read(self, documents: Sequence[Document], analysed: Analysed) -> PivotRead:
        """Translate the terms of documents."""
        languages = analysed.languages
        words = self._source_words(documents, analysed)
        spoken = languages[words.owners]
        canonical = np.full(len(words.words), NO_TERM, dtype=np.int64)
        parts = []
        # Words of other languages have no equivalents.
        for language in range(len(OUR_LANGUAGES)):
            own = np.flatnonzero(spoken == language)
            canonical[own] = self._words.canonical(language, words.words[own])
            places, matched_by = self._words.met(language, words.words[own])
            parts.append((own[places], matched_by.astype(np.int64)))
        entries, terms = (np.concatenate(part) for part in zip(*parts, strict=True))
        met = _distinct(words.owners[entries] << _TERM_BITS | terms)
        held = canonical[entries] != NO_TERM
        codes = words.owners[entries][held] << _TERM_BITS | canonical[entries][held]
        return PivotRead(_counted(words, canonical, analysed), _rows(met, len(documents)), (codes, terms[held]))

    def _source_words(self, documents: Sequence[Document], analysed: Analysed) -> _Words:
        english = np.flatnonzero(analysed.languages == _ENGLISH)
        owners: NDArray[Any] = analysed.terms.numbers
        kept = analysed.languages[owners] != _ENGLISH
        owners, words = owners[kept], analysed.terms.values[kept].astype(np.int64)
        counts: NDArray[Any] = analysed.counts[kept]
        if len(english):
            read = self._english.read([documents[number] for number in english.tolist()])
            owners = np.concatenate([owners, english[read.terms.numbers]])
            words = np.concatenate([words, self._written.decided(read.terms.numbers, read.terms.values)])
            counts = np.concatenate([counts, read.counts])
        order = np.argsort(owners, kind="stable")
        return _Words(owners[order], words[order], counts[order])


def packed(terms: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pack a term and the position of its key term into one number."""
    return terms << PLACE_BITS | places


def union(one: Ragged, other: Ragged) -> Ragged:
    """Union of two sets of rows, each row ascending; no value of a row is in both."""
    owners = np.concatenate([one.numbers, other.numbers])
    values = np.concatenate([one.values, other.values]).astype(np.int64)
    return _rows(np.sort(owners << _TERM_BITS | values), len(one))


def without(one: Ragged, other: Ragged) -> Ragged:
    """Values of each row that are not in the other's row; all rows ascend."""
    kept = np.empty(len(one.values), dtype=np.bool_)
    mark_missing(one.indptr, one.values, other.indptr, other.values, kept)
    return one.chosen(kept)


def _counted(words: _Words, canonical: NDArray[np.int64], analysed: Analysed) -> Analysed:
    held = canonical != NO_TERM
    given = words.owners[held] << _TERM_BITS | canonical[held]
    order = np.argsort(given, kind="stable")
    given = given[order]
    first = np.flatnonzero(_is_first(given))
    counts = np.add.reduceat(words.counts[held][order], first).astype(np.int32) if len(first) else np.zeros(0, np.int32)
    rows = _rows(given[first], len(analysed.languages))
    terms = Ragged(rows.indptr, rows.values.astype(np.int32))
    return Analysed(terms, counts, analysed.languages, analysed.lengths)


def _is_first(codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of ascending numbers differ from the one before: bool (codes,)."""
    first = np.ones(len(codes), dtype=np.bool_)
    first[1:] = codes[1:] != codes[:-1]
    return first


def _distinct(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct numbers, ascending; vectorised sorting is faster than the hash table of ``np.unique``."""
    ordered = np.sort(codes)
    found: NDArray[np.int64] = ordered[_is_first(ordered)]
    return found


def _rows(codes: NDArray[np.int64], rows: int) -> Ragged:
    """Rows of ascending codes, each of which packs row and value."""
    bounds = np.searchsorted(codes >> _TERM_BITS, np.arange(rows + 1))
    return Ragged(bounds.astype(np.int64), codes & _TERM)
