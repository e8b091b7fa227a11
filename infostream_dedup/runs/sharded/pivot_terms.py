"""Key terms in a pivot language: the words of all chunks are translated once, then every chunk is weighed by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of
from infostream_dedup.links.compiled.term_rows import term_rows
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings
from infostream_dedup.runs.sharded.counting import CountedChunk
from infostream_dedup.runs.sharded.key_terms import LABELS, keys_row
from infostream_dedup.runs.sharded.layout import Layout
from infostream_dedup.terms.compiled import select_key_terms
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.equivalents import Equivalents, SourceTerms, equivalents_of, source_terms
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.pivot_columns import (
    ColumnName,
    KeyColumns,
    KeyNames,
    SpaceCounts,
    Targets,
    canonical_counts,
    restricted,
)
from infostream_dedup.terms.pivot_space import PivotSpace
from infostream_dedup.terms.representations.pivot import shares_of_languages
from infostream_dedup.terms.statistics import Statistics
from infostream_dedup.terms.untranslated import shares_of_weights, statistics_of_untranslated, weights_of_languages

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


COLUMNS: Final = Layout("columns", (), {"canonical": "i4", "sizes": "i4", "members": "i4"}, ("labels",))
"""Key columns: for each, its canonical pivot term (number, word) and the numbers of all pivot terms that match it."""


@dataclass(frozen=True, slots=True)
class _Translated:
    """All terms of a collection.

    Attributes:
        number_of: number of each term, by language.
        sources: the terms, without counts.
        equivalents: their equivalents.
        space: counts of the canonical terms of all documents.
        df: int64 (sources,), documents that contain each term.
    """

    number_of: list[dict[str, int]]
    sources: SourceTerms
    equivalents: Equivalents
    space: SpaceCounts
    df: NDArray[np.int64]


class PivotTerms:
    """Key terms and targets of a collection in a pivot language.

    Args:
        counts: returns the rows of COUNTS, from the beginning at each call.
        documents: int64 (languages,), documents of the collection, in the order of ``LANGUAGES``.
        settings: settings with representation ``pivot``.
    """

    def __init__(
        self, counts: Callable[[], Iterable[pa.RecordBatch]], documents: NDArray[np.int64], settings: Settings
    ) -> None:
        self._counts = counts
        self._documents = documents
        self._settings = settings
        self._pivot = cast("Language", settings.pivot)

    def make_columns(self) -> Iterator[pa.RecordBatch]:
        """Find the key columns; yields a single row of COLUMNS."""
        translated, names = self._translated, set[ColumnName]()
        for chunk in CountedChunk.read(self._counts()):
            own, chosen = self._chosen(chunk)
            names.update(KeyNames.of(chosen.keys, own, translated.equivalents).names)
        every, vocabulary = sorted(names), translated.equivalents.vocabulary
        yield COLUMNS.row(
            canonical=np.array([canonical for canonical, _ in every], dtype=np.int32),
            sizes=np.array([len(members) for _, members in every], dtype=np.int32),
            members=np.array([term for _, members in every for term in members], dtype=np.int32),
            labels=[vocabulary[canonical] for canonical, _ in every],
        )

    def select_keys(self, columns: Iterable[pa.RecordBatch], *, workers: int = 1) -> Iterator[pa.RecordBatch]:
        """Select the key terms of documents, numbered by key column.

        Args:
            workers: threads; 0 for as many as the process may use. The result does not depend on them.
        """
        equivalents, names = self._translated.equivalents, _names(columns)
        number_of = {name: number for number, name in enumerate(names)}
        every = KeyColumns.of(names, len(equivalents.vocabulary))
        found = Targets(every, equivalents)
        for chunk in CountedChunk.read(self._counts()):
            own, chosen = self._chosen(chunk, workers=workers)
            named = KeyNames.of(chosen.keys, own, equivalents)
            column = np.array([number_of[name] for name in named.names], dtype=np.int64)
            keys = every.keyed(chosen.keys, column[named.number])
            met_by = own.counts if self._settings.target == "text" else restricted(own, equivalents, chosen.targets)
            yield keys_row(
                chunk.first, chunk.counts.languages, term_rows(keys), chosen.keys.data, term_rows(found.of(met_by))
            )

    def untranslated(self) -> dict[Language, float]:
        """As ``untranslated_shares``, up to the last bits: weights are added up chunk by chunk."""
        translated, weights = self._translated, np.zeros((2, len(LANGUAGES)))
        sources, equivalents = translated.sources, translated.equivalents
        ours = int(self._documents[: len(OUR_LANGUAGES)].sum())
        unknown = statistics_of_untranslated(translated.df, ours, sources, equivalents, self._statistics[0])
        for chunk in CountedChunk.read(self._counts()):
            own = self._sources_of(chunk.counts)
            canonical = canonical_counts(chunk.counts, own, equivalents)
            statistics = (self._statistics, unknown)
            weights += weights_of_languages(canonical, own, equivalents, statistics, self._settings)
        return shares_of_weights(weights)

    def space_of(self, documents: NDArray[np.int64], columns: Iterable[pa.RecordBatch]) -> PivotSpace:
        """The words of some documents and their equivalents.

        Args:
            documents: ordinals, which ascend.
        """
        translated, parts = self._translated, []
        for chunk in CountedChunk.read(self._counts()):
            begin, end = np.searchsorted(documents, [chunk.first, chunk.first + len(chunk.counts.lengths)])
            if begin < end:
                parts.append(self._sources_of(chunk.counts).counts[documents[begin:end] - chunk.first])
        none = sp.csr_array((0, len(translated.sources.terms)), dtype=np.int32)
        counts = sp.csr_array(sp.vstack([none, *parts], format="csr"))
        every = KeyColumns.of(_names(columns), len(translated.equivalents.vocabulary))
        sources = SourceTerms(counts, translated.sources.terms, translated.sources.languages)
        return PivotSpace(self._pivot, sources, translated.equivalents, every.canonical, every.sets)

    @cached_property
    def _translated(self) -> _Translated:
        terms: list[set[str]] = [set() for _ in LANGUAGES]
        for chunk in CountedChunk.read(self._counts()):
            for language, words in _by_language(source_terms(chunk.counts)):
                terms[language].update(words)
        ordered = [sorted(words) for words in terms]
        starts = offsets_of([len(one) for one in ordered]).tolist()
        number_of = [
            dict(zip(words, range(start, start + len(words)), strict=True))
            for start, words in zip(starts[:-1], ordered, strict=True)
        ]
        sources = SourceTerms(
            sp.csr_array((0, starts[-1]), dtype=np.int32),
            [word for words in ordered for word in words],
            np.repeat(np.arange(len(LANGUAGES), dtype=np.uint8), np.diff(starts)),
        )
        equivalents = equivalents_of(sources, self._pivot, shares=shares_of_languages(self._documents))
        space, df = _nothing(equivalents), np.zeros(starts[-1], dtype=np.int64)
        for chunk in CountedChunk.read(self._counts()):
            own = _numbered(chunk.counts, sources, number_of)
            space += SpaceCounts.of(canonical_counts(chunk.counts, own, equivalents))
            df += np.bincount(own.counts.indices, minlength=len(df))
        return _Translated(number_of, sources, equivalents, space, df)

    @cached_property
    def _statistics(self) -> list[Statistics]:
        translated = self._translated
        return translated.space.statistics(translated.sources, translated.equivalents, self._settings)

    def _sources_of(self, counts: TermCounts) -> SourceTerms:
        return _numbered(counts, self._translated.sources, self._translated.number_of)

    def _chosen(self, chunk: CountedChunk, *, workers: int = 1) -> tuple[SourceTerms, KeyTerms]:
        """The terms of a chunk, and its key terms by canonical term."""
        own = self._sources_of(chunk.counts)
        canonical = canonical_counts(chunk.counts, own, self._translated.equivalents)
        return own, select_key_terms(canonical, self._settings, self._statistics, workers=workers)


def column_labels(columns: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The words of key columns."""
    for row in COLUMNS.rows(columns):
        yield LABELS.row(numbers=np.arange(len(row["labels"])), terms=row["labels"])


