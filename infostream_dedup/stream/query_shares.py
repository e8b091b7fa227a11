"""Share, by weight, of the key terms of documents that a text contains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged

if TYPE_CHECKING:
    from numpy.typing import NDArray


def share_of_rows(keys: Ragged, weights: Ragged, targets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Share, by weight, of each document's key terms that a text contains.

    Args:
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
