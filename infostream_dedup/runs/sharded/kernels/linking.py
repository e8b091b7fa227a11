"""Convert links of a shard from the form in which they are found to the form in which they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["decode_links", "name_links"]


@compiled
def name_links(
    found: Vector[np.uint64],
    asked: Vector[np.uint32],
    order: Vector[np.uint32],
    answering: Vector[np.int64],
    named: Vector[np.uint64],
) -> None:
    """Replace questions by rows, and places by nodes.

    Args:
        found: uint64 (links,), ``question << 40 | place << 8 | count``.
        asked: uint32 (questions,), row of each question, below 2**24.
        order: uint32 (places,), row of the shard at each place.
        answering: int64 (rows of the shard,), node of each, below 2**32.
        named: uint64 (links,), receives ``row << 40 | node << 8 | count``.
    """
    for link in range(found.size):
        code = found[link]
        row = np.uint64(asked[np.int64(code >> np.uint64(40))])
        node = np.uint64(answering[order[np.int64((code >> np.uint64(8)) & np.uint64(0xFFFFFFFF))]])
        named[link] = row << np.uint64(40) | node << np.uint64(8) | (code & np.uint64(255))


@compiled
def decode_links(
    named: Vector[np.uint64], sizes: Vector[np.int32], columns: Vector[np.int32], counts: Vector[np.uint8]
) -> None:
    """Unpack sorted links.

    Args:
        named: uint64 (links,), as ``name_links`` writes them, ascending.
        sizes: int32 (rows,), zeros; receives the links of each row.
        columns: int32 (links,), receives nodes.
        counts: uint8 (links,), receives counts.
    """
    for link in range(named.size):
        code = named[link]
        sizes[np.int64(code >> np.uint64(40))] += 1
        columns[link] = np.int32((code >> np.uint64(8)) & np.uint64(0xFFFFFFFF))
        counts[link] = np.uint8(code & np.uint64(255))
