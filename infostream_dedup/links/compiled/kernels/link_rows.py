"""From links between nodes to sorted rows of links between documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.compiled.kernels.forward_matching import holds
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["copy_rows", "count_expanded", "expand", "matched_weights", "own_counts", "split"]


@compiled
def own_counts(
    documents: NDArray[np.int64],
    key_indptr: NDArray[np.int64],
    key_indices: NDArray[np.uint32],
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    counts: NDArray[np.uint8],
) -> None:
    """Set ``counts[i]`` to the number of key terms of ``documents[i]`` in its own target."""
    for place in range(documents.size):
        document = documents[place]
        count = 0
        for position in range(key_indptr[document], key_indptr[document + 1]):
            count += holds(indices, indptr[document], indptr[document + 1], key_indices[position])
        counts[place] = count


@compiled
def count_expanded(links: NDArray[np.uint64], member_indptr: NDArray[np.int64]) -> int:
    """Number of links after each column, a place, is replaced by its documents."""
    total = 0
    for position in range(links.size):
        place = np.int64(links[position] >> np.uint64(8)) & 0xFFFFFFFF
        total += member_indptr[place + 1] - member_indptr[place]
    return total


@compiled
def expand(
    links: NDArray[np.uint64],
    first: int,
    last: int,
    own: NDArray[np.uint8],
    k_min: int,
    member_indptr: NDArray[np.int64],
    members: NDArray[np.int64],
    expanded: NDArray[np.uint64],
) -> int:
    """Replace each column by its documents, and link the documents of one node to each other (and themselves).

    Returns:
        The number of links written; ``expanded`` needs room for ``count_expanded`` plus the documents of the rows.
    """
    written = 0
    for position in range(links.size):
        link = links[position]
        place = np.int64(link >> np.uint64(8)) & 0xFFFFFFFF
        rest = (link >> np.uint64(40)) << np.uint64(40) | (link & np.uint64(255))
        for member in range(member_indptr[place], member_indptr[place + 1]):
            expanded[written] = rest | np.uint64(members[member]) << np.uint64(8)
            written += 1
    for row in range(first, last):
        if member_indptr[row + 1] - member_indptr[row] > 1 and own[row] >= k_min:
            rest = np.uint64(row - first) << np.uint64(40) | np.uint64(own[row])
            for member in range(member_indptr[row], member_indptr[row + 1]):
                expanded[written] = rest | np.uint64(members[member]) << np.uint64(8)
                written += 1
    return written


@compiled
def split(
    links: NDArray[np.uint64], lengths: NDArray[np.int64], columns: NDArray[np.int32], counts: NDArray[np.uint8]
) -> None:
    """Split sorted links into the length of each row, columns and counts."""
    for position in range(links.size):
        link = links[position]
        lengths[np.int64(link >> np.uint64(40))] += 1
        columns[position] = np.int32(np.int64(link >> np.uint64(8)) & 0xFFFFFFFF)
        counts[position] = np.uint8(link & np.uint64(255))


@compiled
def copy_rows(
    first: int,
    lengths: NDArray[np.int64],
    columns: NDArray[np.int32],
    counts: NDArray[np.uint8],
    member_indptr: NDArray[np.int64],
    members: NDArray[np.int64],
    indptr: NDArray[np.int64],
    all_columns: NDArray[np.int32],
    all_counts: NDArray[np.uint8],
) -> None:
    """Copy the row of each place, starting at ``first``, to all documents of the place, each without itself."""
    begin = 0
    for row in range(lengths.size):
        end = begin + lengths[row]
        for member in range(member_indptr[first + row], member_indptr[first + row + 1]):
            document = members[member]
            target = indptr[document]
            for position in range(begin, end):
                if columns[position] != document:
                    all_columns[target] = columns[position]
                    all_counts[target] = counts[position]
                    target += 1
        begin = end


@compiled
def matched_weights(
    first: int,
    last: int,
    link_indptr: NDArray[np.int64],
    columns: NDArray[np.int32],
    key_indptr: NDArray[np.int64],
    key_indices: NDArray[np.uint32],
    key_weights: NDArray[np.int64],
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    matched: NDArray[np.int64],
) -> None:
    """Sum, for each link of rows first to last - 1, the weights of the asking document's key terms that are shared."""
    for row in range(first, last):
        for link in range(link_indptr[row], link_indptr[row + 1]):
            answer = columns[link]
            total = np.int64(0)
            for position in range(key_indptr[row], key_indptr[row + 1]):
                if holds(indices, indptr[answer], indptr[answer + 1], key_indices[position]):
                    total += key_weights[position]
            matched[link] = total