def _names(columns: Iterable[pa.RecordBatch]) -> list[ColumnName]:
    (row,) = COLUMNS.rows(columns)
    members, bounds = row["members"].tolist(), offsets_of(row["sizes"]).tolist()
    sets = [tuple(members[begin:end]) for begin, end in pairwise(bounds)]
    return list(zip(row["canonical"].tolist(), sets, strict=True))


def _by_language(sources: SourceTerms) -> Iterator[tuple[int, list[str]]]:
    bounds = np.searchsorted(sources.languages, np.arange(len(LANGUAGES) + 1)).tolist()
    for language, (begin, end) in enumerate(pairwise(bounds)):
        yield language, sources.terms[begin:end]


def _numbered(counts: TermCounts, every: SourceTerms, number_of: list[dict[str, int]]) -> SourceTerms:
    """The terms of a chunk, numbered as those of the collection."""
    own = source_terms(counts)
    found = (number_of[language][word] for language, words in _by_language(own) for word in words)
    number = np.fromiter(found, dtype=np.int32, count=len(own.terms))
    # Both are ordered by language, then in code point order, so indices stay sorted.
    shape = (own.counts.shape[0], len(every.terms))
    matrix = sp.csr_array((own.counts.data, number[own.counts.indices], own.counts.indptr), shape=shape)
    return SourceTerms(matrix, every.terms, every.languages)


def _nothing(equivalents: Equivalents) -> SpaceCounts:
    documents, lengths = np.zeros((2, len(LANGUAGES)), dtype=np.int64)
    return SpaceCounts(np.zeros((2, len(equivalents.vocabulary)), dtype=np.int64), documents, lengths)
