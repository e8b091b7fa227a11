"""Unordered pairs of documents, with both directions of their match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.links.pair_rules import need, reached
from infostream_dedup.machine.row_blocks import row_blocks
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.linking import Linked
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.meetings import Meeting, meetings
from infostream_dedup.terms.pivot_space import PivotSpace

if TYPE_CHECKING:
    from numpy.typing import NDArray


_CHUNK = 50_000
_BLOCK_LINKS = 2_000_000
_BYTE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTable:
    """Pairs of documents, each once, in the order of (a, b).

    Attributes:
        a: int64 (pairs,), ordinal of the earlier document.
        b: int64 (pairs,), ordinal of the later document.
        forward: int64 (pairs,), key terms of a found in b.
        backward: int64 (pairs,), key terms of b found in a.
        matched_forward: int64 (pairs,), weight of the key terms of a found in b, in units of 1e-9.
        matched_backward: int64 (pairs,), weight of the key terms of b found in a.
        size_a: int64 (pairs,), key terms of a.
        size_b: int64 (pairs,), key terms of b.
        own_a: int64 (pairs,), weight of all key terms of a.
        own_b: int64 (pairs,), weight of all key terms of b.
        met: int64 (pairs, columns), summed weight of each key term found in either direction; 0 elsewhere.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    forward: NDArray[np.int64]
    backward: NDArray[np.int64]
    matched_forward: NDArray[np.int64]
    matched_backward: NDArray[np.int64]
    size_a: NDArray[np.int64]
    size_b: NDArray[np.int64]
    own_a: NDArray[np.int64]
    own_b: NDArray[np.int64]
    met: sp.csr_array

    def __len__(self) -> int:
        return len(self.a)

    def where(self, chosen: NDArray[np.bool_]) -> PairTable:
        """The chosen pairs, in the same order."""
        return PairTable(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})

    def terms_of(self, pair: int, terms: Sequence[str]) -> list[str]:
        """Shared terms of one pair, heaviest first; not for a pivot language."""
        row = slice(self.met.indptr[pair], self.met.indptr[pair + 1])
        order = np.lexsort((self.met.indices[row], -self.met.data[row]))
        return [terms[term] for term in self.met.indices[row][order]]

    def all_terms(self, terms: Sequence[str]) -> Iterator[list[str]]:
        """Yield what ``terms_of`` returns for each pair; much quicker for many pairs."""
        pair = np.repeat(np.arange(len(self)), np.diff(self.met.indptr))
        order = np.lexsort((self.met.indices, -self.met.data, pair))
        columns, places = np.unique(self.met.indices[order], return_inverse=True)
        words = terms.some(columns) if isinstance(terms, SurfaceList) else [terms[one] for one in columns.tolist()]
        shared = [words[place] for place in places.tolist()]
        for begin, end in pairwise(self.met.indptr.tolist()):
            yield shared[begin:end]

    def meetings_of(self, pair: int, space: PivotSpace) -> list[Meeting]:
        """The words that became the shared terms of one pair, heaviest first; for a pivot language."""
        row = slice(self.met.indptr[pair], self.met.indptr[pair + 1])
        columns, weights = self.met.indices[row].tolist(), self.met.data[row].tolist()
        return meetings(space, int(self.a[pair]), int(self.b[pair]), columns, weights)


def what_met(pairs: PairTable, pair: int, key_terms: KeyTerms) -> tuple[list[str], list[Meeting] | None]:
    """Shared terms of one pair, heaviest first; in a pivot language, also the words that became them."""
    if key_terms.pivot is None:
        return pairs.terms_of(pair, key_terms.counts.terms), None
    met = pairs.meetings_of(pair, key_terms.pivot)
    return list(dict.fromkeys(meeting.pivot for meeting in met)), met


def least_count(settings: Settings, k: int | None = None) -> int:
    """The smallest count at which any pair can be linked; lower counts need not be computed."""
    if settings.score == "share":
        return settings.min_terms
    k = settings.k if k is None else k
    return k if settings.short == "strict" else min(3, k)


