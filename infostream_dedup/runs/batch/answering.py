"""What a report says beside S and T: what repeats what, parts of a collection, and T of pairs accepted by evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from infostream_dedup.machine.arrays import Ints
from infostream_dedup.model import Document, fields_of, moment_of

if TYPE_CHECKING:
    from infostream_dedup.runs.batch.deduplication import FoundJudgedStatuses, JudgedStatus

_GROUPS: Final = 10
_MEMBERS: Final = 30
_SOURCES: Final = 15


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """One group."""

    size: int  # number of documents
    sources: int  # number of distinct sources
    documents: list[Document]  # its first 30 documents by date, those without a date last, then by input order


@dataclass(frozen=True, slots=True)
class SourceCopies:
    """What other sources copy from a source."""

    source: str  # its name
    documents: int  # number of its documents in the collection
    grouped: int  # number of those that are in groups
    first: int  # number of groups that include other sources and start with a document of this source
    copied: int  # number of documents of other sources in these groups


@dataclass(frozen=True, slots=True)
class GroupListing:
    """The groups of one representation at one k."""

    k: int  # the k at which returned links join documents
    groups: list[ListedGroup]  # the ten largest; equally large ones in input order
    sources: list[SourceCopies]  # up to 15, the most copied first; sources that nobody copies are left out


def list_groups(documents: Sequence[Document], leaders: Ints, k: int) -> GroupListing:
    """List the groups of a collection."""
    order = np.argsort(leaders, kind="stable")
    _, starts, sizes = np.unique(leaders[order], return_index=True, return_counts=True)
    several = np.flatnonzero(sizes > 1)
    groups = [_by_date(documents, order[starts[one] : starts[one] + sizes[one]].tolist()) for one in several]
    largest = sorted(groups, key=len, reverse=True)[:_GROUPS]
    listed = [
        ListedGroup(len(group), len({one.source for one in group if one.source}), group[:_MEMBERS]) for group in largest
    ]
    return GroupListing(k, listed, _most_copied(documents, groups))


def _by_date(documents: Sequence[Document], members: Iterable[int]) -> list[Document]:
    """The documents of a group by date, those without a date last, then in input order."""
    found = [documents[member] for member in members]
    dated = sorted((one for one in found if one.time is not None), key=lambda one: one.time)  # type: ignore[arg-type, return-value]
    return [*dated, *(one for one in found if one.time is None)]


def _most_copied(documents: Sequence[Document], groups: Iterable[list[Document]]) -> list[SourceCopies]:
    written = Counter(filter(None, fields_of(documents).sources))
    grouped, first, copied = Counter[str](), Counter[str](), Counter[str]()
    for group in groups:
        grouped.update(one.source for one in group if one.source)
        opener = group[0].source
        others = sum(one.source != opener for one in group if one.source)
        if opener and others:
            first[opener] += 1
            copied[opener] += others
    found = sorted(copied, key=lambda source: (-copied[source], source))[:_SOURCES]
    return [SourceCopies(name, written[name], grouped[name], first[name], copied[name]) for name in found]


def known_days(documents: Sequence[Document], times: Sequence[int | None]) -> list[int | None]:
    """Times of the documents whose day is known: a year or a month alone is no day."""
    known = list(times)
    for number, time in enumerate(times):
        at = None if time is None else moment_of(time)
        if at is not None and (at.day, at.hour, at.minute, at.second) == (1, 0, 0, 0):
            given = documents[number].published
            if isinstance(given, str) and len(given) <= len("2026-03"):
                known[number] = None
    return known


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSummary:
    """Dates and sources of a collection.

    >>> CollectionSummary.of([Document(id="1", text="", source="a"), Document(id="2", text="")]).sources
    {'a': 1}
    """

    documents: int  # number of documents
    dated: int  # number of documents with a date
    first: datetime | None  # earliest date of a known day in UTC; `None` without one
    last: datetime | None  # latest likewise
    # number of documents by source, largest first, then by name; documents without a source are left out
    sources: dict[str, int]

    @classmethod
    def of(cls, documents: Sequence[Document]) -> CollectionSummary:
        """Summarise the documents of a collection in one pass."""
        fields = fields_of(documents)
        sources = Counter(source for source in fields.sources if source)
        times = [time for time in known_days(documents, fields.times) if time is not None]
        first, last = (moment_of(min(times)), moment_of(max(times))) if times else (None, None)
        by_size = dict(sorted(sources.items(), key=lambda item: (-item[1], item[0])))
        return cls(
            documents=len(documents),
            dated=sum(time is not None for time in fields.times),
            first=first,
            last=last,
            sources=by_size,
        )


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


def answer_of(documents: Sequence[Document], found: FoundJudgedStatuses) -> Answer:
    """Sum up the statuses of a collection's documents; only those shown are looked at as a whole."""
    fields, statuses, of = fields_of(documents), list(found), found.of.tolist()
    again = [(number, of[number]) for number, one in enumerate(statuses) if one.status in REPEATS and one.of]
    groups = [part.tolist() for part in found.members()]
    named = Counter(
        (fields.sources[later] or "", fields.sources[earlier] or "")
        for later, earlier in again
        if fields.sources[later] and fields.sources[earlier]
    )
    days = known_days(documents, fields.times)
    times = [None if time is None else moment_of(time).date().isoformat() for time in days]
    by_day, repeated = Counter(day for day in times if day), Counter(times[later] for later, _ in again)
    large = sorted(groups, key=lambda one: (-len(one), one[0]))[:_SHOWN]
    return Answer(
        documents=len(statuses),
        statuses=dict(Counter(one.status for one in statuses)),
        kinds=dict(Counter(one.kind or "" for one in statuses if one.status == "similar").most_common()),
        groups=len(groups),
        repeats=len(again),
        sources=[(*pair, number) for pair, number in sorted(named.items(), key=lambda one: (-one[1], one[0]))[:_MOST]],
        days=[(day, number, repeated[day]) for day, number in sorted(by_day.items())],
        examples=_examples(documents, statuses, of, fields.sources),
        largest=[
            RepeatedGroup(len(own), len({fields.sources[one] for one in own} - {None}), documents[own[0]])
            for own in large
        ],
    )


