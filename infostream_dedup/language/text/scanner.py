"""Texts, forms and languages of many documents at once, by compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from infostream_dedup.language.text import language, tokens
from infostream_dedup.language.text.character_classes import classes_of_cleaned_text, classes_of_raw_text
from infostream_dedup.language.text.kernels import scanning, surface_table
from infostream_dedup.language.text.kernels.scanning import count_letters
from infostream_dedup.language.text.normalise import clean
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool, Utf8Texts, texts_of
from infostream_dedup.language.text.tokens import surfaces
from infostream_dedup.machine.arrays import Int32s, Ints, Uint8s
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.model import LANGUAGES

# Languages of many texts at once

_CYRILLIC: Final = np.array([LANGUAGES.index("ru"), LANGUAGES.index("uk")], dtype=np.uint8)


def detect(texts: Utf8Texts) -> Uint8s:
    """Language of each text, by counts of letters; doubtful ones are left to ``language.detect``."""
    counts = np.zeros((len(texts), 4), dtype=np.int32)
    count_letters(texts.data, texts.offsets, language.SAMPLE, counts)
    latin, cyrillic, russian, ukrainian = counts.T
    found = _CYRILLIC[(language.UKRAINIAN_WEIGHT * ukrainian > language.RUSSIAN_WEIGHT * russian).astype(np.intp)]
    english = latin > language.LATIN_NAMES * cyrillic
    found[english] = LANGUAGES.index("en")
    unsure = np.where(english, cyrillic > 0, russian + ukrainian < language.FEW)
    bounds = texts.offsets.tolist()
    for number in np.flatnonzero(english & ~unsure).tolist():
        # Bytes are searched faster than an array.
        own = texts.data[bounds[number] : bounds[number + 1]].tobytes()
        unsure[number] = b"<" in own or b"&" in own
    for number in np.flatnonzero(unsure | (latin < 0)).tolist():
        found[number] = LANGUAGES.index(language.detect(texts[number]))
    return found


# Convert texts to numbers of surfaces; the surfaces are those of `tokens.surfaces(normalise.clean(text))`.
#
# A scanner belongs to one thread. Several scanners may share a pool of surfaces: they find words concurrently and
# number them in turn. If texts are numbered in the order of the documents, surfaces get numbers in the order of their
# first occurrence.

_BLOCK_BYTES: Final = 1 << 19  # bytes of text whose words are found before they are numbered
_TABLE_BYTES: Final = 500_000
"""Bytes of text that are read without tables of characters in about the time in which these are made."""

_MOST_KEPT: Final = 1 << 24
"""Bytes of rewritten words for which memory is kept; after a longer text, which is rare, it is given back."""


# Not frozen: a stream makes one for each document, and making a frozen one takes several times as long.
@dataclass(slots=True)
class Scanned:
    """The tokens of a run of documents."""

    tokens: Int32s  # int32, number of the surface of each token, document by document
    begins: Ints  # int64 (documents,), first token of each document
    lengths: Ints  # int64 (documents,), number of tokens of each document

    def __len__(self) -> int:
        return len(self.begins)


# Not frozen: a stream makes one for each document, and making a frozen one takes several times as long.
@dataclass(slots=True)
class UnnumberedWords:
    """The words of a run of documents, not yet numbered."""

    texts: Utf8Texts  # the documents
    words: scanning.ScannedWords  # words of all these documents, and perhaps of others
    of_texts: scanning.TextWords  # assignment of words to documents


class Scanner:
    """Reads texts and numbers their surfaces, in a pool that scanners may share."""

    def __init__(self, surfaces: SurfacePool | None = None) -> None:
        self.surfaces = SurfacePool() if surfaces is None else surfaces
        self._words = _room(0, 0)

    def scan(self, texts: Utf8Texts) -> Scanned:
        """Number the surfaces of raw texts, block by block: the words of a block stay in the processor's cache."""
        parts = [self.number(self.find(block)) for block in texts.blocks(_BLOCK_BYTES)]
        if len(parts) == 1:
            return parts[0]
        tokens = np.concatenate([np.zeros(0, dtype=np.int32), *(part.tokens for part in parts)])
        lengths = np.concatenate([np.zeros(0, dtype=np.int64), *(part.lengths for part in parts)])
        return Scanned(tokens, lengths.cumsum() - lengths, lengths)

    def start_over(self, expected: int) -> None:
        """Number surfaces from 0 again, in the same memory unless it was made for a very long text."""
        self.surfaces = self.surfaces.emptied(expected)
        if len(self._words.rewritten) > _MOST_KEPT:
            self._words = _room(0, 0)

    def find(self, texts: Utf8Texts) -> UnnumberedWords:
        """Find the words of raw texts; the scanner reuses their memory in the next call."""
        found = _per_text(len(texts))
        self._make_room(0, 0, texts)
        words = size = 0
        if _is_worth_tables(int(texts.offsets[-1] - texts.offsets[0])):
            rules = scanning.ScanningRules(classes_of_raw_text(), True)
            words, size = scanning.find_words(texts.data, texts.offsets, rules, self._words, words, size, found)
        else:
            found.states[:] = scanning.UNKNOWN
        if found.states.max(initial=scanning.READ) == scanning.READ:
            return UnnumberedWords(texts, self._words, found)
        unclean = np.flatnonzero(found.states == scanning.UNCLEAN)
        if len(unclean):
            words, size = self._find_cleaned(texts, unclean, found, words, size)
        for number in np.flatnonzero(found.states == scanning.UNKNOWN).tolist():
            own = texts_of(surfaces(clean(texts[number])))
            found.begins[number], found.lengths[number] = words, len(own)
            words, size = self._take(own, words, size)
        return UnnumberedWords(texts, self._words, found)

    def number(self, found: UnnumberedWords) -> Scanned:
        """Number surfaces; scanners that share them must not do so at the same time."""
        lengths = found.of_texts.lengths
        ends = lengths.cumsum()
        tokens, begins = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int32), ends - lengths
        data, pool, done = found.texts.data, self.surfaces, 0
        while True:
            done = scanning.number_words(data, found.words, found.of_texts, done, pool.table, tokens, begins)
            if done == len(begins):
                return Scanned(tokens, begins, lengths)
            begin = found.of_texts.begins[done]
            text = slice(begin, begin + lengths[done])
            pool.make_room(int(lengths[done]), int(found.words.lengths[text].sum()))

    def _find_cleaned(
        self, texts: Utf8Texts, which: Ints, found: scanning.TextWords, words: int, size: int
    ) -> tuple[int, int]:
        """Find the words of some texts after cleaning; return the new numbers of words and of rewritten bytes."""
        cleaned = texts_of([clean(texts[number]) for number in which.tolist()])
        self._make_room(words, size, cleaned)
        own = _per_text(len(cleaned))
        rules = scanning.ScanningRules(classes_of_cleaned_text(), False)
        count, size = scanning.find_words(cleaned.data, cleaned.offsets, rules, self._words, words, size, own)
        size = scanning.rewrite_words(cleaned.data, self._words, words, count, size)
        found.begins[which], found.lengths[which], found.states[which] = own
        return count, size

    def _take(self, found: Utf8Texts, words: int, size: int) -> tuple[int, int]:
        """Add surfaces that the plain code found; return the new numbers of words and of rewritten bytes."""
        self._make_room(words, size, found)
        own, count = self._words, words + len(found)
        end = size + int(found.offsets[-1])
        own.rewritten[size:end] = found.data[: found.offsets[-1]]
        scanning.take_surfaces(found.offsets, own, words, size)
        return count, end

    def _make_room(self, words: int, size: int, texts: Utf8Texts) -> None:
        """Make room for the words of more texts; the memory is kept from call to call, since allocating is slow."""
        more = int(texts.offsets[-1] - texts.offsets[0])
        # A word takes at least two bytes, a letter and a separator; rewriting may double it.
        wanted, longest = words + (more + len(texts) + 1) // 2, size + 3 * more
        old = self._words
        if len(old.starts) < wanted or len(old.rewritten) < longest + BLOCK:
            self._words = _room(max(wanted, len(old.starts)), max(longest, len(old.rewritten)))
            new = self._words
            new.starts[:words], new.lengths[:words] = old.starts[:words], old.lengths[:words]
            new.hashes[:words], new.flags[:words] = old.hashes[:words], old.flags[:words]
            new.rewritten[:size] = old.rewritten[:size]