class LinkedPairs:
    """Unordered pairs of a similarity matrix in the order of (a, b), in blocks of bounded size.

    Args:
        counts: uint8 (documents, documents), directed links.
    """

    def __init__(self, counts: sp.csr_array) -> None:
        self._counts = counts
        self._reverse = counts.T.tocsr()
        work = np.diff(counts.indptr).astype(np.int64) + np.diff(self._reverse.indptr)
        self.blocks = list(row_blocks(work, _BLOCK_LINKS))

    def of(self, block: slice) -> tuple[NDArray[np.int64], ...]:
        """Return the pairs whose earlier document is in a block.

        Returns:
            int64 (pairs,) each: ordinals a < b, sorted; counts a -> b and b -> a, 0 for no link.
        """
        ahead = self._counts[block].astype(np.uint16)
        back = self._reverse[block].astype(np.uint16)
        back.data <<= _BYTE
        # With both counts packed into one number, one sum of sparse matrices suffices.
        both = sp.csr_array(ahead + back)
        both.sort_indices()
        a = np.repeat(np.arange(block.start, block.stop, dtype=np.int64), np.diff(both.indptr))
        later = both.indices > a
        counts = both.data[later].astype(np.int64)
        return a[later], both.indices[later].astype(np.int64), counts & 0xFF, counts >> _BYTE


def candidate_blocks(linked: Linked, k: int | None = None) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield what ``candidate_pairs`` returns, in blocks of bounded size."""
    pairs = LinkedPairs(linked.matrix.counts)
    sizes, settings = linked.key_terms.sizes, linked.settings
    for block in pairs.blocks:
        a, b, forward, backward = pairs.of(block)
        if k is not None:
            related = np.maximum(forward, backward) >= need(k, sizes[a], sizes[b], n=settings.n, short=settings.short)
            a, b = a[related], b[related]
        yield a, b


def candidate_pairs(linked: Linked, k: int | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ordinals (a, b), a < b, of all pairs linked in either direction at the smallest k of the matrix, sorted.

    Args:
        k: only pairs with at least need(k) terms in either direction, as others have no relation at k. The matrix must
            hold all counts from ``least_count`` upwards.
    """
    nothing = np.zeros((2, 0), dtype=np.int64)
    a, b = np.concatenate([nothing, *(np.stack(pairs) for pairs in candidate_blocks(linked, k))], axis=1)
    return a, b


def pair_table(key_terms: KeyTerms, a: NDArray[np.int64], b: NDArray[np.int64]) -> PairTable:
    """Compute exact counts and matched weights of given pairs in both directions.

    Args:
        a: int64 (pairs,), ordinals.
        b: int64 (pairs,), ordinals.
    """
    keys, targets = key_terms.keys, key_terms.targets
    forward = sp.csr_array(keys[a].multiply(targets[b]))
    backward = sp.csr_array(keys[b].multiply(targets[a]))
    sizes, own = key_terms.sizes, key_terms.own_weights
    met = sp.csr_array(forward + backward)
    met.sort_indices()
    return PairTable(
        a=a,
        b=b,
        forward=_row_counts(forward),
        backward=_row_counts(backward),
        matched_forward=np.asarray(forward.sum(axis=1), dtype=np.int64),
        matched_backward=np.asarray(backward.sum(axis=1), dtype=np.int64),
        size_a=sizes[a],
        size_b=sizes[b],
        own_a=own[a],
        own_b=own[b],
        met=met,
    )


def chunks_of_pairs(key_terms: KeyTerms, a: NDArray[np.int64], b: NDArray[np.int64]) -> Iterator[PairTable]:
    """Like ``pair_table``, in chunks of bounded size."""
    for start in range(0, len(a), _CHUNK):
        yield pair_table(key_terms, a[start : start + _CHUNK], b[start : start + _CHUNK])


def relations(pairs: PairTable, settings: Settings, k: int | None = None) -> NDArray[np.int64]:
    """Relation number of each pair: an index into ``RELATIONS``.

    Args:
        settings: with ``score`` ``count``, a direction needs at least need(k) terms; with ``share``, at least
            ``threshold`` of the key terms' weight and ``min_terms`` terms.

    Returns:
        int64 (pairs,): 0 none, 1 contained (only forward), 2 contains (only backward), 3 equal.
    """
    if settings.score == "count" or k is not None:
        least = need(settings.k if k is None else k, pairs.size_a, pairs.size_b, n=settings.n, short=settings.short)
        forward, backward = pairs.forward >= least, pairs.backward >= least
    else:
        forward = reached(pairs.matched_forward, pairs.own_a, settings.threshold)
        backward = reached(pairs.matched_backward, pairs.own_b, settings.threshold)
        forward &= pairs.forward >= settings.min_terms
        backward &= pairs.backward >= settings.min_terms
    return forward.astype(np.int64) + 2 * backward.astype(np.int64)


def _row_counts(matrix: sp.csr_array) -> NDArray[np.int64]:
    matrix.eliminate_zeros()
    return np.diff(matrix.indptr).astype(np.int64)
