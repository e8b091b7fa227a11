"""The vocabulary of a collection: statistics of chunks are added up and frozen, so a term has one number everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.arrays import offsets_of
from infostream_dedup.errors import BadDataError
from infostream_dedup.language.text.surface_pool import SurfaceList, texts_of_arrow
from infostream_dedup.machine.kernels.byte_blocks import BLOCK
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.model.settings import REPRESENTATIONS
from infostream_dedup.runs.sharded.kernels.rows import merge_ascending
from infostream_dedup.runs.sharded.work_folder import Layout
from infostream_dedup.terms.compiled import SurfaceCounter, count_terms
from infostream_dedup.terms.kernels.counting import add_frequencies
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import Statistics, TermCounts, Totals, filled_up, term_hashes

# Counts terms of texts: each chunk of documents has its own vocabulary, whose terms are identified by hashes

CHUNK: Final = 50_000
"""Documents counted together. Words are analysed once per chunk; counting a chunk of news takes about 500 MB."""

TEXTS: Final = pa.schema([("ordinal", pa.int64()), ("text", pa.large_string()), ("lang", pa.string())])
"""Documents as the first stage takes them: ``ordinal`` ascends without gaps among documents that may share a chunk;
``lang`` is null if the language is to be detected."""

COUNTS: Final = Layout(
    "counts",
    ("representation", "first"),
    {
        "languages": "u1",
        "lengths": "i8",
        "sizes": "i4",
        "columns": "i4",
        "counts": "i4",
        "starts": "i8",
        "pool": "u1",
        "hashes": "u8",
        "checks": "u8",
        "order": "i4",
    },
)
"""A chunk as counts of its terms. ``representation`` is an index into ``REPRESENTATIONS``, ``first`` the ordinal of the
first document. ``columns`` number the chunk's terms in code point order; ``starts`` are their offsets in ``pool``.
``order`` lists them by hash; ``hashes`` and ``checks`` are in that order."""


@dataclass(frozen=True, slots=True)
class CountedChunk:
    """A row of COUNTS."""

    first: int  # ordinal of the first document; the others follow without gaps
    counts: TermCounts  # the documents as counts of the chunk's own terms
    hashes: NDArray[np.uint64]  # uint64 (terms,), first hashes, ascending
    checks: NDArray[np.uint64]  # uint64 (terms,), second hashes, in the order of the first
    order: NDArray[np.int32]  # int32 (terms,), number of the term that each hash belongs to

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
    batches: Iterable[pa.RecordBatch], settings: Sequence[Settings], *, chunk: int = CHUNK, workers: int = 1
) -> Iterator[pa.RecordBatch]:
    """Count the terms of documents."""
    open_chunk = _OpenChunk(workers)
    for batch in batches:
        for piece in _without_gaps(batch):
            start = 0
            while start < piece.num_rows:
                if open_chunk.ends_before(piece.column("ordinal")[start].as_py(), chunk):
                    yield from open_chunk.counted(settings)
                    open_chunk = _OpenChunk(workers)
                taken = min(piece.num_rows - start, chunk - open_chunk.documents)
                open_chunk.add(piece.slice(start, taken))
                start += taken
    if open_chunk.documents:
        yield from open_chunk.counted(settings)


def _without_gaps(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    ordinals = batch.column("ordinal").to_numpy()
    bounds = [0, *(np.flatnonzero(np.diff(ordinals) != 1) + 1).tolist(), len(ordinals)]
    for begin, end in pairwise(bounds):
        if end > begin:
            yield batch.slice(begin, end - begin)


class _OpenChunk:
    """Documents read so far, without their texts."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._counter = SurfaceCounter(workers)
        self._first = 0
        self.documents = 0

    def ends_before(self, ordinal: int, chunk: int) -> bool:
        return self.documents > 0 and (self.documents >= chunk or ordinal != self._first + self.documents)

    def add(self, batch: pa.RecordBatch) -> None:
        if self.documents == 0:
            self._first = batch.column("ordinal")[0].as_py()
        self._counter.add_texts(texts_of_arrow(batch.column("text")), batch.column("lang").to_pylist())
        self.documents += batch.num_rows

    def counted(self, settings: Sequence[Settings]) -> Iterator[pa.RecordBatch]:
        surfaces = self._counter.finish()
        for one in settings:
            yield _row(self._first, one.representation, count_terms(surfaces, one, workers=self._workers))


def _row(first: int, representation: str, counts: TermCounts) -> pa.RecordBatch:
    terms = counts.terms if isinstance(counts.terms, SurfaceList) else SurfaceList.of(counts.terms)
    hashes = term_hashes(terms)
    order = np.argsort(hashes[0], kind="stable")
    values: dict[str, Any] = {
        "representation": REPRESENTATIONS.index(representation),
        "first": first,
        "languages": counts.languages,
        "lengths": counts.lengths,
        "sizes": np.diff(counts.counts.indptr),
        "columns": counts.counts.indices,
        "counts": counts.counts.data,
        "starts": terms.starts,
        "pool": terms.pool[: int(terms.starts[-1]) + BLOCK],
        "hashes": hashes[0][order],
        "checks": hashes[1][order],
        "order": order,
    }
    return COUNTS.row(**values)


STATISTICS: Final = Layout(
    "statistics", (), {"hashes": "u8", "checks": "u8", "frequencies": "i8", "documents": "i8", "lengths": "i8"}
)
"""Whole numbers of some documents, which add up: both hashes of each term, ascending by the first; documents of each
language that contain it, language by language; number of documents and sum of their lengths per language."""


