"""How much of a sentence is told by the beginning of a text in another language, word by word.

Key terms are nouns and names; a sentence has too few of them to tell the text that answers it from others of its topic.
Here every word counts: by its equivalents, which need only begin alike (изменение, изменят), by its sound (stable,
стабильный; Promtex, Промтекс), or as it is written (numbers, brands). No dictionary of verbs and adjectives is needed.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.morphology.stemming import stems
from infostream_dedup.language.translation import romanisation as roman
from infostream_dedup.language.translation.word_pairs import word_pairs
from infostream_dedup.model import OUR_LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from infostream_dedup.model import Language

    _Texts = Callable[[Sequence[int], int], Mapping[int, tuple[str, str]]]

BEGINNING: Final = 1000  # number of bytes of a text that are read

_WORD: Final = re.compile("[^\\W_]+")
_SENTENCE: Final = re.compile("[.!?…]\\s|\\n")
_SPELT: Final = str.maketrans({"'": APOSTROPHE, "’": APOSTROPHE, "ё": "е"})
_INDEXED, _BLOCK = 5_000, 1_000  # so many last documents are indexed, in blocks
_MOST_LIKELY, _LEAST_LIKELY = 60, 0.2  # so many of them are read, with this share of a sentence
_MOST_READ: Final = 20_000
_MOST_SENTENCES: Final = 8
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

_PREFIXES: Final = tuple("без вос від над обо пере перед под при прод про під раз рас роз".split())
"""They begin words of many meanings."""

_WORDS: Final = Path(__file__).with_name("told_words.tsv")
"""Everyday words, most of which are no key terms, in the order of ``OUR_LANGUAGES``; written for this project."""


class Beginning(NamedTuple):
    """The first sentences of a document, its title before them."""

    sentences: tuple[tuple[int, frozenset[str]], ...]  # the length of each, and its words
    words: frozenset[str]

    @classmethod
    def of(cls, title: str, text: str) -> Beginning:
        """Read them."""
        parts = _SENTENCE.split(f"{title}\n{text}".lower().translate(_SPELT), _MOST_SENTENCES)[:_MOST_SENTENCES]
        read = tuple((max(len(part), 1), frozenset(_WORD.findall(part))) for part in parts)
        return cls(read, frozenset().union(*(words for _, words in read)))


class BeginningIndex:
    """The words of many beginnings: who may tell a sentence, without reading them all."""

    def __init__(self, beginnings: Sequence[Beginning]) -> None:
        self.documents = len(beginnings)
        rows = sorted((word, row) for row, one in enumerate(beginnings) for word in one.words)
        self._words, self._rows = [word for word, _ in rows], np.array([row for _, row in rows], dtype=np.int32)

    def rows_of(self, beginnings: Sequence[str]) -> NDArray[np.int32]:
        """Documents with a word that begins like one of these; ascending."""
        found = [np.zeros(0, dtype=np.int32)]
        for one in beginnings:
            begin = bisect_left(self._words, one.removesuffix(_END))
            end = bisect_left(self._words, one if one.endswith(_END) else one + _LAST)
            found.append(self._rows[begin:end])
        return np.unique(np.concatenate(found))


class Beginnings:
    """The beginnings of documents of a store by ordinal, as ``texts_of`` reads the titles and first bytes of some."""

    def __init__(self) -> None:
        self._read: dict[int, Beginning] = {}
        self._blocks: dict[range, BeginningIndex] = {}
        self._forgotten = 0

    def of(self, ordinals: Sequence[int], texts_of: _Texts) -> Mapping[int, Beginning]:
        """Read those of some documents, and keep them."""
        if len(self._read) > _MOST_READ:
            self._read.clear()
        new = [one for one in ordinals if one not in self._read]
        self._read |= {one: Beginning.of(*texts) for one, texts in texts_of(new, BEGINNING).items()}
        return self._read

    def refreshed(self, documents: int, forgotten: int, texts_of: _Texts) -> range:
        """Index the last documents of a store that has so many, and say which they are; those forgotten leave."""
        if forgotten != self._forgotten:
            self._forgotten = forgotten
            self._read.clear()
            self._blocks.clear()
        last = range(max(documents - _INDEXED, 0) // _BLOCK * _BLOCK, documents)
        blocks, kept = [last[at : at + _BLOCK] for at in range(0, len(last), _BLOCK)], self._blocks
        texts = {one: texts_of(one, BEGINNING) for one in blocks if one not in kept}
        read = {one: [Beginning.of(*found.get(at, ("", ""))) for at in one] for one, found in texts.items()}
        self._blocks = {one: kept.get(one) or BeginningIndex(read[one]) for one in blocks}
        return last

    def likely(self, told: Mapping[int, ToldSentence], last: range, languages: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Ordinals of the indexed documents that may have most of a sentence, as told in the language of each."""
        found = [np.zeros(0, dtype=np.int64)]
        for language, sentence in told.items():
            shares = np.concatenate([np.zeros(0), *map(sentence.likely, self._blocks.values())])
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
        self._met: dict[str, dict[int, float]] = {}
        self._seen: set[str] = set()
        frequency, words = form_frequencies(source), _WORD.findall(text.lower().translate(_SPELT))
        for place, (word, stem) in enumerate(zip(words, stems(words, source), strict=True)):
            number = not word.isalpha()
            weight = _OF_NUMBER if number else math.log10(_COMMON / max(frequency(word), _RAREST)) + 2 * _LEAST_WEIGHT
            self._weights.append(min(max(weight, _LEAST_WEIGHT), _MOST_WEIGHT))
            if weight <= _LEAST_WEIGHT:
                continue
            told = () if number else _told(word, stem, _by_stem(source, target))
            for beginning in (word + _END, *told):
                self._letters.setdefault(beginning, []).append(place)
            for sound in () if number or len(word) < _SHORTEST else _sounds(word):
                size = max(_SHORTEST, round(len(sound) * _SHARE_OF_SOUND))
                self._sounds.setdefault(sound[:size], []).append(place)
        self._total = sum(self._weights) or 1.0
        self._heads = frozenset(one[:_HEAD] for one in self._letters)
        self._sound_heads = frozenset(one[:_SHORTEST] for one in self._sounds if len(one) >= _SHORTEST)

    def likely(self, index: BeginningIndex) -> NDArray[np.float64]:
        """Share, by weight, of its words that the beginning of each document may have."""
        scores = np.zeros(index.documents)
        for place, weight in enumerate(self._weights):
            scores[index.rows_of([one for one, places in self._letters.items() if place in places])] += weight
        return scores / self._total

    def told_by(self, beginning: Beginning) -> float:
        """The greatest share, by weight, of its words that a sentence has, plus that of the first ones."""
        for word in beginning.words - self._seen:
            if found := self._of(word):
                self._met[word] = found
        self._seen |= beginning.words
        heard, best, first = beginning.words & self._met.keys(), 0.0, 0.0
        for number, (length, words) in enumerate(beginning.sentences):
            met: dict[int, float] = {}
            for word in words & heard:
                for place, share in self._met[word].items():
                    met[place] = max(share, met.get(place, 0.0))
            told = math.fsum(self._weights[place] * share for place, share in met.items()) / self._total
            alike = min(length / self._length, self._length / length)
            best = max(best, told * (1 - _OF_LENGTH + _OF_LENGTH * alike))
            first = best if number < _OPENING else first
        return round(best + first, 9)

    def _of(self, word: str) -> dict[int, float]:
        """The words of the sentence that a word of a text stands for, with their certainty."""
        met: dict[int, float] = {}
        if word[:_HEAD] in self._heads or word + _END in self._letters:
            # A short beginning is that of a short word.
            sizes = range(_HEAD if len(word) < _HEAD + _SHORTEST else _SHORTEST, _LONGEST + 1)
            found = [self._letters.get(one, ()) for one in (word + _END, *(word[:size] for size in sizes))]
            met = {place: 1.0 for places in found for place in places}
        if len(word) >= _SHORTEST and (sound := _sounds(word)[0])[:_SHORTEST] in self._sound_heads and word.isalpha():
            for size in range(_SHORTEST, len(sound) + 1):
                met = dict.fromkeys(self._sounds.get(sound[:size], ()), _BY_SOUND) | met
        return met


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
    ways = (stem, *(word[:size] + _LAST for size in range(_LONGEST, _SHORTEST - 1, -1)))
    return next((by_stem[one] for one in ways if one in by_stem), ())


@cache
def _by_stem(source: Language, target: Language) -> Mapping[str, tuple[str, ...]]:
    """How the equivalents of all words of a stem begin: to announce is told by what stands for announcement."""
    pairs, found = word_pairs(source, target), dict[str, dict[str, None]]()
    known = [(word, [one.term for one in every]) for word, every in pairs.items()]
    for row in _WORDS.read_text("utf-8").splitlines():
        told = dict(zip(OUR_LANGUAGES, row.split("\t"), strict=True))
        known += [(word, told[target].split()) for word in told[source].split()]
    for stem, (_, terms) in zip(stems([word for word, _ in known], source), known, strict=True):
        found.setdefault(stem, {}).update((_beginning(term), None) for term in terms if " " not in term)
    for word, terms in known:
        found.setdefault(_beginning(word) + _LAST, {}).update((_beginning(term), None) for term in terms if " " not in term)
    return {stem: tuple(beginnings) for stem, beginnings in found.items()}
