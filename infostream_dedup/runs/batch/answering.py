"""What repeats what in a collection, for the first page of a report: counts, sources, examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infostream_dedup.model import Document
    from infostream_dedup.runs.batch.deduplication import JudgedStatus

REPEATS: Final = ("exact", "duplicate")
_SHOWN: Final = 3
_MOST: Final = 6


@dataclass(frozen=True, slots=True)
class Repeated:
    """A document and the earlier one that it repeats."""

    kind: str
    earlier: Document
    later: Document


@dataclass(frozen=True, slots=True)
class RepeatedGroup:
    """One of the largest groups of copies."""

    size: int
    sources: int
    first: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Counts mean what they mean in ``dedup`` with preset ``judged``."""

    documents: int
    statuses: dict[str, int]
    kinds: dict[str, int]  # documents of status `similar` by what they are to the earlier one, most first
    groups: int  # of two or more documents
    repeats: int  # documents of status `exact` or `duplicate`
    sources: list[tuple[str, str, int]] = field(default_factory=list)  # who repeats whom, how often; most first
    days: list[tuple[str, int, int]] = field(default_factory=list)  # day, its documents, those that repeat one
    examples: list[Repeated] = field(default_factory=list)
    largest: list[RepeatedGroup] = field(default_factory=list)


def answer_of(documents: Sequence[Document], statuses: Sequence[JudgedStatus]) -> Answer:
    """Sum up the statuses of a collection's documents; only those shown are looked at as a whole."""
    from infostream_dedup.model import fields_of, moment_of
    from infostream_dedup.runs.batch.sweeping import known_days

    fields = fields_of(documents)
    place = {id: number for number, id in enumerate(fields.ids)}  # noqa: A001 - its own word
    again = [(number, place[one.of]) for number, one in enumerate(statuses) if one.status in REPEATS and one.of]
    members: dict[str, list[int]] = {}
    for number, one in enumerate(statuses):
        members.setdefault(one.group, []).append(number)
    groups = {name: found for name, found in members.items() if len(found) > 1}
    named = Counter(
        (fields.sources[later] or "", fields.sources[earlier] or "")
        for later, earlier in again
        if fields.sources[later] and fields.sources[earlier]
    )
    times = [
        None if time is None else moment_of(time).date().isoformat() for time in known_days(documents, fields.times)
    ]
    by_day, repeated = Counter(day for day in times if day), Counter(times[later] for later, _ in again)
    large = sorted(groups.items(), key=lambda one: (-len(one[1]), one[1][0]))[:_SHOWN]
    return Answer(
        documents=len(statuses),
        statuses=dict(Counter(one.status for one in statuses)),
        kinds=dict(Counter(one.kind or "" for one in statuses if one.status == "similar").most_common()),
        groups=len(groups),
        repeats=len(again),
        sources=[(*pair, number) for pair, number in sorted(named.items(), key=lambda one: (-one[1], one[0]))[:_MOST]],
        days=[(day, number, repeated[day]) for day, number in sorted(by_day.items())],
        examples=_examples(documents, statuses, place, fields.sources),
        largest=[
            RepeatedGroup(len(found), len({fields.sources[one] for one in found} - {None}), documents[found[0]])
            for _, found in large
        ],
    )


def _examples(
    documents: Sequence[Document],
    statuses: Sequence[JudgedStatus],
    place: dict[str, int],
    sources: Sequence[str | None],
) -> list[Repeated]:
    """A copy of another source, a template and an update, or other copies where there are none of these."""
    found: list[tuple[int, int]] = []
    for wanted in ("copy", "template", "updated", "retold", "copy", "copy"):
        pairs = (
            (number, place[one.of])
            for number, one in enumerate(statuses)
            if one.of and one.kind == wanted and not any(place[one.of] in pair for pair in found)
        )
        between = (pair for pair in islice(pairs, 5000) if wanted != "copy" or sources[pair[0]] != sources[pair[1]])
        found += [pair for pair in [next(between, None)] if pair is not None]
        if len(found) == _SHOWN:
            break
    return [Repeated(statuses[later].kind or "", documents[earlier], documents[later]) for later, earlier in found]
