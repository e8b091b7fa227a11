"""Sentences of a collection: their spans in the raw texts, and their words.

Sentences are found in the raw text and spans count its code points; only the words of a sentence are cleaned. So soft
hyphens, combining marks, emoji and line ends never shift a span.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.features.hashing import hash_sequences, hash_words
from infostream_dedup.features.rows import Rows
from infostream_dedup.features.words import Words
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.text.language import detect
from infostream_dedup.text.normalise import clean, fold
from infostream_dedup.text.sentences import sentences

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SentenceTable", "TableBuilder", "read_sentences", "word_sequence_hashes"]

# The words of ``features.words``.
_WORD: Final = re.compile("[^\\W_]+(?:-[^\\W_]+)*")

# The splitter knows only \n. Each character is replaced by one character, so that no position changes.
_LINE_END: Final = re.compile("\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Words of one alphabet, which are nearly all, need no repair.
_PLAIN: Final = re.compile("[а-яіїєґ0-9]+|[a-z0-9]+")

_LONG: Final = 40
"""Minimum number of words in a sentence that is likely a list (of streets without power, say), copied item by item."""
_ITEM: Final = re.compile("[^\\n;\\s][^\\n;]*(?:;|(?<=\\S))")


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTable:
    """Sentences with words, in order of document and position.

    Attributes:
        first: int64 (documents + 1,): document d has the sentences ``first[d]`` to ``first[d + 1]``.
        starts: int64 (sentences,), in code points of the raw text.
        ends: int64 (sentences,), exclusive.
        words: words of each sentence; each row is one sentence.
        languages: uint8 (documents,), index into ``LANGUAGES``.
    """

    first: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    words: Words
    languages: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def documents(self) -> NDArray[np.int64]:
        """Document of each sentence: int64 (sentences,)."""
        return np.repeat(np.arange(len(self.first) - 1, dtype=np.int64), np.diff(self.first))

    @property
    def sentence_languages(self) -> list[Language]:
        """Language of each sentence, which is that of its document."""
        return [LANGUAGES[number] for number in self.languages[self.documents].tolist()]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of words of each sentence: int64 (sentences,)."""
        return self.words.rows.sizes

    @property
    def document_lengths(self) -> NDArray[np.int64]:
        """Number of words of each document: int64 (documents,)."""
        return np.diff(self.words.rows.indptr[self.first])

    def spans(self, document: int) -> list[tuple[int, int]]:
        """Return the spans ``[start, end)`` of a document's sentences."""
        chosen = slice(self.first[document], self.first[document + 1])
        return list(zip(self.starts[chosen].tolist(), self.ends[chosen].tolist(), strict=True))


class TableBuilder:
    """Builds a table document by document, so that the texts need not be in memory together."""

    def __init__(self) -> None:
        # Looking up a new word gives it the next number.
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._words = array("i")
        self._breaks = array("q", [0])
        self._starts = array("q")
        self._ends = array("q")
        self._first = array("q", [0])
        self._languages = array("B")

    def add(self, text: str, language: Language | None = None) -> None:
        """Cut one raw text into sentences and words; a missing language is detected."""
        number = self._numbers.__getitem__
        words = self._words
        # Most texts are clean already; cleaning whole texts is much faster than cleaning sentences.
        is_clean = clean(text) == text
        for start, end in sentences(_LINE_END.sub("\n", text)):
            found = _WORD.findall(text, start, end) if is_clean else _WORD.findall(clean(text[start:end]))
            if len(found) > _LONG:
                self._add_items(text, start, end)
            elif found:
                words.extend(map(number, found))
                self._breaks.append(len(words))
                self._starts.append(start)
                self._ends.append(end)
        self._first.append(len(self._starts))
        self._languages.append(LANGUAGES.index(language or detect(text)))

    def _add_items(self, text: str, start: int, end: int) -> None:
        """Split a long sentence into its items."""
        for item in _ITEM.finditer(text, start, end):
            found = _WORD.findall(clean(item[0]))
            if found:
                self._words.extend(map(self._numbers.__getitem__, found))
                self._breaks.append(len(self._words))
                self._starts.append(item.start())
                self._ends.append(item.end())

    def table(self) -> SentenceTable:
        """Return the table of all texts added."""
        # The key form is computed once for each spelling; words are numbered in the sort order of key forms.
        folded = list(map(_folded, self._numbers))
        vocabulary = sorted(set(folded))
        place_of = {word: place for place, word in enumerate(vocabulary)}
        renumbered = np.array([place_of[word] for word in folded], dtype=np.int32)
        values = renumbered[np.frombuffer(self._words, dtype=np.int32)] if self._words else np.zeros(0, dtype=np.int32)
        breaks = np.array(self._breaks, dtype=np.int64)
        rows = np.arange(len(self._starts), dtype=np.int64)
        return SentenceTable(
            np.array(self._first, dtype=np.int64),
            np.array(self._starts, dtype=np.int64),
            np.array(self._ends, dtype=np.int64),
            Words(Rows(breaks, values), vocabulary, breaks, rows),
            np.array(self._languages, dtype=np.uint8),
        )


def _folded(word: str) -> str:
    """Return what ``fold`` does, faster."""
    lower = word.lower().replace("ё", "е")
    return lower if _PLAIN.fullmatch(lower) else fold(word)


def read_sentences(texts: Iterable[str], languages: Iterable[Language | None] | None = None) -> SentenceTable:
    """Cut raw texts into sentences and words.

    Args:
        texts: text of each document.
        languages: language of each document; detected if ``None``.

    Example:
        >>> text = "Снег! *** Зима пришла."
        >>> table = read_sentences([text])
        >>> [text[start:end] for start, end in table.spans(0)]
        ['Снег!', '*** Зима пришла.']
    """
    builder = TableBuilder()
    if languages is None:
        for text in texts:
            builder.add(text)
    else:
        for text, language in zip(texts, languages, strict=True):
            builder.add(text, language)
    return builder.table()


def word_sequence_hashes(words: Words) -> NDArray[np.uint64]:
    """Hash the sequence of words of each row; equal sequences have equal hashes.

    Returns:
        uint64 (rows,).
    """
    # A polynomial over all words of the collection, from which the part before each row is subtracted.
    hashes = hash_words(words.vocabulary)[words.rows.values]
    sizes = words.rows.sizes
    result = np.zeros(len(words), dtype=np.uint64)
    order = np.argsort(sizes, kind="stable")
    bounds = np.searchsorted(sizes[order], np.arange(1, int(sizes.max(initial=0)) + 2))
    for size in np.unique(sizes[sizes > 0]).tolist():
        rows = order[bounds[size - 1] : bounds[size]]
        starts = words.rows.indptr[rows]
        result[rows] = hash_sequences([hashes[starts + step] for step in range(size)])
    return result
