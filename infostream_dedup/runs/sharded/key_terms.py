"""The vocabulary of a collection, frozen so that a term has one number everywhere, and key terms numbered by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Final, cast

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.text.surface_pool import SurfaceList, texts_of_arrow
from infostream_dedup.links.compiled.kernels.matching import own_counts
from infostream_dedup.links.compiled.kernels.rows import mix_rows
from infostream_dedup.links.compiled.term_rows import TermRows, term_rows
from infostream_dedup.machine.arrays import Bools, Int32s, Ints, Uint8s, Uint64s, offsets_of
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings
from infostream_dedup.model.settings import REPRESENTATIONS
from infostream_dedup.runs.sharded.kernels import merge_ascending, renumber_rows
from infostream_dedup.runs.sharded.work_folder import Layout
from infostream_dedup.terms.compiled import SurfaceCounter, count_terms, select_key_terms
from infostream_dedup.terms.equivalents import Equivalents, SourceTerms, equivalents_of, source_terms
from infostream_dedup.terms.kernels import add_frequencies
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
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.representations.pivot import shares_of_languages
from infostream_dedup.terms.statistics import Statistics, TermCounts, Totals, filled_up, term_hashes

# Counts terms of texts: each chunk of documents has its own vocabulary, whose terms are identified by hashes

TEXTS: Final = pa.schema([("text", pa.large_string()), ("lang", pa.string())])
"""Documents as the first stage takes them: ``lang`` is null if the language is to be detected."""

COUNTS: Final = Layout(
    "counts", ("representation", "first"),
    {
        "languages": "u1", "lengths": "i8", "sizes": "i4", "columns": "i4", "counts": "i4", "starts": "i8",
        "pool": "u1", "hashes": "u8", "checks": "u8", "order": "i4",
    },
)  # fmt: skip
"""A chunk as counts of its terms. ``representation`` is an index into ``REPRESENTATIONS``, ``first`` the ordinal of the
first document. ``columns`` number the chunk's terms in code point order; ``starts`` are their offsets in ``pool``.
``order`` lists them by hash; ``hashes`` and ``checks`` are in that order."""


@dataclass(frozen=True, slots=True)
class CountedChunk:
    """A row of COUNTS."""

    first: int  # ordinal of the first document; the others follow without gaps
    counts: TermCounts  # the documents as counts of the chunk's own terms
    hashes: Uint64s  # uint64 (terms,), first hashes, ascending
    checks: Uint64s  # uint64 (terms,), second hashes, in the order of the first
    order: Int32s  # int32 (terms,), number of the term that each hash belongs to

    @classmethod
    def read(cls, batches: Iterable[pa.RecordBatch]) -> Iterator[CountedChunk]:
        """Read rows of COUNTS."""
        for row in COUNTS.rows(batches):
            starts = row["starts"]
            shape = (len(row["sizes"]), len(starts) - 1)
            indptr = offsets_of(row["sizes"]).astype(np.int32)
            matrix = sp.csr_array((row["counts"], row["columns"], indptr), shape=shape)
            counts = TermCounts(matrix, SurfaceList(starts, row["pool"]), row["languages"], row["lengths"])
            yield cls(row["first"], counts, row["hashes"], row["checks"], row["order"])


def count_documents(
    batches: Iterable[pa.RecordBatch], settings: Sequence[Settings], *, chunk: int, workers: int = 1
) -> Iterator[pa.RecordBatch]:
    """Count the terms of documents, ``chunk`` of them together: words are analysed once per chunk."""
    counter, first, held = SurfaceCounter(workers), 0, 0

    def counted() -> Iterator[pa.RecordBatch]:
        surfaces = counter.finish()
        for one in settings:
            yield _row(first, one.representation, count_terms(surfaces, one, workers=workers))

    for batch in batches:
        start = 0
        while start < batch.num_rows:
            if held == chunk:
                yield from counted()
                counter, first, held = SurfaceCounter(workers), first + held, 0
            piece = batch.slice(start, chunk - held)
            counter.add_texts(texts_of_arrow(piece.column("text")), piece.column("lang").to_pylist())
            start, held = start + piece.num_rows, held + piece.num_rows
    if held:
        yield from counted()


def _row(first: int, representation: str, counts: TermCounts) -> pa.RecordBatch:
    terms = counts.terms if isinstance(counts.terms, SurfaceList) else SurfaceList.of(counts.terms)
    hashes = term_hashes(terms)
    order = np.argsort(hashes[0], kind="stable")
    return COUNTS.row(
        representation=REPRESENTATIONS.index(representation),
        first=first,
        languages=counts.languages,
        lengths=counts.lengths,
        sizes=np.diff(counts.counts.indptr),
        columns=counts.counts.indices,
        counts=counts.counts.data,
        starts=terms.starts,
        pool=terms.pool[: int(terms.starts[-1]) + BLOCK],
        hashes=hashes[0][order],
        checks=hashes[1][order],
        order=order,
    )


STATISTICS: Final = Layout(
    "statistics", (), {"hashes": "u8", "checks": "u8", "frequencies": "i8", "documents": "i8", "lengths": "i8"}
)
"""Whole numbers of some documents, which add up: both hashes of each term, ascending by the first; documents of each
language that contain it, language by language; number of documents and sum of their lengths per language."""


class CollisionError(BadDataError):
    """Two terms (``terms``, if known) share their first hash (``shared``), so that nothing tells them apart."""

    def __init__(self, shared: int, terms: Sequence[str] = ()) -> None:
        names = f": {' and '.join(map(repr, terms))}" if terms else ""
        message = f"two terms have the hash {shared:016x}{names}; leave out the documents of one of them"
        super().__init__(message, code="E_HASH", source="<terms>")
        self.shared = shared


@dataclass(frozen=True, slots=True)
class FrozenVocabulary:
    """All terms of a collection, ascending by hash; the number of a term is its position here."""

    hashes: Uint64s  # uint64 (terms,), ascending
    checks: Uint64s  # uint64 (terms,), second hashes
    df: Ints  # int64 (languages, terms), documents of each language that contain each term
    totals: tuple[Totals, ...]  # number and length of the documents of each language

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def documents(self) -> int:
        """Number of documents."""
        return sum(one.documents for one in self.totals)

    @classmethod
    def of(cls, batches: Iterable[pa.RecordBatch]) -> FrozenVocabulary:
        """Freeze the statistics of a whole collection, the single row that ``merge_statistics`` yields."""
        (found,) = cls.read(batches)
        return found

    @classmethod
    def read(cls, batches: Iterable[pa.RecordBatch]) -> Iterator[FrozenVocabulary]:
        """Read rows of STATISTICS."""
        for row in STATISTICS.rows(batches):
            totals = tuple(map(Totals, row["documents"].tolist(), row["lengths"].tolist()))
            yield cls(row["hashes"], row["checks"], row["frequencies"].reshape(len(LANGUAGES), -1), totals)

    def part(self, own: slice, *, counted: bool) -> FrozenVocabulary:
        """A range of the terms; with the numbers of documents where they are ``counted``."""
        totals = self.totals if counted else _EMPTY.totals
        return FrozenVocabulary(self.hashes[own], self.checks[own], self.df[:, own], totals)

    def row(self) -> pa.RecordBatch:
        """A row of STATISTICS."""
        return STATISTICS.row(
            hashes=self.hashes,
            checks=self.checks,
            frequencies=self.df.ravel(),
            documents=[one.documents for one in self.totals],
            lengths=[one.length for one in self.totals],
        )

    def numbers_of(self, chunk: CountedChunk) -> Ints:
        """Number of each of the chunk's terms: int64 (terms,), in the chunk's order."""
        found = np.searchsorted(self.hashes, chunk.hashes)
        known = found < len(self)
        if not known.all() or not np.array_equal(self.checks[found], chunk.checks):
            message = "this vocabulary is of other documents; empty the work folder and run again"
            raise BadDataError(message, code="E_VERSION", source="<vocabulary>")
        numbers = np.empty(len(found), dtype=np.int64)
        numbers[chunk.order] = found
        return numbers

    def statistics(
        self, counts: TermCounts, numbers: Ints, settings: Settings, distinct: FrozenVocabulary | None = None
    ) -> list[Statistics]:
        """Statistics of the collection for the terms of a chunk, one for each of ``LANGUAGES``."""
        # The background is looked up only for terms that a document of its language has in the chunk: for the others
        # the value is never used.
        found = []
        for language in range(len(LANGUAGES)):
            one = self._of_language(language, counts, numbers, settings)
            if distinct is not None and distinct.totals[language] != self.totals[language]:
                held = self.df[language][numbers] > 0
                among = distinct._of_language(language, counts, numbers, settings, held)
                one = replace(one, distinct=among.counted)
            found.append(one)
        return found

    def _of_language(
        self, language: int, counts: TermCounts, numbers: Ints, settings: Settings, held: Bools | None = None
    ) -> Statistics:
        df, totals = self.df[language][numbers], self.totals[language]
        here = bool((counts.languages == language).any())
        name = LANGUAGES[language]
        background = partial(term_frequencies, name, settings.representation) if settings.background else None
        if background is None or not here or not totals.pseudo_documents:
            return filled_up(counts.terms, df, totals, background if here else None)
        places = np.flatnonzero(df > 0 if held is None else held)
        terms = counts.terms.some(places) if isinstance(counts.terms, SurfaceList) else counts.terms
        part = filled_up(terms, df[places], totals, background)
        blended = df.astype(np.float64)
        blended[places] = part.df
        return Statistics(part.documents, blended, part.average_length)


def partial_statistics(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Statistics of each chunk of COUNTS: a row of STATISTICS for each."""
    for chunk in CountedChunk.read(batches):
        again = np.flatnonzero(chunk.hashes[1:] == chunk.hashes[:-1])
        if len(again):
            raise CollisionError(int(chunk.hashes[again[0]]))
        df, totals = _counted(chunk.counts, np.arange(len(chunk.counts.lengths)))
        yield FrozenVocabulary(chunk.hashes, chunk.checks, df[:, chunk.order], totals).row()


