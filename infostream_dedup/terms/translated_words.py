"""Words of two texts in different languages that are translations of each other, and where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np

from infostream_dedup.language.translation.ladder import Translator, dictionary_rungs, standard_rungs
from infostream_dedup.language.translation.rung import Translation
from infostream_dedup.language.translation.rungs.argos import ArgosRung
from infostream_dedup.model import OUR_LANGUAGES, Language, Settings
from infostream_dedup.terms.compiled import SurfaceCounter, count_terms
from infostream_dedup.terms.equivalents import Translate, equivalents_of, source_terms
from infostream_dedup.terms.meetings import Meeting, translations
from infostream_dedup.terms.term_spans import places_of_terms

_SURE: Final = 0.5
"""Minimum confidence of a translation: the skeletons of unknown words (.3) would mark what only looks alike."""

_Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TranslatedWord:
    """A word of text a and its translation in text b.

    Attributes:
        number: counted from 1 in the order of a; words that share a word have one number.
        words: both words, their equivalent in the pivot language, and the rung that translated them.
        spans_a: where the word is in a: [start, end) in code points.
        spans_b: where its translation is in b.
    """

    number: int
    words: Meeting
    spans_a: _Spans
    spans_b: _Spans

    def as_dict(self) -> dict[str, Any]:
        """Plain values: ``number``, ``a``, ``b``, ``pivot``, ``rung``, ``spans_a``, ``spans_b``."""
        spans = {"spans_a": list(map(list, self.spans_a)), "spans_b": list(map(list, self.spans_b))}
        return {"number": self.number, **self.words.as_dict(), **spans}


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

    def names(self) -> dict[int, str]:
        """Name the words of each number for the eye, as ``голова=глава (dictionary)``."""
        found: dict[int, list[str]] = {}
        for one in self.met:
            found.setdefault(one.number, []).append(str(one.words))
        return {number: "; ".join(words) for number, words in found.items()}


NO_WORDS: Final = TranslatedWords()


def translated_words(
    texts: tuple[str, str], languages: tuple[Language, Language], *, dictionaries_only: bool = False
) -> TranslatedWords:
    """Find the nouns and names of two texts that are translations of each other, by the pivot language.

    Every word is linked to the word of the other text that translates it with the highest confidence, so a word may be
    linked to several. No context decides: of two meanings, either is a translation. Installed translation models are
    not asked, as they take seconds for a text.

    Args:
        languages: their languages; for texts of one language, or of another than ours, nothing is found.
        dictionaries_only: translate as streams do, without the rungs that recognise names and cognates, which need
            seconds and half a gigabyte to start.
    """
    if languages[0] == languages[1] or not set(languages) <= set(OUR_LANGUAGES):
        return NO_WORDS
    settings = Settings(representation="pivot")
    met = _met(texts, languages, settings, _by_dictionaries if dictionaries_only else _by_ladder)
    places = [list(places_of_terms(text, language, settings)) for text, language in zip(texts, languages, strict=True)]
    spans_a, spans_b = _spans(places[0], {one.a for one in met}), _spans(places[1], {one.b for one in met})
    found = [one for one in met if one.a in spans_a and one.b in spans_b]
    found.sort(key=lambda one: (spans_a[one.a], spans_b[one.b]))
    numbers = zip(_numbers(found), found, strict=True)
    words = tuple(TranslatedWord(number, one, spans_a[one.a], spans_b[one.b]) for number, one in numbers)
    marked = ({span for one in words for span in one.spans_a}, {span for one in words for span in one.spans_b})
    shares = (len(own) / max(len(every), 1) for own, every in zip(marked, places, strict=True))
    return TranslatedWords(words, *shares)


def _met(
    texts: tuple[str, str], languages: tuple[Language, Language], settings: Settings, translate: Translate
) -> list[Meeting]:
    reader = SurfaceCounter()
    for text, language in zip(texts, languages, strict=True):
        reader.add(text, language)
    sources, pivot = source_terms(count_terms(reader.finish(), settings)), cast("Language", settings.pivot)
    return translations(sources, equivalents_of(sources, pivot, translate), pivot, least=_SURE)


def _numbers(met: list[Meeting]) -> list[int]:
    """Number the words from 1; those that share a word, directly or through others, have one number."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    place_of = {word: place for place, word in enumerate(dict.fromkeys(word for one in met for word in _sides(one)))}
    ends = [[place_of[word] for word in _sides(one)] for one in met]
    a, b = zip(*ends, strict=True) if ends else ((), ())
    graph = sp.coo_array((np.ones(len(ends)), (a, b)), shape=(len(place_of), len(place_of)))
    component = connected_components(graph, directed=False)[1].tolist() if ends else []
    found = [component[place] for place in a]
    order = {number: place for place, number in enumerate(dict.fromkeys(found), start=1)}
    return [order[number] for number in found]


def _sides(one: Meeting) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("a", one.a), ("b", one.b)


def _by_dictionaries(terms: Sequence[str], source: Language, target: Language) -> Sequence[tuple[Translation, ...]]:
    return Translator(source, target, rungs=dictionary_rungs()).translate(terms)


def _by_ladder(terms: Sequence[str], source: Language, target: Language) -> Sequence[tuple[Translation, ...]]:
    quick = [rung for rung in standard_rungs() if rung.name != ArgosRung.name]
    return Translator(source, target, rungs=quick).translate(terms)


def _spans(places: list[tuple[int, int, list[str]]], words: set[str]) -> Mapping[str, _Spans]:
    """Return the places of each word; a word with several readings counts once, for the first that is wanted."""
    found: dict[str, list[tuple[int, int]]] = {}
    for start, end, read in places:
        word = next((term for term in read if term in words), None)
        if word is not None:
            found.setdefault(word, []).append((start, end))
    return {word: tuple(spans) for word, spans in found.items()}
