"""Generates a made-up news stream: Zipf vocabulary, stories of heavy-tailed sizes, edited reprints, shuffled order.

A story has its own list of topical lemmas, drawn from the middle and the tail of the vocabulary; 40 % of the words of a
newly written document come from it, the others from the general vocabulary. 70 % of the later documents of a story are
reprints: an earlier text with 0 to 45 % of its words dropped or replaced. The story of each document is the truth
against which duplicate detectors can be evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final, Literal, NamedTuple, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

MONTH: Final = 1_272_217  # number of documents in the source paper's month

_LEMMAS = 400_000
_COMMON = 300
_TOPIC_LEMMAS = 60
_MEAN_LENGTH = 225
_LARGEST_STORY = 3000
_SKEWED_LEMMAS = 30_000
_RUSSIAN = re.compile("[а-я][а-яё]*")
Words = Literal["made-up", "russian"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents as lemma numbers."""

    indptr: NDArray[np.int64]
    tokens: NDArray[np.int32]
    stories: NDArray[np.int32]
    lemmas: int

    def __len__(self) -> int:
        return len(self.indptr) - 1


@dataclass(frozen=True, slots=True)
class Texts:
    """Documents as UTF-8 in one buffer, in the layout of an Arrow large_string array."""

    offsets: NDArray[np.int64]
    data: NDArray[np.uint8]

    @classmethod
    def of(cls, folder: Path) -> Self:
        """What ``save_texts`` wrote, of which only the parts that are read take memory."""
        return cls(np.load(folder / "offsets.npy"), np.memmap(folder / "texts.bin", dtype=np.uint8, mode="r"))

    def __iter__(self) -> Iterator[str]:
        for document in range(len(self.offsets) - 1):
            yield self.data[self.offsets[document] : self.offsets[document + 1]].tobytes().decode()


def generate(documents: int, *, seed: int) -> Corpus:
    """Generate a stream; the same number and seed give the same stream."""
    random = np.random.default_rng(seed)
    rank = np.arange(1, _LEMMAS + 1)
    language = _make_alias_table(1 / (rank + 6.0) ** 1.05)
    topical = _make_alias_table(1 / (rank[_COMMON:] + 6.0) ** 0.80)
    indptr, tokens, stories = _write_stories(seed, _draw_story_sizes(documents, random), language, topical)
    order = random.permutation(len(stories))[:documents]
    shuffled = np.concatenate(([0], np.cumsum(np.diff(indptr)[order])))
    return Corpus(shuffled, _gather(tokens, indptr[:-1][order], shuffled), stories[order], _LEMMAS)


def harder(corpus: Corpus) -> Corpus:
    """Fold all but the most common lemmas onto 30,000, a quarter of which take most of the mass."""
    lemma = np.arange(_LEMMAS, dtype=np.int64)
    scattered = lemma[_COMMON:] * 2654435761 % (1 << 32) / 2.0**32
    lemma[_COMMON:] = _COMMON + (scattered**2 * _SKEWED_LEMMAS).astype(np.int64)
    return replace(corpus, tokens=lemma.astype(np.int32)[corpus.tokens], lemmas=_COMMON + _SKEWED_LEMMAS)


def write_texts(corpus: Corpus, *, seed: int = 7, words: Words = "made-up") -> Texts:
    """Spell the lemmas as words with capitals, punctuation and figures."""
    russian = words == "russian"
    stems = _pack(_read_russian_forms() if russian else _make_stems(seed))
    endings = _pack(["" if russian else ending for ending in _ENDINGS])
    longest = int(np.diff(endings.starts).max())
    room = int(np.diff(stems.starts)[corpus.tokens].sum()) + len(corpus.tokens) * (longest + 12)
    data = np.empty(room, dtype=np.uint8)
    offsets = np.zeros(len(corpus) + 1, dtype=np.int64)
    size = _spell(corpus.indptr, corpus.tokens, stems, endings, offsets, data)
    return Texts(offsets, data[:size].copy())


_CONSONANTS = "бвгджзклмнпрстфхцчшщ"
_VOWELS = "аеиоуыэюя"
_ENDINGS = [
    "", "а", "у", "ом", "е", "ы", "ами", "ах", "ов", "ой",
    "ого", "ему", "ая", "ие", "ить", "ал", "ила", "ится", "ение", "ением",
]  # fmt: skip


