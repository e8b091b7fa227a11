"""Which words of two documents of different languages met, for a reader of the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.lexicon.spelling import is_latin
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES
from infostream_dedup.model.stream_records import TranslatedFrom
from infostream_dedup.stream.links_across import LinkAcross
from infostream_dedup.stream.pivot_reading import PLACE_BITS
from infostream_dedup.stream.pivot_words import PIVOT, PivotWords
from infostream_dedup.stream.term_numbers import TermNumbers, longer
from infostream_dedup.stream.window import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WordsAcross"]

_UNIT: Final = 1e-9
_DECIMALS: Final = 6
_ENGLISH: Final = LANGUAGES.index("en")
_SAME: Final = "same"
_UNKNOWN, _LATIN, _OTHER = 0, 1, 2


class _Word(NamedTuple):
    """A word of a document behind a pivot term; the least of several is named.

    Attributes:
        further: whether the term is not its canonical one.
        word: the word.
        rung: that leads to the term; ``None`` in the pivot language itself.
    """

    further: bool
    word: str
    rung: str | None


class WordsAcross:
    """Names the words that met.

    Args:
        window: the documents.
        words: what words become in the pivot language.
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

    def translated(self, ordinal: int, link: LinkAcross) -> TranslatedFrom:
        """Say how a document and an earlier one met.

        Args:
            ordinal: the document.
            link: its link with the earlier one.
        """
        row, other = ordinal - self._window.first, link.ordinal - self._window.first
        terms = self._met(row, other)
        wanted = np.sort(np.array(terms, dtype=np.int64))
        own, their = self._behind(row, wanted), self._behind(other, wanted)
        told = [term for term in terms if term in own and term in their]
        pivots = self._numbers.terms.some(np.array(told, dtype=np.int64))
        sides = [
            ([behind[term].word for term in told], [behind[term].rung for term in told]) for behind in (own, their)
        ]
        met = tuple(
            (word, pivot, their_word, _rung(rung, their_rung))
            for word, rung, pivot, their_word, their_rung in zip(*sides[0], pivots, *sides[1], strict=True)
        )
        forward, backward = (round(share * _UNIT, _DECIMALS) for share in (link.forward, link.backward))
        return TranslatedFrom(forward, backward, met)

    def _met(self, row: int, other: int) -> list[int]:
        """For each key term that the other document meets, heaviest first, the term in which they met."""
        columns = self._window.pivot_columns
        members, keys = columns.members.row(row), columns.keys.row(row).tolist()
        terms, places = members >> PLACE_BITS, members & ((1 << PLACE_BITS) - 1)
        hit = np.flatnonzero(_among(terms, columns.met_by.row(other)))
        met, words = terms[hit].tolist(), self._numbers.terms.some(terms[hit])
        # Numbers of terms depend on how the stream was cut into batches; words do not.
        ranked = sorted(zip(places[hit].tolist(), words, met, strict=True))
        found: dict[int, int] = {}
        for place, _, term in ranked:
            if place not in found or term == keys[place]:
                found[place] = term
        return list(dict.fromkeys(found.values()))

    def _behind(self, row: int, wanted: NDArray[np.int64]) -> dict[int, _Word]:
        """For each wanted pivot term the word of a document behind it."""
        language = int(self._window.evidence_columns.languages[row])
        sources = self._sources(row, language)
        places, terms = self._words.met(language, sources)
        hit = np.flatnonzero(_among(terms, wanted))
        words = sources[places[hit]]
        canonical = self._words.canonical(language, words).tolist()
        rungs: list[str | None] = [None] * len(words)
        if OUR_LANGUAGES[language] != PIVOT:
            rungs = list(self._words.rungs(language, sources, hit))
        found: dict[int, _Word] = {}
        named = self._numbers.terms.some(words)
        for term, word, best, rung in zip(terms[hit].tolist(), named, canonical, rungs, strict=True):
            one = _Word(best != term, word, rung)
            if term not in found or one[:2] < found[term][:2]:
                found[term] = one
        return found

    def _sources(self, row: int, language: int) -> NDArray[np.int64]:
        """The words of a document, which its pivot terms were made of."""
        if language != _ENGLISH:
            return self._window.targets.row(row).astype(np.int64)
        # An English word is met by itself.
        terms = self._window.pivot_columns.met_by.row(row).astype(np.int64)
        self._latin = longer(self._latin, int(terms.max(initial=-1)) + 1)
        new = terms[self._latin[terms] == _UNKNOWN]
        if len(new):
            self._latin[new] = [_LATIN if is_latin(term) else _OTHER for term in self._numbers.terms.some(new)]
        latin: NDArray[np.int64] = terms[self._latin[terms] == _LATIN]
        return latin


def _among(terms: NDArray[np.integer], wanted: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which terms are among the wanted ones, which ascend and are not none: bool (terms,)."""
    places = np.minimum(np.searchsorted(wanted, terms), len(wanted) - 1)
    return np.asarray(wanted[places] == terms, dtype=np.bool_)


def _rung(own: str | None, their: str | None) -> str:
    return "+".join(dict.fromkeys(rung for rung in (own, their) if rung)) or _SAME
