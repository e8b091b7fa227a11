"""How much of their key terms of the pivot language pairs of documents share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled, compiled_bare

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_KEYS", "PivotDocuments", "share_pivot"]

MOST_KEYS: Final = 32
"""Key terms of a document at most."""


class PivotDocuments(NamedTuple):
    """Key terms of documents, and the terms by which they are met.

    Attributes:
        weight_begins: int64 (documents + 1,), bounds in the next.
        weights: int64, weight of each key term, heaviest first, at most ``MOST_KEYS`` of a document.
        member_begins: int64 (documents + 1,), bounds in the next.
        members: int64, ascending in a document: a term times ``MOST_KEYS`` plus the place of a key term that it is an
            equivalent of.
        met_begins: int64 (documents + 1,), bounds in the next.
        met_by: int32, ascending in a document: the terms by which it is met.
    """

    weight_begins: NDArray[np.int64]
    weights: NDArray[np.int64]
    member_begins: NDArray[np.int64]
    members: NDArray[np.int64]
    met_begins: NDArray[np.int64]
    met_by: NDArray[np.int32]


@compiled_bare
def _met(documents: PivotDocuments, asks: int, answers: int, seen: NDArray[np.int64], mark: int) -> tuple[int, int]:
    """Number and weight of the key terms of one document that meet another."""
    place, last = documents.met_begins[answers], documents.met_begins[answers + 1]
    first, count, weight = documents.weight_begins[asks], 0, 0
    for member in range(documents.member_begins[asks], documents.member_begins[asks + 1]):
        term = documents.members[member] // MOST_KEYS
        while place < last and documents.met_by[place] < term:
            place += 1
        if place == last:
            break
        key = documents.members[member] % MOST_KEYS
        if documents.met_by[place] == term and seen[key] != mark:
            seen[key] = mark
            count += 1
            weight += documents.weights[first + key]
    return count, weight


@compiled
def share_pivot(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    documents: PivotDocuments,
    seen: NDArray[np.int64],
    counts: NDArray[np.int64],
    weights: NDArray[np.int64],
) -> None:
    """Count the key terms that meet.

    Args:
        a: int64 (pairs,), number of one document.
        b: int64 (pairs,), number of the other.
        documents: all documents.
        seen: int64 (MOST_KEYS,), negative.
        counts: int64 (pairs, 2), receives the number of a's key terms that meet b, and of b's that meet a.
        weights: int64 (pairs, 2), receives their weight.
    """
    for pair in range(a.size):
        counts[pair, 0], weights[pair, 0] = _met(documents, a[pair], b[pair], seen, 2 * pair)
        counts[pair, 1], weights[pair, 1] = _met(documents, b[pair], a[pair], seen, 2 * pair + 1)
