"""An editor's policies: which pairs count, which make a group, and which members of a group leave the output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.judging import JOINED, DocumentStatus, JudgedCandidates, joined_kinds, statuses
from infostream_dedup.judging.evidence.kinds import ACROSS, Kind
from infostream_dedup.machine.arrays import Bools, Floats, Int8s
from infostream_dedup.model.limits import OneOf, Range, names_in
from infostream_dedup.model.settings import WITHIN, Within

_NEVER_IDENTICAL: Final = (Kind.DIFFERS, Kind.TEMPLATE, *ACROSS)
"""Kinds of pairs that are not one text however much of their wording is common."""

_HOURS: Final = 24.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which pairs of documents count, and which make a duplicate.

    Raises:
        ConfigurationError: a value is out of range, or both ``join`` and ``identical`` are given.
    """

    join: tuple[str, ...] | None = None  # kinds that make a duplicate; `None` for `JOINED`
    identical: float | None = None  # instead: share of the wording of the smaller document, 0.2 to 1
    within: Within = "all"  # pairs of one `source`, of different `outlets`, or all
    within_days: float | None = None  # most days between two dates, above 0; a missing date is never too far
    drop: tuple[str, ...] | None = None  # kinds of members that leave a group; `None` for those that join it

    @classmethod
    def of(
        cls,
        *,
        join: Sequence[str] | str | None = None,
        identical: float | None = None,
        within: str = "all",
        within_days: float | None = None,
        drop: Sequence[str] | str | None = None,
    ) -> Policy:
        """Make a policy of what a caller gave."""
        OneOf(*WITHIN).check("within", within)
        if identical is not None:
            identical = Range(0.2, 1.0).check("identical", identical)
            if join is not None:
                raise ConfigurationError(
                    "join (--join) names kinds and identical (--identical) a share of the wording; give one of them"
                )
        if within_days is not None:
            within_days = Range(1e-6, 1e6).check("within_days", within_days)
        names = [None if one is None else names_in(one) for one in (join, drop)]
        for one in names:
            joined_kinds(one or ())
        chosen = next(one for one in WITHIN if one == within)
        return cls(join=names[0], identical=identical, within=chosen, within_days=within_days, drop=names[1])

    @property
    def allows_every_pair(self) -> bool:
        """Whether all pairs count, whatever their sources and dates."""
        return self.within == "all" and self.within_days is None

    def allows(self, same_source: Bools, hours: Floats) -> Bools:
        """Which pairs count at all: bool (pairs,); ``hours``: infinite if a date is missing."""
        found = np.ones(len(hours), dtype=np.bool_)
        if self.within != "all":
            found &= same_source == (self.within == "source")
        if self.within_days is not None:
            found &= (hours <= _HOURS * self.within_days) | np.isinf(hours)
        return found

    def counts(self, judged: JudgedCandidates) -> Bools:
        """Which judged pairs count: bool (pairs,)."""
        found = self.allows(judged.facts.same_source, judged.facts.hours)
        return found if self.identical is None else found & self._identical(judged)

    def statuses(self, judged: JudgedCandidates) -> Int8s:
        """``DocumentStatus`` that each pair gives its later document: int8 (pairs,)."""
        joined = joined_kinds(self.join or JOINED) & (self.identical is None)
        found = statuses(judged.kinds, judged.facts, joined)
        if self.identical is not None:
            same = self._identical(judged) & (found < DocumentStatus.DUPLICATE)
            found[same] = DocumentStatus.DUPLICATE
        found[~self.allows(judged.facts.same_source, judged.facts.hours)] = DocumentStatus.NEW
        return found

    def _identical(self, judged: JudgedCandidates) -> Bools:
        facts, never = judged.facts, np.isin(judged.kinds, _NEVER_IDENTICAL) | judged.facts.figure_alone
        least = 0.0 if self.identical is None else self.identical
        return np.asarray((facts.wording_most >= least) & ~never | facts.same_text & ~facts.anew, dtype=np.bool_)


EVERY_PAIR: Final = Policy()

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "newsdesk": {"join": "copy,retold", "drop": "copy", "within_days": 2, "show": "rank"},
    "strict": {"identical": 0.9},
}
"""Named policies: what a desk that follows a story needs, and what may be removed unread."""


def policy_options(policy: str | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a named policy, with those that a caller gave instead (others are ``None``)."""
    if policy is None:
        return dict(given)
    OneOf(*PRESETS).check("policy", policy)
    own = {name: value for name, value in given.items() if value is not None}
    named = dict(PRESETS[policy])
    for one, other in (("join", "identical"), ("identical", "join")):
        if one in own:
            named.pop(other, None)
    return dict.fromkeys(given) | named | own
