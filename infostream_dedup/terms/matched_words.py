"""Words of two documents that match across languages, and where they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, product
from typing import Any, Final, cast

import numpy as np

from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.text.normalise import APOSTROPHES, FAR_INVISIBLE, INVISIBLE, MARKS, clean, in_place
from infostream_dedup.language.text.tokens import SENTENCE_MARK, Form, Shape, forms, surfaces
from infostream_dedup.language.translation.ladder import Translator, dictionary_rungs, standard_rungs
from infostream_dedup.language.translation.rungs.argos import ArgosRung
from infostream_dedup.language.translation.word_pairs import plain_term
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings, one_or_several
from infostream_dedup.model.limits import OneOf
from infostream_dedup.terms.compiled import SurfaceCounter, count_terms
from infostream_dedup.terms.equivalents import Equivalents, SourceTerms, Translate, equivalents_of, source_terms
from infostream_dedup.terms.key_terms import PivotSpace
from infostream_dedup.terms.representation import representation

# Find the words of two documents that match in the pivot language, and the rung that translated them

SAME: Final = "same"  # the rung of words that needed no translation


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two words that match."""

    a: str  # term of one document in its language
    b: str  # term of the other document in its language
    pivot: str  # the equivalent they share
    # the rung that translated the word that is not in the pivot language; both rungs, with a plus sign, if neither word
    # is and they differ; `same` for one word of one language
    rung: str

    def as_dict(self) -> dict[str, str]:
        """Plain values."""
        return {"a": self.a, "b": self.b, "pivot": self.pivot, "rung": self.rung}

    def __str__(self) -> str:
        """``голова=глава (dictionary)``, or ``head=глава=голова (dictionary)``; equal words appear once."""
        words = "=".join(dict.fromkeys((self.a, self.pivot, self.b)))
        return words if self.rung == SAME else f"{words} ({self.rung})"


@dataclass(frozen=True, slots=True)
class _Answer:
    """One equivalent of a source term, with its rank among the equivalents."""

    source: int
    place: int


def meetings(space: PivotSpace, a: int, b: int, columns: Iterable[int], weights: Iterable[int]) -> list[Meeting]:
    """Words of the columns in which two documents match, heaviest first; of several pairs the likeliest."""
    of_a, of_b = (_answers(space.sources, space.equivalents, document) for document in (a, b))
    total: dict[Meeting, int] = {}
    for column, weight in zip(columns, weights, strict=True):
        found = _meeting(space, of_a, of_b, column)
        total[found] = total.get(found, 0) + weight
    return sorted(total, key=lambda one: (-total[one], one.pivot, one.a, one.b))


def translations(sources: SourceTerms, equivalents: Equivalents, pivot: Language, *, least: float) -> list[Meeting]:
    """Return the words of two documents that match, key terms or not, each with the likeliest word of the other."""
    of_a, of_b = (_answers(sources, equivalents, document) for document in range(2))
    best: dict[tuple[int, int], tuple[float, int, _Answer, _Answer]] = {}
    for term in sorted(of_a.keys() & of_b.keys()):
        for one, other in product(of_a[term], of_b[term]):
            confidence = float(equivalents.confidences[one.place] * equivalents.confidences[other.place])
            for side in enumerate((one.source, other.source)):
                if confidence >= least and (side not in best or confidence > best[side][0]):
                    best[side] = confidence, term, one, other
    found = (_named(sources, equivalents, pivot, term, one, other) for _, term, one, other in best.values())
    return list(dict.fromkeys(found))


def _answers(sources: SourceTerms, equivalents: Equivalents, document: int) -> dict[int, list[_Answer]]:
    """Return the pivot terms of a document, each with the source terms to which it is equivalent."""
    counts = sources.counts
    found: dict[int, list[_Answer]] = {}
    for source in counts.indices[counts.indptr[document] : counts.indptr[document + 1]].tolist():
        for place in range(int(equivalents.indptr[source]), int(equivalents.indptr[source + 1])):
            found.setdefault(int(equivalents.terms[place]), []).append(_Answer(source, place))
    return found


def _meeting(space: PivotSpace, of_a: dict[int, list[_Answer]], of_b: dict[int, list[_Answer]], column: int) -> Meeting:
    sets, canonical = space.sets, space.equivalents.canonical
    own = int(space.canonical[column])
    candidates = [
        (term, one, other)
        for term in sets.indices[sets.indptr[column] : sets.indptr[column + 1]].tolist()
        for one in of_a.get(term, ())
        for other in of_b.get(term, ())
    ]
    confidences = space.equivalents.confidences

    def rank(candidate: tuple[int, _Answer, _Answer]) -> tuple[bool, float, bool, int, int, int]:
        term, one, other = candidate
        stands_for = own in (canonical[one.source], canonical[other.source])
        confidence = float(confidences[one.place] * confidences[other.place])
        return not stands_for, -confidence, term != own, term, one.source, other.source

    term, one, other = min(candidates, key=rank)
    return _named(space.sources, space.equivalents, space.language, term, one, other)


def _named(
    sources: SourceTerms, equivalents: Equivalents, pivot: Language, term: int, one: _Answer, other: _Answer
) -> Meeting:
    a, b = (plain_term(sources.terms[answer.source]) for answer in (one, other))
    rung = SAME
    if one.source != other.source:
        own = LANGUAGES.index(pivot)
        translated = [answer for answer in (one, other) if sources.languages[answer.source] != own]
        rung = "+".join(dict.fromkeys(equivalents.rungs[answer.place] for answer in translated)) or SAME
    return Meeting(a, b, equivalents.vocabulary[term], rung)


