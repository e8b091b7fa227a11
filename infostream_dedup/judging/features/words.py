"""Documents as rows of numbered words, in text order, with the borders of their sentences.

The methods of the literature know neither stems nor key terms: a word is a run of letters or digits (numbers
distinguish reports), or several joined by hyphens, in the key form of ``text.normalise.fold``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.language.lexicon.word_lists import stop_words
from infostream_dedup.language.text.normalise import clean, fold
from infostream_dedup.language.text.sentences import sentences
from infostream_dedup.model import LANGUAGES, language_number

if TYPE_CHECKING:
    from numpy.typing import NDArray


_WORD: Final = re.compile("[^\\W_]+(?:-[^\\W_]+)*")

SHORTEST_WORD: Final = 4
"""Zelenkov and Segalovich drop words of three letters or fewer."""


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Words of all documents.

    Attributes:
        rows: int32 word numbers, index into ``vocabulary``, one row per document, in text order.
        vocabulary: distinct words in code point order, so that comparing numbers compares words.
        breaks: int64 (sentences + 1,), start of each sentence in ``rows.values``, and end of the last one. A sentence
            may be empty.
        sentence_documents: int64 (sentences,), document of each sentence, ascending.
    """

    rows: Ragged
    vocabulary: list[str]
    breaks: NDArray[np.int64]
    sentence_documents: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def only(self, keep: NDArray[np.bool_]) -> Words:
        """Drop words.

        Args:
            keep: bool (words of all documents,).
        """
        before = offsets_of(keep)
        return Words(self.rows.chosen(keep), self.vocabulary, before[self.breaks], self.sentence_documents)

    def text(self, document: int) -> str:
        """Return the words of one document, joined by blanks."""
        return " ".join([self.vocabulary[word] for word in self.rows.row(document).tolist()])


def read_words(texts: Sequence[str]) -> Words:
    """Cut raw texts into sentences and words.

    Example:
        >>> read = read_words(["Снег в Киеве. Снега много!"])
        >>> read.text(0), read.breaks.tolist()
        ('снег в киеве снега много', [0, 3, 5])
    """
    number_of: dict[str, int] = {}
    numbers: list[NDArray[np.int32]] = []
    ends = [0]
    breaks = [0]
    sentence_documents: list[int] = []
    for document, text in enumerate(texts):
        cleaned = clean(text)
        found: list[int] = []
        for start, end in sentences(cleaned):
            found.extend([number_of.setdefault(word, len(number_of)) for word in _WORD.findall(cleaned, start, end)])
            breaks.append(ends[-1] + len(found))
            sentence_documents.append(document)
        numbers.append(np.array(found, dtype=np.int32))
        ends.append(ends[-1] + len(found))
    folded = [fold(word) for word in number_of]
    vocabulary = sorted(set(folded))
    place_of = {word: place for place, word in enumerate(vocabulary)}
    renumbered = np.array([place_of[word] for word in folded], dtype=np.int32)
    values = renumbered[np.concatenate(numbers)] if ends[-1] else np.zeros(0, dtype=np.int32)
    return Words(
        Ragged(np.array(ends, dtype=np.int64), values),
        vocabulary,
        np.array(breaks, dtype=np.int64),
        np.array(sentence_documents, dtype=np.int64),
    )


def stop_word_places(words: Words, languages: Sequence[str]) -> NDArray[np.bool_]:
    """Find the words that are function words of their document's language.

    Returns:
        bool (words of all documents,).
    """
    language = np.array([language_number(name) for name in languages], dtype=np.int64)
    stops = np.zeros((len(LANGUAGES), len(words.vocabulary)), dtype=np.bool_)
    for number, name in enumerate(LANGUAGES):
        known = stop_words(name)
        stops[number] = [word in known for word in words.vocabulary]
    return np.asarray(stops[np.repeat(language, words.rows.sizes), words.rows.values], dtype=np.bool_)


def significant(words: Words, languages: Sequence[str]) -> Words:
    """Drop function words and words of three letters or fewer (Zelenkov, Segalovich, section 4)."""
    long = np.array([len(word) >= SHORTEST_WORD for word in words.vocabulary], dtype=np.bool_)
    return words.only(long[words.rows.values] & ~stop_word_places(words, languages))
