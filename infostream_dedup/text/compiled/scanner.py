"""From texts to numbers of surfaces, fast: the same surfaces as ``tokens.surfaces(normalise.clean(text))``.

A scanner belongs to one thread. Several may share a pool of surfaces: each finds the words of its texts while the
others find theirs, and one after the other they number them. Whoever numbers texts in the order of the documents
numbers surfaces in the order in which they are first met there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.text.character_classes import classes_of_cleaned_text, classes_of_raw_text
from infostream_dedup.text.kernels.byte_blocks import BLOCK
from infostream_dedup.text.kernels.raw_text import UNCLEAN, UNKNOWN
from infostream_dedup.text.kernels.scanning import find_words
from infostream_dedup.text.kernels.words import Words, number_words, rewrite_words, take_surfaces
from infostream_dedup.text.normalise import clean
from infostream_dedup.text.surface_pool import SurfacePool
from infostream_dedup.text.tokens import surfaces
from infostream_dedup.text.utf8 import Texts, texts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Found", "Scanned", "Scanner"]


@dataclass(frozen=True, slots=True)
class Scanned:
    """The tokens of a run of documents.

    Attributes:
        tokens: int32, number of the surface of each token, document after document.
        begins: int64 (documents,), where the tokens of each document begin.
        lengths: int64 (documents,), how many they are.
    """

    tokens: NDArray[np.int32]
    begins: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.begins)


@dataclass(frozen=True, slots=True)
class Found:
    """The words of a run of documents, not numbered yet.

    Attributes:
        texts: the documents.
        words: of all of them, and perhaps of others.
        begins: int64 (documents,), where the words of each document begin.
        lengths: int64 (documents,), how many they are.
    """

    texts: Texts
    words: Words
    begins: NDArray[np.int64]
    lengths: NDArray[np.int64]


class Scanner:
    """Reads texts and numbers their surfaces.

    Args:
        surfaces: to share with other scanners; by default those of this one alone.

    Attributes:
        surfaces: those met so far.
    """

    def __init__(self, surfaces: SurfacePool | None = None) -> None:
        self.surfaces = SurfacePool() if surfaces is None else surfaces
        self._words = _room(0, 0)

    def scan(self, texts: Texts) -> Scanned:
        """Number the surfaces of raw texts."""
        return self.number(self.find(texts))

    def find(self, texts: Texts) -> Found:
        """The words of raw texts; they lie in memory of the scanner and are lost when it is asked again."""
        count = len(texts)
        begins, lengths, states = _per_text(count)
        self._make_room(0, 0, texts)
        data, offsets = texts.data, texts.offsets
        words, size = find_words(data, offsets, classes_of_raw_text(), True, self._words, 0, 0, begins, lengths, states)
        unclean = np.flatnonzero(states == UNCLEAN)
        if len(unclean):
            words, size = self._find_cleaned(texts, unclean, begins, lengths, states, words, size)
        for number in np.flatnonzero(states == UNKNOWN).tolist():
            found = texts_of(surfaces(clean(texts[number])))
            begins[number], lengths[number] = words, len(found)
            words, size = self._take(found, words, size)
        return Found(texts, self._words, begins, lengths)

    def number(self, found: Found) -> Scanned:
        """Number surfaces; one scanner at a time may do so where several share them."""
        ends = np.cumsum(found.lengths)
        tokens, begins = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int32), ends - found.lengths
        data, pool, done = found.texts.data, self.surfaces, 0
        while True:
            done = number_words(data, found.words, found.begins, found.lengths, done, pool.table, tokens, begins)
            if done == len(begins):
                return Scanned(tokens, begins, found.lengths)
            text = slice(found.begins[done], found.begins[done] + found.lengths[done])
            pool.make_room(int(found.lengths[done]), int(found.words.lengths[text].sum()))

    def _find_cleaned(
        self,
        texts: Texts,
        which: NDArray[np.int64],
        begins: NDArray[np.int64],
        lengths: NDArray[np.int64],
        states: NDArray[np.uint8],
        words: int,
        size: int,
    ) -> tuple[int, int]:
        """Find the words of some texts after cleaning, behind ``words`` words and ``size`` bytes; the new numbers."""
        cleaned = texts_of([clean(texts[number]) for number in which.tolist()])
        self._make_room(words, size, cleaned)
        own_begins, own_lengths, own_states = _per_text(len(cleaned))
        kinds = classes_of_cleaned_text()
        count, size = find_words(
            cleaned.data, cleaned.offsets, kinds, False, self._words, words, size, own_begins, own_lengths, own_states
        )
        size = rewrite_words(cleaned.data, self._words, words, count, size)
        begins[which], lengths[which], states[which] = own_begins, own_lengths, own_states
        return count, size

    def _take(self, found: Texts, words: int, size: int) -> tuple[int, int]:
        """Take surfaces as the plain code found them; the new numbers of words and bytes."""
        self._make_room(words, size, found)
        own, count = self._words, words + len(found)
        end = size + int(found.offsets[-1])
        own.rewritten[size:end] = found.data[: found.offsets[-1]]
        take_surfaces(found.offsets, own, words, size)
        return count, end

    def _make_room(self, words: int, size: int, texts: Texts) -> None:
        """Room for the words of more texts behind those there are; kept from call to call, since new memory is slow."""
        more = int(texts.offsets[-1] - texts.offsets[0])
        # A word takes two bytes at least, a letter and what parts it from the next; rewriting may double it.
        wanted, longest = words + (more + len(texts) + 1) // 2, size + 3 * more
        old = self._words
        if len(old.starts) < wanted or len(old.rewritten) < longest + BLOCK:
            self._words = _room(max(wanted, len(old.starts)), max(longest, len(old.rewritten)))
            new = self._words
            new.starts[:words], new.lengths[:words] = old.starts[:words], old.lengths[:words]
            new.hashes[:words], new.flags[:words] = old.hashes[:words], old.flags[:words]
            new.rewritten[:size] = old.rewritten[:size]


def _room(words: int, size: int) -> Words:
    """Room for words, and for words rewritten of that many bytes in sum."""
    return Words(
        np.empty(words, dtype=np.int64),
        np.empty(words, dtype=np.int32),
        np.empty(words, dtype=np.uint64),
        np.empty(words, dtype=np.uint8),
        np.empty(size + BLOCK, dtype=np.uint8),
    )


def _per_text(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    return np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64), np.empty(count, dtype=np.uint8)
