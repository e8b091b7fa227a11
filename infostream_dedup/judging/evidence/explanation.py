"""Why a pair has its probability: what each piece of evidence adds to z, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.meaning import OTHER_EVIDENCE, added_by
from infostream_dedup.judging.evidence.pair_model import DECIMALS, PairModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray


GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "key_terms": ("share12_least", "share12_most", "share30_least", "share30_most", "cosine"),
    "numbers": ("numbers_least", "numbers_most", "numbers_known", "numbers_miss"),
    "names": ("names_least", "names_most", "names_known"),
    "lead": ("lead_most",),
    "opening": ("opening_least", "opening_most"),
    "length": ("length",),
}
"""Features grouped into reasons; together they are ``FEATURES``."""


@dataclass(frozen=True, slots=True)
class EvidenceReason:
    """One reason for the probability of a pair."""

    name: str  # name of the evidence, or `base` for the intercept, which is the same for every pair
    adds: float  # amount added to z; a positive one raises the probability
    words: str  # what was found, in words

    def as_dict(self) -> dict[str, Any]:
        """The reason as a field of an output row."""
        return {"reason": self.name, "adds": self.adds, "words": self.words}


def reasons_of_pairs(
    evidence: NDArray[np.float64], model: PairModel, meaning: NDArray[np.float64] | None = None
) -> list[list[EvidenceReason]]:
    """Reasons for each pair: ``base`` first, then the strongest; their amounts add up to z within 1e-6."""
    found: list[list[EvidenceReason]] = []
    for row, parts in zip(evidence.tolist(), model.contributions(evidence), strict=True):
        values = dict(zip(COLUMNS, row, strict=True))
        cosine = np.nan if meaning is None else float(meaning[len(found)])
        weight = 1.0 if np.isnan(cosine) else OTHER_EVIDENCE
        reasons = [
            EvidenceReason(
                name, round(weight * sum(parts[feature] for feature in features), DECIMALS), _WORDS[name](values)
            )
            for name, features in GROUPS.items()
        ]
        if not np.isnan(cosine):
            adds = float(added_by(np.array([cosine]))[0])
            words = f"title and opening mean the same by {cosine:.2f} (cosine)"
            reasons.append(EvidenceReason("meaning", adds, words))
        reasons.sort(key=lambda reason: -abs(reason.adds))
        base = round(weight * parts["intercept"], DECIMALS)
        found.append([EvidenceReason("base", base, "before anything is compared"), *reasons])
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _both(values: Mapping[str, float], name: str) -> str:
    return f"{_percent(values[f'{name}_forward'])} of a's in b, {_percent(values[f'{name}_backward'])} of b's in a"


def _key_terms(values: Mapping[str, float]) -> str:
    return f"key terms by weight: {_both(values, 'share30')}"


def _numbers(values: Mapping[str, float]) -> str:
    if values["numbers_least"] < 2:
        return "too few numbers to compare"
    return f"numbers and dates: {_both(values, 'numbers')}"


def _names(values: Mapping[str, float]) -> str:
    if values["names_least"] < 2:
        return "too few names to compare"
    return f"names: {_both(values, 'names')}"


def _lead(values: Mapping[str, float]) -> str:
    return f"first words among the first words: {_both(values, 'lead')}"


def _opening(values: Mapping[str, float]) -> str:
    return f"first words anywhere in the text: {_both(values, 'opening')}"


def _length(values: Mapping[str, float]) -> str:
    return f"one text is {2.718281828 ** values['length']:.1f} times as long as the other"


_WORDS: Final[Mapping[str, Callable[[Mapping[str, float]], str]]] = {
    "key_terms": _key_terms,
    "numbers": _numbers,
    "names": _names,
    "lead": _lead,
    "opening": _opening,
    "length": _length,
}
