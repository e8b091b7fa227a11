"""Links expected by chance, by fixed ranges of ordinals: the same float64 in whatever order they are summed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.links.recommendation import CHANCE_BLOCK, chance_sums, chance_total
from infostream_dedup.sharded.key_terms import KEYS
from infostream_dedup.sharded.layout import Layout, indptr_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["CHANCES", "CHANCE_SUMS", "KeyCounts", "chance_from", "chance_pieces", "sum_chances"]

CHANCES: Final = Layout("chances", ("block", "first"), {"sizes": "u1", "shares": "f8"})
"""A piece of a range of ``CHANCE_BLOCK`` ordinals: number of the range, first ordinal, key terms of each document, and
the share of the other documents that contain each key term."""

CHANCE_SUMS: Final = Layout("chance sums", ("block",), {"sums": "f8"})
"""``chance_sums`` of one range."""


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
        """Meetings of a key term with a target: at least as many as there are links at k = 1."""
        return int((self.keys * self.targets).sum())


def chance_pieces(
    batches: Iterable[pa.RecordBatch], targets: NDArray[np.int64], documents: int
) -> Iterator[pa.RecordBatch]:
    """Look up how often the key terms of documents are met, cut at the borders of the ranges.

    Args:
        batches: of KEYS.
        targets: int64 (terms,), documents that can be found by each term.
        documents: size of the collection.

    Yields:
        Rows of CHANCES.
    """
    # A document contains its own key terms, but does not ask itself.
    share = np.maximum(targets - 1, 0) / max(documents - 1, 1)
    for row in KEYS.rows(batches):
        first, sizes = row["first"], row["sizes"]
        indptr, shares = indptr_of(sizes), share[row["keys"]]
        begin = 0
        while begin < len(sizes):
            block = (first + begin) // CHANCE_BLOCK
            end = min(len(sizes), (block + 1) * CHANCE_BLOCK - first)
            yield CHANCES.row(
                block=block,
                first=first + begin,
                sizes=sizes[begin:end],
                shares=shares[indptr[begin] : indptr[end]],
            )
            begin = end


def sum_chances(batches: Iterable[pa.RecordBatch], n: int) -> Iterator[pa.RecordBatch]:
    """Sum the ranges; the pieces of one range come one after another, by ordinal.

    Args:
        batches: of CHANCES.
        n: maximum number of key terms of a document.

    Yields:
        A row of CHANCE_SUMS for each range.
    """
    waiting: list[NDArray[np.float64]] = []
    current = 0
    for row in CHANCES.rows(batches):
        if waiting and row["block"] != current:
            yield CHANCE_SUMS.row(block=current, sums=chance_sums(np.concatenate(waiting)))
            waiting = []
        current = row["block"]
        waiting.append(_table(row["sizes"], row["shares"], n))
    if waiting:
        yield CHANCE_SUMS.row(block=current, sums=chance_sums(np.concatenate(waiting)))


def _table(sizes: NDArray[np.uint8], shares: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    table = np.zeros((len(sizes), n), dtype=np.float64)
    indptr = indptr_of(sizes)
    row = np.repeat(np.arange(len(sizes)), sizes)
    table[row, np.arange(len(shares)) - indptr[row]] = shares
    return table


def chance_from(batches: Iterable[pa.RecordBatch], n: int, documents: int) -> NDArray[np.float64]:
    """Links expected by chance at each k, from rows of CHANCE_SUMS of all ranges: float64 (n + 1,)."""
    return chance_total((row["sums"] for row in CHANCE_SUMS.rows(batches)), n, documents)
