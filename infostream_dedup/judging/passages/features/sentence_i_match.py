"""I-Match of a sentence: one hash of its distinct words of medium frequency.

A. Chowdhury, O. Frieder, D. Grossman, M. McCabe, ACM TOIS 20(2), 2002. Yu et al. find words of normalised IDF .3 to 1
best for sentences, by an external table. Ours is computed from wordfreq's shares of running words, as if their
collection of 57,135 sentences had been drawn from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np

from infostream_dedup.judging.features.lexicon_fingerprints import lexicon_sums
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.word_counts import normalised_idf
from infostream_dedup.judging.passages.sentence_feature import SentenceFeature, register
from infostream_dedup.judging.passages.sentence_table import SentenceTable
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.model.limits import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SentenceIMatch"]

_SENTENCES: Final = 57_135
_WORDS: Final = 16
"""Mean length of a news sentence in words."""


@register("i-match", order=30)
@dataclass(frozen=True)
class SentenceIMatch(SentenceFeature):
    """The sum of the hashes of the words within the bounds; order and repetition do not matter.

    Attributes:
        low: minimum normalised IDF of a word, 0 to 1.
        high: maximum normalised IDF of a word, ``low`` to 1.
        least_words: a sentence with fewer such words has no hash, 1 to 100.
        tau: two hashes are equal or not, so only 1 makes sense.

    Raises:
        ConfigurationError: a value is out of range.
    """

    low: Annotated[float, Range(0.0, 1.0)] = 0.3
    high: Annotated[float, Range(0.0, 1.0)] = 1.0
    least_words: Annotated[int, Range(1, 100)] = 2
    tau: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        Range(float(self.low), 1.0).check("high", self.high)

    def bags(self, table: SentenceTable) -> Rows:
        """Return at most one value for each sentence."""
        words = table.words
        kept = np.stack([self._lexicon(language, words.vocabulary) for language in LANGUAGES])
        language = np.repeat(table.languages[table.documents], words.rows.sizes)
        return lexicon_sums(words, kept[language, words.rows.values], self.least_words)

    def _lexicon(self, language: Language, vocabulary: list[str]) -> NDArray[np.bool_]:
        """Find the words within the bounds in a language; a word that no table knows counts as the rarest."""
        forms = dict(common_forms(language))
        shares = np.array([forms.get(word, 0.0) for word in vocabulary], dtype=np.float64)
        df = _SENTENCES * (1 - (1 - shares) ** _WORDS)
        idf = np.round(normalised_idf(np.rint(df).astype(np.int64), _SENTENCES), 9)
        return np.asarray((idf >= self.low) & (idf <= self.high), dtype=np.bool_)