class CollisionError(BadDataError):
    """Two terms share their first hash, so that their documents cannot be distinguished.

    ``shared``: the hash; ``terms``: the terms, if they are known.
    """

    def __init__(self, shared: int, terms: Sequence[str] = ()) -> None:
        names = f": {' and '.join(map(repr, terms))}" if terms else ""
        message = f"two terms have the hash {shared:016x}{names}; leave out the documents of one of them"
        super().__init__(message, code="E_HASH", source="<terms>")
        self.shared = shared


@dataclass(frozen=True, slots=True)
class FrozenVocabulary:
    """All terms of a collection, ascending by hash; the number of a term is its position here."""

    hashes: NDArray[np.uint64]  # uint64 (terms,), ascending
    checks: NDArray[np.uint64]  # uint64 (terms,), second hashes
    df: NDArray[np.int64]  # int64 (languages, terms), documents of each language that contain each term
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
        (row,) = STATISTICS.rows(batches)
        return cls._of_row(row)

    @classmethod
    def _of_row(cls, row: dict[str, Any]) -> FrozenVocabulary:
        totals = tuple(map(Totals, row["documents"].tolist(), row["lengths"].tolist()))
        return cls(row["hashes"], row["checks"], row["frequencies"].reshape(len(LANGUAGES), -1), totals)

    def numbers_of(self, chunk: CountedChunk) -> NDArray[np.int64]:
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
        self,
        counts: TermCounts,
        numbers: NDArray[np.int64],
        settings: Settings,
        distinct: FrozenVocabulary | None = None,
    ) -> list[Statistics]:
        """Statistics of the collection for the terms of a chunk, one for each of ``LANGUAGES``.

        The background is looked up only for terms that a document of its language has in the chunk: for the others
        the value is never used.
        """
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
        self,
        language: int,
        counts: TermCounts,
        numbers: NDArray[np.int64],
        settings: Settings,
        held: NDArray[np.bool_] | None = None,
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
            raise _collision(chunk.hashes[again[0]])
        matrix, languages = chunk.counts.counts, chunk.counts.languages
        df = np.zeros((len(LANGUAGES), matrix.shape[1]), dtype=np.int64)
        add_frequencies(matrix.indptr.astype(np.int64), matrix.indices, languages, df)
        lengths = np.zeros(len(LANGUAGES), dtype=np.int64)
        np.add.at(lengths, languages, chunk.counts.lengths)
        yield STATISTICS.row(
            hashes=chunk.hashes,
            checks=chunk.checks,
            frequencies=df[:, chunk.order].ravel(),
            documents=np.bincount(languages, minlength=len(LANGUAGES)),
            lengths=lengths,
        )


def merge_statistics(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Add up statistics; yields a single row, even for no documents."""
    # Parts of similar size are merged, so that a term is moved a few times rather than once per chunk.
    parts: list[FrozenVocabulary] = []
    for row in STATISTICS.rows(batches):
        parts.append(FrozenVocabulary._of_row(row))
        while len(parts) > 1 and len(parts[-2]) < 2 * len(parts[-1]):
            last = parts.pop()
            parts.append(_merged(parts.pop(), last))
    while len(parts) > 1:
        last = parts.pop()
        parts.append(_merged(parts.pop(), last))
    nothing = np.zeros(0, dtype=np.uint64)
    whole = parts[0] if parts else _EMPTY
    yield STATISTICS.row(
        hashes=whole.hashes if parts else nothing,
        checks=whole.checks if parts else nothing,
        frequencies=whole.df.ravel(),
        documents=[one.documents for one in whole.totals],
        lengths=[one.length for one in whole.totals],
    )


def _merged(one: FrozenVocabulary, other: FrozenVocabulary) -> FrozenVocabulary:
    left, right = np.empty(len(one), dtype=np.int64), np.empty(len(other), dtype=np.int64)
    size = merge_ascending(one.hashes, other.hashes, left, right)
    hashes, checks = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.uint64)
    hashes[left], hashes[right] = one.hashes, other.hashes
    checks[left] = one.checks
    checks[right] = other.checks
    clash = np.flatnonzero(checks[left] != one.checks)
    if len(clash):
        raise _collision(one.hashes[clash[0]])
    df = np.zeros((len(LANGUAGES), size), dtype=np.int64)
    df[:, left] = one.df
    df[:, right] += other.df
    totals = tuple(mine + theirs for mine, theirs in zip(one.totals, other.totals, strict=True))
    return FrozenVocabulary(hashes, checks, df, totals)


def _collision(shared: np.uint64) -> CollisionError:
    return CollisionError(int(shared))


def count_distinct(
    batches: Iterable[pa.RecordBatch], vocabulary: FrozenVocabulary, repeats: NDArray[np.bool_]
) -> pa.RecordBatch:
    """Statistics over the documents that repeat no earlier one: a row of STATISTICS, of all terms."""
    df = np.zeros_like(vocabulary.df)
    documents, lengths = np.zeros((2, len(LANGUAGES)), dtype=np.int64)
    for chunk in CountedChunk.read(batches):
        matrix, languages = chunk.counts.counts, chunk.counts.languages
        chosen = np.flatnonzero(~repeats[chunk.first :][: len(languages)])
        some, numbers = matrix[chosen], vocabulary.numbers_of(chunk)
        own = np.zeros((len(LANGUAGES), matrix.shape[1]), dtype=np.int64)
        add_frequencies(some.indptr.astype(np.int64), some.indices, languages[chosen], own)
        df[:, numbers] += own
        documents += np.bincount(languages[chosen], minlength=len(LANGUAGES))
        np.add.at(lengths, languages[chosen], chunk.counts.lengths[chosen])
    values = {"hashes": vocabulary.hashes, "checks": vocabulary.checks, "frequencies": df.ravel()}
    return STATISTICS.row(**values, documents=documents, lengths=lengths)


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
