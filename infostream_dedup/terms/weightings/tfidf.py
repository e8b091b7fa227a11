"""TF-IDF as f * ln(N / df): the standard way of the paper, which leaves the form open (Lande, reference 10)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.model import Settings


def idf(df: NDArray[np.float64], documents: float) -> NDArray[np.float64]:
    """Inverse document frequency; 0 for a term that occurs in no document, which ``df_min`` 0 admits."""
    found = np.zeros(len(df), dtype=np.float64)
    held = df > 0
    found[held] = np.log(documents / df[held])
    return found


def norm(lengths: NDArray[np.float64], average: NDArray[np.float64] | float, settings: Settings) -> NDArray[np.float64]:
    """Return zeros: the length of a document does not matter."""
    del average, settings
    return np.zeros(len(lengths), dtype=np.float64)


def weight(
    f: NDArray[np.float64], idf: NDArray[np.float64], norm: NDArray[np.float64], settings: Settings
) -> NDArray[np.float64]:
    """Frequency in the document times inverse document frequency."""
    del norm, settings
    return f * idf
