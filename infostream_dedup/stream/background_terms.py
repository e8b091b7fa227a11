"""What pseudo-documents contain: terms of a language by the share of running words that they make up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.statistics import document_probability

if TYPE_CHECKING:
    from numpy.typing import NDArray


class BackgroundTerms:
    """Terms of one language that a pseudo-document may contain: at most as many as the background has.

    Args:
        numbers: numbers of the stream's terms.
        shares: share of running words of each term.
    """

    def __init__(self, numbers: TermNumbers, shares: Callable[[], Mapping[str, float]]) -> None:
        self._numbers = numbers
        self._shares = shares
        self._looked_up = 0
        self._terms = np.zeros(0, dtype=np.int64)
        self._probabilities = np.zeros(0, dtype=np.float64)

    def of(self, terms: NDArray[np.integer]) -> NDArray[np.float64]:
        """float64 (terms,): probability that a pseudo-document contains each of these terms."""
        self._look_up()
        if len(self._terms) == 0:
            return np.zeros(len(terms), dtype=np.float64)
        place = np.minimum(np.searchsorted(self._terms, terms), len(self._terms) - 1)
        return np.where(self._terms[place] == terms, self._probabilities[place], 0.0)

    def _look_up(self) -> None:
        first, end = self._looked_up, len(self._numbers)
        if first == end:
            return
        made = document_probability(self._numbers.terms[first:end], self._shares())
        held = np.flatnonzero(made)
        self._terms = np.concatenate([self._terms, held + first])
        self._probabilities = np.concatenate([self._probabilities, made[held]])
        self._looked_up = end
