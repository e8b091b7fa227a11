"""A guard for sources that would lose most of their documents."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from infostream_dedup.model.stream_records import GroupEvent


class Losses:
    """Share of repeats among the last documents of each source.

    While the share is above the limit, the source is flagged and its documents pass as ``similar``. A source is never
    flagged before it has sent ``documents`` documents.

    Args:
        limit: share, 0 to 1; ``None`` for no limit.
        documents: number of a source's last documents, in stream order, over which the share is computed.
    """

    def __init__(self, limit: float | None, documents: int) -> None:
        self._limit = limit
        self._documents = documents
        self._outcomes: dict[str, deque[bool]] = {}
        self._lost: dict[str, int] = {}
        self._flagged: set[str] = set()

    def passes(self, source: str | None, repeats: bool, ordinal: int) -> tuple[bool, list[GroupEvent]]:
        """Count a document."""
        if self._limit is None or source is None:
            return False, []
        outcomes = self._outcomes.setdefault(source, deque())
        outcomes.append(repeats)
        lost = self._lost.get(source, 0) + repeats
        if len(outcomes) > self._documents:
            lost -= outcomes.popleft()
        self._lost[source] = lost
        share = lost / self._documents
        if len(outcomes) < self._documents or share <= self._limit:
            self._flagged.discard(source)
            return False, []
        events = [] if source in self._flagged else [GroupEvent(ordinal, "limit", source, value=round(share, 9))]
        self._flagged.add(source)
        return repeats, events

    def state(self) -> dict[str, str]:
        """The last documents of each source, oldest first: ``1`` repeated an earlier one, ``0`` did not."""
        return {source: "".join("01"[repeats] for repeats in held) for source, held in sorted(self._outcomes.items())}

    def resume(self, state: Mapping[str, str]) -> None:
        """Restore the result of ``state``."""
        self._outcomes = {source: deque(letter == "1" for letter in letters) for source, letters in state.items()}
        self._lost = {source: sum(held) for source, held in self._outcomes.items()}
        self._flagged = {
            source
            for source, lost in self._lost.items()
            if self._limit is not None
            and len(self._outcomes[source]) >= self._documents
            and lost / self._documents > self._limit
        }
