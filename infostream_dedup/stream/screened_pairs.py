"""Leaves out candidates that certainly decide nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.screening import Screen


@dataclass(frozen=True, slots=True)
class Undecided:
    """Pairs that may give a document its status, as far as a screen can tell; verdicts are the same without it.

    Attributes:
        places: int64, their indexes among all pairs, ascending.
        bounds: float64, what ``Screen.bounds`` returned for each of them.
        screen: the screen.
    """

    places: NDArray[np.int64]
    bounds: NDArray[np.float64]
    screen: Screen

    @classmethod
    def among(cls, a: NDArray[np.int64], b: NDArray[np.int64], screen: Screen, texts: NDArray[np.int64]) -> Undecided:
        """Look at pairs; arguments as in ``Screen.bounds``."""
        bounds = screen.bounds(a, b, texts)
        places = np.flatnonzero(bounds > -np.inf)
        return cls(places, bounds[places], screen)

    def may_decide(self, shares: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of them still may, given the shares of their key terms; argument as in ``Screen.may_decide``."""
        return self.screen.may_decide(self.bounds, shares)
