"""Compute the features of the pair model from evidence, and their weighted sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["fill_features", "score_pairs"]

_SHARES12: Final = COLUMNS.index("share12_forward")
_SHARES30: Final = COLUMNS.index("share30_forward")
_COSINE: Final = COLUMNS.index("cosine")
_NUMBERS: Final = COLUMNS.index("numbers_forward")
_NAMES: Final = COLUMNS.index("names_forward")
_LEAD: Final = COLUMNS.index("lead_forward")
_OPENING: Final = COLUMNS.index("opening_forward")
_LENGTH: Final = COLUMNS.index("length")


@compiled
def fill_features(evidence: Table[np.float64], features: Table[np.float64]) -> None:
    """Compute the features of pairs, in the order of ``pair_model.FEATURES``.

    Args:
        evidence: float64 (pairs, COLUMNS).
        features: float64 (pairs, FEATURES), receives the features.
    """
    for pair in range(evidence.shape[0]):
        row, out = evidence[pair], features[pair]
        out[0] = min(row[_SHARES12], row[_SHARES12 + 1])
        out[1] = max(row[_SHARES12], row[_SHARES12 + 1])
        out[2] = min(row[_SHARES30], row[_SHARES30 + 1])
        out[3] = max(row[_SHARES30], row[_SHARES30 + 1])
        out[4] = row[_COSINE]
        numbers = 1.0 if row[_NUMBERS + 2] >= 2.0 else 0.0
        most = max(row[_NUMBERS], row[_NUMBERS + 1])
        out[5] = numbers * min(row[_NUMBERS], row[_NUMBERS + 1])
        out[6] = numbers * most
        out[7] = numbers
        out[8] = numbers if most < 0.2 else 0.0
        names = 1.0 if row[_NAMES + 2] >= 2.0 else 0.0
        out[9] = names * min(row[_NAMES], row[_NAMES + 1])
        out[10] = names * max(row[_NAMES], row[_NAMES + 1])
        out[11] = names
        out[12] = max(row[_LEAD], row[_LEAD + 1])
        out[13] = min(row[_OPENING], row[_OPENING + 1])
        out[14] = max(row[_OPENING], row[_OPENING + 1])
        out[15] = row[_LENGTH]


@compiled
def score_pairs(
    features: Table[np.float64], intercept: float, coefficients: Vector[np.float64], z: Vector[np.float64]
) -> None:
    """Write the intercept and weighted features of each pair, summed from the first to the last, to ``z``."""
    for pair in range(z.size):
        total = intercept
        for feature in range(coefficients.size):
            total += coefficients[feature] * features[pair, feature]
        z[pair] = total
