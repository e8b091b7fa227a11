"""Knowledge about single words of a language: whether a word is a term, a common noun, or a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.language.lexicon.frequency import form_frequencies, form_table
from infostream_dedup.language.lexicon.tables import APOSTROPHE, PackedParts, SortedLines
from infostream_dedup.language.lexicon.word_lists import NO_NAME, added_nouns, names
from infostream_dedup.language.morphology.cache_file import fingerprint
from infostream_dedup.language.morphology.form_cache import terms_of
from infostream_dedup.language.morphology.readings import is_listed_noun, noun_term, readings_of
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.machine.arrays import Int32s, Uint16s
from infostream_dedup.model import Language

# Words in use in a language, to search for answers

_WORDS: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile("[а-яё]{2,}"),
    "uk": re.compile("[а-щьюяєіїґ']{2,}"),
    "en": re.compile("[a-z]{2,}"),
}


def frequent_words(language: Language) -> tuple[str, ...]:
    """Words of letters with a share above 1e-8 of running words as key forms, most frequent first: some 400,000."""
    return tuple(places_of_words(language))


@cache
def places_of_words(language: Language) -> Mapping[str, int]:
    """Return the same words, each with the place of its most frequent spelling in the table of frequencies."""
    is_word = _WORDS[language].fullmatch
    table = form_table(language)
    forms = list(table.forms)
    found: dict[str, int] = {}
    for place in table.places_in_order().tolist():
        if is_word(forms[place]):
            found.setdefault(as_key_form(forms[place]), place)
    return found


def as_key_form(form: str) -> str:
    """Return the key form of a word of letters as the table of frequencies spells it."""
    return form.replace("ё", "е").replace("'", APOSTROPHE)


# Russian and Ukrainian nouns in use, by the morphological dictionaries and wordfreq together

_NAME: Final = frozenset(("Surn", "Name", "Geox"))
_NOTHING: Final = (False, False)


@dataclass(frozen=True, slots=True)
class NounLemmas:
    """Lemmas in use, most frequent first. A word may be in both tuples."""

    common: tuple[str, ...]  # common nouns
    names: tuple[str, ...]  # surnames, first names and places; Ukrainian dictionaries do not mark places


@cache
def noun_lemmas(language: Language) -> NounLemmas:
    """Nouns of wordfreq and of our tables, read directly from pymorphy3's dictionary: analysing them all is slow."""
    from pymorphy3 import MorphAnalyzer

    dictionary: Any = MorphAnalyzer(lang=language).dictionary
    added, tabled = added_nouns(language), names(language)
    kinds: dict[int, tuple[bool, bool]] = {}
    common, proper = [], []
    for word in frequent_words(language):
        is_common, is_name = word in added, word in tabled
        for paradigm, place in dictionary.words.get(word.replace(APOSTROPHE, "'")) or ():
            if place == 0:
                if paradigm not in kinds:
                    kinds[paradigm] = _kinds(dictionary.build_tag_info(paradigm, 0))
                is_common, is_name = is_common or kinds[paradigm][0], is_name or kinds[paradigm][1]
        if is_common:
            common.append(word)
        if is_name:
            proper.append(word)
    return NounLemmas(tuple(common), tuple(proper))


def _kinds(tag: Any) -> tuple[bool, bool]:
    """Whether a lemma is a common noun, and whether it is a name."""
    if str(tag.POS) != "NOUN":
        return _NOTHING
    is_name = not _NAME.isdisjoint(tag.grammemes)
    return not is_name, is_name


_REMEMBERED: Final = 1 << 16  # of the words asked for: each other language asks for the same ones
_COMMON: Final = 3e-6
_SHARE_OF_PLURAL: Final = 0.1
_FEW_PLURALS: Final = 0.06
_POSSESSIVES_OF_S: Final = 0.005
_POSSESSIVES_AND_PLURALS: Final = ((0.03, 0.15), (0.015, 0.05))
"""Minimum share of possessives and maximum share of plurals of a frequent name, relative to the word itself (wordfreq):
Baker .06 and .09, Wilson .06 and .01; resident .01 and 1.8, probe .01 and .3, table .001 and .2."""


def are_terms(words: Iterable[str], language: Language) -> set[str]:
    """Return the words that dictionaries know as terms, in lower case or capitalised."""
    every = list(dict.fromkeys(words))
    if language == "en":
        return {word for word in every if word in (noun_term(word, Shape.LOWER), noun_term(word, Shape.CAPITAL))}
    small = terms_of([Form(word, Shape.LOWER) for word in every], language, strict=True)
    found = {word for word, term in zip(every, small, strict=True) if word == term}
    return found | are_names([word for word in every if word not in found], language, strict=True)


def are_names(words: Iterable[str], language: Language, *, strict: bool = False) -> set[str]:
    """Return the words that are terms if capitalised."""
    every = list(dict.fromkeys(words))
    if language == "en":
        return {word for word in every if word == noun_term(word, Shape.CAPITAL)}
    terms = terms_of([Form(word, Shape.CAPITAL) for word in every], language, strict=strict)
    return {word for word, term in zip(every, terms, strict=True) if word == term}


def is_common_noun(word: str, language: Language) -> bool:
    """Whether dictionaries have the word as a common noun; an English word must be listed or have a plural."""
    if language == "en":
        return is_listed_noun(word) or _share(f"{word}s", word) >= _SHARE_OF_PLURAL
    readings = readings_of(language).readings(word)
    return any(one.part_of_speech == "NOUN" and one.lemma == word and one.kinds == NO_NAME for one in readings)


