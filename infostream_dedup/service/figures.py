"""Figures over the latest documents; while batches arrive, nobody waits long for a new count."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final, Literal

from infostream_dedup.documents.dates import last_moment
from infostream_dedup.lab.copy_scores import latest_drifts
from infostream_dedup.model import Document
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import Figure, RunningService
from infostream_dedup.stream.health import EpochHealth, epoch_health, with_alarms
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.overview import activity, reprint_counts, templates
from infostream_dedup.stream.store.restoring import open_epoch, position_of

# Which document of a group was published first, and whether that is known.
#
# A store keeps only moments: a date without a time of day was stored as the midnight it begins with, a bare year as
# the first of January. So midnight is taken for a day; on the first of a month, for that month; on the first of
# January, for that year. All of these end later than they begin, so such a document is never called the first.
# Neither is one that was really published at midnight.


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


_LEAST: Final = 2
_LATEST: Final = 100_000
_ROWS: Final = 200
_ACTIVITY: Final = "activity"
_DRIFTS: Final = "drifts"
_HEALTH: Final = "health"
_EPOCHS: Final = 5


def _templates(store: Store) -> list[dict[str, Any]]:
    end = position_of(store.connection).documents
    return templates(store.connection, least=_LEAST, first=end - _LATEST)[:_ROWS]


_QUESTIONS: Final[dict[str, Callable[[Store], Any]]] = {
    "activity": lambda store: activity(store.connection),
    "reprints": lambda store: reprint_counts(store.connection),
    "templates": _templates,
    "drifts": lambda store: None if (found := latest_drifts(store)) is None else [one.as_dict() for one in found],
}
"""``templates``: recurring ones of the latest 100,000 documents; of the others see the functions."""


async def figure_now(service: RunningService, name: str) -> Any:
    """The answer to one of ``_QUESTIONS``. It is shared: do not change it."""
    position, limits = await service.position(), service.settings.limits
    kept = service.figures.get(name)
    if kept is None or kept.position != position:
        count = _counting(service, name)
        if kept is None or time.monotonic() - kept.begun > limits.figures_age_seconds:
            kept = await asyncio.shield(count)
        else:
            done, _ = await asyncio.wait({count}, timeout=limits.figures_wait_seconds)
            kept = count.result() if done else kept
    return kept.value


async def drifts_now(service: RunningService) -> list[dict[str, Any]] | Literal["counting"] | None:
    """See ``latest_drifts``; None also if this takes too long. The answer is shared: do not change it."""
    try:
        async with asyncio.timeout(service.settings.limits.query_seconds):
            found: list[dict[str, Any]] | None = await figure_now(service, _DRIFTS)
            return found
    except TimeoutError:
        kept = service.figures.get(_DRIFTS)
        return "counting" if kept is None else kept.value
    except ProblemError as problem:
        if problem.code != "too-slow":
            raise
    # Nobody waits for it again before the store has changed.
    service.figures[_DRIFTS] = Figure(await service.position(), time.monotonic(), None)
    return None


async def health_now(service: RunningService) -> list[EpochHealth]:
    """See ``stream_health``: the last five closed epochs measured, each once, in the background. Do not change it."""
    count = service.counts.get(_HEALTH)
    if count is None or count.done():
        count = service.counts[_HEALTH] = asyncio.ensure_future(_measure_epochs(service))
    kept = service.figures.get(_HEALTH)
    await asyncio.wait({count}, timeout=service.settings.limits.figures_wait_seconds)
    if count.done():
        kept = count.result()
    return [] if kept is None else kept.value


async def _measure_epochs(service: RunningService) -> Figure:
    position, closed = await service.read(lambda store: (position_of(store.connection), open_epoch(store.connection)))
    same = position.forgotten, position.retunes, position.restored
    begun, before = time.monotonic(), service.epochs
    service.epochs = {}
    # The five epochs before those shown say what is usual.
    for epoch in range(max(0, closed - 2 * _EPOCHS), closed):
        known = before.get((epoch, *same))
        if known is None:
            with contextlib.suppress(ProblemError):
                known = await service.read(partial(epoch_health, epoch=epoch))
        service.epochs[epoch, *same] = known or []
    rows = [one for epoch in service.epochs.values() for one in epoch]
    figure = service.figures[_HEALTH] = Figure(position, begun, with_alarms(rows, last=_EPOCHS))
    return figure


async def count_ahead(service: RunningService) -> None:
    """Count everything, so that the first page does not wait for it."""
    for name in (_ACTIVITY, "reprints", "templates"):
        await figure_now(service, name)
    await health_now(service)


def count_soon(service: RunningService) -> None:
    """Refresh the activity in the background after a batch, at most once in ``figures_pause_seconds``."""
    kept = service.figures.get(_ACTIVITY)
    if kept is not None and time.monotonic() - kept.begun > service.settings.limits.figures_pause_seconds:
        _counting(service, _ACTIVITY)


def _counting(service: RunningService, name: str) -> asyncio.Future[Figure]:
    """Return the count in progress, or start a new one."""
    count = service.counts.get(name)
    if count is None or count.done():
        count = service.counts[name] = asyncio.ensure_future(_count(service, name))
    return count


async def _count(service: RunningService, name: str) -> Figure:
    begun, question = time.monotonic(), _QUESTIONS[name]
    position, value = await service.read(lambda store: (position_of(store.connection), question(store)))
    figure = service.figures[name] = Figure(position, begun, value)
    return figure
