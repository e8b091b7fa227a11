"""The terms of a stream in its pivot language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from threading import Lock
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.language.morphology.readings import is_seldom_noun
from infostream_dedup.language.translation.ladder import Translator, dictionary_rungs, is_blocked
from infostream_dedup.language.translation.rungs import Translation
from infostream_dedup.language.translation.rungs.dictionary import IdentityRung
from infostream_dedup.language.translation.word_pairs import (
    Marked,
    decided,
    first_names,
    is_marked,
    plain_term,
    word_pairs,
)
from infostream_dedup.machine.arrays import Bools, Floats, Int32s, Ints, Ragged, offsets_of, places_of
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Document, Language, Settings
from infostream_dedup.model.stream_records import EpochFrequencies
from infostream_dedup.stream import analysis
from infostream_dedup.stream.kernels.pivot import PLACE_BITS, find_places, mark_missing
from infostream_dedup.terms.equivalents import SURE
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import DocumentFrequencies, Totals, bounded_idf

# Decide, document by document, which marked English words of a batch are names

_UNKNOWN: Final = -2


class WrittenWords:
    """Knows which words are marked; the name and the plain word of a marked one get numbers too."""

    def __init__(self, numbers: analysis.TermNumbers) -> None:
        self._numbers = numbers
        self._marked = Marked(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def decided(self, owners: NDArray[Any], words: NDArray[Any]) -> Ints:
        """Replace marked words by names or plain words."""
        self._make_room(int(words.max(initial=-1)) + 1)
        unknown = words[self._marked.name[words] == _UNKNOWN]
        if len(unknown):
            self._look_at(np.unique(unknown))
        return decided(owners, words, self._marked)

    def told(self, read: analysis.Analysed) -> Ragged:
        """The words of documents as they follow each other, int64, without verbs and adjectives; all of one decide."""
        told, terms = read.told, read.terms
        owners, words = (np.concatenate(pair) for pair in ((told.numbers, terms.numbers), (told.values, terms.values)))
        used, places = np.unique(self.decided(owners, words)[: len(told.values)], return_inverse=True)
        nouns = np.array([not is_seldom_noun(term) for term in self._numbers.terms.some(used)], dtype=np.bool_)
        return Ragged(told.indptr, used[places]).chosen(nouns[places])

    def _make_room(self, words: int) -> None:
        known = len(self._marked.name)
        if known < words:
            name = analysis.longer(self._marked.name, words)
            name[known:] = _UNKNOWN
            self._marked = Marked(analysis.longer(self._marked.plain, len(name)), name)

    def _look_at(self, words: NDArray[Any]) -> None:
        self._marked.plain[words], self._marked.name[words] = words, -1
        for word, term in zip(words.tolist(), self._numbers.terms.some(words), strict=True):
            if is_marked(term):
                self._marked.enter(word, term, self._numbers.number)


# Translates the words of a stream into its pivot language, by the dictionaries alone.
#
# A word has the same pivot terms whatever else the stream contains, so verdicts do not depend on batches or on which
# language came first. The rungs of the ladder that guess names and cognates are left out: they need whole collections
# to be useful, and take seconds to start.

PIVOT: Final[Language] = "ru"

NO_TERM: Final = -1
"""Canonical term of a seldom noun, or of one without a sure pivot term or with one that some language lacks."""


class PivotWords:
    """The pivot terms of words: a canonical one, which may be a key term, and all that match, English names too."""

    def __init__(self, numbers: analysis.TermNumbers) -> None:
        self._numbers = numbers
        self._translators = [Translator(one, PIVOT, rungs=dictionary_rungs()) for one in OUR_LANGUAGES]
        self._canonical: list[NDArray[Any]] = [np.zeros(0, dtype=np.int32) for _ in OUR_LANGUAGES]
        self._begins: list[NDArray[Any]] = [np.zeros(0, dtype=np.int64) for _ in OUR_LANGUAGES]
        self._sizes: list[NDArray[Any]] = [np.zeros(0, dtype=np.int32) for _ in OUR_LANGUAGES]
        self._pool: NDArray[Any] = np.zeros(0, dtype=np.int32)
        self._rungs: NDArray[Any] = np.zeros(0, dtype=np.int8)
        self._rung_names: list[str] = []
        self._used = 0
        self._lock = Lock()

    def canonical(self, language: int, words: Ints) -> Int32s:
        """Return the canonical term of each word, or ``NO_TERM``: int32 (words,)."""
        self._learn(language, words)
        found: Int32s = self._canonical[language][words]
        return found

    def met(self, language: int, words: Ints) -> tuple[Ints, Int32s]:
        """Return the terms that match words: the index of the word, and the term; arguments as in ``canonical``."""
        owners, places = self._places(language, words)
        return owners, self._pool[places]

    def rungs(self, language: int, words: Ints, some: Ints) -> list[str]:
        """Name the rungs that lead from words to some of the terms that ``met`` returns for them."""
        names = self._rung_names
        return [names[rung] for rung in self._rungs[self._places(language, words)[1][some]].tolist()]

    def _places(self, language: int, words: Ints) -> tuple[Ints, Ints]:
        """The index of the word, and the index in the pool, of each term that matches a word."""
        self._learn(language, words)
        begins, sizes = self._begins[language][words], self._sizes[language][words].astype(np.int64)
        return np.repeat(np.arange(len(words)), sizes), places_of(begins, sizes)

    def _learn(self, language: int, words: Ints) -> None:
        size = int(words.max(initial=-1)) + 1
        # A batch is read while the one before is judged.
        with self._lock:
            known = len(self._canonical[language])
            if known < size:
                self._canonical[language] = analysis.longer(self._canonical[language], size)
                self._canonical[language][known:] = _UNKNOWN
                self._begins[language] = analysis.longer(self._begins[language], len(self._canonical[language]))
                self._sizes[language] = analysis.longer(self._sizes[language], len(self._canonical[language]))
            asked = np.zeros(size, dtype=np.bool_)
            asked[words[self._canonical[language][words] == _UNKNOWN]] = True
            new = np.flatnonzero(asked)
            if len(new):
                self._remember(language, new, self._answers(language, self._numbers.terms.some(new)))

    def _answers(self, language: int, words: Sequence[str]) -> list[Sequence[Translation]]:
        answers = self._translators[language].translate(words)
        if OUR_LANGUAGES[language] == "en":
            answers = [and_itself(word, found) for word, found in zip(words, answers, strict=True)]
        return list(map(_distinct_words, answers))

    def _remember(self, language: int, words: Ints, answers: list[Sequence[Translation]]) -> None:
        best = list(map(_surest, answers))
        if language == _ENGLISH:
            told = self._numbers.terms.some(words)
            best = [None if is_seldom_noun(word) else term for word, term in zip(told, best, strict=True)]
        said = _said([term for term in best if term is not None])
        terms = [one.term for found in answers for one in found]
        numbers = self._numbers.numbered(terms)
        number_of = dict(zip(terms, numbers.tolist(), strict=True))
        self._canonical[language][words] = [NO_TERM if term not in said else number_of[term] for term in best]
        sizes = np.array([len(found) for found in answers], dtype=np.int64)
        self._pool = analysis.longer(self._pool, self._used + len(numbers))
        self._pool[self._used : self._used + len(numbers)] = numbers
        self._rungs = analysis.longer(self._rungs, len(self._pool))
        self._rungs[self._used : self._used + len(numbers)] = self._rung_numbers(answers)
        self._begins[language][words] = self._used + np.cumsum(sizes) - sizes
        self._sizes[language][words] = sizes
        self._used += len(numbers)

    def _rung_numbers(self, answers: list[Sequence[Translation]]) -> list[int]:
        names = self._rung_names
        rungs = [one.rung for found in answers for one in found]
        names += sorted(set(rungs).difference(names))
        return list(map(names.index, rungs))


@cache
def pivot_frequencies(language: Language) -> Mapping[str, float]:
    """Share of running words of a language that each canonical term represents."""
    frequencies = term_frequencies(language, "pivot")
    if language == PIVOT:
        return frequencies
    pairs, found = word_pairs(language, PIVOT), dict[str, float]()
    for word, share in frequencies.items():
        term = pairs[word][0].term if word in pairs else word
        found[term] = found.get(term, 0.0) + share
    if language == "en":
        # It is not known how often a word is a name, so noun and name both count as frequent.
        for name, word in first_names(PIVOT):
            found[name] = found.get(name, 0.0) + frequencies.get(word, 0.0)
    return MappingProxyType(found)


def _surest(found: Sequence[Translation]) -> str | None:
    for one in found:
        if one.confidence >= SURE:
            return one.term
    return None


def _distinct_words(found: Sequence[Translation]) -> Sequence[Translation]:
    if len(found) == 1 and " " not in found[0].term:
        return found
    by_term: dict[str, Translation] = {}
    for one in found:
        if " " not in one.term:
            by_term.setdefault(one.term, one)
    return list(by_term.values())


def and_itself(word: str, found: Sequence[Translation]) -> tuple[Translation, ...]:
    """Append an English word to its equivalents: good enough for a match, but not for a key term."""
    # The word itself counts as offensive in its own language only if it was not translated.
    refused = is_blocked(word, PIVOT) or (not found and is_blocked(word, "en"))
    return tuple(found) if refused else (*found, Translation(plain_term(word), "identity", 0.0))


def _said(terms: Sequence[str]) -> set[str]:
    """Return the pivot terms for which all other languages have a word, or which are spelled alike in all."""
    sayable = _sayable()
    said = {term for term in terms if term.rpartition("-")[2] in sayable}
    others = [term for term in terms if term not in said]
    alike = IdentityRung().translate(others, PIVOT, "en")
    return said.union(term for term, same in zip(others, alike, strict=True) if same)


@cache
def _sayable() -> frozenset[str]:
    return frozenset.intersection(
        *(
            frozenset(one.term for found in word_pairs(language, PIVOT).values() for one in found)
            for language in OUR_LANGUAGES
            if language != PIVOT
        )
    )


# Document frequencies of the pivot language, frozen for the length of an epoch


class PivotFrequencies:
    """Counts of all documents, whatever their language, in the terms of the pivot language.

    The pseudo-documents added to a young stream are those of each document's own language, translated.
    ``closed`` epochs weight documents; ``open`` has the counts of the open one.
    """

    def __init__(self, settings: Settings, numbers: analysis.TermNumbers) -> None:
        self._settings = settings
        self.closed = analysis.LanguageCounts()
        self.open = analysis.LanguageCounts()
        self._background = [
            analysis.BackgroundTerms(numbers, partial(pivot_frequencies, language)) for language in OUR_LANGUAGES
        ]

    def resume(self, closed: analysis.LanguageCounts) -> None:
        """Resume in an epoch; the earlier ones are given, and the open one is empty."""
        self.closed, self.open = closed, analysis.LanguageCounts()

    def count(self, lengths: Ints, terms: Ragged) -> None:
        """Count documents in the open epoch."""
        values = terms.values[terms.indptr[0] : terms.indptr[-1]].astype(np.int64)
        self.open.add(Totals(len(lengths), int(lengths.sum())), values, 1)

    def withhold(self, counted: Iterable[EpochFrequencies]) -> None:
        """Count documents that have been forgotten on request in the open epoch."""
        for one in counted:
            self.open.add(Totals(one.documents, one.length), one.terms, one.df)

    def close(self, epoch: int) -> list[EpochFrequencies]:
        """Close the open epoch and return its counts; empty if it has no document."""
        own, self.open = self.open, analysis.LanguageCounts()
        return analysis.close_counts(own, self.closed, epoch, PIVOT)

    def average_length(self, language: int) -> float:
        """Mean length of the documents of the closed epochs; of a pseudo-document if there are none."""
        if LANGUAGES[language] not in OUR_LANGUAGES:
            return self.closed.totals.average_length()
        return self.closed.totals.average_length(partial(term_frequencies, LANGUAGES[language], "pivot"))

    def idf(self, language: int, terms: NDArray[np.integer]) -> Floats:
        """Return the idf of terms for a document of a language, 0 if their document frequency is out of bounds."""
        totals, df = self.closed.totals, self.closed.df_of(terms)
        pseudo = totals.pseudo_documents
        if pseudo and LANGUAGES[language] in OUR_LANGUAGES:
            df += pseudo * self._background[language].of(terms)
        return bounded_idf(DocumentFrequencies(float(totals.documents + pseudo), df), self._settings)


# Reads a batch in the terms of the pivot language

_TERM_BITS: Final = 32
_TERM: Final = (1 << _TERM_BITS) - 1
_ENGLISH: Final = LANGUAGES.index("en")


@dataclass(frozen=True, slots=True)
class _Words:
    owners: Ints  # int64 (entries,), number of the document
    # int64 (entries,), each word of a document once, or twice if it is a name (`written_names`)
    words: Ints
    counts: NDArray[Any]  # int (entries,), how often it occurs there; of a word that is there twice, a part
    order: Ragged  # int64, the first words of each document as they follow each other


@dataclass(frozen=True, slots=True)
class PivotRead:
    """Documents of a batch in the pivot language."""

    canonical: (
        analysis.Analysed
    )  # counts of the terms that may be key terms; languages and lengths are those of the documents
    matched_by: Ragged  # int64, ascending: all terms by which other documents can match each document
    # document and canonical term of each word, packed into one number, and the terms by which it is matched
    entries: tuple[Ints, Ints]
    order: Ragged  # int64, the first words of each document as they follow each other

    def members(self, first: int, keys: Ragged) -> Ragged:
        """Which terms count as which key term of a document: packed numbers, ascending."""
        codes, terms = self.entries
        owners, places = (codes >> _TERM_BITS) - first, np.empty(len(codes), dtype=np.int64)
        find_places(owners, codes & _TERM, keys.indptr, keys.values, places)
        hit = places >= 0
        pairs = _distinct(owners[hit] << np.int64(_TERM_BITS + PLACE_BITS) | packed(terms[hit], places[hit]))
        bounds = np.searchsorted(pairs >> (_TERM_BITS + PLACE_BITS), np.arange(len(keys) + 1))
        return Ragged(bounds.astype(np.int64), pairs & ((1 << (_TERM_BITS + PLACE_BITS)) - 1))


class PivotReader:
    """Reads batches in the pivot language."""

    def __init__(self, settings: Settings, numbers: analysis.TermNumbers, words: PivotWords) -> None:
        # Russian and Ukrainian terms are nouns already; English terms are stems, which no dictionary contains.
        self._english = analysis.Analyser(settings.but(representation="pivot"), numbers)
        self._written = WrittenWords(numbers)
        self._words = words

    def read(self, documents: Sequence[Document], analysed: analysis.Analysed) -> PivotRead:
        """Translate the terms of documents."""
        languages = analysed.languages
        words = self._source_words(documents, analysed)
        spoken = languages[words.owners]
        canonical = np.full(len(words.words), NO_TERM, dtype=np.int64)
        parts = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
        # Words of other languages have no equivalents.
        for language in range(len(OUR_LANGUAGES)):
            own = np.flatnonzero(spoken == language)
            if not len(own):
                continue
            canonical[own] = self._words.canonical(language, words.words[own])
            places, matched_by = self._words.met(language, words.words[own])
            parts.append((own[places], matched_by.astype(np.int64)))
        entries, terms = (np.concatenate(part) for part in zip(*parts, strict=True))
        met = _distinct(words.owners[entries] << _TERM_BITS | terms)
        held = canonical[entries] != NO_TERM
        codes = words.owners[entries][held] << _TERM_BITS | canonical[entries][held]
        return PivotRead(
            _counted(words, canonical, analysed), _rows(met, len(documents)), (codes, terms[held]), words.order
        )

    def _source_words(self, documents: Sequence[Document], analysed: analysis.Analysed) -> _Words:
        english = np.flatnonzero(analysed.languages == _ENGLISH)
        owners: NDArray[Any] = analysed.terms.numbers
        words, counts, told = analysed.terms.values.astype(np.int64), analysed.counts, analysed.told
        ordered = told.values.astype(np.int64)
        if not len(english):
            return _Words(owners, words, counts, Ragged(told.indptr, ordered))
        read = self._english.read([documents[number] for number in english.tolist()], ordered=True)
        kept = analysed.languages[owners] != _ENGLISH
        owners = np.concatenate([owners[kept], english[read.terms.numbers]])
        words = np.concatenate([words[kept], self._written.decided(read.terms.numbers, read.terms.values)])
        counts = np.concatenate([counts[kept], read.counts])
        theirs, kept = self._written.told(read), analysed.languages[told.numbers] != _ENGLISH
        ordered_by = np.concatenate([told.numbers[kept], english[theirs.numbers]])
        ordered = np.concatenate([ordered[kept], theirs.values])
        order, by_document = (np.argsort(one, kind="stable") for one in (owners, ordered_by))
        bounds = offsets_of(np.bincount(ordered_by, minlength=len(documents)))
        return _Words(owners[order], words[order], counts[order], Ragged(bounds, ordered[by_document]))


def packed(terms: Ints, places: Ints) -> Ints:
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


def _counted(words: _Words, canonical: Ints, analysed: analysis.Analysed) -> analysis.Analysed:
    held = canonical != NO_TERM
    given = words.owners[held] << _TERM_BITS | canonical[held]
    order = np.argsort(given, kind="stable")
    given = given[order]
    first = np.flatnonzero(_is_first(given))
    counts = np.add.reduceat(words.counts[held][order], first).astype(np.int32) if len(first) else np.zeros(0, np.int32)
    rows = _rows(given[first], len(analysed.languages))
    terms = Ragged(rows.indptr, rows.values.astype(np.int32))
    return analysis.Analysed(terms, counts, analysed.languages, analysed.lengths)


def _is_first(codes: Ints) -> Bools:
    first = np.ones(len(codes), dtype=np.bool_)
    first[1:] = codes[1:] != codes[:-1]
    return first


def _distinct(codes: Ints) -> Ints:
    """Distinct numbers, ascending; vectorised sorting is faster than the hash table of ``np.unique``."""
    ordered = np.sort(codes)
    found: Ints = ordered[_is_first(ordered)]
    return found


def _rows(codes: Ints, rows: int) -> Ragged:
    return Ragged(np.searchsorted(codes >> _TERM_BITS, np.arange(rows + 1)).astype(np.int64), codes & _TERM)
