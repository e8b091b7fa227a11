"""Document frequencies that are frozen for the length of an epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings
from infostream_dedup.model.stream_records import EpochFrequencies
from infostream_dedup.stream.background_terms import BackgroundTerms
from infostream_dedup.stream.term_numbers import TermNumbers, longer
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import DocumentFrequencies, Statistics, Totals
from infostream_dedup.terms.weighting import as_count, bounded_idf

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(slots=True)
class LanguageCounts:
    """Counts of documents of one language.

    Attributes:
        totals: number and length of the documents.
        df: uint32, documents that contain each term, by number; may be longer or shorter than the list of terms.
    """

    totals: Totals = field(default_factory=Totals)
    df: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, dtype=np.uint32))

    def add(self, totals: Totals, terms: NDArray[np.int64], df: NDArray[np.int64] | int) -> None:
        """Count more documents."""
        self.totals += totals
        self.df = longer(self.df, int(terms.max(initial=-1)) + 1)
        np.add.at(self.df, terms, np.uint32(df) if isinstance(df, int) else df.astype(np.uint32))

    def df_of(self, terms: NDArray[np.integer]) -> NDArray[np.float64]:
        """float64 (terms,): documents that contain each of these terms."""
        self.df = longer(self.df, int(terms.max(initial=-1)) + 1)
        df: NDArray[np.float64] = self.df[terms].astype(np.float64)
        return df


class Frequencies:
    """Counts of the closed epochs, which weight documents, and of the open one.

    Args:
        settings: weighting, representation, df_min, df_max.
        numbers: numbers of the stream's terms.
        frequencies: returns the share of running words of each term of a language; the background by default.

    Attributes:
        epoch: number of the open epoch.
        closed: per language, sums over all closed epochs.
        open: per language, documents of the open epoch.
        closed_repeats, open_repeats: the same over documents that repeat earlier ones; without them ``df_max`` is
            judged on all documents.
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
        self.closed_repeats = [LanguageCounts() for _ in LANGUAGES]
        self.open_repeats = [LanguageCounts() for _ in LANGUAGES]
        self._background = [
            BackgroundTerms(numbers, partial(frequencies, language, settings.representation)) for language in LANGUAGES
        ]

    def resume(
        self, epoch: int, closed: Mapping[int, LanguageCounts], repeats: Mapping[int, LanguageCounts] | None = None
    ) -> None:
        """Resume in an epoch; the earlier ones are given, and the open one is empty."""
        self.epoch = epoch
        languages = range(len(LANGUAGES))
        self.closed = [closed.get(language, LanguageCounts()) for language in languages]
        self.open = [LanguageCounts() for _ in languages]
        self.closed_repeats = [(repeats or {}).get(language, LanguageCounts()) for language in languages]
        self.open_repeats = [LanguageCounts() for _ in languages]

    def close(self) -> tuple[list[EpochFrequencies], list[EpochFrequencies]]:
        """Close the open epoch."""
        found = self._close(self.open, self.closed), self._close(self.open_repeats, self.closed_repeats)
        self.epoch += 1
        return found

    def _close(self, counts: list[LanguageCounts], sums: list[LanguageCounts]) -> list[EpochFrequencies]:
        found = []
        for number, (language, own) in enumerate(zip(LANGUAGES, counts, strict=True)):
            if own.totals.documents:
                terms = np.flatnonzero(own.df).astype(np.int64)
                df = own.df[terms].astype(np.int64)
                found.append(EpochFrequencies(self.epoch, language, own.totals.documents, own.totals.length, terms, df))
                sums[number].add(own.totals, terms, df)
            counts[number] = LanguageCounts()
        return found

    def withhold(self, counted: Iterable[EpochFrequencies], repeated: Iterable[EpochFrequencies] = ()) -> None:
        """Count documents that have been forgotten on request in the open epoch."""
        for into, records in ((self.open, counted), (self.open_repeats, repeated)):
            for one in records:
                into[LANGUAGES.index(one.language)].add(Totals(one.documents, one.length), one.terms, one.df)

    def average_length(self, language: int) -> float:
        """Mean length of the documents of the closed epochs; of a pseudo-document if there are none."""
        shares = partial(self._frequencies, LANGUAGES[language], self._settings.representation)
        return self.closed[language].totals.average_length(shares)

    def statistics(self, language: int) -> Statistics:
        """Statistics of the closed epochs, with the background added.

        Unlike a collection, a stream has statistics before its first document: those of the background alone.
        """
        terms = np.arange(len(self._numbers))
        (documents, df), distinct = self._documents(language, terms)
        return Statistics(documents, df, self.average_length(language), distinct)

    def idf(self, language: int, terms: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the idf of terms, 0 if their document frequency is out of bounds.

        Returns:
            float64 (terms,).
        """
        counted, distinct = self._documents(language, terms)
        return bounded_idf(counted, self._settings, distinct)

    def _documents(
        self, language: int, terms: NDArray[np.integer]
    ) -> tuple[DocumentFrequencies, DocumentFrequencies | None]:
        """Frequencies among all documents, and among those that do not repeat an earlier one, if any do."""
        counts, repeats = self.closed[language], self.closed_repeats[language]
        df, distinct = counts.df_of(terms), None
        if repeats.totals.documents:
            own = df - repeats.df_of(terms)
            distinct = self._filled_up(language, terms, counts.totals - repeats.totals, own)
        return self._filled_up(language, terms, counts.totals, df), distinct

    def _filled_up(
        self, language: int, terms: NDArray[np.integer], totals: Totals, df: NDArray[np.float64]
    ) -> DocumentFrequencies:
        pseudo = totals.pseudo_documents
        if pseudo:
            df += pseudo * self._background[language].of(terms)
            if LANGUAGES[language] not in OUR_LANGUAGES:
                # Other languages have no background; ``df_min`` would leave their first documents without key terms.
                df = np.maximum(df, as_count(self._settings.df_min, totals.documents + pseudo))
        return DocumentFrequencies(float(totals.documents + pseudo), df)


def count_rows(
    open_counts: Sequence[LanguageCounts],
    languages: NDArray[np.uint8],
    lengths: NDArray[np.int64],
    terms: Ragged,
    *,
    counted: NDArray[np.bool_] | None = None,
) -> None:
    """Count documents in the open epoch.

    Args:
        languages: uint8 (documents,).
        lengths: int64 (documents,).
        counted: bool (documents,), which of them count; all by default.
    """
    if counted is not None and not counted.any():
        return
    spoken = sorted(set(languages.tolist()))
    if len(spoken) == 1 and counted is None:
        open_counts[spoken[0]].add(Totals(len(lengths), int(lengths.sum())), terms.values, 1)
        return
    sizes = terms.sizes
    for language in spoken:
        own = languages == language if counted is None else (languages == language) & counted
        totals = Totals(int(own.sum()), int(lengths[own].sum()))
        open_counts[language].add(totals, terms.values[np.repeat(own, sizes)], 1)
