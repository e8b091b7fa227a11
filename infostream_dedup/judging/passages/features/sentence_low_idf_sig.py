"""Low-IDF-Sig: chains of words that follow the most frequent words of the language, or the first word of the sentence.

Yu Haomin, Zhang Yue, Zhang Qi, Huang Xuanjing: Low-IDF-Sig, sentence-level duplicate detection (in Chinese), section 3,
whose defaults these are. A feature a(d, c) is the antecedent a and the c words after it in steps of d, cut at the end
of the sentence; it may contain other antecedents. The first word of a sentence is always an antecedent, so that no
sentence goes without a feature. The paper skips some articles and prepositions in chains without naming them; its
example skips none.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np

from infostream_dedup.judging.features.low_idf_signatures import antecedent_places, low_idf_signatures
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.passages.sentence_feature import SentenceFeature, register
from infostream_dedup.judging.passages.sentence_table import SentenceTable
from infostream_dedup.language.text.normalise import fold
from infostream_dedup.model import LANGUAGES
from infostream_dedup.model.limits import OneOf, Range

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["SOURCES", "SentenceLowIdfSig"]

SOURCES: Final = ("dictionary", "corpus")


@register("low-idf-sig", order=10)
@dataclass(frozen=True, kw_only=True)
class SentenceLowIdfSig(SentenceFeature):
    """Chains a : t1 : ... : tc.

    Attributes:
        n: antecedents, the words of lowest IDF of the sentence's language, 0 to 5000.
        c: words after the antecedent, 1 to 10.
        d: step from word to word, 1 to 10.
        tau: minimum resemblance, above 0 to 1.
        source: source of the words of lowest IDF: the frequency ``dictionary`` of the language, or the ``corpus``
            itself (highest document frequency).
        antecedents: exactly these words instead, whatever ``n`` and ``source`` say.
        skip: words that chains pass over.

    Raises:
        ConfigurationError: a value is out of range.
    """

    n: Annotated[int, Range(0, 5000)] = 50
    c: Annotated[int, Range(1, 10)] = 3
    d: Annotated[int, Range(1, 10)] = 1
    tau: float = 0.6
    source: Annotated[str, OneOf(*SOURCES)] = "dictionary"
    antecedents: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    def bags(self, table: SentenceTable) -> Rows:
        """Return the chains of each sentence; a sentence with words has at least one."""
        words = table.words
        skipped = _among(words.vocabulary, self.skip)[words.rows.values]
        return low_idf_signatures(words, self.antecedent_words(table), c=self.c, d=self.d, skipped=skipped)

    def antecedent_words(self, table: SentenceTable) -> NDArray[np.bool_]:
        """Return which words begin a chain: bool (words,)."""
        words = table.words
        if self.antecedents:
            return np.asarray(_among(words.vocabulary, self.antecedents)[words.rows.values], dtype=np.bool_)
        if self.source == "dictionary":
            return antecedent_places(words, table.sentence_languages, self.n)
        language = np.repeat(table.languages[table.documents], words.rows.sizes)
        return np.asarray(_most_common(table, self.n)[language, words.rows.values], dtype=np.bool_)


def _among(vocabulary: list[str], chosen: Iterable[str]) -> NDArray[np.bool_]:
    """Mark the chosen words of a vocabulary in code point order: bool (vocabulary,)."""
    known = sorted({fold(word) for word in chosen})
    found = np.zeros(len(vocabulary), dtype=np.bool_)
    for word in known:
        place = bisect_left(vocabulary, word)
        if place < len(vocabulary) and vocabulary[place] == word:
            found[place] = True
    return found


def _most_common(table: SentenceTable, n: int) -> NDArray[np.bool_]:
    """Find the n words with the highest document frequency in each language: bool (languages, vocabulary)."""
    words = table.words
    size = max(len(words.vocabulary), 1)
    documents = np.repeat(table.documents, words.rows.sizes)
    document, word = np.divmod(np.unique(documents * size + words.rows.values), size)
    chosen = np.zeros((len(LANGUAGES), len(words.vocabulary)), dtype=np.bool_)
    for number in range(len(LANGUAGES)):
        df = np.bincount(word[table.languages[document] == number], minlength=len(words.vocabulary))
        # The sort is stable, so equally frequent words are chosen in code point order, the order of the vocabulary.
        best = np.argsort(-df, kind="stable")[:n]
        chosen[number, best[df[best] > 0]] = True
    return chosen
