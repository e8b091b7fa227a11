"""For the reader of a verdict: which words of two documents in different languages match."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.language.lexicon.spelling import is_latin
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES
from infostream_dedup.model.constants import SHOWN_DECIMALS
from infostream_dedup.model.stream_records import TranslatedFrom
from infostream_dedup.stream.kernels.pivot_sharing import MOST_KEYS, PLACE_BITS
from infostream_dedup.stream.key_choice import code_point_rank
from infostream_dedup.stream.links_across import LinkAcross
from infostream_dedup.stream.pivot_words import PIVOT, PivotWords
from infostream_dedup.stream.term_numbers import TermNumbers, longer
from infostream_dedup.stream.window import Window
from infostream_dedup.terms.meetings import SAME

if TYPE_CHECKING:
    from numpy.typing import NDArray


_UNIT: Final = 1e-9
_ENGLISH: Final = LANGUAGES.index("en")
_TERM_BITS: Final = 32
_UNKNOWN, _LATIN, _OTHER = 0, 1, 2


class _Met(NamedTuple):
    """Terms in which pairs of documents match.

    Attributes:
        pairs: int64, ascending; number of the pair of documents.
        terms: int64, the terms; within a pair by weight of the key term, heaviest first, each once.
    """

    pairs: NDArray[np.int64]
    terms: NDArray[np.int64]


class _SourceWords(NamedTuple):
    """The words of one document of each pair that produced the matching terms.

    Attributes:
        held: bool, by position in ``_Met``: whether a word of the document produced the term.
        words: the word; undefined if there is none.
        rungs: the rung that leads from the word to the term; ``None`` in the pivot language itself.
    """

    held: NDArray[np.bool_]
    words: list[str]
    rungs: list[str | None]


class WordsAcross:
    """Names the words that match.

    Args:
        window: the documents.
        words: pivot terms of words.
        numbers: numbers of the stream's terms.
    """

    def __init__(self, window: Window, words: PivotWords, numbers: TermNumbers) -> None:
        self._window = window
        self._words = words
        self._numbers = numbers
        self._latin: NDArray[Any] = np.zeros(0, dtype=np.int8)

    def id_of(self, ordinal: int) -> str:
        """Return the id of a document of the window."""
        return self._window.ids[ordinal - self._window.first]

    def translated(self, ordinals: Sequence[int], links: Sequence[LinkAcross]) -> list[TranslatedFrom]:
        """Describe how documents match earlier ones."""
        if not links:
            return []
        rows = np.array(ordinals, dtype=np.int64) - self._window.first
        others = np.array([link.ordinal for link in links], dtype=np.int64) - self._window.first
        met = self._met(rows, others)
        own, their = self._source_words(rows, met), self._source_words(others, met)
        both = np.flatnonzero(own.held & their.held)
        pivots = self._numbers.terms.some(met.terms[both])
        named_rows = [
            (own.words[place], pivot, their.words[place], _rung(own.rungs[place], their.rungs[place]))
            for place, pivot in zip(both.tolist(), pivots, strict=True)
        ]
        bounds = np.searchsorted(met.pairs[both], np.arange(len(links) + 1)).tolist()
        return [
            TranslatedFrom(_share(link.forward), _share(link.backward), tuple(named_rows[begin:end]))
            for link, (begin, end) in zip(links, pairwise(bounds), strict=True)
        ]

    def _met(self, rows: NDArray[np.int64], others: NDArray[np.int64]) -> _Met:
        """For each key term that the other document has, the term in which they match."""
        columns = self._window.pivot_columns
        members, keys = columns.members.gathered(rows), columns.keys.gathered(rows)
        pairs, terms, places = members.numbers, members.values >> PLACE_BITS, members.values & (MOST_KEYS - 1)
        hit = np.flatnonzero(_among(_codes(pairs, terms), _pair_codes(columns.matched_by.gathered(others))))
        pairs, terms, places = pairs[hit], terms[hit], places[hit]
        # The key term itself, otherwise the first by code points: unlike their numbers, words do not depend on how the
        # stream was cut into batches.
        other = keys.values[keys.indptr[pairs] + places] != terms
        key = pairs * MOST_KEYS + places
        best = _firsts(np.lexsort((code_point_rank(terms, self._numbers), other, key)), key)
        # One term may match for two key terms; it goes with the heavier one.
        codes = _codes(pairs[best], terms[best])
        best = best[np.sort(_firsts(np.argsort(codes, kind="stable"), codes))]
        return _Met(pairs[best], terms[best])

    def _source_words(self, rows: NDArray[np.int64], met: _Met) -> _SourceWords:
        """The word of one document of each pair that produced each term: the smallest whose best term it is."""
        spoken = self._window.evidence_columns.languages[rows]
        codes = _codes(met.pairs, met.terms)
        order = np.argsort(codes)
        held = np.zeros(len(codes), dtype=np.bool_)
        words: list[str] = [""] * len(codes)
        rungs: list[str | None] = [None] * len(codes)
        for language in np.unique(spoken).tolist():
            asked = np.flatnonzero(spoken == language)
            sources = self._sources(rows[asked], language)
            owners = asked[sources.numbers]
            places, terms = self._words.met(language, sources.values)
            found = _codes(owners[places], terms.astype(np.int64))
            hit = np.flatnonzero(_among(found, codes[order]))
            found, origins = found[hit], sources.values[places[hit]]
            further = self._words.canonical(language, origins) != terms[hit]
            best = _firsts(np.lexsort((code_point_rank(origins, self._numbers), further, found)), found)
            of = order[np.searchsorted(codes[order], found[best])]
            held[of] = True
            named = self._numbers.terms.some(origins[best])
            through: Sequence[str | None] = [None] * len(best)
            if OUR_LANGUAGES[language] != PIVOT:
                through = self._words.rungs(language, sources.values, hit[best])
            for place, word, rung in zip(of.tolist(), named, through, strict=True):
                words[place], rungs[place] = word, rung
        return _SourceWords(held, words, rungs)

    def _sources(self, rows: NDArray[np.int64], language: int) -> Ragged:
        """The words of documents of a language from which their pivot terms were made."""
        if language != _ENGLISH:
            targets = self._window.targets.gathered(rows)
            return Ragged(targets.indptr, targets.values.astype(np.int64))
        # An English word also matches itself.
        matched_by = self._window.pivot_columns.matched_by.gathered(rows)
        terms = matched_by.values.astype(np.int64)
        self._latin = longer(self._latin, int(terms.max(initial=-1)) + 1)
        new = np.unique(terms[self._latin[terms] == _UNKNOWN])
        if len(new):
            self._latin[new] = [_LATIN if is_latin(term) else _OTHER for term in self._numbers.terms.some(new)]
        return Ragged(matched_by.indptr, terms).chosen(self._latin[terms] == _LATIN)


def _codes(pairs: NDArray[np.int64], terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pair and term as one number."""
    return pairs << np.int64(_TERM_BITS) | terms


def _pair_codes(rows: Ragged) -> NDArray[np.int64]:
    """Codes of rows of ascending terms, one row for each pair: ascending."""
    return _codes(rows.numbers, rows.values.astype(np.int64))


def _among(values: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which values are among the wanted ones (ascending): bool (values,)."""
    if not len(wanted):
        return np.zeros(len(values), dtype=np.bool_)
    places = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    return np.asarray(wanted[places] == values, dtype=np.bool_)


def _firsts(order: NDArray[np.int64], key: NDArray[np.int64]) -> NDArray[np.int64]:
    """First position of each key in an order sorted by the key."""
    ordered = key[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    found: NDArray[np.int64] = order[first]
    return found


def _share(share: int) -> float:
    return round(share * _UNIT, SHOWN_DECIMALS)


def _rung(own: str | None, their: str | None) -> str:
    return "+".join(dict.fromkeys(rung for rung in (own, their) if rung)) or SAME
