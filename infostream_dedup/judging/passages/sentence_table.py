"""Sentences of a collection: their spans in the raw texts, and their words.

Sentences are found in the raw text and spans count its code points; only the words of a sentence are cleaned. So soft
hyphens, combining marks, emoji and line ends never shift a span.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.features.hashing import hash_sequences, hash_words
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.words import Words
from infostream_dedup.judging.passages.word_alignment import matching_blocks
from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.normalise import clean, fold, without_blocks
from infostream_dedup.language.text.sentences import sentences
from infostream_dedup.model import LANGUAGES, Language, language_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SentenceTable", "TableBuilder", "read_sentences", "word_sequence_hashes"]

# The words of ``features.words``.
_WORD: Final = re.compile("[^\\W_]+(?:-[^\\W_]+)*")

# The splitter knows only \n. Each character is replaced by one character, so that no position changes.
_LINE_END: Final = re.compile("\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Words of one alphabet, which are nearly all, need no repair.
_PLAIN: Final = re.compile("[а-яіїєґ0-9]+|[a-z0-9]+")

# Items of a list (of streets without power, say) are copied one by one, so a semicolon ends a sentence, but not that of
# an HTML entity.
_ITEM_END: Final = re.compile("&#?\\w{1,31};|(;)\\s*")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SentenceTable:
    """Sentences with words, in order of document and position.

    Attributes:
        first: int64 (documents + 1,): document d has the sentences ``first[d]`` to ``first[d + 1]``.
        starts: int64 (sentences,), in code points of the raw text.
        ends: int64 (sentences,), exclusive.
        words: words of each sentence; each row is one sentence.
        word_starts: int32 (words,), in code points of the raw text; ascending, as are the ends.
        word_ends: int32 (words,), exclusive.
        languages: uint8 (documents,), index into ``LANGUAGES``.
    """

    first: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    words: Words
    word_starts: NDArray[np.int32]
    word_ends: NDArray[np.int32]
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

    def begins(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where stretches that begin with these words begin: int64, code points.

        A stretch that begins with the first word of a sentence takes what precedes the word, such as a quote.

        Args:
            words: int64, numbers of words in the whole collection.
        """
        rows = self.words.rows
        sentence = np.searchsorted(rows.indptr, words, side="right") - 1
        opens = rows.indptr[sentence] == words
        return np.where(opens, self.starts[sentence], self.word_starts[words]).astype(np.int64)

    def finishes(self, ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where stretches of words end: int64, code points, exclusive; a last word takes the full stop.

        Args:
            ends: int64, the word after the last one of each stretch.
        """
        rows = self.words.rows
        sentence = np.searchsorted(rows.indptr, ends - 1, side="right") - 1
        closes = rows.indptr[sentence + 1] == ends
        return np.where(closes, self.ends[sentence], self.word_ends[ends - 1]).astype(np.int64)

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
        self._word_starts = array("i")
        self._word_ends = array("i")
        self._breaks = array("q", [0])
        self._starts = array("q")
        self._ends = array("q")
        self._first = array("q", [0])
        self._languages = array("B")

    def add(self, text: str, language: str | None = None) -> None:
        """Cut one raw text into sentences and words; a missing language is detected."""
        text = without_blocks(text, " ")
        # Most texts are clean already; cleaning whole texts is much faster than cleaning sentences.
        is_clean, has_items = clean(text) == text, ";" in text
        for sentence in sentences(_LINE_END.sub("\n", text)):
            for start, end in _items(text, *sentence) if has_items else (sentence,):
                places = [found.span() for found in _WORD.finditer(text, start, end)]
                words = [text[begin:close] for begin, close in places]
                if not is_clean and (cleaned := _WORD.findall(clean(text[start:end]))) != words:
                    places, words = _places(cleaned, words, places), cleaned
                if words:
                    self._add_sentence((start, end), words, places)
        self._first.append(len(self._starts))
        self._languages.append(language_number(language or detect(text)))

    def _add_sentence(self, span: tuple[int, int], words: list[str], places: list[tuple[int, int]]) -> None:
        self._words.extend(map(self._numbers.__getitem__, words))
        self._word_starts.extend([start for start, _ in places])
        self._word_ends.extend([end for _, end in places])
        self._breaks.append(len(self._words))
        self._starts.append(span[0])
        self._ends.append(span[1])

    def table(self) -> SentenceTable:
        """Return the table of all texts added."""
        # The key form is computed once for each spelling; words are numbered in the sort order of key forms.
        folded = list(map(_fold_word, self._numbers))
        vocabulary = sorted(set(folded))
        place_of = {word: place for place, word in enumerate(vocabulary)}
        renumbered = np.array([place_of[word] for word in folded], dtype=np.int32)
        values = renumbered[np.frombuffer(self._words, dtype=np.int32)] if self._words else np.zeros(0, dtype=np.int32)
        breaks = np.array(self._breaks, dtype=np.int64)
        rows = np.arange(len(self._starts), dtype=np.int64)
        return SentenceTable(
            first=np.array(self._first, dtype=np.int64),
            starts=np.array(self._starts, dtype=np.int64),
            ends=np.array(self._ends, dtype=np.int64),
            words=Words(Rows(breaks, values), vocabulary, breaks, rows),
            word_starts=np.array(self._word_starts, dtype=np.int32),
            word_ends=np.array(self._word_ends, dtype=np.int32),
            languages=np.array(self._languages, dtype=np.uint8),
        )


def _items(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split a sentence after its semicolons."""
    for found in _ITEM_END.finditer(text, start, end):
        if found[1]:
            yield start, found.start() + 1
            start = min(found.end(), end)
    if start < end:
        yield start, end


def _places(cleaned: list[str], words: list[str], places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Find the words of a cleaned sentence in the raw one.

    Between two words that cleaning left unchanged, each changed word takes one raw word, in order. The last takes all
    that remain; a word for which none is left has no characters.
    """
    found: list[tuple[int, int]] = []
    done = raw_done = 0
    for start, raw_start, size in [*matching_blocks(cleaned, words), (len(cleaned), len(words), 0)]:
        raw = places[raw_done:raw_start]
        missing = start - done
        at = found[-1][1] if found else (places[0][0] if places else 0)
        for number in range(missing):
            own = raw[number:] if number == missing - 1 else raw[number : number + 1]
            found.append((own[0][0], own[-1][1]) if own else (at, at))
            at = found[-1][1]
        found += places[raw_start : raw_start + size]
        done, raw_done = start + size, raw_start + size
    return found


def _fold_word(word: str) -> str:
    """Return what ``fold`` does, faster."""
    lower = word.lower().replace("ё", "е")
    return lower if _PLAIN.fullmatch(lower) else fold(word)


def read_sentences(texts: Iterable[str], languages: Iterable[str | None] | None = None) -> SentenceTable:
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
