"""What the figures say in words: a line on what was counted and a line on what was estimated, never mixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from infostream_dedup.estimation.universe import WINDOW_DAYS

if TYPE_CHECKING:
    from infostream_dedup.estimation.copy_scores import CopyScores
    from infostream_dedup.estimation.duplicate_scores import DuplicateEstimate
    from infostream_dedup.estimation.universe import CountedPairs
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
    """Two sentences on the links at the recommended k.

    Args:
        representation: name of the representation.
        counted: what was counted.
        copies: at each step, by block.
        estimate: estimate of the duplicates.
        known: block of the estimate.
        recommended: k by block.
    """
    k = recommended["all"].k
    at_k = next((one for one in copies["all"] if one.step == k), None)
    if at_k is None:
        return []
    return [
        f"{representation}: {_counted(at_k, counted)}",
        f"{representation}: {_estimated(estimate, at_k.step, known)}",
    ]


def _counted(scores: CopyScores, counted: CountedPairs) -> str:
    about = "all pairs; forms and boilerplate count as copies"
    if counted.windowed:
        about = (
            f"pairs at most {WINDOW_DAYS} days apart; {scores.series_copies} of {scores.series_links} links of series, "
            "left out here, are copies too"
        )
    if scores.precision is None:
        return f"no links at k = {scores.step}; {scores.copies} copies (counted: {about})"
    recall = "" if scores.recall is None else f", {_hundred(scores.recall)} of 100 copies are linked"
    return f"{_hundred(scores.precision)} of 100 links at k = {scores.step} are copies{recall} (counted: {about})"


def _estimated(estimate: DuplicateEstimate, step: int, known: str) -> str:
    where = " inside languages" if known == "mono" else ""
    scores = next((one for one in estimate.scores if one.step == step), None)
    if estimate.code == "refused" or scores is None or scores.precision is None or scores.model_precision is None:
        return f"nothing is estimated about the same text in other words: {estimate.check.reason}"
    if estimate.code == "upper_bound":
        return (
            f"at most {_hundred(scores.model_precision)} of 100 links{where} at k = {step} are the same text in other "
            f"words (model; no estimate: {estimate.check.reason})"
        )
    low, high = scores.precision_bounds or (scores.precision, scores.precision)
    return (
        f"about {_hundred(scores.precision)} of 100 links{where} at k = {step} are one text, copied or told in other "
        f"words, and {_hundred(scores.recall or 0.0)} of 100 such pairs are linked (estimated; precision "
        f"{low:.2f} to {high:.2f})"
    )


def _hundred(share: float) -> int:
    return round(100 * share)
