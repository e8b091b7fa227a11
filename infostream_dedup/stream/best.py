"""Choice of the document that represents a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from infostream_dedup.model.outlets import outlet_of
from infostream_dedup.stream.settings import StreamSettings


class Member(NamedTuple):
    """A document of a group.

    Attributes:
        ordinal: its position in the stream.
        id: as given.
        terms: number of its distinct terms.
        source: site or agency.
    """

    ordinal: int
    id: str
    terms: int
    source: str | None


def best_member(members: Sequence[Member], settings: StreamSettings) -> Member:
    """Return the best document by ``settings.best``; among equals, the earliest.

    Args:
        members: at least one.

    Example:
        >>> members = [Member(0, "note", 20, "blog"), Member(4, "report", 90, "agency")]
        >>> best_member(members, StreamSettings(best="complete")).id
        'report'
    """
    if settings.best == "complete":
        return min(members, key=lambda one: (-one.terms, one.ordinal))
    if settings.best == "source-rank":
        ranks = {outlet_of(source): rank for rank, source in enumerate(settings.source_ranks)}
        return min(members, key=lambda one: (ranks.get(outlet_of(one.source), len(ranks)), one.ordinal))
    return min(members, key=lambda one: one.ordinal)
