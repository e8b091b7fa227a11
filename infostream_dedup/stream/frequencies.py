"""Document frequencies that stand still while an epoch lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.model import LANGUAGES, Language, Settings
from infostream_dedup.model.stream_records import EpochFrequencies
from infostream_dedup.stream.rows import Rows, with_room
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.statistics import BACKGROUND_DOCUMENTS, BACKGROUND_WORDS, Statistics, document_probability
from infostream_dedup.terms.weights import as_count, bm25_idf
from infostream_dedup.text.term_frequency import term_frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Frequencies", "LanguageCounts", "count_rows"]


@dataclass(slots=True)
class LanguageCounts:
    """What has been counted in one language.

    Attributes:
        documents: how many.
        length: their summed length in terms.
        df: int64, documents that hold each term, by number; may be longer or shorter than the list of terms.
    """

    documents: int = 0
    length: int = 0
    df: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def add(self, documents: int, length: int, terms: NDArray[np.int64], df: NDArray[np.int64] | int) -> None:
        """Count more documents.

        Args:
            documents: how many.
            length: their summed length.
            terms: numbers of terms, each once unless ``df`` is 1.
            df: documents that hold each term.
        """
        self.documents += documents
        self.length += length
        self.make_room(int(terms.max(initial=-1)) + 1)
        np.add.at(self.df, terms, df)

    def make_room(self, terms: int) -> None:
        """Let there be a count for every term up to a number; new ones are 0."""
        before = len(self.df)
        self.df = with_room(self.df, terms)
        self.df[before:] = 0


class Frequencies:
    """Counts of the closed epochs, by which documents are weighed, and of the open one.

    Args:
        settings: weighting, representation, df_min, df_max.
        numbers: of the stream's terms.
        frequencies: gives the share of running words of each term of a language; the frequency dictionary by default.

    Attributes:
        epoch: number of the open epoch.
        closed: per language, sums over all closed epochs.
        open: per language, documents of the open epoch.
    """

    def __init__(
        self,
        settings: Settings,
        numbers: TermNumbers,
        frequencies: Callable[[Language, str], Mapping[str, float]] = term_frequencies,
    ) -> None:
        self._settings = settings
        self._numbers = numbers
        self._frequencies = frequencies
        self.epoch = 0
        self.closed = [LanguageCounts() for _ in LANGUAGES]
        self.open = [LanguageCounts() for _ in LANGUAGES]
        self._probabilities = [np.zeros(0) for _ in LANGUAGES]
        self._probable = [0 for _ in LANGUAGES]
        self._values = [np.zeros(0) for _ in LANGUAGES]
        self._valued = [0 for _ in LANGUAGES]

    def resume(self, epoch: int, closed: Mapping[int, LanguageCounts]) -> None:
        """Go on in an epoch whose earlier ones were counted before; the open one is empty.

        Args:
            epoch: the open epoch.
            closed: by index into ``LANGUAGES``.
        """
        self.epoch = epoch
        self.closed = [closed.get(language, LanguageCounts()) for language in range(len(LANGUAGES))]
        self.open = [LanguageCounts() for _ in LANGUAGES]
        self._valued = [0 for _ in LANGUAGES]

    def close(self) -> list[EpochFrequencies]:
        """End the open epoch: what it counted, for each language that has documents."""
        found = []
        for number, (language, sums, own) in enumerate(zip(LANGUAGES, self.closed, self.open, strict=True)):
            if own.documents:
                terms = np.flatnonzero(own.df).astype(np.int64)
                closed = EpochFrequencies(self.epoch, language, own.documents, own.length, terms, own.df[terms])
                sums.add(own.documents, own.length, terms, closed.df)
                found.append(closed)
            self.open[number] = LanguageCounts()
        self.epoch += 1
        self._valued = [0 for _ in LANGUAGES]
        return found

    def withhold(self, counted: Iterable[EpochFrequencies]) -> None:
        """Count in the open epoch what documents said that have been forgotten on request."""
        for one in counted:
            self.open[LANGUAGES.index(one.language)].add(one.documents, one.length, one.terms, one.df)

    def average_length(self, language: int) -> float:
        """Mean length of the documents of the closed epochs; of a pseudo-document where there are none."""
        counts = self.closed[language]
        if counts.documents:
            return max(counts.length / counts.documents, 1.0)
        shares = self._frequencies(LANGUAGES[language], self._settings.representation)
        return max(BACKGROUND_WORDS * sum(shares.values()), 1.0)

    def statistics(self, language: int) -> Statistics:
        """Statistics of the closed epochs, filled up with the background.

        Unlike a collection, a stream has statistics before its first document: those of the background alone.
        """
        counts, terms = self.closed[language], len(self._numbers)
        df = np.zeros(terms, dtype=np.float64)
        known = counts.df[:terms]
        df[: len(known)] = known
        pseudo = self._pseudo(language)
        if pseudo:
            df += pseudo * self._probability(language, terms)
        nothing = np.zeros(terms, dtype=np.int64)
        return Statistics(float(counts.documents + pseudo), df, nothing, self.average_length(language))

    def values(self, language: int) -> NDArray[np.float64]:
        """What the frequency of each term is weighed by: its idf, 0 where its document frequency is out of bounds.

        Returns:
            float64 (terms or more,).
        """
        known, terms = self._valued[language], len(self._numbers)
        if known < terms:
            # Terms that are new in this epoch have the background only.
            self._values[language] = with_room(self._values[language], terms)
            self._values[language][known:terms] = self._idf(language, known, terms)
            self._valued[language] = terms
        return self._values[language]

    def _idf(self, language: int, first: int, end: int) -> NDArray[np.float64]:
        counts, pseudo = self.closed[language], self._pseudo(language)
        documents = float(counts.documents + pseudo)
        df = np.zeros(end - first, dtype=np.float64)
        known = counts.df[first:end]
        df[: len(known)] = known
        if pseudo:
            df += pseudo * self._probability(language, end)[first:end]
        low, high = as_count(self._settings.df_min, documents), as_count(self._settings.df_max, documents)
        taken = (df >= low) & (df <= high)
        value = np.zeros(len(df), dtype=np.float64)
        if self._settings.weighting == "bm25":
            value[taken] = bm25_idf(df[taken], documents)
        else:
            # TF-IDF has no weight for a term of no document, which df_min 0 lets through.
            taken &= df > 0
            value[taken] = np.log(documents / df[taken])
        return value

    def _pseudo(self, language: int) -> int:
        return max(0, BACKGROUND_DOCUMENTS - self.closed[language].documents)

    def _probability(self, language: int, terms: int) -> NDArray[np.float64]:
        known = self._probable[language]
        if known < terms:
            shares = self._frequencies(LANGUAGES[language], self._settings.representation)
            self._probabilities[language] = with_room(self._probabilities[language], terms)
            made = document_probability(self._numbers.terms[known:terms], shares)
            self._probabilities[language][known:terms] = made
            self._probable[language] = terms
        return self._probabilities[language][:terms]


def count_rows(
    open_counts: Sequence[LanguageCounts], languages: NDArray[np.uint8], lengths: NDArray[np.int64], terms: Rows
) -> None:
    """Count documents in the open epoch.

    Args:
        open_counts: per language.
        languages: uint8 (documents,).
        lengths: int64 (documents,).
        terms: the distinct terms of each document.
    """
    holder = np.repeat(languages, np.diff(terms.indptr))
    for language in np.unique(languages).tolist():
        own = languages == language
        open_counts[language].add(int(own.sum()), int(lengths[own].sum()), terms.values[holder == language], 1)
