"""I-Match of a sentence: one hash of its distinct words of middle frequency.

A. Chowdhury, O. Frieder, D. Grossman, M. McCabe, ACM TOIS 20(2), 2002. Yu et al. find words of normalised IDF .3 to 1
best for sentences, by a table from outside; ours is made of wordfreq's shares of running words, as if their collection
of 57,135 sentences were drawn from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.features.hashing import hash_words, scrambled
from infostream_dedup.features.rows import Rows
from infostream_dedup.features.word_counts import normalised_idf
from infostream_dedup.lexicon.frequency import common_forms
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.passages.ranges import within
from infostream_dedup.passages.sentence_table import SentenceTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["IMatch"]

_SENTENCES: Final = 57_135
_WORDS: Final = 16
"""Of a sentence of news, on the average."""


@dataclass(frozen=True, slots=True)
class IMatch:
    """The sum of the hashes of the words within the bounds; order and repetition do not matter.

    Attributes:
        low: least normalised IDF of a word, 0 to 1.
        high: greatest, 0 to 1.
        least_words: a sentence with fewer such words has no hash, 1 to 100.
        tau: a hash is equal or not.

    Raises:
        ConfigurationError: a value is out of its range.
    """

    low: float = 0.3
    high: float = 1.0
    least_words: int = 2
    tau: float = 1.0

    def __post_init__(self) -> None:
        within("low", self.low, 0, 1)
        within("high", self.high, self.low, 1)
        within("least_words", self.least_words, 1, 100)

    def bags(self, table: SentenceTable) -> Rows:
        """At most one value for each sentence."""
        words = table.words
        kept = np.stack([self._lexicon(language, words.vocabulary) for language in LANGUAGES])
        language = np.repeat(table.languages[table.documents], words.rows.sizes)
        chosen = words.rows.chosen(kept[language, words.rows.values])
        # Numpy's own `unique` hashes, which takes eight times as long.
        pairs = np.sort(chosen.numbers * len(words.vocabulary) + chosen.values)
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        sentence, word = np.divmod(pairs, max(len(words.vocabulary), 1))
        hashes = scrambled(hash_words(words.vocabulary))
        total = np.zeros(len(table) + 1, dtype=np.uint64)
        np.add.at(total, sentence, hashes[word])
        enough = np.bincount(sentence, minlength=len(table)) >= self.least_words
        indptr = np.concatenate(([0], np.cumsum(enough))).astype(np.int64)
        return Rows(indptr, total[:-1][enough])

    def _lexicon(self, language: Language, vocabulary: list[str]) -> NDArray[np.bool_]:
        """Which words are within the bounds in a language; a word that no table knows is as rare as can be."""
        forms = dict(common_forms(language))
        shares = np.array([forms.get(word, 0.0) for word in vocabulary], dtype=np.float64)
        df = _SENTENCES * (1 - (1 - shares) ** _WORDS)
        idf = np.round(normalised_idf(np.rint(df).astype(np.int64), _SENTENCES), 9)
        return np.asarray((idf >= self.low) & (idf <= self.high), dtype=np.bool_)
