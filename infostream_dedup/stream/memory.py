"""What the stream remembers of the window, and how it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.matching.window_index import Candidates, WindowIndex
from infostream_dedup.model.stream_records import GroupEvent
from infostream_dedup.stream.best import Member
from infostream_dedup.stream.clock import DAY, NO_TIME
from infostream_dedup.stream.equal_hashes import EqualHashes
from infostream_dedup.stream.groups import Groups
from infostream_dedup.stream.rows import Rows
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.window import NO_SOURCE, Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Memory"]


class Memory:
    """The documents of the window: their columns, the index of their terms, their hashes, their groups.

    Documents are entered in two steps: the columns of many at once, then each one by itself when it has been judged,
    for only from then on others may find it.

    Args:
        settings: of the stream.
        first: ordinal of the first document.

    Attributes:
        window: the columns.
        groups: of the window's documents.
        clock: the stream's clock at the last document.
    """

    def __init__(self, settings: StreamSettings, first: int = 0) -> None:
        self._settings = settings
        self.window = Window(first)
        self.groups = Groups(
            self.window, watched_from=settings.chaining_documents, least_density=settings.chaining_density
        )
        self.clock = self._first_clock = NO_TIME
        self._index = WindowIndex()
        self._texts, self._openings = EqualHashes(), EqualHashes()
        self._sources: dict[str, int] = {}
        self._in_text = settings.terms.target == "text"

    def extend(
        self,
        ids: Sequence[str],
        hashes: Sequence[tuple[bytes, bytes]],
        sources: Sequence[str | None],
        clocks: NDArray[np.int64],
        times: NDArray[np.int64],
        rows: tuple[Rows, Rows, Rows, Rows],
    ) -> None:
        """Take in the columns of documents; arguments as ``Window.extend``, sources by name."""
        number_of = {source: self._source_number(source) for source in dict.fromkeys(sources)}
        numbers = np.array(list(map(number_of.__getitem__, sources)), dtype=np.int32)
        self.window.extend(ids, hashes, numbers, clocks, times, rows)

    def _source_number(self, source: str | None) -> int:
        return self._sources.setdefault(source, len(self._sources)) if source else NO_SOURCE

    def candidates(self, keys: NDArray[np.int64], targets: NDArray[np.int64], k_min: int) -> Candidates:
        """Documents of the window with at least ``k_min`` hits in either direction.

        Args:
            keys: key terms of a document.
            targets: all terms of it, ascending.
            k_min: at least 1.
        """
        return self._index.candidates(keys=keys, targets=targets if self._in_text else keys, k_min=k_min)

    def equal(self, ordinal: int) -> int | None:
        """The earliest document of the window that is the same by the rules of exactness and source."""
        row = ordinal - self.window.first
        text, opening = self.window.hashes[row]
        source, rule = int(self.window.sources[row]), self._settings.same_source
        found = self._texts.earliest(text, source, rule)
        return self._openings.earliest(opening, source, rule) if found is None else found

    def enter(self, ordinal: int, keys: NDArray[np.int64], targets: NDArray[np.int64]) -> None:
        """Let a document be found from now on."""
        row = ordinal - self.window.first
        self._index.add(ordinal, keys=keys, targets=targets if self._in_text else keys)
        text, opening = self.window.hashes[row]
        source = int(self.window.sources[row])
        self._texts.add(text, source, ordinal)
        self._openings.add(opening, source, ordinal)

    def advance(self, ordinal: int) -> list[GroupEvent]:
        """Move the clock to a document, and let those go that leave the window by it."""
        window = self.window
        self.clock = int(window.clocks[ordinal - window.first])
        if self._first_clock == NO_TIME:
            self._first_clock = self.clock
        oldest = self._oldest_at(ordinal)
        events: list[GroupEvent] = []
        for gone in range(window.oldest, oldest):
            events += self.groups.expire(gone, ordinal)
        self._let_go(oldest, oldest)
        return events

    def _oldest_at(self, ordinal: int) -> int:
        settings, window = self._settings, self.window
        oldest = window.oldest
        if settings.window_documents is not None:
            oldest = max(oldest, ordinal - settings.window_documents)
        if settings.window_days is None:
            return oldest
        limit = self.clock - round(settings.window_days * DAY)
        # Documents that came before the first date count as if they bore it.
        if limit <= self._first_clock:
            return oldest
        alive = window.clocks[oldest - window.first : ordinal - window.first]
        return oldest + int(np.searchsorted(alive, limit))

    def members(self, group: str) -> list[Member]:
        """The documents of a group that are in the window; none of an unknown group."""
        window, names = self.window, {number: name for name, number in self._sources.items()}
        found = []
        for ordinal in self.groups.members(group):
            row = ordinal - window.first
            source = names.get(int(window.sources[row]))
            found.append(Member(ordinal, window.ids[row], len(window.targets.row(row)), source))
        return found

    def resume(
        self,
        first: int,
        *,
        oldest: int,
        clock: int,
        groups: Sequence[str],
        state: Mapping[str, int],
        events: Sequence[GroupEvent],
    ) -> None:
        """Enter documents whose columns have been taken in: they were judged before, or by another process.

        Args:
            first: ordinal of the first of them; earlier ones have been entered.
            oldest: smallest ordinal in the window now.
            clock: the stream's clock at the last document.
            groups: the group each of them is in.
            state: what ``Groups.state`` returned.
            events: all that has happened to groups, or all since the earlier ones were entered.
        """
        window = self.window
        self._let_go(oldest, min(oldest, first))
        begin = max(first, oldest) - window.first
        keys, targets = window.keys.rows_from(begin), window.targets.rows_from(begin)
        ordinals = np.arange(window.first + begin, window.end)
        self._index.extend(ordinals, keys=keys, targets=targets if self._in_text else keys)
        sources = window.sources[begin : window.end - window.first].tolist()
        self._texts.extend([text for text, _ in window.hashes[begin:]], sources, window.first + begin)
        self._openings.extend([opening for _, opening in window.hashes[begin:]], sources, window.first + begin)
        known = first - window.first
        if known:
            renamed = _renamed(events)
            window.groups[:known] = [renamed.get(group, group) for group in window.groups[:known]]
        window.groups[known:] = groups
        self.clock = clock
        dated = window.clocks[: window.end - window.first]
        dated = dated[dated != NO_TIME]
        if self._first_clock == NO_TIME:
            self._first_clock = int(dated[0]) if len(dated) else clock
        self.groups.resume(state, events)

    def _let_go(self, oldest: int, entered_before: int) -> None:
        """Let documents leave the window; those from ``entered_before`` on have never been entered."""
        window = self.window
        for gone in range(window.oldest, entered_before):
            row = gone - window.first
            text, opening = window.hashes[row]
            self._texts.remove(text, int(window.sources[row]))
            self._openings.remove(opening, int(window.sources[row]))
        window.expire_before(oldest)
        self._index.expire_before(oldest)


def _renamed(events: Sequence[GroupEvent]) -> dict[str, str]:
    """What the groups that joined others are called after all merges."""
    now: dict[str, str] = {}
    for event in reversed(events):
        if event.kind == "merge" and event.other is not None:
            now[event.other] = now.get(event.group, event.group)
    return now
