"""Turns chunks of counts into key terms and targets, numbered by the frozen vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.links.compiled.kernels.link_rows import own_counts
from infostream_dedup.links.compiled.kernels.row_equality import mix_rows
from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.model import Settings
from infostream_dedup.runs.sharded.counting import CountedChunk
from infostream_dedup.runs.sharded.kernels.rows import renumber_rows
from infostream_dedup.runs.sharded.layout import Layout
from infostream_dedup.runs.sharded.vocabulary import FrozenVocabulary
from infostream_dedup.terms.compiled import select_key_terms

if TYPE_CHECKING:
    import pyarrow as pa
    import scipy.sparse as sp
    from numpy.typing import NDArray


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
    """A row of KEYS.

    Attributes:
        first: ordinal of the first document; the others follow without gaps.
        languages: uint8 (documents,), index into ``LANGUAGES``.
        keys: key terms; in code point order in a row.
        weights: int64, weight of each key term in units of 1e-9.
        targets: target terms that two documents or more have, ascending in a row.
        own: uint8 (documents,), key terms in the own target.
        hashes: uint64 (2, documents), of key terms and target together.
    """

    first: int
    languages: NDArray[np.uint8]
    keys: TermRows
    weights: NDArray[np.int64]
    targets: TermRows
    own: NDArray[np.uint8]
    hashes: NDArray[np.uint64]

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
    """Select the key terms of documents by the statistics of the whole collection.

    Args:
        settings: everything that decides key terms; representation ``pivot`` has its own stage.
        distinct: the vocabulary counted without documents that repeat earlier ones, so that what only these lift above
            ``df_max`` stays a key term; ``None`` not to look at repeats.
        workers: threads; 0 for as many as the process may use. The result does not depend on them.
    """
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

    Args:
        languages: uint8 (documents,), index into ``LANGUAGES``.
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
    """The words of key terms; a term that several chunks have is given once.

    Args:
        numbers_of_keys: int32 (terms,), as ``mark_key_terms`` returns them.
    """
    wanted = numbers_of_keys >= 0
    for chunk in CountedChunk.read(batches):
        numbers = vocabulary.numbers_of(chunk)
        here = np.flatnonzero(wanted[numbers])
        wanted[numbers[here]] = False
        terms = chunk.counts.terms
        yield LABELS.row(numbers=numbers_of_keys[numbers[here]], terms=[terms[number] for number in here.tolist()])


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """How many documents have each term as a key term, and how many can be found by it.

    Attributes:
        keys: int64 (terms,).
        targets: int64 (terms,).
    """

    keys: NDArray[np.int64]
    targets: NDArray[np.int64]

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