class Strings(NamedTuple):
    """Strings as UTF-8 in one buffer, and where each begins; the last number is the end."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]


def _make_stems(seed: int) -> list[str]:
    random = np.random.default_rng(seed)
    # In the order in which they were made.
    stems: dict[str, None] = {}
    while len(stems) < _LEMMAS:
        syllables = 1 + (len(stems) > _COMMON) + (len(stems) > 6000) + random.integers(0, 2, 4096)
        consonants, vowels = random.integers(0, 20, (4096, 5)), random.integers(0, 9, (4096, 5))
        for draw in range(min(4096, _LEMMAS - len(stems))):
            letters = [_CONSONANTS[consonants[draw, at]] + _VOWELS[vowels[draw, at]] for at in range(syllables[draw])]
            stems["".join(letters) + _CONSONANTS[consonants[draw, 4]]] = None
    return list(stems)


def _read_russian_forms() -> list[str]:
    from wordfreq import iter_wordlist

    forms = list(islice(filter(_RUSSIAN.fullmatch, iter_wordlist("ru", "best")), _LEMMAS))
    if len(forms) < _LEMMAS:
        raise RuntimeError(f"{len(forms)} Russian forms, expected {_LEMMAS}")
    return forms


def _pack(strings: list[str]) -> Strings:
    data = [string.encode() for string in strings]
    return Strings(np.frombuffer(b"".join(data), dtype=np.uint8), np.cumsum([0, *map(len, data)], dtype=np.int64))


def _draw_story_sizes(documents: int, random: np.random.Generator) -> NDArray[np.int64]:
    drawn = np.zeros(0, dtype=np.int64)
    while drawn.sum() < documents:
        more = np.minimum(random.random(200_000) ** (-1 / 1.45), _LARGEST_STORY).astype(np.int64)
        drawn = np.concatenate((drawn, more))
    sizes = drawn[: int(np.searchsorted(np.cumsum(drawn), documents)) + 1]
    if documents >= 100_000:
        sizes = np.append(sizes, _LARGEST_STORY)
    random.shuffle(sizes)
    return sizes


class AliasTable(NamedTuple):
    """For Walker's alias method: keep entry i with probability ``keep[i]``, otherwise take ``other[i]``."""

    keep: NDArray[np.float64]
    other: NDArray[np.int64]


def _make_alias_table(weights: NDArray[np.float64]) -> AliasTable:
    return AliasTable(*_balance(weights * (len(weights) / weights.sum())))


