"""Turns chunks of counts into key terms and targets, numbered by the frozen vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.arrays import offsets_of
from infostream_dedup.links.compiled.kernels.matching import own_counts
from infostream_dedup.links.compiled.kernels.rows import mix_rows
from infostream_dedup.links.compiled.term_rows import TermRows, term_rows
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings
from infostream_dedup.runs.sharded.kernels.rows import renumber_rows
from infostream_dedup.runs.sharded.vocabulary import CountedChunk, FrozenVocabulary
from infostream_dedup.runs.sharded.work_folder import Layout
from infostream_dedup.terms.compiled import select_key_terms
from infostream_dedup.terms.equivalents import Equivalents, SourceTerms, equivalents_of, source_terms
from infostream_dedup.terms.key_terms import KeyTerms, PivotSpace
from infostream_dedup.terms.pivot_columns import (
    ColumnName,
    KeyColumns,
    KeyNames,
    SpaceCounts,
    Targets,
    canonical_counts,
    restricted,
    shares_of_weights,
    statistics_of_untranslated,
    weights_of_languages,
)
from infostream_dedup.terms.representations.pivot import shares_of_languages
from infostream_dedup.terms.statistics import Statistics, TermCounts

if TYPE_CHECKING:
    import pyarrow as pa


KEYS: Final = Layout(
    "keys",
    ("first",),
    {
        "languages": "u1",
        "sizes": "i4",
        "keys": "u4",
        "weights": "i8",
        "target_sizes": "i4",
        "targets": "u4",
        "own": "u1",
        "hashes": "u8",
        "checks": "u8",
    },
)
"""A chunk's key terms and targets. ``keys`` are in code point order of the terms, ``weights`` in units of 1e-9,
``targets`` ascend. ``own``: key terms in the document's own target. ``hashes`` and ``checks`` are equal if key terms
and targets are equal."""

LABELS: Final = Layout("labels", (), {"numbers": "u4"}, ("terms",))
"""The terms of given numbers."""

_NOTHING: Final = np.zeros(0, dtype=np.int64)
_SEEDS: Final = (0, 0xD1B54A32D192ED03)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChunk:
    """A row of KEYS."""

    first: int  # ordinal of the first document; the others follow without gaps
    languages: NDArray[np.uint8]  # uint8 (documents,), index into `LANGUAGES`
    keys: TermRows  # key terms; in code point order in a row
    weights: NDArray[np.int64]  # int64, weight of each key term in units of 1e-9
    targets: TermRows  # target terms that two documents or more have, ascending in a row
    own: NDArray[np.uint8]  # uint8 (documents,), key terms in the own target
    hashes: NDArray[np.uint64]  # uint64 (2, documents), of key terms and target together

    def __len__(self) -> int:
        return len(self.own)

    @classmethod
    def read(cls, batches: Iterable[pa.RecordBatch], terms: int) -> Iterator[KeyChunk]:
        """Read rows of KEYS."""
        for row in KEYS.rows(batches):
            yield cls(
                first=row["first"],
                languages=row["languages"],
                keys=TermRows(offsets_of(row["sizes"]), row["keys"], terms),
                weights=row["weights"],
                targets=TermRows(offsets_of(row["target_sizes"]), row["targets"], terms),
                own=row["own"],
                hashes=np.stack((row["hashes"], row["checks"])),
            )


def select_keys(
    batches: Iterable[pa.RecordBatch],
    vocabulary: FrozenVocabulary,
    settings: Settings,
    *,
    distinct: FrozenVocabulary | None = None,
    workers: int = 1,
) -> Iterator[pa.RecordBatch]:
    """Select the key terms of documents by the statistics of the whole collection."""
    shared = vocabulary.df.sum(axis=0) >= 2
    for chunk in CountedChunk.read(batches):
        numbers = vocabulary.numbers_of(chunk)
        statistics = vocabulary.statistics(chunk.counts, numbers, settings, distinct)
        found = select_key_terms(chunk.counts, settings, statistics, workers=workers)
        keys = _renumbered(found.keys, numbers, len(vocabulary), ascending=False)
        # A term of a single document cannot match another document.
        targets = _renumbered(found.targets, np.where(shared[numbers], numbers, -1), len(vocabulary), ascending=True)
        yield keys_row(chunk.first, chunk.counts.languages, keys, found.keys.data, targets)


def keys_row(
    first: int, languages: NDArray[np.uint8], keys: TermRows, weights: NDArray[np.int64], targets: TermRows
) -> pa.RecordBatch:
    """A row of KEYS from the key terms and targets of a chunk.

    targets: targets, ascending within a row.
    """
    own = np.empty(keys.documents, dtype=np.uint8)
    own_counts(np.arange(keys.documents), keys, targets, own)
    hashes = np.empty((2, keys.documents), dtype=np.uint64)
    for number, seed in enumerate(_SEEDS):
        hashes[number] = np.uint64(seed)
        mix_rows(keys.indptr, keys.indices, hashes[number])
        mix_rows(targets.indptr, targets.indices, hashes[number])
    return KEYS.row(
        first=first,
        languages=languages,
        sizes=np.diff(keys.indptr),
        keys=keys.indices,
        weights=weights,
        target_sizes=np.diff(targets.indptr),
        targets=targets.indices,
        own=own,
        hashes=hashes[0],
        checks=hashes[1],
    )


def fewer_keys(batches: Iterable[pa.RecordBatch], n: int) -> Iterator[pa.RecordBatch]:
    """Keep the n heaviest key terms of documents; among equals, the first in code point order."""
    for row in KEYS.rows(batches):
        owners = np.repeat(np.arange(len(row["sizes"])), row["sizes"])
        order = np.lexsort((np.arange(len(owners)), -row["weights"], owners))
        kept = np.zeros(len(owners), dtype=np.bool_)
        kept[order] = np.arange(len(owners)) - offsets_of(row["sizes"])[owners] < n
        keys = TermRows(offsets_of(np.minimum(row["sizes"], n)), row["keys"][kept], 0)
        targets = TermRows(offsets_of(row["target_sizes"]), row["targets"], 0)
        yield keys_row(row["first"], row["languages"], keys, row["weights"][kept], targets)


def _renumbered(matrix: sp.csr_array, numbers: NDArray[np.int64], terms: int, *, ascending: bool) -> TermRows:
    sizes, found = np.empty(matrix.shape[0], dtype=np.int32), np.empty(matrix.nnz, dtype=np.uint32)
    columns = matrix.indices.astype(np.int32, copy=False)
    every = np.arange(matrix.shape[0], dtype=np.int64)
    size = renumber_rows(matrix.indptr.astype(np.int64), columns, every, numbers, ascending, sizes, found)
    return TermRows(offsets_of(sizes), found[:size], terms)


def unweighted(row: pa.RecordBatch) -> pa.RecordBatch:
    """A row of KEYS without weights, from which a shard is built."""
    return KEYS.with_arrays(row, weights=_NOTHING)


def asking(row: pa.RecordBatch) -> pa.RecordBatch:
    """A row of KEYS without weights and targets, as a question to a shard."""
    no_targets = np.zeros(len(row.column("sizes")[0]), dtype=np.int32)
    return KEYS.with_arrays(row, weights=_NOTHING, targets=_NOTHING, target_sizes=no_targets)


def mark_key_terms(batches: Iterable[pa.RecordBatch], terms: int) -> NDArray[np.int32]:
    """Number the terms that are key terms of any document: int32 (terms,), ascending from 0, -1 for the others."""
    marked = np.zeros(terms, dtype=np.bool_)
    for row in KEYS.rows(batches):
        marked[row["keys"]] = True
    return np.where(marked, np.cumsum(marked, dtype=np.int64) - 1, -1).astype(np.int32)


def key_term_labels(
    batches: Iterable[pa.RecordBatch], vocabulary: FrozenVocabulary, numbers_of_keys: NDArray[np.int32]
) -> Iterator[pa.RecordBatch]:
    """The words of key terms; a term that several chunks have is given once."""
    wanted = numbers_of_keys >= 0
    for chunk in CountedChunk.read(batches):
        numbers = vocabulary.numbers_of(chunk)
        here = np.flatnonzero(wanted[numbers])
        wanted[numbers[here]] = False
        terms = chunk.counts.terms
        yield LABELS.row(numbers=numbers_of_keys[numbers[here]], terms=[terms[number] for number in here.tolist()])


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """How many documents have each term as a key term, and how many can be found by it."""

    keys: NDArray[np.int64]  # int64 (terms,)
    targets: NDArray[np.int64]  # int64 (terms,)

    @classmethod
    def of(cls, batches: Iterable[pa.RecordBatch], terms: int) -> KeyCounts:
        """Count over rows of KEYS."""
        keys, targets = np.zeros((2, terms), dtype=np.int64)
        for row in KEYS.rows(batches):
            keys += np.bincount(row["keys"], minlength=terms)
            targets += np.bincount(row["targets"], minlength=terms)
        return cls(keys, targets)

    @property
    def expected_work(self) -> int:
        """Number of matches of a key term with a target: at least the number of links at k = 1."""
        return int((self.keys * self.targets).sum())


# Key terms in a pivot language: the words of all chunks are translated once, then every chunk is weighed by itself

COLUMNS: Final = Layout("columns", (), {"canonical": "i4", "sizes": "i4", "members": "i4"}, ("labels",))
"""Key columns: for each, its canonical pivot term (number, word) and the numbers of all pivot terms that match it."""


@dataclass(frozen=True, slots=True)
class _Translated:
    """All terms of a collection."""

    number_of: list[dict[str, int]]  # number of each term, by language
    sources: SourceTerms  # the terms, without counts
    equivalents: Equivalents  # their equivalents
    space: SpaceCounts  # counts of the canonical terms of all documents
    df: NDArray[np.int64]  # int64 (sources,), documents that contain each term


class PivotTerms:
    """Key terms and targets of a collection in a pivot language.

    ``counts``: returns the rows of COUNTS, from the beginning at each call; ``documents``: (languages,), documents of
    the collection, in the order of ``LANGUAGES``; ``settings``: settings with representation ``pivot``.
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
        """Select the key terms of documents, numbered by key column."""
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
        """The words of some documents and their equivalents."""
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
