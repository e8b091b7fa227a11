"""Recommends a k: the one with the best F1 that can be measured without labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from infostream_dedup.lab.estimation.duplicate_scores import LOWEST_K
from infostream_dedup.lab.estimation.fit_check import CHECKED_K, MOST_FAR, MOST_REFILLED
from infostream_dedup.links import Recommendation, default_recommendation
from infostream_dedup.links.recommendation import DEFAULT_K, FEWEST_COPIES
from infostream_dedup.machine.phrase import Phrase

if TYPE_CHECKING:
    from infostream_dedup.lab.estimation.copy_scores import CopyScores
    from infostream_dedup.lab.estimation.duplicate_scores import DuplicateEstimate

__all__ = ["recommended_k"]

_MOST_DISPUTED: Final = 1.0
"""``FitCheck.overall`` at which forms and copies are indistinguishable."""

_MOST_TOPICAL: Final = 0.75
"""``FitCheck.overall`` at which the classes are topics, not texts."""

_LEAST_ACCEPTED: Final = 0.75
"""Share of the links that the pair model must take for one text before it chooses k; on news streams it is lower."""


def recommended_k(
    copies: Sequence[CopyScores], estimate: DuplicateEstimate | None = None, *, n: int = 12
) -> Recommendation:
    """Choose k: by the estimate if it is reliable, otherwise by the pair model or the count, otherwise 6.

    The count knows only copies. If most links are one text in other words, as the pair model tells, the count would
    raise k until only copies are linked; then the model's probabilities choose k. It must take three links in four for
    one text, and no sign may speak of topics, forms or old news, which the model takes for one text too. If the
    estimate is refused for too few candidates or links, no sign can be seen; the same share is enough there.

    Forms are copies by definition. Where they are many, as a sign of the estimate tells, they would choose k: their
    links have most key terms in common, so k would rise until little else is linked. Then only copies that are not
    forms choose it, if there are enough of them and the estimate does not dispute more pairs than its copy class holds:
    long footers that many texts share look like copies and like forms.

    Args:
        copies: copies counted at each k, in any order; empty if nothing could be counted.
        estimate: estimate of the duplicates, if there is one.
        n: the largest k.
    """
    if estimate is not None and estimate.code == "reliable":
        best = max((one for one in estimate.scores if one.step >= LOWEST_K), key=lambda one: (one.f1, -one.step))
        return Recommendation(
            best.step, Phrase.of("estimated: F1 of the links as duplicates is greatest ({f1:.2f})", f1=best.f1)
        )
    if estimate is not None and _retellings(estimate):
        return _by_model(estimate, n)
    counted = [one for one in copies if one.step >= LOWEST_K]
    if counted and counted[0].copies >= FEWEST_COPIES:
        if estimate is not None and estimate.code != "refused" and estimate.check.refilled >= MOST_REFILLED:
            return _without_forms(estimate, n)
        most = max(counted, key=lambda one: (one.f1, -one.step))
        found = Phrase.of(
            "counted: F1 of the links as copies is greatest ({f1:.2f}; {copies} copies)", f1=most.f1, copies=most.copies
        )
        return Recommendation(most.step, found)
    return default_recommendation(n, counted[0].copies if counted else None)


def _retellings(estimate: DuplicateEstimate) -> bool:
    """Whether most links are one text, perhaps in other words, although the estimate is not reliable or is refused."""
    check = estimate.check
    near = check.far is None or check.far < MOST_FAR
    texts = near and check.refilled < MOST_REFILLED and check.overall < _MOST_TOPICAL
    return (estimate.code == "refused" or texts) and estimate.accepted >= _LEAST_ACCEPTED


def _by_model(estimate: DuplicateEstimate, n: int) -> Recommendation:
    lowest = max(LOWEST_K, estimate.lowest_step)
    # Several k may link the same pairs, above all in a small collection; more documents would tell them apart.
    usual = min(DEFAULT_K, n)
    f1, _, step = max((f1, -abs(step - usual), -step) for step, f1 in estimate.by_model.items() if step >= lowest)
    found = {"f1": f1, "share": 100 * estimate.accepted, "k": min(CHECKED_K, n)}
    if estimate.code == "refused":
        why = Phrase.of(
            "estimated: F1 of the links as duplicates is greatest by the pair model ({f1:.2f}), which takes {share:.0f}"
            " % of them at k = {k} for one text; there are too few pairs for an estimate of their own",
            **found,
        )
    else:
        why = Phrase.of(
            "estimated: F1 of the links as duplicates is greatest by the pair model ({f1:.2f}), which takes {share:.0f}"
            " % of them at k = {k} for one text; only some of these are copies",
            **found,
        )
    return Recommendation(-step, why)


def _without_forms(estimate: DuplicateEstimate, n: int) -> Recommendation:
    share = 100 * estimate.check.refilled
    known = [
        (f1, -one.step)
        for one, f1 in zip(estimate.scores, estimate.without_forms, strict=True)
        if one.step >= max(LOWEST_K, estimate.lowest_step)
    ]
    if not known or estimate.not_forms < FEWEST_COPIES or estimate.check.overall >= _MOST_DISPUTED:
        why = "default: {share:.0f} % of the copy class are forms with other numbers, so the count does not choose k"
        return replace(default_recommendation(n), reason=Phrase.of(why, share=share))
    f1, step = max(known)
    return Recommendation(
        -step,
        Phrase.of(
            "counted: F1 of the links as copies other than forms is greatest ({f1:.2f}; {share:.0f} % of the copy class"
            " are forms with other numbers)",
            f1=f1,
            share=share,
        ),
    )
