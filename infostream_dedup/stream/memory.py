"""The documents of the window with all their indexes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.links.window.window_index import CandidateRows, WindowIndex
from infostream_dedup.model.stream_records import GroupEvent
from infostream_dedup.stream.best import Member
from infostream_dedup.stream.clock import DAY, NO_TIME
from infostream_dedup.stream.equal_hashes import EqualHashes
from infostream_dedup.stream.evidence_window import EvidenceRows
from infostream_dedup.stream.groups import Groups
from infostream_dedup.stream.kernels.judging import NO_SOURCE
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.window import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Memory:
    """The documents of the window: their columns, the index of their terms, their hashes, their groups.

    Documents are added in two steps: first their columns; then each in turn looks up earlier documents, after which
    later documents can find it.

    Args:
        settings: settings of the stream.
        first: ordinal of the first document.

    Attributes:
        window: the columns.
        groups: groups of the window's documents.
        clock: the stream's clock at the last document.
    """

    def __init__(self, settings: StreamSettings, first: int = 0) -> None:
        self._settings = settings
        self.window = Window(first, evidence=settings.preset == "judged", pivot=settings.across == "pivot")
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
        rows: tuple[Ragged, Ragged, Ragged, Ragged],
        evidence: EvidenceRows | None = None,
    ) -> None:
        """Add the columns of documents; arguments as ``Window.extend``, with sources by name."""
        number_of = {source: self._source_number(source) for source in dict.fromkeys(sources)}
        numbers = np.array(list(map(number_of.__getitem__, sources)), dtype=np.int32)
        self.window.extend(ids, hashes, numbers, clocks, times, rows, evidence=evidence)

    def _source_number(self, source: str | None) -> int:
        return self._sources.setdefault(source, len(self._sources)) if source else NO_SOURCE

    def candidate_rows(
        self, first: int, oldest: NDArray[np.int64], needs: NDArray[np.int64], least_keys: int
    ) -> Iterator[CandidateRows]:
        """Let documents whose columns have been added look up earlier ones in turn, and then be found by later ones.

        Args:
            oldest: int64 (documents,), result of ``oldest_at`` for them.
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

    def equals(self, first: int, oldest: NDArray[np.int64]) -> list[tuple[int | None, int | None]]:
        """Find the earliest equal document of the window, and the earliest of another source that begins alike.

        The first follows the rules of exactness and source; the second is none if these ask for equal beginnings.

        Args:
            oldest: int64 (documents,), result of ``oldest_at`` for the documents.

        Returns:
            Two ordinals, or ``None``, for each document.
        """
        window, rule = self.window, self._settings.same_source
        row, texts, openings = first - window.first, self._texts, self._openings
        sources = window.sources[row : row + len(oldest)].tolist()
        found: list[tuple[int | None, int | None]] = []
        alike, known = self._settings.compares_openings, window.oldest
        for ordinal, alive, (text, opening), source in zip(
            range(first, first + len(oldest)), oldest.tolist(), window.hashes[row:], sources, strict=False
        ):
            if alive > known:
                self._forget_hashes(known, alive)
                known = alive
            equal, same = texts.meet(text, source, rule, ordinal), None
            if opening:
                same = openings.meet(opening, source, "ban" if alike else rule, ordinal)
                equal = same if equal is None and not alike else equal
            found.append((equal, same))
        return found

    def oldest_at(self, first: int, documents: int) -> NDArray[np.int64]:
        """Advance the clock over documents whose columns have been added.

        Returns:
            int64 (documents,): first ordinal in the window when each of them arrives, ascending.
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
        # Documents before the first date count as if they had that date.
        limits[limits <= self._first_clock] = NO_TIME
        if window.evidence is not None:
            return self._oldest_by_dates(first, oldest, limits)
        alive = window.first + np.searchsorted(window.clocks[: row + documents], limits)
        return np.maximum.accumulate(np.maximum(oldest, alive))

    def _oldest_by_dates(self, first: int, oldest: NDArray[np.int64], limits: NDArray[np.int64]) -> NDArray[np.int64]:
        """Let documents leave by their own dates, as far as the clock has reached them.

        Otherwise a document that arrived while the clock was late would leave as soon as the clock catches up.

        Args:
            oldest: int64 (documents,), least ordinal in the window by other rules, ascending.
            limits: int64 (documents,), clock before which documents leave.
        """
        window = self.window
        # Views: lists of all dates would take time in proportion to the window.
        arrived, dates = window.clocks.data, window.evidence_columns.published.data
        found, alive = [], window.oldest
        for ordinal, (least, limit) in enumerate(zip(oldest.tolist(), limits.tolist(), strict=True), start=first):
            now, alive = arrived[ordinal - window.first], max(alive, least)
            while alive < ordinal:
                row = alive - window.first
                reached = dates[row] if dates[row] <= now else arrived[row]
                if max(reached, arrived[row]) >= limit:
                    break
                alive += 1
            found.append(alive)
        return np.array(found, dtype=np.int64)

    def let_go(self, oldest: int, cause: int) -> list[GroupEvent]:
        """Remove documents that leave the window from their groups."""
        events: list[GroupEvent] = []
        for gone in range(self.window.oldest, oldest):
            events += self.groups.expire(gone, cause)
        self.window.expire_before(oldest)
        return events

    def members(self, group: str) -> list[Member]:
        """Return the documents of a group that are in the window; empty for an unknown group."""
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
        joined: Iterable[int],
        state: Mapping[str, int],
        events: Sequence[GroupEvent],
    ) -> None:
        """Index documents whose columns have been added and that were judged earlier or by another process."""
        window = self.window
        # The new documents have no hashes here yet.
        self._forget_hashes(window.oldest, min(oldest, first))
        window.expire_before(oldest)
        self._index.expire_before(oldest)
        begin = max(first, oldest) - window.first
        keys, targets = window.keys.rows_from(begin), window.targets.rows_from(begin)
        ordinals = np.arange(window.first + begin, window.end)
        # Compiled code builds the index on another core while Python does the rest. The first step is made here: on the
        # other thread, making it would wait for the interpreter lock again and again.
        steps = self._index.extending(ordinals, keys=keys, targets=targets if self._in_text else keys)
        made = list(islice(steps, 1))
        with ThreadPoolExecutor(1) as beside:
            indexed = beside.submit(_run_all, chain(made, steps))
            self._resume_equal(begin)
            self.groups.joined.update(joined)
            self._resume_groups(first - window.first, groups, state, events)
            self._resume_clock(clock)
            indexed.result()

    def _resume_equal(self, begin: int) -> None:
        window = self.window
        sources = window.sources[begin : window.end - window.first].tolist()
        texts, openings = (list(map(itemgetter(place), window.hashes[begin:])) for place in (0, 1))
        self._texts.extend(texts, sources, window.first + begin)
        # Most streams compare no openings.
        if any(openings):
            self._openings.extend(openings, sources, window.first + begin)

    def _resume_groups(
        self, known: int, groups: Sequence[str], state: Mapping[str, int], events: Sequence[GroupEvent]
    ) -> None:
        window = self.window
        if known:
            renamed = _final_names(events)
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


def _run_all(steps: Iterable[Callable[[], None]]) -> None:
    for step in steps:
        step()


def _final_names(events: Sequence[GroupEvent]) -> dict[str, str]:
    """Map the names of merged groups to their names after all merges."""
    now: dict[str, str] = {}
    for event in reversed(events):
        if event.kind == "merge" and event.other is not None:
            now[event.other] = now.get(event.group, event.group)
    return now
