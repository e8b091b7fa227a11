"""How much of a sentence is told by the beginning of a text in another language, word by word.

Key terms are nouns and names; a sentence has too few of them to tell the text that answers it from others of its topic.
Here every word counts: by its equivalents, which need only begin alike (изменение, изменят), by its sound (stable,
стабильный; Promtex, Промтекс), or as it is written (numbers, brands). Verbs and such have a table.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.lexicon.word_lists import stop_words
from infostream_dedup.language.morphology.stemming import stems
from infostream_dedup.language.translation import romanisation as roman
from infostream_dedup.language.translation.word_pairs import word_pairs
from infostream_dedup.machine.arrays import Floats, Int32s, Ints, Uint8s
from infostream_dedup.model import OUR_LANGUAGES, Language

_Texts = Callable[[Sequence[int], int], Mapping[int, tuple[str, str]]]
BEGINNING: Final = 1000  # number of bytes of a text that are read
_WORD: Final = re.compile("[^\\W_]+")
_SENTENCE: Final = re.compile("[.!?…]\\s|\\n")
_SPELT: Final = str.maketrans({"'": APOSTROPHE, "’": APOSTROPHE, "ё": "е"})
_INDEXED, _BLOCK = 5_000, 1_000  # so many last documents are indexed, in blocks
_MOST_LIKELY, _LEAST_LIKELY = 60, 0.2  # so many of them are read, with this share of a sentence
_MOST_READ: Final = 20_000
_MOST_SENTENCES: Final = 8
_SENTENCES: Final = [[at for at in range(_MOST_SENTENCES) if mask >> at & 1] for mask in range(1 << _MOST_SENTENCES)]
_OPENING: Final = 3  # title, and the first two sentences
_HEAD, _SHORTEST, _LONGEST = 3, 4, 6  # letters of a beginning
_SHARE_OF_WORD: Final = 0.62  # share of the letters of an equivalent that inflected and derived words keep
_SHARE_OF_SOUND: Final = 0.7
_BY_SOUND: Final = 0.8  # certainty of words of one sound
_OF_LENGTH: Final = 0.3  # part of the score of a sentence that goes with how alike the lengths are
_COMMON, _RAREST = 1e-3, 1e-8  # share of running words of a word that says little, and of one that says most
_LEAST_WEIGHT, _OF_NUMBER, _MOST_WEIGHT = 0.15, 3.0, 5.3
_END: Final = "\0"  # after a whole word
_LAST: Final = "\U0010ffff"
# They begin words of many meanings.
_PREFIXES: Final = tuple("без вос від над обо пере перед под при прод про під раз рас роз".split())
# Of a word of three letters: "put" begins no "Putin".
_SHORT_ENDING: Final = re.compile("(?:.?(?:ed|ing)|e?s|d)?|[^a-z]{1,2}")
# Everyday words, most of which are no key terms, in the order of ``OUR_LANGUAGES``; written for this project.
_WORDS: Final = Path(__file__).with_name("told_words.tsv")


class Beginning(NamedTuple):
    """The first sentences of a document, its title before them."""

    lengths: tuple[int, ...]  # of each sentence
    words: tuple[str, ...]  # ascending
    where: bytes  # for each word, the sentences that have it, a bit each
    sounds: tuple[str, ...]  # how words sound, each before its place among the words; ascending

    @classmethod
    def of(cls, title: str, text: str, known: dict[str, str]) -> Beginning:
        """Read them; ``known`` has the words of all beginnings, so that each is in memory once."""
        parts = _SENTENCE.split(f"{title}\n{text}".lower().translate(_SPELT), _MOST_SENTENCES)[:_MOST_SENTENCES]
        where: dict[str, int] = {}
        for number, part in enumerate(parts):
            for word in _WORD.findall(part):
                where[known.setdefault(word, word)] = where.get(word, 0) | 1 << number
        words = tuple(sorted(where))
        long = [(at, word) for at, word in enumerate(words) if len(word) >= _SHORTEST and word.isalpha()]
        heard = sorted(_sounds(word)[0] + _END + chr(at) for at, word in long)
        sounds = tuple(known.setdefault(one, one) for one in heard)
        return cls(tuple(max(len(part), 1) for part in parts), words, bytes(map(where.__getitem__, words)), sounds)


class BeginningIndex(NamedTuple):
    """The words of the beginnings of consecutive documents: who may tell a sentence, without reading them all."""

    documents: range
    words: list[str]
    rows: Int32s

    @classmethod
    def of(cls, documents: range, read: Mapping[int, Beginning]) -> BeginningIndex:
        """Index them."""
        rows = sorted((word, row) for row, at in enumerate(documents) if at in read for word in read[at].words)
        return cls(documents, [word for word, _ in rows], np.array([row for _, row in rows], dtype=np.int32))

    def rows_of(self, beginnings: Sequence[str]) -> Int32s:
        """Documents with a word that begins like one of these; ascending."""
        found = [np.zeros(0, dtype=np.int32)]
        for one in beginnings:
            begin = bisect_left(self.words, one.removesuffix(_END))
            end = bisect_left(self.words, one if one.endswith(_END) else one + _LAST)
            found.append(self.rows[begin:end])
        return np.unique(np.concatenate(found))


class Beginnings:
    """The beginnings of documents of a store by ordinal, as ``texts_of`` reads the titles and first bytes of some."""

    def __init__(self) -> None:
        self._read: dict[int, Beginning] = {}
        self._words: dict[str, str] = {}
        self._parts: list[BeginningIndex] = []
        self._forgotten = 0

    def __bool__(self) -> bool:
        """Whether any of the indexed documents has a text."""
        return any(len(part.rows) for part in self._parts)

    def of(self, ordinals: Sequence[int], texts_of: _Texts) -> Mapping[int, Beginning]:
        """Read those of some documents, and keep them."""
        if len(self._read) > _MOST_READ:
            self._read.clear()
            self._words.clear()
        new = [one for one in ordinals if one not in self._read]
        self._read |= {one: Beginning.of(*texts, self._words) for one, texts in texts_of(new, BEGINNING).items()}
        return {one: self._read[one] for one in ordinals if one in self._read}

    def refreshed(self, documents: int, forgotten: int, texts_of: _Texts) -> range:
        """Index the last documents of a store that has so many, and say which they are; those forgotten leave."""
        if forgotten != self._forgotten:
            self._forgotten = forgotten
            self._read.clear()
            self._words.clear()
            self._parts.clear()
        last = range(max(documents - _INDEXED, 0) // _BLOCK * _BLOCK, documents)
        parts = self._parts = [part for part in self._parts if part.documents.start >= last.start]
        while (begin := parts[-1].documents.stop if parts else last.start) < documents:
            new = range(begin, min(documents, (begin // _BLOCK + 1) * _BLOCK))
            # Parts of one block that are no longer join, so that there are few, and few are made anew.
            while new.start % _BLOCK and len(parts[-1].documents) <= len(new):
                new = range(parts.pop().documents.start, new.stop)
            parts.append(BeginningIndex.of(new, self.of(new, texts_of)))
        return last

    def likely(self, told: Mapping[int, ToldSentence], last: range, languages: Uint8s) -> Ints:
        """Ordinals of the indexed documents that may have most of a sentence, as told in the language of each."""
        found = [np.zeros(0, dtype=np.int64)]
        for language, sentence in told.items():
            shares = np.concatenate([np.zeros(0), *map(sentence.likely, self._parts)])
            shares[languages != language] = 0.0
            best = np.argsort(-shares, kind="stable")[:_MOST_LIKELY]
            found.append(best[shares[best] >= _LEAST_LIKELY] + last.start)
        return np.sort(np.concatenate(found))


class ToldSentence:
    """A sentence, and the beginnings by which its words are found in texts of another language."""

    def __init__(self, text: str, source: Language, target: Language) -> None:
        text = text[:BEGINNING]
        self._length = max(len(text), 1)
        self._letters: dict[str, list[int]] = {}
        self._sounds: dict[str, list[int]] = {}
        self._weights: list[float] = []
        frequency, words = form_frequencies(source), _WORD.findall(text.lower().translate(_SPELT))
        for place, (word, stem) in enumerate(zip(words, stems(words, source), strict=True)):
            number = not word.isalpha()
            weight = _OF_NUMBER if number else math.log10(_COMMON / max(frequency(word), _RAREST)) + 2 * _LEAST_WEIGHT
            self._weights.append(min(max(weight, _LEAST_WEIGHT), _MOST_WEIGHT))
            if weight <= _LEAST_WEIGHT:
                continue
            for beginning in (word + _END, *(() if number else _told(word, stem, _by_stem(source, target)))):
                self._letters.setdefault(beginning, []).append(place)
            for sound in () if number or len(word) < _SHORTEST else _sounds(word):
                size = max(_SHORTEST, round(len(sound) * _SHARE_OF_SOUND))
                self._sounds.setdefault(sound[:size], []).append(place)
        self._total = sum(self._weights) or 1.0
        self._sounds = {sound: places for sound, places in self._sounds.items() if len(sound) >= _SHORTEST}

    def likely(self, index: BeginningIndex) -> Floats:
        """Share, by weight, of its words that the beginning of each document may have."""
        scores = np.zeros(len(index.documents))
        for place, weight in enumerate(self._weights):
            scores[index.rows_of([one for one, places in self._letters.items() if place in places])] += weight
        return scores / self._total

    def told_by(self, beginning: Beginning) -> float:
        """The greatest share, by weight, of its words that a sentence has, plus that of the first ones."""
        met: list[dict[int, float]] = [{} for _ in beginning.lengths]
        for at, places, share in self._met_in(beginning):
            for sentence in _SENTENCES[beginning.where[at]]:
                for place in places:
                    met[sentence][place] = max(share, met[sentence].get(place, 0.0))
        best = first = 0.0
        for number, (length, found) in enumerate(zip(beginning.lengths, met, strict=True)):
            told = math.fsum(self._weights[place] * share for place, share in found.items()) / self._total
            alike = min(length / self._length, self._length / length)
            best = max(best, told * (1 - _OF_LENGTH + _OF_LENGTH * alike))
            first = best if number < _OPENING else first
        return round(best + first, 9)

    def _met_in(self, beginning: Beginning) -> Iterator[tuple[int, list[int], float]]:
        """Each word of a beginning that words of the sentence stand for, these, and how certain it is."""
        words, sounds = beginning.words, beginning.sounds
        for begins, places in self._letters.items():
            whole = begins[:-1] if begins[-1] == _END else None
            at = bisect_left(words, whole or begins)
            while at < len(words) and (words[at] == whole if whole else words[at].startswith(begins)):
                if whole or len(begins) > _HEAD or _SHORT_ENDING.fullmatch(words[at], len(begins)):
                    yield at, places, 1.0
                at += 1
        for sound, places in self._sounds.items():
            at = bisect_left(sounds, sound)
            while at < len(sounds) and sounds[at].startswith(sound):
                yield ord(sounds[at][-1]), places, _BY_SOUND
                at += 1


def _beginning(term: str) -> str:
    if len(term) > _SHORTEST:
        least = max(_SHORTEST, *(len(one) + 2 for one in _PREFIXES if term.startswith(one)), 0)
        return term[: min(max(least, round(len(term) * _SHARE_OF_WORD)), _LONGEST)]
    inflected = len(term) == _SHORTEST and term[-1] in "аеиоуыьяюйіїє"
    return term[:-1] if inflected else term if len(term) >= _HEAD else term + _END


@lru_cache(1 << 17)
def _sounds(word: str) -> tuple[str, ...]:
    if any("a" <= letter <= "z" for letter in word):
        return tuple(roman.latin_consonants(roman.folded_latin(word)))
    return (roman.cyrillic_consonants(roman.folded_cyrillic(word)),)


def _told(word: str, stem: str, by_stem: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """How the equivalents of a word begin, by its stem, else by its own beginning."""
    ways = stem, *(word[:size] + _LAST for size in range(_LONGEST, _SHORTEST - 1, -1))
    return next((by_stem[one] for one in ways if one in by_stem), ())


@cache
def _by_stem(source: Language, target: Language) -> Mapping[str, tuple[str, ...]]:
    """How the equivalents of all words of a stem begin: to announce is told by what stands for announcement."""
    pairs, found = word_pairs(source, target), dict[str, dict[str, None]]()
    known = [(word, [one.term for one in every]) for word, every in pairs.items()]
    for row in _WORDS.read_text("utf-8").splitlines():
        told = dict(zip(OUR_LANGUAGES, row.split("\t"), strict=True))
        known += [(word, told[target].split()) for word in told[source].split()]
    for stem, (word, terms) in zip(stems([word for word, _ in known], source), known, strict=True):
        for way in (stem, _beginning(word) + _LAST):
            found.setdefault(way, {}).update((_beginning(term), None) for term in terms if " " not in term)
    return {stem: tuple(beginnings) for stem, beginnings in found.items()}


# What words of two languages mean, so that they can be compared without reading whole texts

_BRIDGE: Final[Language] = "ru"


@lru_cache(1 << 16)
def meant_by(word: str, language: Language) -> frozenset[str]:
    """Marks of what a word means, some of which a word of another language has if it may translate it.

    They are beginnings of Russian equivalents, everyday words, and how names sound; none for function words.
    """
    if not word.isalpha() or len(word) < _HEAD or word in stop_words(language):
        return frozenset((word,)) if word.isdecimal() else frozenset()
    sizes = range(_SHORTEST, min(len(word), _LONGEST) + 1)
    beginnings = [word + _END, *(word[:size] for size in sizes), *([word[:_HEAD]] if len(word) <= _HEAD + 2 else [])]
    found = {f"#{row}" for one in beginnings for row in _everyday(language).get(one, ())}
    if len(word) >= _SHORTEST:
        found.update("~" + sound[:_LONGEST] for sound in _sounds(word) if len(sound) >= _HEAD)
    if language == _BRIDGE:
        return frozenset(found.union(beginnings))
    pairs, keys = word_pairs(language, _BRIDGE), _keys(language)
    for size in range(len(word), len(_beginning(word).removesuffix(_END)) - 1, -1):
        alike = keys[bisect_left(keys, word[:size]) : bisect_left(keys, word[:size] + _LAST)]
        if alike:
            told = (one.term for key in alike if len(key) <= len(word) + 2 for one in pairs[key])
            return frozenset(found.union(map(_beginning, told)))
    return frozenset(found)


@cache
def _keys(language: Language) -> list[str]:
    return sorted(word_pairs(language, _BRIDGE))


@cache
def _everyday(language: Language) -> Mapping[str, list[int]]:
    """The rows of the table of everyday words by how their words begin."""
    found: dict[str, list[int]] = {}
    for number, row in enumerate(_WORDS.read_text("utf-8").splitlines()):
        for word in row.split("\t")[OUR_LANGUAGES.index(language)].split():
            found.setdefault(_beginning(word), []).append(number)
    return found
