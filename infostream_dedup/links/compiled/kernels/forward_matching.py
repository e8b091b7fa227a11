"""How many key terms of a document other documents hold, for all counts of at least k_min.

With m key terms, rarest first, a document that holds k_min of them holds one of the first m - k_min + 1: only those
lists produce candidates. The later, longer lists only count for existing candidates, by walking the list or by looking
the term up in each candidate, whichever touches less. This is the prefix filter of set similarity joins (Chaudhuri,
Ganti and Kaushik, ICDE 2006), exact for every k >= k_min.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled, prefetch

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["holds", "match_rows"]

_PROBE_COST = 24
"""Looking a term up in one candidate costs about as much as this many steps along a list (measured)."""


@compiled
def _make_candidates(
    postings: NDArray[np.uint32], begin: int, end: int, hits: NDArray[np.uint8], touched: NDArray[np.uint32], found: int
) -> int:
    for position in range(begin, end):
        document = postings[position]
        before = hits[document]
        touched[found] = document
        found += before == 0
        hits[document] = before + np.uint8(1)
    return found


@compiled
def _drop_hopeless(hits: NDArray[np.uint8], touched: NDArray[np.uint32], found: int, needed: int) -> int:
    kept = 0
    for place in range(found):
        document = touched[place]
        before = hits[document]
        hopeful = before >= needed
        touched[kept] = document
        kept += hopeful
        hits[document] = before if hopeful else np.uint8(0)
    return kept


@compiled
def _count_by_walking(postings: NDArray[np.uint32], begin: int, end: int, hits: NDArray[np.uint8]) -> None:
    for position in range(begin, end):
        document = postings[position]
        before = hits[document]
        hits[document] = before + np.uint8(before > 0)


@compiled
def holds(indices: NDArray[np.uint32], begin: int, end: int, term: int) -> bool:
    """Whether the ascending ``indices[begin:end]`` contain a term."""
    place = first_not_below(indices, begin, end, term)
    return place < end and indices[place] == term


@compiled
def _count_by_probing(
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    order: NDArray[np.uint32],
    base: int,
    term: int,
    hits: NDArray[np.uint8],
    touched: NDArray[np.uint32],
    found: int,
) -> None:
    for place in range(found):
        document = order[base + touched[place]]
        if holds(indices, indptr[document], indptr[document + 1], term):
            hits[touched[place]] += np.uint8(1)


@compiled
def _match_row(
    ranks: NDArray[np.uint32],
    terms: NDArray[np.uint32],
    begin: int,
    end: int,
    starts: NDArray[np.int64],
    postings: NDArray[np.uint32],
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    order: NDArray[np.uint32],
    base: int,
    k_min: int,
    hits: NDArray[np.uint8],
    touched: NDArray[np.uint32],
) -> int:
    found = 0
    for place in range(begin, end):
        rank = ranks[place]
        first, last = starts[rank], starts[rank + 1]
        needed = k_min - (end - place)
        if needed <= 0:
            found = _make_candidates(postings, first, last, hits, touched, found)
            continue
        found = _drop_hopeless(hits, touched, found, needed)
        if found * _PROBE_COST < last - first:
            _count_by_probing(indptr, indices, order, base, terms[rank], hits, touched, found)
        else:
            _count_by_walking(postings, first, last, hits)
    return found


@compiled
def _write_links(
    hits: NDArray[np.uint8],
    touched: NDArray[np.uint32],
    found: int,
    base: int,
    itself: int,
    k_min: int,
    row: int,
    links: NDArray[np.uint64],
    written: int,
) -> int:
    for place in range(found):
        document = touched[place]
        count = hits[document]
        hits[document] = np.uint8(0)
        column = base + document
        links[written] = np.uint64(row) << np.uint64(40) | np.uint64(column) << np.uint64(8) | np.uint64(count)
        written += (count >= k_min) & (column != itself)
    return written


@compiled
def _prefetch_lists(
    key_indptr: NDArray[np.int64],
    ranks: NDArray[np.uint32],
    starts: NDArray[np.int64],
    postings: NDArray[np.uint32],
    row: int,
) -> None:
    for place in range(key_indptr[row], key_indptr[row + 1]):
        prefetch(postings, starts[ranks[place]])


@compiled
def match_rows(
    first: int,
    last: int,
    key_indptr: NDArray[np.int64],
    ranks: NDArray[np.uint32],
    itself: NDArray[np.int64],
    terms: NDArray[np.uint32],
    starts: NDArray[np.int64],
    postings: NDArray[np.uint32],
    shard_size: int,
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    order: NDArray[np.uint32],
    k_min: int,
    hits: NDArray[np.uint8],
    touched: NDArray[np.uint32],
    links: NDArray[np.uint64],
) -> int:
    """Write the links of rows first to last - 1, in no particular order.

    Args:
        first: first row, an asking document.
        last: row after the last; at most 2**24 rows from ``first``.
        key_indptr: int64 (rows + 1,), start of each row's key terms in ``ranks``.
        ranks: key terms of the rows as ranks, ascending in a row, that is, rarest first; at most 255 in a row.
        itself: int64 (rows,), place of the asking document among the documents asked, -1 if it is not one of them.
        terms: the term of each rank.
        starts: int64 (shards, ranks + 1), start of each posting list in ``postings``.
        postings: documents as places within their shard, ascending in a list.
        shard_size: places in a shard.
        indptr: target rows by document.
        indices: their terms, ascending in a row.
        order: document at each place.
        k_min: minimum count of a link, at least 1.
        hits: uint8 (shard_size,), zeros; zeros again on return.
        touched: scratch, uint32 (shard_size + 1,).
        links: receives ``(row - first) << 40 | place << 8 | count``.

    Returns:
        The number of links written, or -1 if ``links`` is too small: then ask for fewer rows.
    """
    written = 0
    for shard in range(starts.shape[0]):
        base = shard * shard_size
        for row in range(first, last):
            if written + shard_size > links.size:
                return -1
            if row + 1 < last:
                _prefetch_lists(key_indptr, ranks, starts[shard], postings, row + 1)
            found = _match_row(
                ranks,
                terms,
                key_indptr[row],
                key_indptr[row + 1],
                starts[shard],
                postings,
                indptr,
                indices,
                order,
                base,
                k_min,
                hits,
                touched,
            )
            written = _write_links(hits, touched, found, base, itself[row], k_min, row - first, links, written)
    return written
