"""Sentence features: turn sentences into bags, by which copies are found."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np

from infostream_dedup.judging.features import fingerprints
from infostream_dedup.judging.features.words import shingles, stop_word_places
from infostream_dedup.judging.passages import sentence_table
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.language.text.normalise import fold
from infostream_dedup.machine.arrays import Bools, Ragged
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.model.limits import OneOf, Range


@sentence_table.register("exact", order=50)
@dataclass(frozen=True)
class ExactSentence(sentence_table.SentenceFeature):
    """One hash of all words."""

    tau: float = 1.0  # two hashes are equal or not, so only 1 makes sense

    def bags(self, table: sentence_table.SentenceTable) -> Ragged:
        """Return one value for each sentence."""
        return Ragged(np.arange(len(table) + 1, dtype=np.int64), sentence_table.word_sequence_hashes(table.words))


@sentence_table.register("shingles", order=40)
@dataclass(frozen=True)
class SentenceShingles(sentence_table.SentenceFeature):
    """Every w consecutive words; a shorter sentence is one shingle; ConfigurationError if a value is out of range."""

    w: Annotated[int, Range(1, 100)] = 3  # words in a shingle, 1 to 100
    tau: float = 0.6  # minimum resemblance, above 0 to 1; Yu et al. find 0.6 best for 3, 4 and 5 words

    def bags(self, table: sentence_table.SentenceTable) -> Ragged:
        """Return the shingles of each sentence."""
        return shingles(table.words, self.w)


@sentence_table.register("spotsigs", order=20)
@dataclass(frozen=True)
class SentenceSpotSigs(sentence_table.SentenceFeature):
    """Chains within the sentence, without one never a copy; ConfigurationError if a value is out of range."""

    c: Annotated[int, Range(1, 10)] = 3  # content words after the antecedent, 1 to 10
    d: Annotated[int, Range(1, 10)] = 1  # distance from one word to where the search for the next begins, 1 to 10
    tau: float = 0.7  # minimum resemblance, above 0 to 1

    def bags(self, table: sentence_table.SentenceTable) -> Ragged:
        """Return the chains of each sentence."""
        stops = stop_word_places(table.words, table.sentence_languages)
        return fingerprints.spot_signatures(table.words, stops, stops, c=self.c, d=self.d, within_sentences=True)


SOURCES: Final = ("dictionary", "corpus")


@sentence_table.register("low-idf-sig", order=10)
@dataclass(frozen=True, kw_only=True)
class SentenceLowIdfSig(sentence_table.SentenceFeature):
    """Chains a : t1 : ... : tc; ConfigurationError if a value is out of range."""

    n: Annotated[int, Range(0, 5000)] = 50  # antecedents, the words of lowest IDF of the sentence's language, 0 to 5000
    c: Annotated[int, Range(1, 10)] = 3  # words after the antecedent, 1 to 10
    d: Annotated[int, Range(1, 10)] = 1  # step from word to word, 1 to 10
    tau: float = 0.6  # minimum resemblance, above 0 to 1
    # source of the words of lowest IDF: the frequency `dictionary` of the language, or the `corpus` itself (highest
    # document frequency)
    source: Annotated[str, OneOf(*SOURCES)] = "dictionary"
    antecedents: tuple[str, ...] = ()  # exactly these words instead, whatever `n` and `source` say
    skip: tuple[str, ...] = ()  # words that chains pass over

    def bags(self, table: sentence_table.SentenceTable) -> Ragged:
        """Return the chains of each sentence; a sentence with words has at least one."""
        words = table.words
        skipped = _among(words.vocabulary, self.skip)[words.rows.values]
        return fingerprints.low_idf_signatures(words, self.antecedent_words(table), c=self.c, d=self.d, skipped=skipped)

    def antecedent_words(self, table: sentence_table.SentenceTable) -> Bools:
        """Return which words begin a chain: bool (words,)."""
        words = table.words
        if self.antecedents:
            return np.asarray(_among(words.vocabulary, self.antecedents)[words.rows.values], dtype=np.bool_)
        if self.source == "dictionary":
            return fingerprints.antecedent_places(words, table.sentence_languages, self.n)
        language = np.repeat(table.languages[table.documents], words.rows.sizes)
        return np.asarray(_most_common(table, self.n)[language, words.rows.values], dtype=np.bool_)


def _among(vocabulary: list[str], chosen: Iterable[str]) -> Bools:
    """Mark the chosen words of a vocabulary in code point order: bool (vocabulary,)."""
    known = sorted({fold(word) for word in chosen})
    found = np.zeros(len(vocabulary), dtype=np.bool_)
    for word in known:
        place = bisect_left(vocabulary, word)
        if place < len(vocabulary) and vocabulary[place] == word:
            found[place] = True
    return found


def _most_common(table: sentence_table.SentenceTable, n: int) -> Bools:
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


_SENTENCES: Final = 57_135
_WORDS: Final = 16  # mean length of a news sentence in words


@sentence_table.register("i-match", order=30)
@dataclass(frozen=True)
class SentenceIMatch(sentence_table.SentenceFeature):
    """The sum of the hashes of the words within the bounds; order and repetition do not matter.

    Raises:
        ConfigurationError: a value is out of range.
    """

    low: Annotated[float, Range(0.0, 1.0)] = 0.3  # minimum normalised IDF of a word, 0 to 1
    high: Annotated[float, Range(0.0, 1.0)] = 1.0  # maximum normalised IDF of a word, `low` to 1
    least_words: Annotated[int, Range(1, 100)] = 2  # a sentence with fewer such words has no hash, 1 to 100
    tau: float = 1.0  # two hashes are equal or not, so only 1 makes sense

    def __post_init__(self) -> None:
        super().__post_init__()
        Range(float(self.low), 1.0).check("high", self.high)

    def bags(self, table: sentence_table.SentenceTable) -> Ragged:
        """Return at most one value for each sentence."""
        words = table.words
        kept = np.stack([self._lexicon(language, words.vocabulary) for language in LANGUAGES])
        language = np.repeat(table.languages[table.documents], words.rows.sizes)
        return fingerprints.lexicon_sums(words, kept[language, words.rows.values], self.least_words)

    def _lexicon(self, language: Language, vocabulary: list[str]) -> Bools:
        """Find the words within the bounds in a language; a word that no table knows counts as the rarest."""
        forms = dict(common_forms(language))
        shares = np.array([forms.get(word, 0.0) for word in vocabulary], dtype=np.float64)
        df = _SENTENCES * (1 - (1 - shares) ** _WORDS)
        idf = np.round(fingerprints.normalised_idf(np.rint(df).astype(np.int64), _SENTENCES), 9)
        return np.asarray((idf >= self.low) & (idf <= self.high), dtype=np.bool_)