def _counted(counts: TermCounts, chosen: Ints) -> tuple[Ints, tuple[Totals, ...]]:
    """Documents of each language that contain each term, and totals, of some documents of a chunk."""
    matrix, languages = counts.counts[chosen], counts.languages[chosen]
    df, lengths = np.zeros((len(LANGUAGES), matrix.shape[1]), dtype=np.int64), np.zeros(len(LANGUAGES), dtype=np.int64)
    add_frequencies(matrix.indptr.astype(np.int64), matrix.indices, languages, df)
    np.add.at(lengths, languages, counts.lengths[chosen])
    return df, tuple(map(Totals, np.bincount(languages, minlength=len(LANGUAGES)).tolist(), lengths.tolist()))


def merge_statistics(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Add up statistics; yields a single row, even for no documents."""
    # Parts of similar size are merged, so that a term is moved a few times rather than once per chunk.
    parts: list[FrozenVocabulary] = []
    for part in FrozenVocabulary.read(batches):
        parts.append(part)
        while len(parts) > 1 and len(parts[-2]) < 2 * len(parts[-1]):
            last = parts.pop()
            parts.append(_merged(parts.pop(), last))
    while len(parts) > 1:
        last = parts.pop()
        parts.append(_merged(parts.pop(), last))
    yield (parts[0] if parts else _EMPTY).row()


def _merged(one: FrozenVocabulary, other: FrozenVocabulary) -> FrozenVocabulary:
    left, right = np.empty(len(one), dtype=np.int64), np.empty(len(other), dtype=np.int64)
    size = merge_ascending(one.hashes, other.hashes, left, right)
    hashes, checks = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.uint64)
    hashes[left], hashes[right] = one.hashes, other.hashes
    checks[left] = one.checks
    checks[right] = other.checks
    clash = np.flatnonzero(checks[left] != one.checks)
    if len(clash):
        raise CollisionError(int(one.hashes[clash[0]]))
    df = np.zeros((len(LANGUAGES), size), dtype=np.int64)
    df[:, left] = one.df
    df[:, right] += other.df
    totals = tuple(mine + theirs for mine, theirs in zip(one.totals, other.totals, strict=True))
    return FrozenVocabulary(hashes, checks, df, totals)


def count_distinct(batches: Iterable[pa.RecordBatch], vocabulary: FrozenVocabulary, repeats: Bools) -> pa.RecordBatch:
    """Statistics over the documents that repeat no earlier one: a row of STATISTICS, of all terms."""
    df, totals = np.zeros_like(vocabulary.df), _EMPTY.totals
    for chunk in CountedChunk.read(batches):
        chosen = np.flatnonzero(~repeats[chunk.first :][: len(chunk.counts.lengths)])
        own, counted = _counted(chunk.counts, chosen)
        df[:, vocabulary.numbers_of(chunk)] += own
        totals = tuple(mine + theirs for mine, theirs in zip(totals, counted, strict=True))
    return replace(vocabulary, df=df, totals=totals).row()


def terms_of_hash(batches: Iterable[pa.RecordBatch], wanted: int) -> list[str]:
    """The distinct terms of COUNTS that have this first hash, sorted: for a message about a collision."""
    found = set()
    for chunk in CountedChunk.read(batches):
        place = int(np.searchsorted(chunk.hashes, np.uint64(wanted)))
        while place < len(chunk.hashes) and int(chunk.hashes[place]) == wanted:
            found.add(chunk.counts.terms[int(chunk.order[place])])
            place += 1
    return sorted(found)


_EMPTY: Final = FrozenVocabulary(
    np.zeros(0, np.uint64),
    np.zeros(0, np.uint64),
    np.zeros((len(LANGUAGES), 0), np.int64),
    tuple(Totals() for _ in LANGUAGES),
)

KEYS: Final = Layout(
    "keys", ("first",),
    {
        "languages": "u1", "sizes": "i4", "keys": "u4", "weights": "i8", "target_sizes": "i4", "targets": "u4",
        "own": "u1", "hashes": "u8", "checks": "u8",
    },
)  # fmt: skip
"""A chunk's key terms and targets. ``keys`` are in code point order of the terms, ``weights`` in units of 1e-9,
``targets`` ascend. ``own``: key terms in the document's own target. ``hashes`` and ``checks`` are equal if key terms
and targets are equal."""

LABELS: Final = Layout("labels", (), {"numbers": "u4"}, ("terms",))  # the terms of given numbers
_NOTHING: Final = np.zeros(0, dtype=np.int64)
_SEEDS: Final = (0, 0xD1B54A32D192ED03)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChunk:
    """A row of KEYS."""

    first: int  # ordinal of the first document; the others follow without gaps
    languages: Uint8s  # uint8 (documents,), index into `LANGUAGES`
    keys: TermRows  # key terms; in code point order in a row
    weights: Ints  # int64, weight of each key term in units of 1e-9
    targets: TermRows  # target terms that two documents or more have, ascending in a row
    own: Uint8s  # uint8 (documents,), key terms in the own target
    hashes: Uint64s  # uint64 (2, documents), of key terms and target together

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


def keys_row(first: int, languages: Uint8s, keys: TermRows, weights: Ints, targets: TermRows) -> pa.RecordBatch:
    """A row of KEYS from the key terms and the targets of a chunk, ascending within a row."""
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


def _renumbered(matrix: sp.csr_array, numbers: Ints, terms: int, *, ascending: bool) -> TermRows:
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


def mark_key_terms(batches: Iterable[pa.RecordBatch], terms: int) -> Int32s:
    """Number the terms that are key terms of any document: int32 (terms,), ascending from 0, -1 for the others."""
    marked = np.zeros(terms, dtype=np.bool_)
    for row in KEYS.rows(batches):
        marked[row["keys"]] = True
    return np.where(marked, np.cumsum(marked, dtype=np.int64) - 1, -1).astype(np.int32)


def key_term_labels(
    batches: Iterable[pa.RecordBatch], vocabulary: FrozenVocabulary, numbers_of_keys: Int32s
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

    keys: Ints  # int64 (terms,)
    targets: Ints  # int64 (terms,)

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
    df: Ints  # int64 (sources,), documents that contain each term


class PivotTerms:
    """Key terms and targets of a collection in a pivot language; ``counts`` returns all rows of COUNTS at each call."""

    def __init__(self, counts: Callable[[], Iterable[pa.RecordBatch]], documents: Ints, settings: Settings) -> None:
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

    def space_of(self, documents: Ints, columns: Iterable[pa.RecordBatch]) -> PivotSpace:
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
        documents, lengths = np.zeros((2, len(LANGUAGES)), dtype=np.int64)
        space = SpaceCounts(np.zeros((2, len(equivalents.vocabulary)), dtype=np.int64), documents, lengths)
        df = np.zeros(starts[-1], dtype=np.int64)
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