@lru_cache(_REMEMBERED)
def may_be_name(word: str, language: Language) -> bool:
    """Whether the word may be a name and no common noun; frequent English ones have possessives and no plurals."""
    if language != "en":
        readings = readings_of(language).readings(word)
        nouns = [one for one in readings if one.part_of_speech == "NOUN" and one.lemma == word]
        return not readings or (bool(nouns) and all(one.kinds != NO_NAME for one in nouns))
    if word in names("en"):
        return True
    if is_listed_noun(word):
        return False
    if form_frequencies("en")(word) < _COMMON:
        return _share(f"{word}s", word) < _SHARE_OF_PLURAL
    possessives, plurals = _share(f"{word}{APOSTROPHE}s", word), _share(f"{word}s", word)
    if word.endswith("s"):
        return possessives > _POSSESSIVES_OF_S and plurals < _FEW_PLURALS
    return any(possessives > least and plurals < most for least, most in _POSSESSIVES_AND_PLURALS)


def _share(form: str, word: str) -> float:
    """Return the frequency of a form relative to the word itself; 0 for an unknown word."""
    frequency = form_frequencies("en")
    own = frequency(word)
    return frequency(form) / own if own else 0.0


# Indexes of words by keys: of sounds, of endings, of common origin. They come ready made with the package.
#
# Making them anew takes some ten seconds: that is done by `tools/make_tables.py`, and at the first use if
# the package's tables were made from other dictionaries or by other rules.

RULES: Final = 2  # version of the rules by which words are chosen and keys are made; increase it when they change
_BUCKETS_PER_WORD: Final = 2  # a word under another key is read in vain
_BYTES: Final = 3  # of the place of a word


class Buckets(NamedTuple):
    """Places of words by hashes of their keys."""

    starts: Int32s  # int32 (buckets + 1,)
    places: Int32s  # int32 (entries,)


class WordsByKey:
    """Finds all words under a key, in the order of ``ranks``; hashes only narrow the search, keys are compared."""

    def __init__(
        self, words: SortedLines, buckets: Buckets, keys: Callable[[str], Iterable[str]], ranks: Uint16s | None = None
    ) -> None:
        self._words = words
        self.buckets = buckets
        self._keys_of = keys
        owners = np.repeat(np.arange(len(buckets.starts) - 1), np.diff(buckets.starts))
        ranked = buckets.places if ranks is None else buckets.places[np.lexsort((ranks[buckets.places], owners))]
        self._starts, self._places = buckets.starts.data, ranked.data

    def of(self, key: str, fits: Callable[[str], bool] | None = None) -> Iterator[str]:
        """Yield the words with a key as key forms, in order, among those that fit: thousands may share a short key."""
        bucket = crc32(key.encode()) % (len(self._starts) - 1)
        for place in self._places[self._starts[bucket] : self._starts[bucket + 1]]:
            word = as_key_form(self._words[place])
            if (fits is None or fits(word)) and key in self._keys_of(word):
                yield word


def made_buckets(places: Iterable[int], words: SortedLines, keys_of: Callable[[str], Iterable[str]]) -> Buckets:
    """Put the words at some places into buckets."""
    every = list(words)
    pairs = [(crc32(key.encode()), place) for place in places for key in keys_of(as_key_form(every[place]))]
    table = np.array(pairs, np.int64).reshape(-1, 2)
    count = max(1, _BUCKETS_PER_WORD * len(table))
    entries = np.unique((table[:, 0] % count) << 32 | table[:, 1])
    sizes = np.bincount(entries >> 32, minlength=count)
    return Buckets(_starts(sizes), (entries & 0xFFFFFFFF).astype(np.int32))


def packed_buckets(name: str, buckets: Buckets) -> dict[str, bytes]:
    """Return the parts of a file that hold buckets; bytes of the same weight lie together and compress better."""
    sizes = np.diff(buckets.starts)
    planes = buckets.places.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :_BYTES].T
    return {f"{name} sizes": sizes.astype("<u4").tobytes(), f"{name} places": np.ascontiguousarray(planes).tobytes()}


def _unpacked_buckets(name: str, parts: PackedParts) -> Buckets:
    planes = np.frombuffer(parts.part(f"{name} places"), np.uint8).reshape(_BYTES, -1).astype(np.int32)
    places = planes[0] | planes[1] << 8 | planes[2] << 16
    return Buckets(_starts(np.frombuffer(parts.part(f"{name} sizes"), "<u4")), places)


def _starts(sizes: NDArray[np.integer]) -> Int32s:
    return np.append(np.int32(0), np.cumsum(sizes, dtype=np.int32))


def index_file(language: Language) -> Path:
    """Return the path of the indexes of a language."""
    return Path(__file__).with_name(f"words_by_key.{language}.bin")


def mark_of_today() -> str:
    """Return a mark of all sources and rules of the indexes."""
    return f"{RULES} {fingerprint()}"


@cache
def _shipped(language: Language) -> PackedParts | None:
    path = index_file(language)
    parts = PackedParts(path) if path.exists() else None
    return parts if parts and parts.mark == mark_of_today() else None


def words_by_key(
    name: str,
    language: Language,
    keys_of: Callable[[str], Iterable[str]],
    places: Callable[[], Iterable[int]],
    words: SortedLines | None = None,
) -> WordsByKey:
    """Return an index of some of the words in the order of their frequencies, or of other words by code points."""
    table, parts = form_table(language), _shipped(language)
    held = table.forms if words is None else words
    buckets = made_buckets(places(), held, keys_of) if parts is None else _unpacked_buckets(name, parts)
    return WordsByKey(held, buckets, keys_of, table.losses if words is None else None)
