"""Words of two texts in different languages that are translations of each other, and where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from infostream_dedup.model import Language, Settings
from infostream_dedup.terms.equivalents import equivalents_of, source_terms
from infostream_dedup.terms.meetings import Meeting, translations
from infostream_dedup.terms.reading import SurfaceReader, term_counts
from infostream_dedup.terms.term_spans import places_of_terms

__all__ = ["NO_WORDS", "TranslatedWord", "TranslatedWords", "translated_words"]

_SURE: Final = 0.5
"""Minimum confidence of a translation: the skeletons of unknown words (.3) would mark what only looks alike."""

_Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TranslatedWord:
    """A word of text a and its translation in text b.

    Attributes:
        words: both words, their equivalent in the pivot language, and the rung that translated them.
        spans_a: where the word is in a: [start, end) in code points.
        spans_b: where its translation is in b.
    """

    words: Meeting
    spans_a: _Spans
    spans_b: _Spans

    def as_dict(self) -> dict[str, Any]:
        """Plain values: ``a``, ``b``, ``pivot``, ``rung``, ``spans_a``, ``spans_b``."""
        spans = {"spans_a": list(map(list, self.spans_a)), "spans_b": list(map(list, self.spans_b))}
        return {**self.words.as_dict(), **spans}


@dataclass(frozen=True, slots=True)
class TranslatedWords:
    """Words of two texts that are translations of each other.

    Attributes:
        met: the words, in the order of text a.
        share_a: share of the nouns and names of a that have a translation in b, 0 to 1.
        share_b: share of those of b that have a translation in a.
    """

    met: tuple[TranslatedWord, ...] = ()
    share_a: float = 0.0
    share_b: float = 0.0


NO_WORDS: Final = TranslatedWords()


def translated_words(texts: tuple[str, str], languages: tuple[Language, Language]) -> TranslatedWords:
    """Find the nouns and names of two texts that are translations of each other, by the pivot language.

    Every word is linked to the word of the other text that translates it with the highest confidence, so a word may be
    linked to several. No context decides: of two meanings, either is a translation.

    Args:
        texts: raw texts a and b.
        languages: their languages; for texts of one language, or of another than ours, nothing is found.
    """
    if languages[0] == languages[1]:
        return NO_WORDS
    settings = Settings(representation="pivot")
    pivot = cast("Language", settings.pivot)
    reader = SurfaceReader("scipy")
    for text, language in zip(texts, languages, strict=True):
        reader.add(text, language)
    sources = source_terms(term_counts(reader.finish(), settings))
    equivalents = equivalents_of(sources, pivot)
    met = translations(sources, equivalents, pivot, least=_SURE)
    places = [list(places_of_terms(text, language, settings)) for text, language in zip(texts, languages, strict=True)]
    spans_a, spans_b = _spans(places[0], {one.a for one in met}), _spans(places[1], {one.b for one in met})
    words = [
        TranslatedWord(one, spans_a[one.a], spans_b[one.b]) for one in met if one.a in spans_a and one.b in spans_b
    ]
    words.sort(key=lambda one: (one.spans_a, one.spans_b))
    shares = (
        sum(map(len, spans.values())) / max(len(found), 1)
        for spans, found in zip((spans_a, spans_b), places, strict=True)
    )
    return TranslatedWords(tuple(words), *shares)


def _spans(places: list[tuple[int, int, list[str]]], words: set[str]) -> Mapping[str, _Spans]:
    """Return the places of each word; a word with several readings counts once, for the first that is wanted."""
    found: dict[str, _Spans] = {}
    for start, end, read in places:
        word = next((term for term in read if term in words), None)
        if word is not None:
            found[word] = (*found.get(word, ()), (start, end))
    return found
