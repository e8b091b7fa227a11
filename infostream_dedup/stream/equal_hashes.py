"""Documents of the window with the same hash."""

from __future__ import annotations

from collections import deque

from infostream_dedup.stream.window import NO_SOURCE

__all__ = ["EqualHashes"]


class EqualHashes:
    """Which documents of the window have the same hash, by source."""

    def __init__(self) -> None:
        self._holders: dict[bytes, dict[int, deque[int]]] = {}

    def add(self, digest: bytes, source: int, ordinal: int) -> None:
        """Take a document in; an empty hash equals nothing."""
        if digest:
            self._holders.setdefault(digest, {}).setdefault(source, deque()).append(ordinal)

    def remove(self, digest: bytes, source: int) -> None:
        """Let the earliest document of a hash and source go."""
        if not digest:
            return
        by_source = self._holders[digest]
        by_source[source].popleft()
        if not by_source[source]:
            del by_source[source]
        if not by_source:
            del self._holders[digest]

    def earliest(self, digest: bytes, source: int, rule: str) -> int | None:
        """The earliest document of a hash that a document of a source may be linked to.

        Args:
            digest: the hash.
            source: of the later document.
            rule: ``ignore``, ``ban`` or ``require``, as ``StreamSettings.same_source``.
        """
        by_source = self._holders.get(digest)
        if not by_source:
            return None
        if rule == "ignore":
            return min(ordinals[0] for ordinals in by_source.values())
        if rule == "require":
            return by_source[source][0] if source != NO_SOURCE and source in by_source else None
        others = [held[0] for other, held in by_source.items() if other != source or other == NO_SOURCE]
        return min(others, default=None)
