"""Terms of several documents in one array, whole or in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Piece", "TermLists", "WindowTerms", "as_numbers", "cut_pieces"]

_TERMS_AT_ONCE: Final = 1 << 22
"""Number of terms in a piece: 100 MB while it is processed."""

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
        places: int64, the terms as places in ``distinct``.
        distinct: int64, each term once, ascending.
        counts: int64, number of documents that contain each.
    """

    indptr: NDArray[np.int64]
    places: NDArray[np.int64]
    distinct: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, lists: TermLists, documents: slice) -> Piece:
        """The terms of consecutive documents."""
        indptr = lists.indptr[documents.start : documents.stop + 1]
        values = as_numbers(lists.values[indptr[0] : indptr[-1]])
        if len(values) and int(values.max()) < _DENSE * len(values):
            counts = np.bincount(values)
            distinct = np.flatnonzero(counts)
            place_of = np.zeros(len(counts), dtype=np.int64)
            place_of[distinct] = np.arange(len(distinct))
            places, counts = place_of[values], counts[distinct]
        else:
            distinct, places, counts = np.unique(values, return_inverse=True, return_counts=True)
        return cls(as_numbers(indptr - indptr[0]), as_numbers(places), as_numbers(distinct), as_numbers(counts))


def cut_pieces(indptr: NDArray[np.int64]) -> Iterator[slice]:
    """Divide documents into consecutive pieces of few terms; a document is never divided.

    Args:
        indptr: int64 (documents + 1,), start of each document's terms.
    """
    begin = 0
    while begin < len(indptr) - 1:
        last = int(np.searchsorted(indptr, indptr[begin] + _TERMS_AT_ONCE, side="right")) - 1
        end = max(last, begin + 1)
        yield slice(begin, end)
        begin = end


def as_numbers(terms: ArrayLike) -> NDArray[np.int64]:
    """The given numbers as a contiguous array of int64."""
    return np.ascontiguousarray(terms, dtype=np.int64)
