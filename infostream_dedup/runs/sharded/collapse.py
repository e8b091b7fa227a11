"""Combines documents with equal key terms and equal targets into one node, wherever they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.runs.sharded.key_terms import KEYS
from infostream_dedup.runs.sharded.layout import Layout

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


NODES: Final = Layout("nodes", (), {"node_of": "i8", "leaders": "i8", "inside": "u1", "languages": "u1", "sizes": "u1"})
"""Nodes of a collection, numbered by their earliest documents: the node of each document; and for each node, its
earliest document, count of the links between its documents (0 for a single one), language and number of key terms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTable:
    """The nodes of a collection.

    Attributes:
        node_of: int64 (documents,), node of each document.
        leaders: int64 (nodes,), earliest document of each node, ascending.
        inside: uint8 (nodes,), count of the links between the documents of a node; 0 for a node of one document.
        languages: uint8 (nodes,), language of the leader; only with ``pivot`` do equal documents share one.
        sizes: uint8 (nodes,), number of key terms.
        weights: int64 (nodes,), number of documents.
    """

    node_of: NDArray[np.int64]
    leaders: NDArray[np.int64]
    inside: NDArray[np.uint8]
    languages: NDArray[np.uint8]
    sizes: NDArray[np.uint8]
    weights: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.leaders)

    @property
    def documents(self) -> int:
        """Number of documents."""
        return len(self.node_of)

    @classmethod
    def read(cls, batches: Iterable[pa.RecordBatch]) -> NodeTable:
        """Read the single row of NODES."""
        (row,) = NODES.rows(batches)
        weights = np.bincount(row["node_of"], minlength=len(row["leaders"])).astype(np.int64)
        return cls(**row, weights=weights)

    def members(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Documents by node: int64 (nodes + 1,), bounds, and int64 (documents,), ascending within a node."""
        return offsets_of(self.weights), np.argsort(self.node_of, kind="stable")

    def leaders_in(self, first: int, last: int) -> tuple[int, NDArray[np.int64]]:
        """First node led by documents first to last - 1, and offsets from ``first`` of all such leaders."""
        begin, end = np.searchsorted(self.leaders, (first, last))
        return int(begin), self.leaders[begin:end] - first


def collapse_documents(
    batches: Iterable[pa.RecordBatch], *, by_language: bool = False, moments: NDArray[np.int64] | None = None
) -> Iterator[pa.RecordBatch]:
    """Group documents with equal key terms and targets, by two 64-bit hashes of them.

    Args:
        moments: int64 (documents,): only documents of one moment are equal; ``None`` to ignore time.
    """
    rows = [(row["hashes"], row["checks"], row["own"], row["languages"], row["sizes"]) for row in KEYS.rows(batches)]
    hashes, checks = (_joined([row[column] for row in rows], np.uint64) for column in (0, 1))
    own, languages = (_joined([row[column] for row in rows], np.uint8) for column in (2, 3))
    sizes = _joined([row[4].astype(np.uint8) for row in rows], np.uint8)
    columns: list[NDArray[np.generic]] = [checks, hashes]
    if by_language:
        columns.append(languages)
    if moments is not None:
        columns.append(moments)
    order = np.lexsort(columns)
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = False
    for column in columns:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    # The sort is stable, so each run begins with its earliest document.
    leader_of = np.empty(len(order), dtype=np.int64)
    leader_of[order] = np.repeat(order[starts], np.diff(np.append(starts, len(order))))
    leaders = np.flatnonzero(leader_of == np.arange(len(order)))
    number = np.zeros(len(order), dtype=np.int64)
    number[leaders] = np.arange(len(leaders))
    node_of = number[leader_of]
    several = np.bincount(node_of, minlength=len(leaders)) > 1
    yield NODES.row(
        node_of=node_of,
        leaders=leaders,
        inside=np.where(several, own[leaders], 0),
        languages=languages[leaders],
        sizes=sizes[leaders],
    )


def _joined(parts: list[NDArray[np.generic]], kind: type[np.generic]) -> NDArray[np.generic]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)
