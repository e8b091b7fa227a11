"""The document frequencies by which a stream weighted an epoch, to weight collections in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import LANGUAGES, Document, Language, Settings
from infostream_dedup.runs.batch.collection import Collection
from infostream_dedup.runs.batch.stored_settings import settings_of_terms
from infostream_dedup.stream.store.restoring import LanguageFrequencies, open_epoch
from infostream_dedup.stream.store.store import Store
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.reading import key_terms_of_surfaces
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import DocumentFrequencies, Statistics, Totals, filled_up

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EpochStatistics:
    """The counts of a stream before one of its epochs.

    Attributes:
        name: name of the epoch, as given.
        defaults: settings of the stream by name: those for its terms, and its k for duplicates.
        number_of: number of each term of the store.
        frequencies: sums over all earlier epochs, by language.
        repeats: the same sums over documents that repeat earlier ones; empty if the stream applied ``df_max`` to all.
    """

    name: str
    defaults: Mapping[str, Any]
    number_of: Mapping[str, int]
    frequencies: Mapping[Language, LanguageFrequencies]
    repeats: Mapping[Language, LanguageFrequencies]

    def settings(self, given: Mapping[str, Any]) -> Settings:
        """Return the settings of the stream, overridden by given ones.

        Args:
            given: settings by name; ``None`` means not given.
        """
        chosen = Settings.of(**{**self.defaults, **{name: one for name, one in given.items() if one is not None}})
        for name in ("representation", "morph"):
            asked, counted = getattr(chosen, name), self.defaults[name]
            if asked != counted:
                raise ConfigurationError(f"{name} is {asked!r}, but {self.name} counted terms with {name} {counted!r}")
        return chosen

    def of(self, terms: Sequence[str], settings: Settings) -> list[Statistics]:
        """Return the stream's statistics of given terms per language, in the order of ``LANGUAGES``.

        If the stream had few documents in a language, or none yet, pseudo-documents are added.
        """
        numbers = np.array([self.number_of.get(term, -1) for term in terms], dtype=np.int64)
        return [self._of_language(terms, numbers, language, settings) for language in LANGUAGES]

    def _of_language(
        self, terms: Sequence[str], numbers: NDArray[np.int64], language: Language, settings: Settings
    ) -> Statistics:
        totals, df = _counts_of(self.frequencies.get(language), numbers)
        background = partial(term_frequencies, language, settings.representation) if settings.background else None
        found = filled_up(terms, df, totals, background)
        if language not in self.repeats:
            return found
        repeated, df_repeated = _counts_of(self.repeats[language], numbers)
        distinct = filled_up(terms, df - df_repeated, totals - repeated, background)
        return replace(found, distinct=DocumentFrequencies(distinct.documents, distinct.df))


def _counts_of(counted: LanguageFrequencies | None, numbers: NDArray[np.int64]) -> tuple[Totals, NDArray[np.int64]]:
    """Return totals, and how many documents contain each of some terms."""
    if counted is None:
        return Totals(), np.zeros(len(numbers), dtype=np.int64)
    # A term without a number (-1) gets the zero at the end.
    df = np.append(counted.df, 0)[np.minimum(numbers, len(counted.df))]
    return Totals(counted.documents, counted.length), df


@dataclass(frozen=True, slots=True)
class WeighedCollection:
    """A collection weighted by the statistics of an epoch instead of its own."""

    collection: Collection
    statistics: EpochStatistics

    def __len__(self) -> int:
        return len(self.collection)

    @property
    def documents(self) -> Sequence[Document]:
        """As in the collection."""
        return self.collection.documents

    @property
    def languages(self) -> list[Language]:
        """As in the collection."""
        return self.collection.languages

    def key_terms(self, settings: Settings) -> KeyTerms:
        """Key terms of every document by the statistics of the epoch."""
        given = partial(self.statistics.of, settings=settings)
        return key_terms_of_surfaces(self.collection.surfaces, settings, statistics=given)

    def key_terms_of(self, settings: Settings, documents: NDArray[np.int64], _all_terms: KeyTerms, /) -> KeyTerms:
        """As ``Weighable.key_terms_of``."""
        return self.key_terms(settings).of(documents)


def epoch_statistics(name: str) -> EpochStatistics:
    """Read the statistics by which the documents of an epoch were weighted.

    Args:
        name: ``STORE:EPOCH``, path of a store and number of an epoch; the last number is the open epoch.
    """
    path, _, number = name.rpartition(":")
    if not path or not (number.isascii() and number.isdigit()):
        raise ConfigurationError(f"{name!r} is not of the form STORE:EPOCH, such as stream.db:0")
    with Store.open(path, create=False, read_only=True) as store, store.reading() as connection:
        last = open_epoch(connection)
        if int(number) > last:
            raise ConfigurationError(f"{name!r}: the store's latest epoch is {last}")
        stored = store.settings
        defaults = {**settings_of_terms(stored), "k": stored["k_duplicate"]}
        terms = {term: place for place, term in enumerate(store.terms())}
        before = int(number)
        counts = store.frequencies(before=before), store.repeat_frequencies(before=before)
        return EpochStatistics(name, defaults, terms, *counts)
