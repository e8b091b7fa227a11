"""Whether the two classes of the mixture are what they should be: "same text" and "different texts".

Six signs, none of which needs labels, show that they are something else, such as two topics:

- the mixture and the shipped pair model, which knows texts from other collections, disagree about single links;
- they disagree about all candidates, relative to the size of the copy class: duplicates are lost among many topics;
- they disagree about the links of some sources, which a mean over all links hides: a stream beside an archive;
- the copy class holds pairs that share no wording at all;
- it holds pairs that share wording but not numbers: one template, filled in again;
- links between different sources more than 60 days apart are taken for copies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from infostream_dedup.machine.phrase import Phrase

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CHECKED_K", "FitCheck", "ReliableCode", "disputed_share"]

ReliableCode = Literal["reliable", "upper_bound", "refused"]

CHECKED_K: Final = 6

MOST_DISAGREEMENT: Final = 0.06
MOST_OVERALL: Final = 0.3
MOST_UNWORDED: Final = 0.05
MOST_REFILLED: Final = 0.06
MOST_FAR: Final = 0.1
FEWEST_FAR: Final = 100
"""Minimum number of far links; fewer do not count as a sign."""

FEWEST_CANDIDATES: Final = 200
FEWEST_LINKS: Final = 50
"""Minimum number of links at ``CHECKED_K``, of a collection or of a source; fewer do not tell two classes apart."""
MOST_DISPUTED: Final = 0.05
"""The greatest error of a right figure: so large a share of the links may be judged wrongly."""
_MOST_OF_SOURCE: Final = 2 * MOST_DISAGREEMENT
"""Mean difference over the links of one source at which its two classes are wrong: over all links of wrong fits, it is
.128 or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitCheck:
    """The signs of a wrong fit.

    Attributes:
        disagreement: mean difference between mixture and pair model over the links, at ``CHECKED_K`` or at the k of the
        greatest F1, whichever is larger.
        overall: sum of the differences over all candidates, divided by the sum of probabilities.
        unworded: share of the copy class on the lowest level of wording.
        refilled: share of the copy class with three tenths of the wording but few numbers in common: templates.
        disputed: share of the links at ``CHECKED_K`` that belong to sources about whose links mixture and pair model
        disagree.
        far_links: links between different sources more than 60 days apart at ``CHECKED_K``.
        far: their mean probability; ``None`` if there are fewer than ``FEWEST_FAR``.
        candidates: number of pairs that were fitted.
        links: how many of these are linked both ways at ``CHECKED_K``.
    """

    disagreement: float
    overall: float
    unworded: float
    refilled: float
    disputed: float
    far_links: int
    far: float | None
    candidates: int
    links: int

    @property
    def code(self) -> ReliableCode:
        """``reliable`` if no sign speaks against the fit, ``refused`` if there is too little data."""
        if self.candidates < FEWEST_CANDIDATES or self.links < FEWEST_LINKS:
            return "refused"
        alike = self.disagreement < MOST_DISAGREEMENT and self.overall < MOST_OVERALL
        alike &= self.disputed < MOST_DISPUTED
        near = self.far is None or self.far < MOST_FAR
        texts = self.unworded < MOST_UNWORDED and self.refilled < MOST_REFILLED
        return "reliable" if alike and near and texts else "upper_bound"

    @property
    def reason(self) -> Phrase:
        """What speaks against the fit, in words."""
        if self.code == "refused":
            return Phrase.of(
                "too few candidates ({candidates}) or links at k = {k} ({links}) to tell two classes",
                candidates=self.candidates,
                k=CHECKED_K,
                links=self.links,
            )
        signs = []
        if self.disagreement >= MOST_DISAGREEMENT:
            signs.append(
                Phrase.of(
                    "the mixture and the pair model disagree by {disagreement:.2f} about a link",
                    disagreement=self.disagreement,
                )
            )
        if self.overall >= MOST_OVERALL:
            signs.append(
                Phrase.of(
                    "they disagree about {share:.0f} % of the copy class over all candidates", share=100 * self.overall
                )
            )
        if self.unworded >= MOST_UNWORDED:
            signs.append(Phrase.of("{share:.0f} % of the copy class share no wording", share=100 * self.unworded))
        if self.refilled >= MOST_REFILLED:
            signs.append(
                Phrase.of(
                    "{share:.0f} % of the copy class share wording but not their numbers: forms, rates, schedules",
                    share=100 * self.refilled,
                )
            )
        if self.disputed >= MOST_DISPUTED:
            signs.append(
                Phrase.of(
                    "they disagree about sources that hold {share:.0f} % of the links, and a mean hides it",
                    share=100 * self.disputed,
                )
            )
        if self.far is not None and self.far >= MOST_FAR:
            signs.append(
                Phrase.of(
                    "links of other sources 60 days apart pass for copies (probability {probability:.2f})",
                    probability=self.far,
                )
            )
        return Phrase.joined(signs or [Phrase.of("nothing speaks against the fit")])

    def as_dict(self) -> dict[str, Any]:
        """The signs as part of a result."""
        return {
            "disagreement": round(self.disagreement, 6),
            "overall": round(self.overall, 6),
            "unworded": round(self.unworded, 6),
            "refilled": round(self.refilled, 6),
            "disputed": round(self.disputed, 6),
            "far_links": self.far_links,
            "far": None if self.far is None else round(self.far, 6),
            "candidates": self.candidates,
            "links": self.links,
            "reason": self.reason,
        }


def disputed_share(sources: NDArray[np.int64], apart: NDArray[np.float64]) -> float:
    """Share of the links that belong to sources about whose links the mixture and the pair model disagree.

    Args:
        sources: int64 (2, links), source of each document; documents without a source count as one source.
        apart: float64 (links,), difference of the two probabilities of each link.
    """
    if len(apart) == 0:
        return 0.0
    numbers, places = np.unique(sources, return_inverse=True)
    one, other = places.reshape(sources.shape)
    two = one != other
    links, sums = (
        np.bincount(one, weights, minlength=len(numbers))
        + np.bincount(other[two], weights[two], minlength=len(numbers))
        for weights in (np.ones(len(apart)), apart)
    )
    wrong = (links >= FEWEST_LINKS) & (sums >= _MOST_OF_SOURCE * links)
    return float((wrong[one] | wrong[other]).mean())
