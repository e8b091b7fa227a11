"""Why a pair has its probability: what each piece of evidence adds to z, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.meaning import OTHER_EVIDENCE, added_by
from infostream_dedup.judging.evidence.pair_model import DECIMALS, PairModel
from infostream_dedup.machine.arrays import Floats

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


def reasons_of_pairs(evidence: Floats, model: PairModel, meaning: Floats | None = None) -> list[list[EvidenceReason]]:
    """Reasons for each pair: ``base`` first, then the strongest; their amounts add up to z within 1e-6."""
    found: list[list[EvidenceReason]] = []
    for row, parts in zip(evidence.tolist(), model.contributions(evidence), strict=True):
        values = dict(zip(COLUMNS, row, strict=True))
        cosine = np.nan if meaning is None else float(meaning[len(found)])
        weight = 1.0 if np.isnan(cosine) else OTHER_EVIDENCE
        reasons = [
            EvidenceReason(
                name, round(weight * sum(parts[feature] for feature in features), DECIMALS), _words(name, values)
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


_SAID: Final[Mapping[str, tuple[str, str]]] = {
    "key_terms": ("key terms by weight", "share30"),
    "numbers": ("numbers and dates", "numbers"),
    "names": ("names", "names"),
    "lead": ("first words among the first words", "lead"),
    "opening": ("first words anywhere in the text", "opening"),
}
"""How each piece of evidence is called, and the columns that hold its shares."""


def _words(name: str, values: Mapping[str, float]) -> str:
    if name == "length":
        return f"one text is {2.718281828 ** values['length']:.1f} times as long as the other"
    if name in ("numbers", "names") and values[f"{name}_least"] < 2:
        return f"too few {name} to compare"
    called, columns = _SAID[name]
    forward, backward = (100 * values[f"{columns}_{way}"] for way in ("forward", "backward"))
    return f"{called}: {forward:.0f} % of a's in b, {backward:.0f} % of b's in a"
