"""Okapi BM25: IDF * f (k1 + 1) / (f + k1 (1 - b + b l / l_avg)) (Lande, section 2).

IDF is ln((N - df + 0.5) / (df + 0.5)), which is negative for terms in more than half of the documents.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.model import Settings


def idf(df: NDArray[np.float64], documents: float) -> NDArray[np.float64]:
    """Inverse document frequency."""
    return np.asarray(np.log((documents - df + 0.5) / (df + 0.5)), dtype=np.float64)


def norm(lengths: NDArray[np.float64], average: NDArray[np.float64] | float, settings: Settings) -> NDArray[np.float64]:
    """Length normalisation of each document; ``settings.k1`` saturates, ``settings.b`` weakens it."""
    return np.asarray(settings.k1 * (1 - settings.b + settings.b * lengths / average), dtype=np.float64)


def weight(
    f: NDArray[np.float64], idf: NDArray[np.float64], norm: NDArray[np.float64], settings: Settings
) -> NDArray[np.float64]:
    """One summand of the score of a document."""
    return idf * f * (settings.k1 + 1) / (f + norm)