@njit(cache=True)
def _balance(share: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    keep, other = np.ones(share.size), np.arange(share.size)
    small, large = np.flatnonzero(share < 1), np.flatnonzero(share >= 1)
    smalls, larges = small.size, large.size
    stack = np.empty(share.size, np.int64)
    stack[:smalls] = small
    while smalls > 0 and larges > 0:
        one, rich = stack[smalls - 1], large[larges - 1]
        keep[one], other[one] = share[one], rich
        share[rich] -= 1 - share[one]
        smalls -= 1
        if share[rich] < 1:
            larges -= 1
            stack[smalls] = rich
            smalls += 1
    return keep, other


@njit(cache=True)
def _draw(table: AliasTable) -> int:
    drawn = np.random.randint(0, table.keep.size)
    return drawn if np.random.random() < table.keep[drawn] else table.other[drawn]


@njit(cache=True)
def _compose(out: NDArray[np.int32], topics: NDArray[np.int32], language: AliasTable) -> int:
    length = min(max(int(np.exp(np.random.normal(np.log(_MEAN_LENGTH) - 0.125, 0.5))), 30), 1500)
    for place in range(length):
        if np.random.random() < 0.40:
            skew = np.random.random()
            out[place] = topics[int(skew * skew * topics.size)]
        else:
            out[place] = _draw(language)
    return length


@njit(cache=True)
def _reprint(original: NDArray[np.int32], out: NDArray[np.int32], language: AliasTable) -> int:
    edited = np.random.random() ** 2 * 0.45
    length = 0
    for token in original:
        chance = np.random.random()
        if chance < edited * 0.5:
            out[length] = _draw(language)
            length += 1
        elif chance >= edited:
            out[length] = token
            length += 1
    return length


@njit(cache=True)
def _write_stories(
    seed: int, sizes: NDArray[np.int64], language: AliasTable, topical: AliasTable
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    np.random.seed(seed)
    documents = sizes.sum()
    indptr, stories = np.zeros(documents + 1, np.int64), np.empty(documents, np.int32)
    tokens = np.empty(documents * _MEAN_LENGTH * 5 // 4 + 100_000, np.int32)
    out, topics = np.empty(1500, np.int32), np.empty(_TOPIC_LEMMAS, np.int32)
    document = 0
    for story in range(sizes.size):
        for topic in range(_TOPIC_LEMMAS):
            topics[topic] = _draw(topical) + _COMMON
        original = 0
        for member in range(sizes[story]):
            fresh = member == 0 or np.random.random() < 0.30
            begin = indptr[document]
            if fresh:
                length = _compose(out, topics, language)
            else:
                length = _reprint(tokens[indptr[original] : indptr[original + 1]], out, language)
            if begin + length > tokens.size:
                tokens = np.concatenate((tokens, np.empty(tokens.size // 3, np.int32)))
            tokens[begin : begin + length] = out[:length]
            if member == 0 or (fresh and np.random.random() < 0.3):
                original = document
            stories[document] = story
            document += 1
            indptr[document] = begin + length
    return indptr, tokens[: indptr[-1]].copy(), stories


@njit(cache=True)
def _gather(tokens: NDArray[np.int32], starts: NDArray[np.int64], indptr: NDArray[np.int64]) -> NDArray[np.int32]:
    out = np.empty(indptr[-1], tokens.dtype)
    for document in range(starts.size):
        for step in range(indptr[document + 1] - indptr[document]):
            out[indptr[document] + step] = tokens[starts[document] + step]
    return out


@njit(cache=True)
def _chance(token: int, before: int, salt: int) -> float:
    """Return a number from 0 to 1 that depends only on a token, the one before it and the salt."""
    mixed = np.uint64(token) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(before) * np.uint64(0xC2B2AE3D27D4EB4F) ^ np.uint64(salt)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.float64((mixed ^ (mixed >> np.uint64(32))) >> np.uint64(11)) / 2.0**53


@njit(cache=True)
def _put(data: NDArray[np.uint8], size: int, strings: Strings, number: int) -> int:
    for position in range(strings.starts[number], strings.starts[number + 1]):
        data[size] = strings.data[position]
        size += 1
    return size


@njit(cache=True)
def _capitalise(data: NDArray[np.uint8], begin: int) -> None:
    """Capitalise a two-byte Cyrillic letter: а-п are 0x20 above А-П, while р-я have another lead byte."""
    if data[begin] == 0xD0:
        data[begin + 1] -= 0x20
    else:
        data[begin] = 0xD0
        data[begin + 1] += 0x20


@njit(cache=True)
def _spell_figure(data: NDArray[np.uint8], size: int, figure: int) -> int:
    data[size] = 32
    for place in range(4):
        data[size + 4 - place] = 48 + figure % 10
        figure //= 10
    return size + 5


@njit(cache=True)
def _spell(
    indptr: NDArray[np.int64],
    tokens: NDArray[np.int32],
    stems: Strings,
    endings: Strings,
    offsets: NDArray[np.int64],
    data: NDArray[np.uint8],
) -> int:
    size = 0
    for document in range(indptr.size - 1):
        before, capital = 0, True
        for position in range(indptr[document], indptr[document + 1]):
            lemma = tokens[position]
            begin = size
            size = _put(data, size, stems, lemma)
            ending = int(_chance(lemma, before, 1) ** 2 * (1 + lemma * 7919 % 14))
            size = _put(data, size, endings, ending)
            if capital or _chance(lemma, before, 3) < 0.06:
                _capitalise(data, begin)
            chance = _chance(lemma, before, 2)
            capital = chance < 0.055
            if chance < 0.14:
                data[size] = 46 if capital else 44
                size += 1
            elif chance < 0.165:
                size = _spell_figure(data, size, int(chance * 1e6) % 2030)
            data[size] = 32
            size += 1
            before = lemma
        offsets[document + 1] = size
    return size
