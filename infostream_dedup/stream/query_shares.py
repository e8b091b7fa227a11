"""How much of a text's key terms documents hold, by weight, and how much of theirs the text holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.features.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["share_of_query", "share_of_rows"]


def share_of_query(sets: Sequence[NDArray[np.int64]], weights: NDArray[np.int64], rows: Rows) -> NDArray[np.float64]:
    """Share of the weight of a text's key terms that each document holds.

    Args:
        sets: for each key term the terms that match it: int64.
        weights: int64 (key terms,).
        rows: terms of each document.

    Returns:
        float64 (documents,), 0 to 1, rounded to 9 decimals; 0 for a text without key terms.
    """
    found = np.zeros(len(rows), dtype=np.int64)
    total = int(weights.sum())
    if not total:
        return found.astype(np.float64)
    # Few of the many terms of documents match any key term.
    places = np.flatnonzero(np.isin(rows.values, np.concatenate(sets)))
    values, owners = rows.values[places], rows.numbers[places]
    for equivalents, weight in zip(sets, weights.tolist(), strict=True):
        found[np.unique(owners[np.isin(values, equivalents)])] += weight
    return np.round(found / total, 9)


def share_of_rows(keys: Rows, weights: Rows, targets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Share of the weight of each document's key terms that a text holds.

    Args:
        keys: key terms of each document.
        weights: int64, their weights.
        targets: int64, terms of the text.

    Returns:
        float64 (documents,), 0 to 1, rounded to 9 decimals; 0 for a document without key terms.
    """
    met = np.isin(keys.values, targets)
    size = len(keys)
    found = np.bincount(keys.numbers[met], weights=weights.values[met].astype(np.float64), minlength=size)
    total = np.bincount(keys.numbers, weights=weights.values.astype(np.float64), minlength=size)
    return np.round(found / np.maximum(total, 1.0), 9)
