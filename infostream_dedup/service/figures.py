"""Figures over the latest documents, counted once for each state of the store.

While batches keep arriving, nobody waits long for a count: the previous figures are shown until the
new ones are ready.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final, Literal, TypeVar

from infostream_dedup.lab.estimation.stream_copies import latest_drifts
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import Figure, RunningService
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.overview import activity, reprint_counts
from infostream_dedup.stream.store.republications import templates
from infostream_dedup.stream.store.restoring import position_of

Value = TypeVar("Value")

_LEAST: Final = 2
_LATEST: Final = 100_000
_ROWS: Final = 200
_ACTIVITY: Final = "activity"
_DRIFTS: Final = "drifts"


async def activity_now(service: RunningService) -> dict[str, Any]:
    """See ``activity``. The answer is shared: do not change it."""
    return await _kept(service, _ACTIVITY, _activity)


async def reprints_now(service: RunningService) -> list[dict[str, Any]]:
    """See ``reprint_counts``. The answer is shared: do not change it."""
    return await _kept(service, "reprints", lambda store: reprint_counts(store.connection))


async def templates_now(service: RunningService) -> list[dict[str, Any]]:
    """See ``templates``: recurring ones of the latest 100,000 documents. The answer is shared: do not change it."""
    return await _kept(service, "templates", _templates)


async def drifts_now(service: RunningService) -> list[dict[str, Any]] | Literal["counting"] | None:
    """See ``latest_drifts``; None also if this takes too long. The answer is shared: do not change it."""
    try:
        async with asyncio.timeout(service.settings.limits.query_seconds):
            return await _kept(service, _DRIFTS, _drifts)
    except TimeoutError:
        kept = service.figures.get(_DRIFTS)
        return "counting" if kept is None else kept.value
    except ProblemError as problem:
        if problem.code != "too-slow":
            raise
    # Nobody waits for it again before the store has changed.
    service.figures[_DRIFTS] = Figure(await service.position(), time.monotonic(), None)
    return None


async def count_ahead(service: RunningService) -> None:
    """Count everything, so that the first page does not wait for it."""
    await activity_now(service)
    await reprints_now(service)
    await templates_now(service)


def count_soon(service: RunningService) -> None:
    """Refresh the activity in the background after a batch, at most once in ``figures_pause_seconds``."""
    kept = service.figures.get(_ACTIVITY)
    if kept is not None and time.monotonic() - kept.begun > service.settings.limits.figures_pause_seconds:
        _counting(service, _ACTIVITY, _activity)


async def _kept(service: RunningService, name: str, question: Callable[[Store], Value]) -> Value:
    position, limits = await service.position(), service.settings.limits
    kept = service.figures.get(name)
    if kept is None or kept.position != position:
        count = _counting(service, name, question)
        if kept is None or time.monotonic() - kept.begun > limits.figures_age_seconds:
            kept = await asyncio.shield(count)
        else:
            done, _ = await asyncio.wait({count}, timeout=limits.figures_wait_seconds)
            kept = count.result() if done else kept
    value: Value = kept.value
    return value


def _counting(service: RunningService, name: str, question: Callable[[Store], Any]) -> asyncio.Future[Figure]:
    """Return the count in progress, or start a new one."""
    count = service.counts.get(name)
    if count is None or count.done():
        count = service.counts[name] = asyncio.ensure_future(_count(service, name, question))
    return count


async def _count(service: RunningService, name: str, question: Callable[[Store], Any]) -> Figure:
    begun = time.monotonic()
    position, value = await service.read(lambda store: (position_of(store.connection), question(store)))
    figure = service.figures[name] = Figure(position, begun, value)
    return figure


def _activity(store: Store) -> dict[str, Any]:
    return activity(store.connection)


def _templates(store: Store) -> list[dict[str, Any]]:
    end = position_of(store.connection).documents
    return templates(store.connection, least=_LEAST, first=end - _LATEST)[:_ROWS]


def _drifts(store: Store) -> list[dict[str, Any]] | None:
    found = latest_drifts(store)
    return None if found is None else [drift.as_dict() for drift in found]
