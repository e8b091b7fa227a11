"""Put the figures into words: one sentence on what was counted and one on what was estimated, never mixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from infostream_dedup.lab.estimation.universe import WINDOW_DAYS
from infostream_dedup.machine.phrase import Phrase

if TYPE_CHECKING:
    from infostream_dedup.lab.estimation.copy_scores import CopyScores
    from infostream_dedup.lab.estimation.duplicate_scores import DuplicateEstimate
    from infostream_dedup.lab.estimation.universe import CountedPairs
    from infostream_dedup.links import Recommendation

__all__ = ["said"]


def said(
    representation: str,
    counted: CountedPairs,
    copies: Mapping[str, Sequence[CopyScores]],
    estimate: DuplicateEstimate,
    known: str,
    recommended: Mapping[str, Recommendation],
) -> list[str]:
    """Make two sentences on the links at the recommended k.

    Args:
        representation: name of the representation.
        counted: pairs that were counted.
        copies: scores at each step, by block.
        estimate: estimate of the duplicates.
        known: block of the estimate.
        recommended: recommended k of each block.
    """
    k = recommended["all"].k
    at_k = next((one for one in copies["all"] if one.step == k), None)
    if at_k is None:
        return []
    both = (_counted(at_k, counted), _estimated(estimate, at_k.step, known))
    return [Phrase.of("{representation}: {said}", representation=representation, said=one) for one in both]


def _counted(scores: CopyScores, counted: CountedPairs) -> Phrase:
    about = Phrase.of("all pairs; forms and boilerplate count as copies")
    if counted.windowed:
        about = Phrase.of(
            "pairs at most {days} days apart; {copies} of {links} links of series, left out here, are copies too",
            days=WINDOW_DAYS,
            copies=scores.series_copies,
            links=scores.series_links,
        )
    k = scores.step
    if scores.precision is None:
        return Phrase.of(
            "no links at k = {k}; {copies} copies (counted: {about})", k=k, copies=scores.copies, about=about
        )
    share = _hundred(scores.precision)
    if scores.recall is None:
        return Phrase.of("{share} of 100 links at k = {k} are copies (counted: {about})", share=share, k=k, about=about)
    return Phrase.of(
        "{share} of 100 links at k = {k} are copies, {recall} of 100 copies are linked (counted: {about})",
        share=share,
        k=k,
        recall=_hundred(scores.recall),
        about=about,
    )


def _estimated(estimate: DuplicateEstimate, step: int, known: str) -> Phrase:
    links = Phrase.of("links inside languages" if known == "mono" else "links")
    scores = next((one for one in estimate.scores if one.step == step), None)
    if estimate.code == "refused" or scores is None or scores.precision is None or scores.model_precision is None:
        return Phrase.of("no estimate for texts in other words: {why}", why=estimate.check.reason)
    if estimate.code == "upper_bound":
        return Phrase.of(
            "probably at most {share} of 100 {links} at k = {k} are the same text, copied or reworded (model; no "
            "estimate: {why})",
            share=_hundred(scores.model_precision),
            links=links,
            k=step,
            why=estimate.check.reason,
        )
    low, high = scores.precision_bounds or (scores.precision, scores.precision)
    return Phrase.of(
        "about {share} of 100 {links} at k = {k} are the same text, copied or reworded, and {recall} of 100 such pairs "
        "are linked (estimated; precision {low:.2f} to {high:.2f})",
        share=_hundred(scores.precision),
        links=links,
        k=step,
        recall=_hundred(scores.recall or 0.0),
        low=low,
        high=high,
    )


def _hundred(share: float) -> int:
    return round(100 * share)
