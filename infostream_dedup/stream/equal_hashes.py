"""Documents of the window with equal hashes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from operator import is_not

from infostream_dedup.stream.kernels.judging import NO_SOURCE


class EqualHashes:
    """Documents of the window by hash and source."""

    def __init__(self) -> None:
        # Nearly every hash belongs to one text. Its source and ordinal then suffice, in a tenth of the memory. Most
        # others belong to two or three, for which a deque would take seven times the memory of a list.
        self._alone: dict[bytes, tuple[int, int]] = {}
        self._several: dict[bytes, dict[int, list[int]]] = {}

    def add(self, digest: bytes, source: int, ordinal: int) -> None:
        """Add a document; an empty hash equals nothing."""
        if not digest:
            return
        by_source = self._several.get(digest)
        if by_source is None:
            first = self._alone.setdefault(digest, (source, ordinal))
            if first[1] == ordinal:
                return
            del self._alone[digest]
            by_source = self._several[digest] = {first[0]: [first[1]]}
        by_source.setdefault(source, []).append(ordinal)

    def meet(self, digest: bytes, source: int, rule: str, ordinal: int) -> int | None:
        """Add a document, and return what ``earliest`` returned before."""
        if not digest:
            return None
        # Nearly every hash is new, so one look-up serves both.
        if digest not in self._several:
            first = self._alone.setdefault(digest, (source, ordinal))
            if first[1] == ordinal:
                return None
        found = self.earliest(digest, source, rule)
        self.add(digest, source, ordinal)
        return found

    def extend(self, digests: Sequence[bytes], sources: Sequence[int], first: int) -> None:
        """Add many documents with consecutive ordinals, starting at ``first``."""
        documents = list(zip(sources, range(first, first + len(digests)), strict=True))
        places: Iterable[int] = range(len(digests))
        if not self._several:
            # The first document of each hash enters without a step of Python; the others are few.
            met = map(self._alone.setdefault, digests, documents)
            places = list(compress(places, map(is_not, met, documents)))
            self._alone.pop(b"", None)
        for place in places:
            self.add(digests[place], *documents[place])

    def remove(self, digest: bytes, source: int) -> None:
        """Remove the earliest document of a hash and source."""
        if not digest or self._alone.pop(digest, None) is not None:
            return
        by_source = self._several[digest]
        del by_source[source][0]
        if not by_source[source]:
            del by_source[source]
        if not by_source:
            del self._several[digest]

    def earliest(self, digest: bytes, source: int, rule: str) -> int | None:
        """Return the earliest document with a hash that a document of a source may be linked to."""
        by_source = self._several.get(digest)
        if by_source is None:
            alone = self._alone.get(digest)
            return None if alone is None or not _may_link(alone[0], source, rule) else alone[1]
        if rule == "ignore":
            return min(ordinals[0] for ordinals in by_source.values())
        if rule == "require":
            return by_source[source][0] if source != NO_SOURCE and source in by_source else None
        others = [held[0] for other, held in by_source.items() if other != source or other == NO_SOURCE]
        return min(others, default=None)


def _may_link(other: int, source: int, rule: str) -> bool:
    if rule == "ignore":
        return True
    return (other == source and source != NO_SOURCE) if rule == "require" else (other != source or other == NO_SOURCE)
