"""Document frequencies that stand still while an epoch lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.features.rows import Rows
from infostream_dedup.model import LANGUAGES, Language, Settings
from infostream_dedup.model.stream_records import EpochFrequencies
from infostream_dedup.morphology.term_frequency import term_frequencies
from infostream_dedup.stream.term_numbers import TermNumbers, longer
from infostream_dedup.terms.statistics import BACKGROUND_DOCUMENTS, BACKGROUND_WORDS, Statistics, document_probability
from infostream_dedup.terms.weights import as_count, bm25_idf

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Frequencies", "LanguageCounts", "count_rows"]


@dataclass(slots=True)
class LanguageCounts:
    """What has been counted in one language.

    Attributes:
        documents: how many.
        length: their summed length in terms.
        df: uint32, documents that hold each term, by number; may be longer or shorter than the list of terms.
    """

    documents: int = 0
    length: int = 0
    df: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, dtype=np.uint32))

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
        self.df = longer(self.df, int(terms.max(initial=-1)) + 1)
        np.add.at(self.df, terms, np.asarray(df, dtype=np.uint32))

    def df_of(self, terms: NDArray[np.integer]) -> NDArray[np.float64]:
        """float64 (terms,): documents that hold each of these terms."""
        df = np.zeros(len(terms), dtype=np.float64)
        counted = terms < len(self.df)
        df[counted] = self.df[terms[counted]]
        return df


class _Background:
    """Terms of one language that a pseudo-document may hold: they are as many as the frequency dictionary has.

    Args:
        numbers: of the stream's terms.
        shares: share of running words of each term.
    """

    def __init__(self, numbers: TermNumbers, shares: Callable[[], Mapping[str, float]]) -> None:
        self._numbers = numbers
        self._shares = shares
        self._looked_up = 0
        self._terms = np.zeros(0, dtype=np.int64)
        self._probabilities = np.zeros(0, dtype=np.float64)

    def of(self, terms: NDArray[np.integer]) -> NDArray[np.float64]:
        """float64 (terms,): probability that a pseudo-document holds each of these terms."""
        self._look_up()
        if len(self._terms) == 0:
            return np.zeros(len(terms), dtype=np.float64)
        place = np.minimum(np.searchsorted(self._terms, terms), len(self._terms) - 1)
        return np.where(self._terms[place] == terms, self._probabilities[place], 0.0)

    def _look_up(self) -> None:
        first, end = self._looked_up, len(self._numbers)
        if first == end:
            return
        made = document_probability(self._numbers.terms[first:end], self._shares())
        held = np.flatnonzero(made)
        self._terms = np.concatenate([self._terms, held + first])
        self._probabilities = np.concatenate([self._probabilities, made[held]])
        self._looked_up = end


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
        self._background = [
            _Background(numbers, partial(frequencies, language, settings.representation)) for language in LANGUAGES
        ]

    def resume(self, epoch: int, closed: Mapping[int, LanguageCounts]) -> None:
        """Go on in an epoch whose earlier ones were counted before; the open one is empty.

        Args:
            epoch: the open epoch.
            closed: by index into ``LANGUAGES``.
        """
        self.epoch = epoch
        self.closed = [closed.get(language, LanguageCounts()) for language in range(len(LANGUAGES))]
        self.open = [LanguageCounts() for _ in LANGUAGES]

    def close(self) -> list[EpochFrequencies]:
        """End the open epoch: what it counted, for each language that has documents."""
        found = []
        for number, (language, sums, own) in enumerate(zip(LANGUAGES, self.closed, self.open, strict=True)):
            if own.documents:
                terms = np.flatnonzero(own.df).astype(np.int64)
                df = own.df[terms].astype(np.int64)
                closed = EpochFrequencies(self.epoch, language, own.documents, own.length, terms, df)
                sums.add(own.documents, own.length, terms, df)
                found.append(closed)
            self.open[number] = LanguageCounts()
        self.epoch += 1
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
        terms = np.arange(len(self._numbers))
        documents, df = self._documents(language, terms)
        nothing = np.zeros(len(terms), dtype=np.int64)
        return Statistics(documents, df, nothing, self.average_length(language))

    def idf(self, language: int, terms: NDArray[np.integer]) -> NDArray[np.float64]:
        """What the frequency of terms is weighed by: their idf, 0 where their document frequency is out of bounds.

        Args:
            language: index into ``LANGUAGES``.
            terms: numbers of terms, repeated or not.

        Returns:
            float64 (terms,).
        """
        documents, df = self._documents(language, terms)
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

    def _documents(self, language: int, terms: NDArray[np.integer]) -> tuple[float, NDArray[np.float64]]:
        """How many documents there are, and how many hold each term, pseudo-documents included."""
        counts, pseudo = self.closed[language], self._pseudo(language)
        df = counts.df_of(terms)
        if pseudo:
            df += pseudo * self._background[language].of(terms)
        return float(counts.documents + pseudo), df

    def _pseudo(self, language: int) -> int:
        return max(0, BACKGROUND_DOCUMENTS - self.closed[language].documents)


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
