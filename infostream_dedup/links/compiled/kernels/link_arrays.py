"""Links and nodes in the form that compiled loops take."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from infostream_dedup.machine.arrays import Vector

__all__ = ["LinkArrays", "NodeArrays", "PackedRows"]


class LinkArrays(NamedTuple):
    """Links by row.

    Attributes:
        indptr: int64 (rows + 1,), start of each row.
        columns: int32 (links,), ascending in a row.
        counts: uint8 (links,).
    """

    indptr: Vector[np.int64]
    columns: Vector[np.int32]
    counts: Vector[np.uint8]


class NodeArrays(NamedTuple):
    """What each row represents.

    Attributes:
        weights: int64 (rows,), number of documents of each node.
        inside: uint8 (rows,), count of the links inside each node.
        own: number of own rows, which come first.
    """

    weights: Vector[np.int64]
    inside: Vector[np.uint8]
    own: int


class PackedRows(NamedTuple):
    """Links by row as 64-bit words.

    Attributes:
        indptr: int64 (rows + 1,), start of each row in ``words``.
        numbers: uint32, number of each word: bit b of word w is column 64 w + b.
        words: uint64, ascending by number in a row.
    """

    indptr: Vector[np.int64]
    numbers: Vector[np.uint32]
    words: Vector[np.uint64]
