"""From texts to key terms: numbered terms, their frequencies by epoch, and the choice of the heaviest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.language.morphology.stemming import with_stems
from infostream_dedup.language.text import scanner as forms
from infostream_dedup.language.text import tokens
from infostream_dedup.language.text.kernels.surface_table import MISSING
from infostream_dedup.language.text.scanner import Scanned, Scanner, detect
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool, Utf8Texts, block_of
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.machine.arrays import Bools, Floats, Int32s, Ints, Ragged, Uint8s, Uint32s, offsets_of
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Document, Language, Settings, language_number
from infostream_dedup.model.stream_records import EpochFrequencies
from infostream_dedup.stream.kernels.gathering import TermTable, enter_all, number_all, order_by_weight
from infostream_dedup.stream.preparation import no_rows
from infostream_dedup.stream.store.restoring import LanguageFrequencies
from infostream_dedup.terms import kernels, statistics
from infostream_dedup.terms.compiled import heaviest_of_rows
from infostream_dedup.terms.representation import representation, term_frequencies

# Terms of a stream as numbers

_SPARE: Final = 8
"""Arrays grow by this fraction: a stream keeps its terms for life, so doubling would waste up to half the memory."""


class TermNumbers:
    """Gives every new term the next number; numbers never change. About 40 bytes per term."""

    def __init__(self) -> None:
        self._table = TermTable(np.zeros(0, np.uint32), np.zeros(1, np.int64), np.zeros(0, np.uint8))
        self._count = 0
        # One thread numbers the words of a batch, another looks up those of the batch before.
        self._lock = Lock()

    def __len__(self) -> int:
        return self._count

    @property
    def terms(self) -> SurfaceList:
        """The terms by number, as a view. For several numbers ``some`` is faster."""
        return SurfaceList(self._table.starts[: self._count + 1], self._table.pool)

    def number(self, term: str) -> int:
        """Return the number of a term; a new term gets the next one."""
        return int(self.numbered([term])[0])

    def numbered(self, terms: Sequence[str]) -> Ints:
        """Return the numbers of terms, which must not contain line breaks; new terms get the next ones."""
        given = terms if isinstance(terms, SurfaceList) else SurfaceList.of(terms)
        numbers = np.empty(len(given), dtype=np.int64)
        with self._lock:
            self._make_room(len(given), int(given.starts[-1]))
            self._count = number_all(self._table, self._count, given.pool, given.starts, numbers)
        return numbers

    def extend(self, terms: Sequence[str]) -> None:
        """Add terms whose numbers follow the last one."""
        first = self._count
        numbers = self.numbered(terms)
        if len(numbers) != len(terms):
            raise ValueError(f"{len(terms)} terms have {len(numbers) - len(terms)} line breaks; expected none")
        again = np.flatnonzero(numbers != np.arange(first, first + len(numbers)))
        if len(again):
            place = int(again[0])
            raise ValueError(f"term {terms[place]!r} already has number {numbers[place]}")

    def _make_room(self, terms: int, size: int) -> None:
        table, count = self._table, self._count
        starts = longer(table.starts, count + terms + 1)
        pool = longer(table.pool, int(table.starts[count]) + size + BLOCK)
        enough = 2 * (count + terms) <= len(table.slots)
        slots = table.slots if enough else np.zeros(1 << (2 * (count + terms)).bit_length(), dtype=np.uint32)
        self._table = TermTable(slots, starts, pool)
        if not enough:
            enter_all(self._table, count)


def longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return the array, or a longer copy padded with zeros."""
    if len(array) >= size:
        return array
    # Zeroed memory from the system costs nothing until it is written to.
    grown = np.zeros(size + size // _SPARE, dtype=array.dtype)
    grown[: len(array)] = array
    return grown


# What pseudo-documents contain: terms of a language by the share of running words that they make up


class BackgroundTerms:
    """Terms of one language that a pseudo-document may contain: at most as many as the background has."""

    def __init__(self, numbers: TermNumbers, shares: Callable[[], Mapping[str, float]]) -> None:
        self._numbers = numbers
        self._shares = shares
        self._looked_up = 0
        self._terms = np.zeros(0, dtype=np.int64)
        self._probabilities = np.zeros(0, dtype=np.float64)

    def of(self, terms: NDArray[np.integer]) -> Floats:
        """float64 (terms,): probability that a pseudo-document contains each of these terms."""
        self._look_up()
        if len(self._terms) == 0:
            return np.zeros(len(terms), dtype=np.float64)
        place = np.minimum(np.searchsorted(self._terms, terms), len(self._terms) - 1)
        return np.where(self._terms[place] == terms, self._probabilities[place], 0.0)

    def _look_up(self) -> None:
        first, end = self._looked_up, len(self._numbers)
        if first == end:
            return
        made = statistics.document_probability(self._numbers.terms[first:end], self._shares())
        held = np.flatnonzero(made)
        self._terms = np.concatenate([self._terms, held + first])
        self._probabilities = np.concatenate([self._probabilities, made[held]])
        self._looked_up = end


# Document frequencies that are frozen for the length of an epoch


@dataclass(slots=True)
class LanguageCounts:
    """Counts of documents of one language."""

    totals: statistics.Totals = field(default_factory=statistics.Totals)  # number and length of the documents
    # uint32, documents that contain each term, by number; may be longer or shorter than the list of terms
    df: Uint32s = field(default_factory=lambda: np.zeros(0, dtype=np.uint32))

    def add(self, totals: statistics.Totals, terms: Ints, df: Ints | int) -> None:
        """Count more documents."""
        self.totals += totals
        self.df = longer(self.df, int(terms.max(initial=-1)) + 1)
        np.add.at(self.df, terms, np.uint32(df) if isinstance(df, int) else df.astype(np.uint32))

    def df_of(self, terms: NDArray[np.integer]) -> Floats:
        """float64 (terms,): documents that contain each of these terms."""
        self.df = longer(self.df, int(terms.max(initial=-1)) + 1)
        df: Floats = self.df[terms].astype(np.float64)
        return df


def counts_of(
    summed: Mapping[Language, LanguageFrequencies], kind: Callable[..., LanguageCounts] = LanguageCounts
) -> dict[int, LanguageCounts]:
    """Counts that a store has summed, by the number of the language."""
    return {
        LANGUAGES.index(language): kind(statistics.Totals(one.documents, one.length), one.df.astype(np.uint32))
        for language, one in summed.items()
    }


def close_counts(given: LanguageCounts, sums: LanguageCounts, epoch: int, language: Language) -> list[EpochFrequencies]:
    """Add the counts of an epoch to the sums, and return them; nothing if the epoch has no document."""
    if not given.totals.documents:
        return []
    terms = np.flatnonzero(given.df).astype(np.int64)
    df = given.df[terms].astype(np.int64)
    sums.add(given.totals, terms, df)
    return [EpochFrequencies(epoch, language, given.totals.documents, given.totals.length, terms, df)]


class Frequencies:
    """Counts of the closed epochs, which weight documents, and of the open one.

    ``closed`` has, per language, the sums over all closed epochs, ``open`` the documents of the open one, and
    ``closed_repeats`` and ``open_repeats`` the same over documents that repeat earlier ones; without these, ``df_max``
    is judged on all documents.
    """

    def __init__(
        self,
        settings: Settings,
        numbers: TermNumbers,
        frequencies: Callable[[Language, str], Mapping[str, float]] = term_frequencies,
    ) -> None:
        self._settings = settings
        self._numbers = numbers
        self._frequencies = frequencies
        self.resume(0, {}, {})
        self._background = [
            BackgroundTerms(numbers, partial(frequencies, language, settings.representation)) for language in LANGUAGES
        ]

    def resume(self, epoch: int, closed: Mapping[int, LanguageCounts], repeats: Mapping[int, LanguageCounts]) -> None:
        """Resume in an epoch; the earlier ones are given, and the open one is empty."""
        self.epoch = epoch
        languages = range(len(LANGUAGES))
        self.closed = [closed.get(language, LanguageCounts()) for language in languages]
        self.open = [LanguageCounts() for _ in languages]
        self.closed_repeats = [repeats.get(language, LanguageCounts()) for language in languages]
        self.open_repeats = [LanguageCounts() for _ in languages]

    def close(self) -> tuple[list[EpochFrequencies], list[EpochFrequencies]]:
        """Close the open epoch."""
        found = self._close(self.open, self.closed), self._close(self.open_repeats, self.closed_repeats)
        self.epoch += 1
        return found

    def _close(self, counts: list[LanguageCounts], sums: list[LanguageCounts]) -> list[EpochFrequencies]:
        found = []
        for number, language in enumerate(LANGUAGES):
            found += close_counts(counts[number], sums[number], self.epoch, language)
            counts[number] = LanguageCounts()
        return found

    def withhold(self, counted: Iterable[EpochFrequencies], repeated: Iterable[EpochFrequencies] = ()) -> None:
        """Count documents that have been forgotten on request in the open epoch."""
        for into, records in ((self.open, counted), (self.open_repeats, repeated)):
            for one in records:
                into[LANGUAGES.index(one.language)].add(statistics.Totals(one.documents, one.length), one.terms, one.df)

    def average_length(self, language: int) -> float:
        """Mean length of the documents of the closed epochs; of a pseudo-document if there are none."""
        shares = partial(self._frequencies, LANGUAGES[language], self._settings.representation)
        return self.closed[language].totals.average_length(shares)

    def idf(self, language: int, terms: NDArray[np.integer]) -> Floats:
        """Return the idf of terms, 0 if their document frequency is out of bounds."""
        counted, distinct = self._documents(language, terms)
        return statistics.bounded_idf(counted, self._settings, distinct)

    def too_rare(self, language: int, terms: NDArray[np.integer]) -> Bools:
        """Which terms are in too few documents for key terms."""
        documents, df = self._documents(language, terms)[0]
        return np.asarray(df < statistics.as_count(self._settings.df_min, documents), dtype=np.bool_)

    def _documents(
        self, language: int, terms: NDArray[np.integer]
    ) -> tuple[statistics.DocumentFrequencies, statistics.DocumentFrequencies | None]:
        """Frequencies among all documents, and among those that do not repeat an earlier one, if any do."""
        counts, repeats = self.closed[language], self.closed_repeats[language]
        df, distinct = counts.df_of(terms), None
        if repeats.totals.documents:
            own = df - repeats.df_of(terms)
            distinct = self._filled_up(language, terms, counts.totals - repeats.totals, own)
        return self._filled_up(language, terms, counts.totals, df), distinct

    def _filled_up(
        self, language: int, terms: NDArray[np.integer], totals: statistics.Totals, df: Floats
    ) -> statistics.DocumentFrequencies:
        pseudo = totals.pseudo_documents
        if pseudo:
            df += pseudo * self._background[language].of(terms)
            if LANGUAGES[language] not in OUR_LANGUAGES:
                # Other languages have no background; ``df_min`` would leave their first documents without key terms.
                df = np.maximum(df, statistics.as_count(self._settings.df_min, totals.documents + pseudo))
        return statistics.DocumentFrequencies(float(totals.documents + pseudo), df)


def count_rows(
    counts: Sequence[LanguageCounts], languages: Uint8s, lengths: Ints, terms: Ragged, *, counted: Bools | None = None
) -> None:
    """Count documents in the open epoch."""
    if counted is not None and not counted.any():
        return
    spoken = sorted(set(languages.tolist()))
    if len(spoken) == 1 and counted is None:
        counts[spoken[0]].add(statistics.Totals(len(lengths), int(lengths.sum())), terms.values, 1)
        return
    sizes = terms.sizes
    for language in spoken:
        own = languages == language if counted is None else (languages == language) & counted
        totals = statistics.Totals(int(own.sum()), int(lengths[own].sum()))
        counts[language].add(totals, terms.values[np.repeat(own, sizes)], 1)


# Maps surfaces to numbers of terms: each distinct surface is analysed once while it is in memory

_MOST_REMEMBERED: Final = 500_000
"""Number of surfaces after which memory starts over (about 35 MB). The previous memory is kept, so that recurring words
are not analysed again: at most twice as many surfaces are remembered at once."""

_UNKNOWN: Final = -(1 << 31)
_DIGITS: Final = tuple(str(int(shape)) for shape in Shape)

_MANY: Final = 300
"""Minimum number of surfaces for which compiled code makes the forms; for fewer, starting it takes longer."""


class SurfaceTerms:
    """The terms of surfaces in each language; ``more`` is that of ``TermsOfSurfaces``."""

    def __init__(self, settings: Settings, numbers: TermNumbers) -> None:
        self._settings = settings
        self._representation = representation(settings.representation)
        self._numbers = numbers
        self._pool, self._former_pool = SurfacePool(), SurfacePool()
        self._codes, self._former_codes = (np.zeros((len(LANGUAGES), 1 << 12), dtype=np.int32) for _ in range(2))
        self._start_over()

    def _start_over(self) -> None:
        """Let the memory be the former one, whose arrays serve again: those of a long stream neither come nor go."""
        self._pool, self._former_pool = self._former_pool.emptied(), self._pool
        self._codes, self._former_codes = self._former_codes, self._codes
        self._codes[:] = _UNKNOWN
        # The codes of the few surfaces with several terms refer to a list that starts over, too.
        self._former_codes[self._former_codes <= kernels.SEVERAL] = _UNKNOWN
        self._several: dict[tuple[int, ...], int] = {}
        self.more = np.zeros(0, dtype=np.int32)

    def codes(self, surfaces: SurfaceList, used: Uint8s) -> Int32s:
        """Return, for each surface and language, the number of its term, ``NOTHING``, or ``SEVERAL`` and below."""
        if len(self._pool) + len(surfaces) > max(_MOST_REMEMBERED, len(surfaces)):
            self._start_over()
        numbers = self._pool.add(surfaces)
        self._make_room(len(self._pool))
        found = np.full((len(LANGUAGES), len(surfaces)), kernels.NOTHING, dtype=np.int32)
        spoken = int(np.bitwise_or.reduce(used))
        for language in range(len(LANGUAGES)):
            if not spoken >> language & 1:
                continue
            codes = self._codes[language]
            # Every surface of a batch in one language is used in that language.
            own = slice(None) if spoken == 1 << language else np.flatnonzero(used & 1 << language)
            held = codes[numbers[own]]
            places = np.flatnonzero(held == _UNKNOWN)
            if len(places):
                unknown = places if isinstance(own, slice) else own[places]
                held[places] = self._found_out(surfaces, unknown, language)
                codes[numbers[unknown]] = held[places]
            found[language, own] = held
        return found

    def _found_out(self, surfaces: SurfaceList, wanted: Ints, language: int) -> Int32s:
        if not len(self._former_pool):
            return self._learnt(surfaces, wanted, language)
        found = self._former_pool.find(surfaces, wanted)
        codes = np.where(found == MISSING, np.int32(_UNKNOWN), self._former_codes[language, found])
        unknown = np.flatnonzero(codes == _UNKNOWN)
        if len(unknown):
            codes[unknown] = self._learnt(surfaces, wanted[unknown], language)
        return codes

    def _make_room(self, surfaces: int) -> None:
        known = self._codes.shape[1]
        if known < surfaces:
            grown = np.full((len(LANGUAGES), 2 * surfaces), _UNKNOWN, dtype=np.int32)
            grown[:, :known] = self._codes
            self._codes = grown

    def _learnt(self, surfaces: SurfaceList, wanted: Ints, language: int) -> Int32s:
        if len(wanted) >= _MANY:
            return self._many_learnt(surfaces.picked(wanted), language)
        keys = [
            [f"{_DIGITS[shape]}{form}" for form, shape in tokens.forms(surface)] for surface in surfaces.some(wanted)
        ]
        distinct = list(dict.fromkeys(key for held in keys for key in held))
        terms = self._representation.terms_of_new(distinct, LANGUAGES[language], self._settings)
        number_of = dict(zip(distinct, self._numbered(terms), strict=True))
        return np.array([self._code([number_of[key] for key in held]) for held in keys], dtype=np.int32)

    def _many_learnt(self, surfaces: SurfaceList, language: int) -> Int32s:
        found = forms.forms(surfaces)
        shapes = len(Shape) if self._representation.shaped else 1
        words = found.numbers.astype(np.int64) * shapes + (found.shapes if shapes > 1 else 0)
        # Numbered in the order of the text, so that terms get the numbers that a smaller batch would give them.
        words, numbers = _in_order_of_text(words, len(found.forms) * shapes)
        chosen = self._representation.of_language(LANGUAGES[language])
        taken, listed = chosen.listed_terms(found.forms, words, LANGUAGES[language], self._settings, kept=False)
        terms = np.full(len(words), kernels.NOTHING, dtype=np.int32)
        terms[taken] = self._numbers.numbered(listed)
        terms = terms[numbers]
        codes = np.full(len(surfaces), kernels.NOTHING, dtype=np.int32)
        codes[found.surfaces] = terms
        sizes = np.bincount(found.surfaces, minlength=len(surfaces))
        begins = np.cumsum(sizes) - sizes
        for surface in np.flatnonzero(sizes > 1).tolist():
            codes[surface] = self._code(terms[begins[surface] :][: sizes[surface]].tolist())
        return codes

    def _numbered(self, terms: Sequence[str | None]) -> list[int]:
        words = [term for term in terms if term is not None]
        numbers = iter(self._numbers.numbered(words).tolist() if words else ())
        return [kernels.NOTHING if term is None else next(numbers) for term in terms]

    def _code(self, terms: Sequence[int]) -> int:
        held = tuple(term for term in terms if term != kernels.NOTHING)
        if len(held) < 2:
            return held[0] if held else kernels.NOTHING
        place = self._several.get(held)
        if place is None:
            place = self._several[held] = len(self.more)
            self.more = np.concatenate([self.more, np.array([len(held), *held], dtype=np.int32)])
        return kernels.SEVERAL - place


def _in_order_of_text(words: Ints, most: int) -> tuple[Ints, Ints]:
    """Return the distinct words in the order in which they first occur, and the place of each word among them."""
    firsts = np.empty(most, dtype=np.int64)
    # The last of equal words is written last.
    firsts[words[::-1]] = np.arange(len(words))[::-1]
    firsts = firsts[words]
    is_first = firsts == np.arange(len(words))
    return words[is_first], (np.cumsum(is_first) - 1)[firsts]


# Counting the numbered terms of a batch of texts, with compiled code

_NOT_GIVEN = 255
_MOST_KEPT = 1 << 22  # number of entries for which memory is kept from batch to batch
_ORDERED: Final = 1_500  # number of words at the beginning of a document whose order is known
_BYTES_PER_WORD = 8  # fewer than Russian and Ukrainian words have on average


# Not frozen, like ``Remembered``.
@dataclass(slots=True)
class Analysed:
    """Documents of a batch as counts of terms."""

    terms: Ragged  # int32, numbers of the distinct terms of each document, ascending
    counts: Int32s  # int32, number of occurrences of each, in the same order
    languages: Uint8s  # uint8 (documents,), index into `LANGUAGES`
    lengths: Ints  # int64 (documents,), number of terms with repetition
    # int32, the terms of each document's first `_ORDERED` words as they follow each other; `None` if not asked for
    order: Ragged | None = None

    @property
    def told(self) -> Ragged:
        """The words as they follow each other, of documents that were read for it."""
        if self.order is None:
            raise ValueError("the documents were read without the order of their words")
        return self.order


class Analyser:
    """Reads batches, and adds new terms to ``numbers``."""

    # Surface numbers start over with each batch, so memory does not grow with the stream.

    def __init__(self, settings: Settings, numbers: TermNumbers) -> None:
        self._numbers = numbers
        self._terms = SurfaceTerms(settings, numbers)
        self._scanner = Scanner(SurfacePool(0))
        self._room = np.empty((2, 0), dtype=np.int32)

    def read(self, documents: Sequence[Document], *, ordered: bool = False) -> Analysed:
        """Count the terms in title and text of every document."""
        block = block_of(documents)
        texts, codes = Utf8Texts(block.offsets, block.data), block.languages
        if any(code is not None and code not in OUR_LANGUAGES for code in codes):
            texts = with_stems(texts, codes)
        scanner = self._scanner
        scanner.start_over(len(texts.data) // _BYTES_PER_WORD)
        scanned = scanner.scan(texts)
        given = [_NOT_GIVEN if code is None else language_number(code) for code in codes]
        languages = np.array(given, dtype=np.uint8)
        if _NOT_GIVEN in given:
            languages = np.where(languages == _NOT_GIVEN, detect(texts), languages)
        return self.read_surfaces(scanned, languages, scanner.surfaces.listed(), ordered=ordered)

    def read_surfaces(self, scanned: Scanned, languages: Uint8s, surfaces: SurfaceList, *, ordered: bool) -> Analysed:
        """Count the terms of documents whose words have been found."""
        mapping, most = self._mapping(scanned, languages, surfaces)
        analysed = self._count_terms(scanned, languages, mapping, most)
        if ordered:
            sizes = np.empty(len(scanned), dtype=np.int64)
            found = np.empty(int(np.minimum(scanned.lengths, _ORDERED).sum()), dtype=np.int32)
            tokens = kernels.TokenRows(scanned.tokens, scanned.begins, scanned.lengths, languages)
            end = kernels.order_terms(tokens, mapping, _ORDERED, found, sizes)
            analysed.order = Ragged(offsets_of(sizes), found[:end])
        return analysed

    def _mapping(self, words: Scanned, languages: Uint8s, surfaces: SurfaceList) -> tuple[kernels.TermsOfSurfaces, int]:
        used = np.zeros(len(surfaces), dtype=np.uint8)
        kernels.mark_used(kernels.TokenRows(words.tokens, words.begins, words.lengths, languages), used)
        terms, most = self._terms.codes(surfaces, used), 1
        more = self._terms.more
        # Few documents have words run together.
        if terms.min(initial=kernels.NOTHING) <= kernels.SEVERAL:
            most = int(more[kernels.SEVERAL - terms[terms <= kernels.SEVERAL]].max())
        return kernels.TermsOfSurfaces(terms.ravel(), len(surfaces), more), most

    def _count_terms(self, words: Scanned, languages: Uint8s, mapping: kernels.TermsOfSurfaces, most: int) -> Analysed:
        documents, largest = len(words), max(len(self._numbers) - 1, 0)
        longest = int(words.lengths.max(initial=0)) * most + 1
        row = kernels.Row(np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(256, np.int64))
        # Terms and counts are copied out of memory that is kept: new memory is cleared by the system first.
        found = self._room
        if found.shape[1] < len(words.tokens) * most:
            found = np.empty((2, len(words.tokens) * most), dtype=np.int32)
            if found.shape[1] <= _MOST_KEPT:
                self._room = found
        indices, counts = found
        sizes, lengths = np.empty(documents, dtype=np.int64), np.empty(documents, dtype=np.int64)
        tokens = kernels.TokenRows(words.tokens, words.begins, words.lengths, languages)
        end = kernels.count_terms(tokens, mapping, largest, row, kernels.Counted(indices, counts, sizes, lengths))
        return Analysed(Ragged(offsets_of(sizes), indices[:end].copy()), counts[:end].copy(), languages, lengths)


# Chooses the key terms of a batch by the statistics of an epoch, the same ones as `terms` would choose


class WeighingFrequencies(Protocol):
    """Statistics of an epoch that weight documents."""

    def idf(self, language: int, terms: NDArray[np.integer]) -> Floats:
        """Return the idf of terms for a document of a language: float64 (terms,)."""

    def average_length(self, language: int) -> float:
        """Return the mean document length of a language, against which weighting compares a document's length."""


class KeyRows(NamedTuple):
    """Key terms of documents, heaviest first."""

    keys: Ragged  # int64, numbers of the terms
    weights: Ragged  # int64, in units of 1e-9

    def split(self, n: int) -> tuple[KeyRows, KeyRows]:
        """Return the n heaviest key terms of each document, and the others."""
        if len(self.keys.values) <= n or int(self.keys.sizes.max()) <= n:
            return self, KeyRows(no_rows(len(self.keys)), no_rows(len(self.keys)))
        bounds, keys, weights = self.keys.indptr, self.keys.values, self.weights.values
        first = np.arange(len(keys)) - np.repeat(bounds[:-1], self.keys.sizes) < n
        first_bounds = offsets_of(np.minimum(self.keys.sizes, n))
        (ours, own), (others, further) = (
            (Ragged(indptr, keys[part]), Ragged(indptr, weights[part]))
            for indptr, part in ((first_bounds, first), (bounds - first_bounds, ~first))
        )
        return KeyRows(ours, own), KeyRows(others, further)


def choose_keys(
    analysed: Analysed, first: int, end: int, frequencies: WeighingFrequencies, numbers: TermNumbers, settings: Settings
) -> KeyRows:
    """Select the ``settings.n`` heaviest terms (Lande, section 2) of documents, equal ones in code point order."""
    indptr = analysed.terms.indptr[first : end + 1]
    terms = analysed.terms.values[indptr[0] : indptr[-1]]
    values = _weights(analysed, first, end, frequencies, numbers, settings)
    sizes, places, weights = heaviest_of_rows(indptr, values, settings.n, ties=True)
    terms, bounds = terms[places].astype(np.int64), offsets_of(sizes)
    order = _heaviest_first(terms, weights, bounds, numbers)
    if len(terms) > settings.n:
        # The lightest key terms of a document may be tied.
        order = order[np.arange(len(terms)) - np.repeat(bounds[:-1], sizes) < settings.n]
        bounds = offsets_of(np.minimum(sizes, settings.n))
    return KeyRows(Ragged(bounds, terms[order]), Ragged(bounds, weights[order]))


def _heaviest_first(terms: Ints, weights: Ints, bounds: Ints, numbers: TermNumbers) -> Ints:
    order, tied = np.empty(len(terms), dtype=np.int64), np.empty(len(terms), dtype=np.uint8)
    if order_by_weight(bounds, weights, order, tied):
        # Most terms have a weight of their own, and need not be spelt out. The tied ones share places among themselves.
        places = np.flatnonzero(tied)
        some = order[places]
        rows, lightness = np.searchsorted(bounds, some, side="right").tolist(), (-weights[some]).tolist()
        ranked = sorted(zip(rows, lightness, numbers.terms.some(terms[some]), some.tolist(), strict=True))
        order[places] = [place for *_, place in ranked]
    return order


def _weights(
    analysed: Analysed, first: int, end: int, frequencies: WeighingFrequencies, numbers: TermNumbers, settings: Settings
) -> Floats:
    indptr = analysed.terms.indptr
    entries = slice(indptr[first], indptr[end])
    sizes, languages = indptr[first + 1 : end + 1] - indptr[first:end], analysed.languages[first:end]
    terms, average = analysed.terms.values[entries], np.ones(len(LANGUAGES))
    spoken = sorted(set(languages.tolist()))
    for one in spoken:
        average[one] = frequencies.average_length(one)
    if len(spoken) == 1:
        idf = _idf(terms, spoken[0], frequencies, len(numbers))
    else:
        idf, language = np.zeros(len(terms)), np.repeat(languages, sizes)
        for one in spoken:
            own = np.flatnonzero(language == one)
            idf[own] = _idf(terms[own], one, frequencies, len(numbers))
    chosen = statistics.weighting(settings.weighting)
    norm = chosen.norm(analysed.lengths[first:end].astype(np.float64), average[languages], settings)
    return chosen.weight(analysed.counts[entries].astype(np.float64), idf, np.repeat(norm, sizes), settings)


def _idf(terms: NDArray[np.integer], language: int, frequencies: WeighingFrequencies, known: int) -> Floats:
    """Return the idf of each term, float64 (entries,); computed once for each term if there are enough entries."""
    if len(terms) < known:
        return frequencies.idf(language, terms)
    idf, held = np.zeros(known), np.zeros(known, dtype=np.bool_)
    held[terms] = True
    distinct = np.flatnonzero(held)
    idf[distinct] = frequencies.idf(language, distinct)
    found: Floats = idf[terms]
    return found


def code_point_rank(terms: Ints, numbers: TermNumbers) -> Ints:
    """Rank of each term among the given ones in code point order."""
    distinct, inverse = np.unique(terms, return_inverse=True)
    words = numbers.terms.some(distinct)
    rank = np.empty(len(words), dtype=np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return rank[inverse]