def _room(words: int, size: int) -> scanning.ScannedWords:
    """Allocate room for words, and for ``size`` bytes of rewritten words."""
    return scanning.ScannedWords(
        np.empty(words, dtype=np.int64),
        np.empty(words, dtype=np.int32),
        np.empty(words, dtype=np.uint64),
        np.empty(words, dtype=np.uint8),
        np.empty(size + BLOCK, dtype=np.uint8),
    )


def _per_text(count: int) -> scanning.TextWords:
    return scanning.TextWords(np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.uint8))


def _is_worth_tables(size: int) -> bool:
    """Whether tables of all characters pay off for ``size`` bytes of text and the earlier ones of this process."""
    _scanned[0] += size
    return _scanned[0] > _TABLE_BYTES


_scanned = [0]


# Forms of many surfaces at once


@dataclass(frozen=True, slots=True)
class SurfaceForms:
    """The forms that surfaces contain: one entry for every form of every surface."""

    forms: SurfaceList  # distinct forms
    surfaces: Int32s  # int32 (entries,), the surface, ascending; the words of one surface in order
    numbers: Int32s  # int32 (entries,), the form, index into `forms`
    shapes: Uint8s  # uint8 (entries,), the `Shape` of the word


def forms(surfaces: SurfaceList) -> SurfaceForms:
    """Return the forms of all surfaces: ordinary words by compiled code, the others by ``tokens.forms``."""
    pool = SurfacePool(len(surfaces))
    pool.make_room(len(surfaces), int(surfaces.starts[-1]))
    numbers, shapes = np.empty(len(surfaces), dtype=np.int32), np.empty(len(surfaces), dtype=np.uint8)
    surface_table.plain_forms(surfaces.pool, surfaces.starts, surface_table.form_buffers(), pool.table, numbers, shapes)
    odd = np.flatnonzero(numbers == surface_table.NOT_PLAIN)
    entries = [
        (surface, form, int(shape))
        for surface, word in zip(odd.tolist(), surfaces.some(odd), strict=True)
        for form, shape in tokens.forms(word)
    ]
    others = texts_of([form for _, form, _ in entries])
    other_numbers = pool.add(SurfaceList(others.offsets, others.data))
    holders = np.array([surface for surface, _, _ in entries], dtype=np.int32)
    other_shapes = np.array([shape for _, _, shape in entries], dtype=np.uint8)
    size = int(np.count_nonzero(numbers >= 0)) + len(entries)
    joined = surface_table.FormEntries(np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.uint8))
    surface_table.join_entries(numbers, shapes, surface_table.FormEntries(holders, other_numbers, other_shapes), joined)
    return SurfaceForms(pool.listed(), *joined)
