"""Chooses the next pairs for a person: candidates from the store, reserved by the desk."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from infostream_dedup.judgements.agreement import disagreements
from infostream_dedup.judgements.candidates import QUEUES, asked_pairs, group_pairs, linked_pairs
from infostream_dedup.judgements.jobs import last_result
from infostream_dedup.judgements.judgements import ordered_pair
from infostream_dedup.judgements.reservations import SHARE_OF_TWO, next_pairs
from infostream_dedup.service.pair_view import pair_shown
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import RunningService
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import document_versions, group_with_members
from infostream_dedup.stream.store.restoring import position_of

__all__ = ["check_queue", "pairs_for"]

Pair = tuple[str, str]

_GROUP: Final = "group:"
_OF_DESK: Final = ("audit", "disagreement", "learning", "methods")
_DISAGREED: Final = 1_000
_KEPT_CHOICES: Final = 8


def check_queue(queue: str) -> None:
    """Refuse a queue that does not exist.

    Raises:
        ProblemError: ``invalid``.
    """
    if queue not in QUEUES and not (queue.startswith(_GROUP) and len(queue) > len(_GROUP)):
        raise ProblemError(422, "invalid", f"expected {', '.join(QUEUES)} or group:ID", field="queue")


async def pairs_for(
    service: RunningService, person: str, queue: str, wanted: int, besides: frozenset[Pair] = frozenset()
) -> list[dict[str, Any]]:
    """Choose pairs, reserve them, and read what a judge sees; return nothing when no pair is left.

    Pairs with a forgotten document are left out.

    Args:
        service: the running service.
        person: the person.
        queue: its name, as ``check_queue`` accepts it.
        wanted: maximum number of pairs.
        besides: pairs that the person already has.
    """
    candidates = await _candidates(service, queue)
    share = 2.0 if queue == "disagreement" else SHARE_OF_TWO
    gone: set[Pair] = set()

    def choose(connection: sqlite3.Connection) -> tuple[list[Pair], list[Pair]]:
        listed = _from_desk(connection, queue) if queue in _OF_DESK else candidates
        chosen = next_pairs(
            connection, listed, person=person, queue=queue, wanted=wanted, besides=besides | gone, share_of_two=share
        )
        return chosen, listed

    while True:
        chosen, listed = await service.desk.write(choose)
        shown = await service.read(lambda store, chosen=chosen: _shown(store, chosen))  # type: ignore[misc]
        if len(shown) == len(chosen):
            return shown
        # All of them at once: a list of pairs may come from another collection.
        tried = [*chosen, *listed]
        gone |= await service.read(lambda store, tried=tried: _absent(store, tried))  # type: ignore[misc]


async def _candidates(service: RunningService, queue: str) -> list[Pair]:
    if queue in _OF_DESK:
        return []
    position = await service.position()
    key = (queue, position)
    if key not in service.choices:
        found = await service.read(lambda store: _of_store(store, queue))
        while len(service.choices) >= _KEPT_CHOICES:
            service.choices.pop(next(iter(service.choices)))
        service.choices[key] = found
    return service.choices[key]


def _of_store(store: Store, queue: str) -> list[Pair]:
    if queue.startswith(_GROUP):
        found = group_with_members(store.connection, queue.removeprefix(_GROUP))
        return [] if found is None else group_pairs([one["id"] for one in found["members"] if not one["forgotten"]])
    if position_of(store.connection).documents == 0:
        return []
    settings = StreamSettings.of(store.settings)
    return linked_pairs(store.connection, queue, k_duplicate=settings.k_duplicate)


def _from_desk(connection: sqlite3.Connection, queue: str) -> list[Pair]:
    if queue == "audit":
        return asked_pairs(connection, queue)
    if queue == "learning":
        trained = last_result(connection, "train")
        return [ordered_pair(a, b) for a, b in (trained or {"result": {}})["result"].get("teach", ())]
    if queue == "methods":
        compared = last_result(connection, "compare")
        return [ordered_pair(row["a"], row["b"]) for row in (compared or {"result": {}})["result"].get("disputed", ())]
    return [(row["a"], row["b"]) for row in disagreements(connection, _DISAGREED)]


def _shown(store: Store, pairs: list[Pair]) -> list[dict[str, Any]]:
    gone = _absent(store, pairs)
    return [pair_shown(store, *pair) for pair in pairs if pair not in gone]


def _absent(store: Store, pairs: list[Pair]) -> set[Pair]:
    """The pairs with a document that is unknown here, as an imported one may be, or was forgotten."""
    versions = {one: document_versions(store.connection, one) for one in {one for pair in pairs for one in pair}}
    present = {one for one, known in versions.items() if known and not known[-1]["forgotten"]}
    return {pair for pair in pairs if not present.issuperset(pair)}