# Find where the terms of a document occur in its text, so that they can be marked

# No group is possessive: before 3.11.5, Python matched such groups wrongly (python/cpython issue 106052).
_UNSEEN: Final = f"[{INVISIBLE}{FAR_INVISIBLE}]*+"
_LETTER: Final = f"[^\\W\\d_{APOSTROPHES}](?:{_UNSEEN}[{MARKS}])*"
_JOINT: Final = f"{_UNSEEN}(?:[{APOSTROPHES}\u2010\u2011-]{_UNSEEN})?"
_WORD: Final = re.compile(f"{_LETTER}(?:{_JOINT}{_LETTER})*")
"""A word as written, with marks, invisible characters, any apostrophes and any hyphens inside."""


def spans_of_terms(
    text: str, language: Language, terms: Iterable[str] | str, settings: Settings | None = None
) -> list[tuple[int, int, str]]:
    """Find the words of a text that represent given terms: see ``api.term_spans``."""
    chosen = settings or Settings()
    OneOf(*LANGUAGES).check("language", language)
    wanted = set(one_or_several(terms))
    places = places_of_terms(text, language, chosen)
    named = ((start, end, next((term for term in read if term in wanted), None)) for start, end, read in places)
    return [(start, end, term) for start, end, term in named if term is not None]


def places_of_terms(text: str, language: Language, settings: Settings) -> Iterator[tuple[int, int, list[str]]]:
    """Find the words of a text that have terms."""
    made, known = representation(settings.representation), _words_read(language, settings)
    if len(known) > _MOST_WORDS:
        known.clear()
    found = [(place.start(), place.end(), place.group()) for place in _WORD.finditer(in_place(text))]
    asked: dict[str, list[Form]] = {}
    for word in {word for _, _, word in found} - known.keys():
        plain = [surface.removeprefix(SENTENCE_MARK) for surface in surfaces(clean(word))]
        asked[word] = [form for one in plain for mark in ("", SENTENCE_MARK) for form in forms(mark + one)]
    read = iter(made.terms([form for forms_of_word in asked.values() for form in forms_of_word], language, settings))
    for word, asked_forms in asked.items():
        terms = (plain_term(term) for term in islice(read, len(asked_forms)) if term is not None)
        known[word] = list(dict.fromkeys(terms))
    for start, end, word in found:
        if known[word]:
            yield start, end, known[word]


@cache
def kind_of_term(term: str, language: Language, representation: str) -> str:
    """What a term is: ``surname``, ``place`` and other kinds of names, ``noun``, or ``stem``."""
    if representation == "stem" or language not in OUR_LANGUAGES or (language == "en" and representation == "morph"):
        return "stem"
    return "|".join(Morphology(language).analyse(term, Shape.CAPITAL).kinds.labels()) or "noun"


_MOST_WORDS: Final = 200_000


@lru_cache(maxsize=16)
def _words_read(_language: Language, _settings: Settings) -> dict[str, list[str]]:
    """The terms of words that were read before: texts repeat them."""
    return {}


# Words of two texts in different languages that are translations of each other, and where they are

_SURE: Final = 0.5
"""Minimum confidence of a translation: the skeletons of unknown words (.3) would mark what only looks alike."""

_Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class TranslatedWord:
    """A word of text a and its translation in text b."""

    number: int  # counted from 1 in the order of a; words that share a word have one number
    words: Meeting  # both words, their equivalent in the pivot language, and the rung that translated them
    spans_a: _Spans  # where the word is in a: [start, end) in code points
    spans_b: _Spans  # where its translation is in b

    def as_dict(self) -> dict[str, Any]:
        """Plain values: ``number``, ``a``, ``b``, ``pivot``, ``rung``, ``spans_a``, ``spans_b``."""
        spans = {"spans_a": list(map(list, self.spans_a)), "spans_b": list(map(list, self.spans_b))}
        return {"number": self.number, **self.words.as_dict(), **spans}


@dataclass(frozen=True, slots=True)
class TranslatedWords:
    """Words of two texts that are translations of each other."""

    met: tuple[TranslatedWord, ...] = ()  # the words, in the order of text a
    share_a: float = 0.0  # share of the nouns and names of a that have a translation in b, 0 to 1
    share_b: float = 0.0  # share of those of b that have a translation in a

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

    Every word is linked to the likeliest word of the other text, so one may be linked to several; no context decides.
    Installed translation models are not asked, as they take seconds for a text.
    """
    if languages[0] == languages[1] or not set(languages) <= set(OUR_LANGUAGES):
        return NO_WORDS
    settings = Settings(representation="pivot")
    rungs = dictionary_rungs() if dictionaries_only else [one for one in standard_rungs() if one.name != ArgosRung.name]
    met = _met(texts, languages, settings, lambda terms, *way: Translator(*way, rungs=rungs).columns(terms))
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


def _spans(places: list[tuple[int, int, list[str]]], words: set[str]) -> Mapping[str, _Spans]:
    """Return the places of each word; a word with several readings counts once, for the first that is wanted."""
    found: dict[str, list[tuple[int, int]]] = {}
    for start, end, read in places:
        word = next((term for term in read if term in words), None)
        if word is not None:
            found.setdefault(word, []).append((start, end))
    return {word: tuple(spans) for word, spans in found.items()}
