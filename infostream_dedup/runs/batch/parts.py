"""The parts of a collection that a sweep compares: files, sources, days, weeks, months."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime, tzinfo

    from infostream_dedup.model import Document

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
