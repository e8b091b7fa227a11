"""What the stream remembers of the window, and how it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.features.rows import Rows
from infostream_dedup.model.stream_records import GroupEvent
from infostream_dedup.stream.best import Member
from infostream_dedup.stream.clock import DAY, NO_TIME
from infostream_dedup.stream.equal_hashes import EqualHashes
from infostream_dedup.stream.groups import Groups
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.window import NO_SOURCE, Window
from infostream_dedup.window.window_index import CandidateRows, Candidates, WindowIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Memory"]


class Memory:
    """The documents of the window: their columns, the index of their terms, their hashes, their groups.

    Documents are entered in two steps: first their columns, then they ask one after the other for those before them,
    and only when one has asked others may find it.

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

    def candidate_rows(
        self, first: int, oldest: NDArray[np.int64], needs: NDArray[np.int64], least_keys: int
    ) -> Iterator[CandidateRows]:
        """Let documents whose columns have been taken in ask one after the other, and be found from then on.

        Args:
            first: ordinal of the first of them; all before it have asked.
            oldest: int64 (documents,), what ``oldest_at`` said of them.
            needs: as ``WindowIndex.ask_and_extend``, so is what is given back.
            least_keys: documents with fewer key terms find nothing.
        """
        row = first - self.window.first
        keys, targets = (rows.rows_from(row, row + len(oldest)) for rows in (self.window.keys, self.window.targets))
        return self._index.ask_and_extend(
            np.arange(first, first + len(oldest)),
            keys=keys,
            targets=targets if self._in_text else keys,
            oldest=oldest,
            needs=needs,
            least_keys=least_keys,
        )

    def equals(self, first: int, oldest: NDArray[np.int64]) -> list[int | None]:
        """The earliest document of the window that is the same, by the rules of exactness and source.

        Args:
            first: ordinal of the first document that asks; all before it have asked.
            oldest: int64 (documents,), what ``oldest_at`` said of them.

        Returns:
            An ordinal for each document.
        """
        window, rule = self.window, self._settings.same_source
        row, texts, openings = first - window.first, self._texts, self._openings
        sources = window.sources[row : row + len(oldest)].tolist()
        found, known = [], window.oldest
        for ordinal, alive, (text, opening), source in zip(
            range(first, first + len(oldest)), oldest.tolist(), window.hashes[row:], sources, strict=False
        ):
            if alive > known:
                self._forget_hashes(known, alive)
                known = alive
            equal = texts.meet(text, source, rule, ordinal)
            if opening:
                same = openings.meet(opening, source, rule, ordinal)
                equal = same if equal is None else equal
            found.append(equal)
        return found

    def oldest_at(self, first: int, documents: int) -> NDArray[np.int64]:
        """Move the clock over documents whose columns have been taken in.

        Args:
            first: ordinal of the first of them.
            documents: how many.

        Returns:
            int64 (documents,): ordinal of the first document that is in the window as each of them comes, ascending.
        """
        settings, window = self._settings, self.window
        row = first - window.first
        clocks = window.clocks[row : row + documents]
        self.clock = int(clocks[-1])
        if self._first_clock == NO_TIME:
            dated = clocks[clocks != NO_TIME]
            self._first_clock = int(dated[0]) if len(dated) else NO_TIME
        oldest = np.full(documents, window.oldest, dtype=np.int64)
        if settings.window_documents is not None:
            oldest = np.maximum(oldest, np.arange(first, first + documents) - settings.window_documents)
        if settings.window_days is None:
            return oldest
        limits = clocks - round(settings.window_days * DAY)
        # Documents that came before the first date count as if they bore it.
        limits[limits <= self._first_clock] = NO_TIME
        alive = window.first + np.searchsorted(window.clocks[: row + documents], limits)
        return np.maximum.accumulate(np.maximum(oldest, alive))

    def let_go(self, oldest: int, cause: int) -> list[GroupEvent]:
        """Let groups lose the documents that leave the window.

        Args:
            oldest: ordinal of the first one that stays.
            cause: ordinal of the document that moved the window.
        """
        events: list[GroupEvent] = []
        for gone in range(self.window.oldest, oldest):
            events += self.groups.expire(gone, cause)
        self.window.expire_before(oldest)
        return events

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
        # Those from the first one on have never been entered.
        self._forget_hashes(window.oldest, min(oldest, first))
        window.expire_before(oldest)
        self._index.expire_before(oldest)
        begin = max(first, oldest) - window.first
        keys, targets = window.keys.rows_from(begin), window.targets.rows_from(begin)
        ordinals = np.arange(window.first + begin, window.end)
        # Compiled code builds the index on another core while Python enters the rest.
        with ThreadPoolExecutor(1) as beside:
            indexed = beside.submit(self._index.extend, ordinals, keys=keys, targets=targets if self._in_text else keys)
            self._resume_equal(begin)
            self._resume_groups(first - window.first, groups, state, events)
            self._resume_clock(clock)
            indexed.result()

    def _resume_equal(self, begin: int) -> None:
        window = self.window
        sources = window.sources[begin : window.end - window.first].tolist()
        self._texts.extend([text for text, _ in window.hashes[begin:]], sources, window.first + begin)
        self._openings.extend([opening for _, opening in window.hashes[begin:]], sources, window.first + begin)

    def _resume_groups(
        self, known: int, groups: Sequence[str], state: Mapping[str, int], events: Sequence[GroupEvent]
    ) -> None:
        window = self.window
        if known:
            renamed = _renamed(events)
            window.groups[:known] = [renamed.get(group, group) for group in window.groups[:known]]
        window.groups[known:] = groups
        self.groups.resume(state, events)

    def _resume_clock(self, clock: int) -> None:
        self.clock, window = clock, self.window
        dated = window.clocks[: window.end - window.first]
        dated = dated[dated != NO_TIME]
        if self._first_clock == NO_TIME:
            self._first_clock = int(dated[0]) if len(dated) else clock

    def _forget_hashes(self, first: int, end: int) -> None:
        window = self.window
        begin, stop = first - window.first, end - window.first
        sources = window.sources[begin:stop].tolist() if stop > begin else []
        for (text, opening), source in zip(window.hashes[begin:stop], sources, strict=True):
            self._texts.remove(text, source)
            self._openings.remove(opening, source)


def _renamed(events: Sequence[GroupEvent]) -> dict[str, str]:
    """What the groups that joined others are called after all merges."""
    now: dict[str, str] = {}
    for event in reversed(events):
        if event.kind == "merge" and event.other is not None:
            now[event.other] = now.get(event.group, event.group)
    return now
