"""Join documents by returned links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled, signed

if TYPE_CHECKING:
    import numpy as np

    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["join_returned", "lead_rows", "merge_leaders"]


@compiled
def _count_of(
    indptr: Vector[np.int64], columns: Vector[np.int32], counts: Vector[np.uint8], row: int, column: int
) -> int:
    """Count of the link from a row to a column; 0 if there is none."""
    end = indptr[row + 1]
    place = first_not_below(columns, indptr[row], end, column)
    return signed(counts[place]) if place < end and columns[place] == column else 0


@compiled
def _root(leaders: Table[np.int32], row: int, level: int) -> int:
    """Return the smallest row known to be joined with a row at a level; shorten the path to it."""
    while leaders[row, level] != row:
        leaders[row, level] = leaders[leaders[row, level], level]
        row = leaders[row, level]
    return row


@compiled
def _join(leaders: Table[np.int32], row: int, column: int, level: int) -> bool:
    """Join two groups; return whether they were apart."""
    one, other = _root(leaders, row, level), _root(leaders, column, level)
    leaders[max(one, other), level] = min(one, other)
    return one != other


@compiled
def join_returned(
    first: int,
    last: int,
    indptr: Vector[np.int64],
    columns: Vector[np.int32],
    counts: Vector[np.uint8],
    levels: Vector[np.int64],
    leaders: Table[np.int32],
) -> None:
    """Join the two ends of every link of count k or more whose reverse has count k or more too, for several k at once.

    What is joined at one k is joined at every smaller k, too. So most links, which join nothing new, are settled by one
    look at the greatest k that their count allows.

    Args:
        first: first of the rows whose links to later rows are joined.
        last: row after the last of them.
        indptr: int64 (rows + 1,), start of the links of each row.
        columns: int32 (links,), ascending in a row.
        counts: uint8 (links,).
        levels: int64 (256,), how many of the ks are at most each count.
        leaders: int32 (rows, ks), union-find forests by k ascending; initially each row is its own leader.
    """
    for row in range(first, last):
        for link in range(indptr[row], indptr[row + 1]):
            column, level = columns[link], levels[counts[link]] - 1
            if column <= row or level < 0 or _root(leaders, row, level) == _root(leaders, column, level):
                continue
            level = min(level, levels[_count_of(indptr, columns, counts, column, row)] - 1)
            while level >= 0 and _join(leaders, row, column, level):
                level -= 1


@compiled
def merge_leaders(others: Table[np.int32], leaders: Table[np.int32]) -> None:
    """Join in ``leaders`` what is joined in other forests of the same rows and ks."""
    for row in range(leaders.shape[0]):
        for level in range(leaders.shape[1]):
            if others[row, level] != row:
                _join(leaders, row, others[row, level], level)


@compiled
def lead_rows(leaders: Table[np.int32]) -> None:
    """Replace each row's leader at each k by the smallest row of its component."""
    for row in range(leaders.shape[0]):
        for level in range(leaders.shape[1]):
            leaders[row, level] = _root(leaders, row, level)
