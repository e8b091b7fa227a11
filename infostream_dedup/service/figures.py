"""Figures over the latest documents, counted once for each state of the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from infostream_dedup.service.running import RunningService
from infostream_dedup.store import Store
from infostream_dedup.store.overview import activity, reprint_counts
from infostream_dedup.store.restoring import position_of
from infostream_dedup.store.templates import templates

__all__ = ["activity_now", "count_ahead", "reprints_now", "templates_now"]

Value = TypeVar("Value")

_LEAST: Final = 2
_LATEST: Final = 100_000
_ROWS: Final = 200


async def activity_now(service: RunningService) -> dict[str, Any]:
    """See ``activity``. The answer is shared: do not change it."""
    return await _kept(service, "activity", lambda store: activity(store.connection))


async def reprints_now(service: RunningService) -> list[dict[str, Any]]:
    """See ``reprint_counts``. The answer is shared: do not change it."""
    return await _kept(service, "reprints", lambda store: reprint_counts(store.connection))


async def templates_now(service: RunningService) -> list[dict[str, Any]]:
    """See ``templates``: recurring ones of the latest 100,000 documents. The answer is shared: do not change it."""
    return await _kept(service, "templates", _templates)


async def count_ahead(service: RunningService) -> None:
    """Count everything, so that the first page does not wait for it."""
    await activity_now(service)
    await reprints_now(service)
    await templates_now(service)


async def _kept(service: RunningService, name: str, question: Callable[[Store], Value]) -> Value:
    def answered(store: Store) -> Value:
        position = position_of(store.connection)
        found = service.figures.get(name)
        if found is None or found[0] != position:
            found = service.figures[name] = (position, question(store))
        value: Value = found[1]
        return value

    return await service.read(answered)


def _templates(store: Store) -> list[dict[str, Any]]:
    end = position_of(store.connection).documents
    return templates(store.connection, least=_LEAST, first=end - _LATEST)[:_ROWS]
