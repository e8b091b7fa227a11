"""Terms of several documents in one array, whole or in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np

from infostream_dedup.links.window.kernels.window_lists import count_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


_TERMS_AT_ONCE: Final = 1 << 22
"""Terms sorted per pass; needs about 100 MB."""

_DENSE: Final = 4
"""Terms are counted without sorting if their numbers are less than this factor times their occurrences."""


class TermLists(Protocol):
    """The terms of several documents, concatenated."""

    @property
    def indptr(self) -> NDArray[np.int64]:
        """int64 (documents + 1,): start of each document's terms in ``values``."""

    @property
    def values(self) -> NDArray[Any]:
        """The terms, whole numbers."""


class WindowTerms(NamedTuple):
    """``TermLists`` of int64 that start at 0."""

    indptr: NDArray[np.int64]
    values: NDArray[np.int64]

    @classmethod
    def of(cls, terms: ArrayLike) -> WindowTerms:
        """The terms of one document."""
        values = as_numbers(terms)
        return cls(np.array([0, len(values)]), values)

    @classmethod
    def from_zero(cls, lists: TermLists) -> WindowTerms:
        """The terms of several documents; the first ones may start anywhere."""
        begin, end = int(lists.indptr[0]), int(lists.indptr[-1])
        return cls(as_numbers(lists.indptr - begin), as_numbers(lists.values[begin:end]))


@dataclass(frozen=True, slots=True)
class Piece:
    """Terms of some documents.

    Attributes:
        indptr: int64 (documents + 1,), start of each document's terms in ``places``.
        places: int32 or int64, the terms as places; small numbers are their own places.
        distinct: int64, each term once, ascending.
        place_of: int64, place of each of ``distinct``, ascending.
        counts: int64, number of documents that contain each.
    """

    indptr: NDArray[np.int64]
    places: NDArray[Any]
    distinct: NDArray[np.int64]
    place_of: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, lists: TermLists, documents: slice) -> Piece:
        """The terms of consecutive documents."""
        indptr = lists.indptr[documents.start : documents.stop + 1]
        values = lists.values[indptr[0] : indptr[-1]]
        starts = as_numbers(indptr - indptr[0])
        if _dense(values):
            places = np.ascontiguousarray(values) if values.dtype == np.int32 else as_numbers(values)
            counts = np.zeros(int(values.max()) + 1, dtype=np.int64)
            # numpy would hold the interpreter lock, for which a restart's other thread waits.
            count_values(places, counts)
            distinct = np.flatnonzero(counts != 0)
            return cls(starts, places, distinct, distinct, counts[distinct])
        distinct, places, counts = np.unique(as_numbers(values), return_inverse=True, return_counts=True)
        return cls(starts, as_numbers(places), distinct, np.arange(len(distinct)), as_numbers(counts))


def _dense(values: NDArray[Any]) -> bool:
    return len(values) > 0 and int(values.max()) < _DENSE * min(len(values), _TERMS_AT_ONCE)


def cut_pieces(keys: TermLists, targets: TermLists) -> Iterator[slice]:
    """Divide documents into consecutive pieces, as few as memory allows; a document is never divided."""
    indptr = keys.indptr + targets.indptr
    # Small numbers take no memory while they are processed.
    dense = all(_dense(lists.values[lists.indptr[0] : lists.indptr[-1]]) for lists in (keys, targets))
    begin = 0
    while begin < len(indptr) - 1:
        last = int(np.searchsorted(indptr, indptr[begin] + _TERMS_AT_ONCE, side="right")) - 1
        end = len(indptr) - 1 if dense else max(last, begin + 1)
        yield slice(begin, end)
        begin = end


def as_numbers(terms: ArrayLike) -> NDArray[np.int64]:
    """The given numbers as a contiguous array of int64."""
    return np.ascontiguousarray(terms, dtype=np.int64)
