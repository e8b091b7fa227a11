"""Counts how often terms are key terms, and how often they are targets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.runs.sharded.key_terms import KEYS

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["KeyCounts"]


@dataclass(frozen=True, slots=True)
class KeyCounts:
    """How many documents have each term as a key term, and how many can be found by it.

    Attributes:
        keys: int64 (terms,).
        targets: int64 (terms,).
    """

    keys: NDArray[np.int64]
    targets: NDArray[np.int64]

    @classmethod
    def of(cls, batches: Iterable[pa.RecordBatch], terms: int) -> KeyCounts:
        """Count over rows of KEYS."""
        keys, targets = np.zeros((2, terms), dtype=np.int64)
        for row in KEYS.rows(batches):
            keys += np.bincount(row["keys"], minlength=terms)
            targets += np.bincount(row["targets"], minlength=terms)
        return cls(keys, targets)

    @property
    def expected_work(self) -> int:
        """Number of matches of a key term with a target: at least the number of links at k = 1."""
        return int((self.keys * self.targets).sum())
