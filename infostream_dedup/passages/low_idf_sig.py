"""Low-IDF-Sig: chains of words behind the most frequent words of the language and behind the sentence's first word.

Yu Haomin, Zhang Yue, Zhang Qi, Huang Xuanjing: Low-IDF-Sig, sentence-level duplicate detection (in Chinese), section 3,
whose defaults these are. A feature a(d, c) is the antecedent a and the c words after it in steps of d, cut at the end
of the sentence; it may hold other antecedents. The first word of a sentence is always an antecedent, so that no
sentence goes without a feature. The paper passes over some articles and prepositions in chains without naming them; its
example passes over none.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.features.hashing import hash_sequences, hash_words
from infostream_dedup.features.low_idf_signatures import frequent_words
from infostream_dedup.features.rows import Rows
from infostream_dedup.model import LANGUAGES
from infostream_dedup.passages.ranges import one_of, within
from infostream_dedup.passages.sentence_table import SentenceTable
from infostream_dedup.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["SOURCES", "LowIdfSig"]

SOURCES: Final = ("dictionary", "corpus")


@dataclass(frozen=True, slots=True, kw_only=True)
class LowIdfSig:
    """Chains a : t1 : ... : tc.

    Attributes:
        n: antecedents, the words of lowest IDF of the sentence's language, 0 to 5000.
        c: words after the antecedent, 1 to 10.
        d: step from word to word, 1 to 10.
        tau: least resemblance, above 0 to 1.
        source: where the words of lowest IDF come from: the frequency ``dictionary`` of the language, or the ``corpus``
            itself, where they stand in the most documents.
        antecedents: exactly these words instead, whatever ``n`` and ``source`` say.
        skip: words that chains pass over.

    Raises:
        ConfigurationError: a value is out of its range.
    """

    n: int = 50
    c: int = 3
    d: int = 1
    tau: float = 0.6
    source: str = "dictionary"
    antecedents: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        within("n", self.n, 0, 5000)
        within("c", self.c, 1, 10)
        within("d", self.d, 1, 10)
        one_of("source", self.source, SOURCES)

    def bags(self, table: SentenceTable) -> Rows:
        """Chains of each sentence; a sentence with words has at least one."""
        places, inside = self.chains(table)
        hashes = hash_words(table.words.vocabulary)[table.words.rows.values]
        columns = [
            np.where(within_sentence, hashes[place], np.uint64(0))
            for place, within_sentence in zip(places.T, inside.T, strict=True)
        ]
        return Rows(np.searchsorted(places[:, 0], table.words.rows.indptr).astype(np.int64), hash_sequences(columns))

    def chains(self, table: SentenceTable) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Where the words of every chain stand.

        Returns:
            int64 (chains, 1 + c), places in ``table.words.rows.values``, in text order; and bool of the same shape,
            false behind the end of the sentence. A chain of an antecedent alone is left out unless the antecedent
            begins its sentence.
        """
        words = table.words
        total = len(words.rows.values)
        first = np.zeros(total, dtype=np.bool_)
        first[words.breaks[:-1][np.diff(words.breaks) > 0]] = True
        starts = np.flatnonzero(self._antecedent(table) | first)
        ends = words.breaks[np.searchsorted(words.breaks, starts, side="right")]
        kept = np.flatnonzero(~_among(words.vocabulary, self.skip)[words.rows.values])
        steps = np.searchsorted(kept, starts, side="right")[:, None] + self.d * np.arange(1, self.c + 1) - 1
        # Behind the last word of the collection stands nothing, as behind the end of a sentence.
        taken = np.append(kept, total)[np.minimum(steps, len(kept))]
        places = np.concatenate((starts[:, None], taken), axis=1)
        inside = places < ends[:, None]
        chosen = inside[:, 1] | first[starts]
        return np.where(inside, places, starts[:, None])[chosen], inside[chosen]

    def _antecedent(self, table: SentenceTable) -> NDArray[np.bool_]:
        """Bool (words,): which words begin a chain."""
        words = table.words
        if self.antecedents:
            return np.asarray(_among(words.vocabulary, self.antecedents)[words.rows.values], dtype=np.bool_)
        language = np.repeat(table.languages[table.documents], words.rows.sizes)
        chosen = _common(table, self.n) if self.source == "dictionary" else _frequent(table, self.n)
        return np.asarray(chosen[language, words.rows.values], dtype=np.bool_)


def _among(vocabulary: list[str], chosen: Iterable[str]) -> NDArray[np.bool_]:
    """Bool (vocabulary,), which is in code point order."""
    known = sorted({fold(word) for word in chosen})
    found = np.zeros(len(vocabulary), dtype=np.bool_)
    for word in known:
        place = bisect_left(vocabulary, word)
        if place < len(vocabulary) and vocabulary[place] == word:
            found[place] = True
    return found


def _common(table: SentenceTable, n: int) -> NDArray[np.bool_]:
    """The n words that are most frequent in each language at large: bool (languages, vocabulary)."""
    vocabulary = table.words.vocabulary
    chosen = np.zeros((len(LANGUAGES), len(vocabulary)), dtype=np.bool_)
    for number in np.unique(table.languages).tolist():
        chosen[number] = _among(vocabulary, frequent_words(LANGUAGES[number], n))
    return chosen


def _frequent(table: SentenceTable, n: int) -> NDArray[np.bool_]:
    """The n words that stand in most documents of each language: bool (languages, vocabulary)."""
    words = table.words
    size = max(len(words.vocabulary), 1)
    documents = np.repeat(table.documents, words.rows.sizes)
    document, word = np.divmod(np.unique(documents * size + words.rows.values), size)
    chosen = np.zeros((len(LANGUAGES), len(words.vocabulary)), dtype=np.bool_)
    for number in range(len(LANGUAGES)):
        df = np.bincount(word[table.languages[document] == number], minlength=len(words.vocabulary))
        # Stable: of equally frequent words the first by code point, which is how the vocabulary is ordered.
        best = np.argsort(-df, kind="stable")[:n]
        chosen[number, best[df[best] > 0]] = True
    return chosen
