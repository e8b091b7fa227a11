"""Sentences of a collection: where each stands in its raw text, and its words.

Spans are code points of the raw text, because sentences are found there; only the words of a sentence are cleaned. So
soft hyphens, combining marks, emoji and line ends never shift a span.
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

# The splitter knows \n only. One character for one, so that every place stays where it was.
_LINE_END: Final = re.compile("\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Words of one alphabet need no repair: nearly all of them.
_PLAIN: Final = re.compile("[а-яіїєґ0-9]+|[a-z0-9]+")

_LONG: Final = 40
"""Words of a sentence that is likely a list, of streets without power say: copied in parts, item by item."""
_ITEM: Final = re.compile("[^\\n;\\s][^\\n;]*(?:;|(?<=\\S))")


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTable:
    """Sentences that have words, in order of document and place.

    Attributes:
        first: int64 (documents + 1,): document d has the sentences ``first[d]`` to ``first[d + 1]``.
        starts: int64 (sentences,), code points of the raw text.
        ends: int64 (sentences,).
        words: one row, and one sentence, for each sentence.
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
        """int64 (sentences,): document of each sentence."""
        return np.repeat(np.arange(len(self.first) - 1, dtype=np.int64), np.diff(self.first))

    @property
    def sentence_languages(self) -> list[Language]:
        """Language of each sentence: that of its document."""
        return [LANGUAGES[number] for number in self.languages[self.documents].tolist()]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64 (sentences,): words of each sentence."""
        return self.words.rows.sizes

    @property
    def document_lengths(self) -> NDArray[np.int64]:
        """int64 (documents,): words of each document."""
        return np.diff(self.words.rows.indptr[self.first])

    def spans(self, document: int) -> list[tuple[int, int]]:
        """Where the sentences of a document stand: ``[start, end)``."""
        chosen = slice(self.first[document], self.first[document + 1])
        return list(zip(self.starts[chosen].tolist(), self.ends[chosen].tolist(), strict=True))


class TableBuilder:
    """Takes one document after the other, so that their texts need not lie in memory together."""

    def __init__(self) -> None:
        # A word that is asked for the first time gets the next number.
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._words = array("i")
        self._breaks = array("q", [0])
        self._starts = array("q")
        self._ends = array("q")
        self._first = array("q", [0])
        self._languages = array("B")

    def add(self, text: str, language: Language | None = None) -> None:
        """Cut one raw text into sentences and words; the language is detected where it is not given."""
        number = self._numbers.__getitem__
        words = self._words
        # Most texts are clean as they are; cleaning whole texts is much faster than cleaning sentences.
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
        """A long sentence, item by item."""
        for item in _ITEM.finditer(text, start, end):
            found = _WORD.findall(clean(item[0]))
            if found:
                self._words.extend(map(self._numbers.__getitem__, found))
                self._breaks.append(len(self._words))
                self._starts.append(item.start())
                self._ends.append(item.end())

    def table(self) -> SentenceTable:
        """What was added."""
        # The key form is made once for each spelling; of several, the last sort order is that of the words.
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
    """What ``fold`` says, sooner."""
    lower = word.lower().replace("ё", "е")
    return lower if _PLAIN.fullmatch(lower) else fold(word)


def read_sentences(texts: Iterable[str], languages: Iterable[Language | None] | None = None) -> SentenceTable:
    """Cut raw texts into sentences and words.

    Args:
        texts: one per document.
        languages: of each document; detected where it is None.

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
    """Hash of the words of each row in their order; rows of equal words have equal hashes.

    Returns:
        uint64 (rows,).
    """
    # A polynomial over all words of the collection; what stands before a row is taken away from it.
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
