"""The queues: pairs of a store that are worth a judgement."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from infostream_dedup.judgements.judgements import ordered_pair

QUEUES: Final = ("boundary", "model", "translation", "random", "audit", "disagreement", "learning", "methods")
"""Names of queues; ``group:ID`` is a queue too.

``boundary``: links that the stream was least sure of. ``model``: links on which key terms and evidence disagree.
``translation``: documents that count as translations. ``random``: links drawn at random. ``audit``: pairs that somebody
requested. ``disagreement``: pairs that people label differently. ``learning``: pairs about which the latest classifier
is least sure. ``methods``: pairs on which the latest compared methods disagree.
"""

_PAIRS: Final = 5_000
_LOOKED_AT: Final = 200_000
_GROUP_MEMBERS: Final = 40

_LINKS: Final = (
    "SELECT id, of_id, group_id, probability, min(forward, backward) FROM document"
    " WHERE of_id IS NOT NULL AND of_id <> id AND forgotten = 0 AND status <> 'exact'"
    " AND ordinal > (SELECT max(ordinal) FROM document) - ? ORDER BY ordinal DESC LIMIT ?"
)
_TRANSLATIONS: Final = (
    "SELECT id, translation_of, group_id, NULL, NULL FROM document"
    " WHERE translation_of IS NOT NULL AND translation_of <> id AND forgotten = 0"
    " AND ordinal > (SELECT max(ordinal) FROM document) - ? ORDER BY ordinal DESC LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class _Link:
    pair: tuple[str, str]
    group: str
    probability: float | None
    met: int | None


def linked_pairs(connection: sqlite3.Connection, queue: str, *, k_duplicate: int) -> list[tuple[str, str]]:
    """Return the pairs of a queue made from the stream's links, best first.

    Only the latest links are used. No group provides a second pair before every other group has provided its first.
    """
    query = _TRANSLATIONS if queue == "translation" else _LINKS
    links = [
        _Link(ordered_pair(one, other), group, probability, met)
        for one, other, group, probability, met in connection.execute(query, (_LOOKED_AT, _PAIRS))
    ]
    rank = _RANKS[queue]
    ranked = [(place, link) for link in links if (place := rank(link, k_duplicate)) is not None]
    ranked.sort(key=lambda one: (one[0], one[1].pair))
    return _spread([link for _, link in ranked])


def group_pairs(ids: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of a group, those with its first document before all others."""
    shown = list(dict.fromkeys(ids))[:_GROUP_MEMBERS]
    return [ordered_pair(one, other) for one, other in combinations(shown, 2)]


def asked_pairs(connection: sqlite3.Connection, queue: str) -> list[tuple[str, str]]:
    """Return the requested pairs, in the order of the requests."""
    rows = connection.execute("SELECT a, b FROM asked WHERE queue = ? ORDER BY number", (queue,))
    return [(a, b) for a, b in rows]


def _spread(links: Sequence[_Link]) -> list[tuple[str, str]]:
    given: dict[str, int] = {}
    placed = []
    for place, link in enumerate(links):
        placed.append((given.get(link.group, 0), place, link.pair))
        given[link.group] = given.get(link.group, 0) + 1
    return list(dict.fromkeys(pair for _, _, pair in sorted(placed)))


def _boundary(link: _Link, k_duplicate: int) -> float | None:
    if link.probability is not None:
        return abs(link.probability - 0.5)
    return None if link.met is None else abs(link.met + 0.5 - k_duplicate) / k_duplicate


def _model(link: _Link, k_duplicate: int) -> float | None:
    if link.probability is None or link.met is None or (link.probability >= 0.5) == (link.met >= k_duplicate):
        return None
    return -abs(link.probability - 0.5)


def _random(link: _Link, _: int) -> float | None:
    # Not the hash by which pairs are chosen for two people, or all of these would come first.
    return int.from_bytes(hashlib.sha256("\0".join(("random", *link.pair)).encode()).digest()[:6], "big")


_RANKS: Final[Mapping[str, Callable[[_Link, int], float | None]]] = {
    "boundary": _boundary,
    "model": _model,
    "translation": lambda *_: 0.0,
    "random": _random,
}
