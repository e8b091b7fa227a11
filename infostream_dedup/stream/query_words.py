"""Words of search texts, numbered separately from the terms of the stream: a search never changes a stream."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.stream.frequencies import Frequencies, LanguageCounts
from infostream_dedup.stream.store.restoring import LanguageFrequencies, open_epoch, position_of, summed_frequencies
from infostream_dedup.stream.store.term_index import TermIndex
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.statistics import Totals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.model import Settings


_NOT_ASKED: Final = -2
_UNKNOWN: Final = -1


class QueryWords:
    """Numbers the words of questions, and knows which of them are terms of a store and how frequent these are.

    Args:
        settings: settings of the stream's terms.

    Attributes:
        numbers: numbers of the words.
        frequencies: document frequencies of the store's closed epochs, by these numbers.
    """

    def __init__(self, settings: Settings) -> None:
        self.numbers = TermNumbers()
        self.frequencies = Frequencies(settings, self.numbers)
        self._index = TermIndex()
        self._stored = np.zeros(0, dtype=np.int64)
        self._terms = 0
        self._epoch = -1
        self._connection: sqlite3.Connection | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of the index of terms that are in memory."""
        return self._index.nbytes

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Update from the store."""
        self._connection = connection
        epoch, terms = open_epoch(connection), position_of(connection).terms
        if terms != self._terms:
            self._stored[self._stored == _UNKNOWN] = _NOT_ASKED
            self._terms = terms
        if epoch != self._epoch:
            closed = summed_frequencies(connection, before=epoch, terms=terms)
            repeats = summed_frequencies(connection, before=epoch, terms=terms, table="repeat_frequency")
            self.frequencies.resume(epoch, self._counts(closed), self._counts(repeats))
            self._epoch = epoch

    def stored(self, words: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the store's number of each word, negative if the store does not know the word: int64."""
        if len(self._stored) < len(self.numbers):
            more = np.full(len(self.numbers) - len(self._stored), _NOT_ASKED, dtype=np.int64)
            self._stored = np.concatenate((self._stored, more))
        fresh = np.unique(words[self._stored[words] == _NOT_ASKED]).astype(np.int64)
        if len(fresh) and self._connection is not None:
            terms = self.numbers.terms.some(fresh)
            known = self._index.numbers_of(self._connection, terms)
            self._stored[fresh] = [known.get(term, _UNKNOWN) for term in terms]
        found: NDArray[np.int64] = self._stored[words]
        return found

    def _counts(self, summed: Mapping[Language, LanguageFrequencies]) -> dict[int, LanguageCounts]:
        return {
            number: _StoredCounts(Totals(one.documents, one.length), one.df.astype(np.uint32), words=self)
            for number, language in enumerate(LANGUAGES)
            if (one := summed.get(language)) is not None
        }


@dataclass(slots=True)
class _StoredCounts(LanguageCounts):
    """Counts by the store's numbers, looked up by ours."""

    words: QueryWords = field(kw_only=True)

    def df_of(self, terms: NDArray[np.integer]) -> NDArray[np.float64]:
        stored = self.words.stored(terms)
        df = np.zeros(len(terms), dtype=np.float64)
        counted = (stored >= 0) & (stored < len(self.df))
        df[counted] = self.df[stored[counted]]
        return df
