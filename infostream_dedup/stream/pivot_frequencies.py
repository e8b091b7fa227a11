"""Document frequencies of the pivot language, frozen for the length of an epoch."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Settings
from infostream_dedup.model.stream_records import EpochFrequencies
from infostream_dedup.stream.background_terms import BackgroundTerms
from infostream_dedup.stream.frequencies import LanguageCounts
from infostream_dedup.stream.pivot_words import PIVOT, pivot_frequencies
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import DocumentFrequencies, Totals
from infostream_dedup.terms.weighting import bounded_idf

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PivotFrequencies:
    """Counts of all documents, whatever their language, in the terms of the pivot language.

    The pseudo-documents added to a young stream are those of each document's own language, translated.

    Args:
        settings: weighting, df_min, df_max.
        numbers: numbers of the stream's terms.

    Attributes:
        closed: counts of the closed epochs, which weight documents.
        open: counts of the open one.
    """

    def __init__(self, settings: Settings, numbers: TermNumbers) -> None:
        self._settings = settings
        self.closed = LanguageCounts()
        self.open = LanguageCounts()
        self._background = [
            BackgroundTerms(numbers, partial(pivot_frequencies, language)) for language in OUR_LANGUAGES
        ]

    def resume(self, closed: LanguageCounts) -> None:
        """Resume in an epoch; the earlier ones are given, and the open one is empty."""
        self.closed, self.open = closed, LanguageCounts()

    def count(self, lengths: NDArray[np.int64], terms: Ragged) -> None:
        """Count documents in the open epoch.

        Args:
            lengths: int64 (documents,).
        """
        values = terms.values[terms.indptr[0] : terms.indptr[-1]].astype(np.int64)
        self.open.add(Totals(len(lengths), int(lengths.sum())), values, 1)

    def withhold(self, counted: Iterable[EpochFrequencies]) -> None:
        """Count documents that have been forgotten on request in the open epoch."""
        for one in counted:
            self.open.add(Totals(one.documents, one.length), one.terms, one.df)

    def close(self, epoch: int) -> list[EpochFrequencies]:
        """Close the open epoch and return its counts; empty if it has no document."""
        own, self.open = self.open, LanguageCounts()
        if not own.totals.documents:
            return []
        terms = np.flatnonzero(own.df).astype(np.int64)
        df = own.df[terms].astype(np.int64)
        self.closed.add(own.totals, terms, df)
        return [EpochFrequencies(epoch, PIVOT, own.totals.documents, own.totals.length, terms, df)]

    def average_length(self, language: int) -> float:
        """Mean length of the documents of the closed epochs; of a pseudo-document if there are none."""
        if LANGUAGES[language] not in OUR_LANGUAGES:
            return self.closed.totals.average_length()
        return self.closed.totals.average_length(partial(term_frequencies, LANGUAGES[language], "pivot"))

    def idf(self, language: int, terms: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the idf of terms for a document of a language, 0 if their document frequency is out of bounds."""
        totals, df = self.closed.totals, self.closed.df_of(terms)
        pseudo = totals.pseudo_documents
        if pseudo and LANGUAGES[language] in OUR_LANGUAGES:
            df += pseudo * self._background[language].of(terms)
        return bounded_idf(DocumentFrequencies(float(totals.documents + pseudo), df), self._settings)