def _examples(
    documents: Sequence[Document], statuses: Sequence[JudgedStatus], of: Sequence[int], sources: Sequence[str | None]
) -> list[Repeated]:
    """A copy of another source, a template and an update, or other copies where there are none of these."""
    found: list[tuple[int, int]] = []
    for wanted in ("copy", "template", "updated", "retold", "copy", "copy"):
        pairs = (
            (number, of[number])
            for number, one in enumerate(statuses)
            if one.of and one.kind == wanted and not any(of[number] in pair for pair in found)
        )
        between = (pair for pair in islice(pairs, 5000) if wanted != "copy" or sources[pair[0]] != sources[pair[1]])
        found += [pair for pair in [next(between, None)] if pair is not None]
        if len(found) == _SHOWN:
            break
    return [Repeated(statuses[later].kind or "", documents[earlier], documents[later]) for later, earlier in found]


Parting = Literal["file", "source", "day", "week", "month"]
PARTINGS: Final[tuple[str, ...]] = get_args(Parting)


def part_into(
    documents: Iterable[Document], by: Parting, *, files: Mapping[str, int], zone: tzinfo
) -> dict[str | None, list[Document]]:
    """Divide a collection.

    >>> from infostream_dedup.model import Document
    >>> from datetime import UTC
    >>> both = [Document(id=i, text="", source=s) for i, s in (("1", "b"), ("2", None), ("3", "b"))]
    >>> {name: len(part) for name, part in part_into(both, "source", files={}, zone=UTC).items()}
    {'b': 2, None: 1}
    """
    if by == "file":
        places = iter(documents)
        named = zip(short_names(list(files)), files.values(), strict=True)
        return {name: [next(places) for _ in range(number)] for name, number in named}
    parts: dict[str | None, list[Document]] = {}
    for document in documents:
        name = document.source or None if by == "source" else _stretch(document.time, by, zone)
        parts.setdefault(name, []).append(document)
    sizes = Counter({name: len(part) for name, part in parts.items()} if by == "source" else {})
    return dict(sorted(parts.items(), key=lambda part: (part[0] is None, -sizes[part[0]], part[0] or "")))


def _stretch(time: datetime | None, by: Parting, zone: tzinfo) -> str | None:
    if time is None:
        return None
    try:
        there = time.astimezone(zone)
    except OverflowError:  # the first or the last day of the calendar, which begins a year earlier or later there
        there = time
    if by == "week":
        year, week, _ = there.isocalendar()
        return f"{year}-W{week:02}"
    day = there.date().isoformat()
    return day if by == "day" else day[:7]


def short_names(paths: Sequence[str]) -> list[str]:
    """Shorten file names to as few of their folders as are needed to distinguish them.

    >>> short_names(["/data/may/ru.csv", "/data/june/ru.csv", "/data/june/uk.csv"])
    ['may/ru.csv', 'june/ru.csv', 'uk.csv']
    """
    steps = [PurePath(path).parts or (path,) for path in paths]
    longest = max(map(len, steps), default=1)
    names = []
    for own in steps:
        lengths = range(1, longest + 1)
        alone = (length for length in lengths if sum(one[-length:] == own[-length:] for one in steps) == 1)
        names.append("/".join(own[-next(alone, longest) :]))
    return names
