"""Which document of a group was published first, and whether that is known.

A store keeps only moments: a date without a time of day was stored as the midnight it begins with, a bare year as the
first of January. So midnight is taken for a day; on the first of a month, for that month; on the first of January, for
that year. All of these end later than they begin, so such a document is never called the first. Neither is one that was
really published at midnight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from infostream_dedup.documents.dates import last_moment
from infostream_dedup.model import Document


def as_given(document: Document) -> Document:
    """A stored document, with its date reduced to a day, month or year where that may be all that was given."""
    if document.time is None:
        return document
    given = _calendar(document.time)
    return document if given is None else replace(document, published=given)


def in_order(members: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Order members by the latest moment at which each may have been published, undated ones last."""
    dated = [one for one in members if one["published"]]
    return [*sorted(dated, key=lambda one: _last(one["published"])), *(one for one in members if not one["published"])]


def certain_first(members: Sequence[dict[str, Any]]) -> bool:
    """Whether the first of ordered members was published before all others, all of which have dates."""
    if not members or any(not one["published"] for one in members):
        return False
    last = _last(members[0]["published"])
    return all(last < datetime.fromisoformat(one["published"]) for one in members[1:])


def date_given(published: str) -> str | None:
    """The year, month or day that a date may have been given as; None for a moment with a time of the day."""
    return _calendar(datetime.fromisoformat(published))


def _last(published: str) -> datetime:
    time = datetime.fromisoformat(published)
    given = _calendar(time)
    return time if given is None else last_moment(given, time)


def _calendar(time: datetime) -> str | None:
    """The year, month or day whose beginning a moment is; None for any other moment."""
    if (time.hour, time.minute, time.second, time.microsecond) != (0, 0, 0, 0):
        return None
    # Not strftime: on Linux, it writes the year 1 with one digit.
    day = time.date().isoformat()
    if time.day > 1:
        return day
    return day[:7] if time.month > 1 else day[:4]
