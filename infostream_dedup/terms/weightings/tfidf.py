"""TF-IDF as f * ln(N / df): the standard way of the paper, which leaves the form open (Lande, reference 10)."""

from __future__ import annotations

import numpy as np

from infostream_dedup.machine.arrays import Floats
from infostream_dedup.model import Settings


def idf(df: Floats, documents: float) -> Floats:
    """Inverse document frequency; 0 for a term that occurs in no document, which ``df_min`` 0 admits."""
    found = np.zeros(len(df), dtype=np.float64)
    held = df > 0
    found[held] = np.log(documents / df[held])
    return found


def norm(lengths: Floats, average: Floats | float, settings: Settings) -> Floats:
    """Return zeros: the length of a document does not matter."""
    del average, settings
    return np.zeros(len(lengths), dtype=np.float64)


def weight(f: Floats, idf: Floats, norm: Floats, settings: Settings) -> Floats:
    """Frequency in the document times inverse document frequency."""
    del norm, settings
    return f * idf
