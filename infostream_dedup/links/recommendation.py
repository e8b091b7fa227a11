"""Recommend a k if nothing is known about the links; ``estimation.recommending`` does so if something is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from infostream_dedup.machine.phrase import Phrase

DEFAULT_K: Final = 6
"""Used if nothing better is known: the paper's own k."""

FEWEST_COPIES: Final = 50
"""Fewer copies say too little about the best k."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A k, or a refusal.

    Attributes:
        k: ``None`` for links that have no k.
        reason: one sentence; begins with its code, ``estimated``, ``counted`` or ``default``.
    """

    k: int | None
    reason: str


def default_recommendation(n: int, copies: int | None = None) -> Recommendation:
    """Return the default k for links about which too little is known.

    Args:
        copies: copies counted, fewer than ``FEWEST_COPIES``; ``None`` if none were counted.
    """
    if copies is None:
        reason = Phrase.of("default: copies were not counted, and a choice needs {needed}", needed=FEWEST_COPIES)
    else:
        reason = Phrase.of(
            "default: {copies} copies, fewer than the {needed} that a choice needs", copies=copies, needed=FEWEST_COPIES
        )
    return Recommendation(min(DEFAULT_K, n), reason)
