"""Thresholds of the check, chosen without the kind of set that is judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from infostream_dedup.lab.estimation.duplicate_scores import (
    MOST_DISAGREEMENT,
    MOST_FAR,
    MOST_OVERALL,
    MOST_REFILLED,
    MOST_UNWORDED,
)

__all__ = ["SHIPPED", "chosen_thresholds", "errors_of", "greatest_error", "verdicts_without_kind"]

SHIPPED: Final[Mapping[str, float]] = {
    "disagreement": MOST_DISAGREEMENT,
    "overall": MOST_OVERALL,
    "unworded": MOST_UNWORDED,
    "refilled": MOST_REFILLED,
    "far": MOST_FAR,
}

GOOD: Final = 0.05
"""Greatest error of a right fit."""
_ROOM: Final = 1 / 3
"""How far a threshold stands from the right fits, of the way to the nearest wrong one: a wrong figure called reliable
is worse than a right one that is not shown."""


def errors_of(one: Mapping[str, Any], said: str = "estimated") -> dict[str, list[float]]:
    """Absolute errors of precision and recall at the k where both sides are known."""
    return {
        name: [
            abs(value - true)
            for value, true in zip(one[said][name], one["true"][name], strict=False)
            if value is not None and true is not None
        ]
        for name in ("precision", "recall")
    }


def greatest_error(one: Mapping[str, Any]) -> float:
    """Greatest error of the estimate; 1 where there is no truth to hold it against."""
    return max((error for part in errors_of(one).values() for error in part), default=1.0)


def chosen_thresholds(figures: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """From each sign's greatest value in right fits, a third of the way (in logarithms) to the next wrong fit.

    Args:
        figures: sets to choose by; those without an estimate say nothing.
    """
    known = [one for one in figures if one["code"] != "refused"]
    right = [one["check"] for one in known if greatest_error(one) <= GOOD]
    wrong = [one["check"] for one in known if greatest_error(one) > GOOD]
    found = {}
    for sign in SHIPPED:
        most = max((one[sign] for one in right if one.get(sign) is not None), default=0.0)
        above = [one[sign] for one in wrong if one.get(sign) is not None and one[sign] > most]
        least = min(above, default=1.0)
        found[sign] = math.exp((1 - _ROOM) * math.log(max(most, 1e-6)) + _ROOM * math.log(least)) if most else least
    return found


def _verdict(one: Mapping[str, Any], thresholds: Mapping[str, float]) -> str:
    """The verdict on a set by some thresholds."""
    if one["code"] == "refused":
        return "refused"
    check = one["check"]
    over = [name for name, most in thresholds.items() if check.get(name) is not None and check[name] >= most]
    return "upper_bound" if over else "reliable"


def verdicts_without_kind(figures: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Thresholds chosen without each kind, in either representation, and the verdicts on its sets."""
    found = {}
    for kind in sorted({one["kind"] for one in figures}):
        thresholds = chosen_thresholds([one for one in figures if one["kind"] != kind])
        verdicts = {
            f"{one['set']}, {one['representation']}": _verdict(one, thresholds)
            for one in figures
            if one["kind"] == kind
        }
        found[kind] = {"thresholds": thresholds, "verdicts": verdicts}
    return found
