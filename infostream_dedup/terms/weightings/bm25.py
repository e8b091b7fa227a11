"""Okapi BM25: IDF * f (k1 + 1) / (f + k1 (1 - b + b l / l_avg)) (Lande, section 2).

IDF is ln((N - df + 0.5) / (df + 0.5)), which is negative for terms in more than half of the documents.
"""

from __future__ import annotations

import numpy as np

from infostream_dedup.machine.arrays import Floats
from infostream_dedup.model import Settings


def idf(df: Floats, documents: float) -> Floats:
    """Inverse document frequency."""
    return np.asarray(np.log((documents - df + 0.5) / (df + 0.5)), dtype=np.float64)


def norm(lengths: Floats, average: Floats | float, settings: Settings) -> Floats:
    """Length normalisation of each document; ``settings.k1`` saturates, ``settings.b`` weakens it."""
    return np.asarray(settings.k1 * (1 - settings.b + settings.b * lengths / average), dtype=np.float64)


def weight(f: Floats, idf: Floats, norm: Floats, settings: Settings) -> Floats:
    """One summand of the score of a document."""
    return idf * f * (settings.k1 + 1) / (f + norm)
