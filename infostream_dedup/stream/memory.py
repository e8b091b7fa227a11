"""The documents of the window with all their indexes."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, compress, islice, pairwise, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.facts import told_anew
from infostream_dedup.links.compiled.window_index import CandidateRows, WindowIndex
from infostream_dedup.machine.arrays import Floats, Ints
from infostream_dedup.model.document import outlet_of
from infostream_dedup.model.stream_records import GroupEvent
from infostream_dedup.stream.clock import DAY, NO_CLOCK
from infostream_dedup.stream.window import EqualHashes, Window

if TYPE_CHECKING:
    from infostream_dedup.stream.settings import StreamSettings


# Choice of the document that represents a group


class Member(NamedTuple):
    """A document of a group."""

    ordinal: int  # its position in the stream
    id: str  # as given
    terms: int  # number of its distinct terms
    source: str | None  # site or agency


def best_member(members: Sequence[Member], settings: StreamSettings) -> Member:
    """Return the document that ``settings.show`` chooses; among equals, the earliest.

    Example:
        >>> from infostream_dedup.stream.settings import StreamSettings
        >>> members = [Member(0, "note", 20, "blog"), Member(4, "report", 90, "agency")]
        >>> best_member(members, StreamSettings(show="complete")).id
        'report'
    """
    if settings.show == "latest":
        return max(members, key=lambda one: one.ordinal)
    if settings.show in ("longest", "complete"):
        return min(members, key=lambda one: (-one.terms, one.ordinal))
    if settings.show == "rank":
        ranks = {outlet_of(source): rank for rank, source in enumerate(settings.source_ranks)}
        return min(members, key=lambda one: (ranks.get(outlet_of(one.source), len(ranks)), one.ordinal))
    return min(members, key=lambda one: one.ordinal)


# Groups: documents of the window joined by `exact` and `duplicate`


class Groups:
    """The group of each document in the window. A group is named after its earliest document and never renamed.

    A duplicate joins a group only if it repeats a document that is kept, or one that stands for it.
    Large groups are watched besides: a duplicate joins one only if it is linked to a sufficient share of its documents.
    Otherwise it could extend a chain whose first and last documents have nothing in common. ``joined`` has the ordinals
    of documents that leave without standing for one that is kept, ``in_stories`` the groups that belong to stories.
    """

    def __init__(self, window: Window, *, watched_from: int, least_density: float) -> None:
        self._window = window
        self._watched_from = watched_from
        self._least_density = least_density
        # Groups of two documents or more: the ordinals still in the window, and that of the earliest document ever.
        # Most have two or three, for which a deque would take seven times the memory of a list.
        self._members: dict[str, list[int]] = {}
        self._begun: dict[str, int] = {}
        self._orphaned: dict[str, int] = {}
        self._alarmed: dict[str, int] = {}
        self._state: dict[str, int] | None = None
        self.joined: set[int] = set()
        self.in_stories: Container[str] = ()

    def state(self) -> Mapping[str, int]:
        """Groups whose earliest document has left the window, with its ordinal; the same object between changes."""
        if self._state is None:
            self._state = dict(sorted(self._orphaned.items()))
        return self._state

    def resume(self, state: Mapping[str, int], events: Iterable[GroupEvent]) -> None:
        """Restore the groups of the window's documents."""
        window = self._window
        self._begun = dict(state)
        self._orphaned, self._state = dict(self._begun), None
        names = window.groups[window.oldest - window.first :]
        sizes = Counter(names)
        # Numbers of the groups of several documents, then of others whose earliest document has left.
        several = {group: number for number, group in enumerate(compress(sizes, map((1).__lt__, sizes.values())))}
        for group in filter(sizes.__contains__, state):
            several.setdefault(group, len(several))
        numbers = np.fromiter(map(several.get, names, repeat(-1)), dtype=np.int64, count=len(names))
        places = np.flatnonzero(numbers >= 0)
        places = places[np.argsort(numbers[places], kind="stable")]
        held = np.bincount(numbers[places], minlength=len(several))
        ordinals, bounds = (window.oldest + places).tolist(), pairwise([0, *held.cumsum().tolist()])
        self._members = {group: ordinals[begin:end] for group, (begin, end) in zip(several, bounds, strict=True)}
        starts = [self._begun.setdefault(group, own[0]) for group, own in self._members.items()]
        window.group_starts[places + window.oldest - window.first] = np.repeat(np.array(starts, dtype=np.int64), held)
        alarmed = self._alarmed | {event.group: event.ordinal for event in events if event.kind == "alarm"}
        # An older group may have had the same name.
        self._alarmed = {group: raised for group, raised in alarmed.items() if raised > self._begun.get(group, raised)}

    def of(self, ordinal: int) -> str:
        """Return the group of a document in the window."""
        return self._window.groups[ordinal - self._window.first]

    def begun(self, ordinal: int) -> int:
        """Return the ordinal of the earliest document ever of the group of a document in the window."""
        return self._begun.get(self.of(ordinal), ordinal)

    def size(self, group: str) -> int:
        """Return the number of a group's documents in the window."""
        return len(self._members.get(group, (0,)))

    def members(self, group: str) -> list[int]:
        """Return the ordinals of a group's documents in the window, ascending; empty for an unknown group."""
        if group in self._members:
            return list(self._members[group])
        window = self._window
        begin = window.oldest - window.first
        return [begin + row + window.first for row, name in enumerate(window.groups[begin:]) if name == group]

    def join(
        self, ordinal: int, to: int, linked: Ints, weights: Floats | None = None, *, exact: bool
    ) -> tuple[bool, list[GroupEvent]]:
        """Let a new document join a group, and merge the groups of all that it repeats: ``linked``, ascending."""
        # weights: how many documents each of these stands for, if not for itself.
        held, begun = self._count_linked(linked, weights)
        group = self.of(to)
        begun[group] = self._begun.get(group, to)
        # Its first document may have left the window; what repeats it then has only its copies to be linked to.
        if not exact and begun[group] >= self._window.oldest and self.joined.issuperset(linked.tolist()):
            return False, []
        if not exact and self._chains(held[group], self.size(group)):
            return False, self._alarm(ordinal, group, held[group] / self.size(group))
        events: list[GroupEvent] = []
        others = sorted(set(held) - {group}, key=begun.__getitem__)
        self._add(group, ordinal, to)
        for other in others:
            if self._chains(held[group] + held[other], self.size(group) - 1 + self.size(other)):
                continue
            stays, joins = sorted((group, other), key=begun.__getitem__)
            self._unite(stays, joins, begun)
            held[stays] += held[joins]
            group = stays
            events.append(GroupEvent(ordinal, "merge", stays, joins))
        return True, events

    def _count_linked(self, linked: Ints, weights: Floats | None) -> tuple[defaultdict[str, float], dict[str, int]]:
        starts, first, groups = np.unique(
            self._window.group_starts[linked - self._window.first], return_index=True, return_inverse=True
        )
        names, counts = [self.of(one) for one in linked[first].tolist()], np.bincount(groups, weights, len(starts))
        held = defaultdict(float, zip(names, counts.tolist(), strict=True))
        return held, dict(zip(names, starts.tolist(), strict=True))

    def begin_again(self, ordinal: int) -> None:
        """Let another version of a document that joins none enter the group that its id names, if there is one."""
        window, name = self._window, self.of(ordinal)
        known = range(window.oldest, ordinal)
        earlier = next((one for one in known if window.groups[one - window.first] == name), None)
        if earlier is not None:
            self._add(name, ordinal, earlier)

    def expire(self, ordinal: int, cause: int) -> list[GroupEvent]:
        """Drop the oldest document of the window; return an event if it was the last of its group."""
        self.joined.discard(ordinal)
        group = self.of(ordinal)
        members = self._members.get(group)
        if members is None:
            return [GroupEvent(cause, "expiry", group)] if group in self.in_stories else []
        del members[0]
        if members:
            if group not in self._orphaned:
                self._orphaned[group], self._state = self._begun[group], None
            return []
        del self._members[group], self._begun[group]
        self._forget_orphaned(group)
        self._alarmed.pop(group, None)
        return [GroupEvent(cause, "expiry", group)]

    def _chains(self, linked: float, size: int) -> bool:
        return size >= self._watched_from and linked < self._least_density * size

    def _alarm(self, ordinal: int, group: str, density: float) -> list[GroupEvent]:
        if group in self._alarmed:
            return []
        self._alarmed[group] = ordinal
        return [GroupEvent(ordinal, "alarm", group, value=round(density, 9))]

    def _add(self, group: str, ordinal: int, to: int) -> None:
        if group not in self._members:
            self._members[group] = [to]
            self._begun[group] = to
        self._members[group].append(ordinal)
        self._set([ordinal], group)

    def _unite(self, stays: str, joins: str, begun: dict[str, int]) -> None:
        both = [self._members.pop(group, [begun[group]]) for group in (stays, joins)]
        self._members[stays] = sorted((*both[0], *both[1]))
        self._begun[stays] = begun[stays]
        self._set(both[1], stays)
        self._begun.pop(joins, None)
        self._forget_orphaned(joins)
        self._alarmed.pop(joins, None)

    def _forget_orphaned(self, group: str) -> None:
        if self._orphaned.pop(group, None) is not None:
            self._state = None

    def _set(self, ordinals: Iterable[int], group: str) -> None:
        window, start = self._window, self._begun[group]
        for ordinal in ordinals:
            window.groups[ordinal - window.first] = group
            window.group_starts[ordinal - window.first] = start


# A guard for sources that would lose most of their documents


class Losses:
    """Share of repeats among the last ``documents`` of each source.

    While the share is above the limit, the source is flagged and its documents pass as ``similar``. A source is never
    flagged before it has sent that many.
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


class Memory:
    """The documents of the window with index, hashes and groups; columns are added first, then each looks back."""

    def __init__(self, settings: StreamSettings, first: int = 0) -> None:
        self._settings = settings
        self.window = Window(first, evidence=settings.preset == "judged", pivot=settings.across == "pivot")
        self.groups = Groups(
            self.window, watched_from=settings.chaining_documents, least_density=settings.chaining_density
        )
        self.clock = self._first_clock = NO_CLOCK
        self._index = WindowIndex()
        self._texts, self._openings = EqualHashes(), EqualHashes()
        self._in_text = settings.terms.target == "text"

    def candidate_rows(self, first: int, oldest: Ints, needs: Ints, least_keys: int) -> Iterator[CandidateRows]:
        """Let documents whose columns have been added look up earlier ones in turn, and then be found by later ones."""
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

    def equals(self, first: int, oldest: Ints) -> list[tuple[int | None, int | None]]:
        """Find the earliest equal document of the window, and the earliest of another source that begins alike."""
        # The first follows the rules of exactness and source; the second is none if these ask for equal beginnings.
        window, rule = self.window, self._settings.within
        row, texts, openings = first - window.first, self._texts, self._openings
        sources = window.sources[row : row + len(oldest)].tolist()
        found: list[tuple[int | None, int | None]] = []
        alike, known = self._settings.compares_openings, window.oldest
        for ordinal, alive, (text, opening, whole, half), source in zip(
            range(first, first + len(oldest)), oldest.tolist(), window.hashes[row:], sources, strict=False
        ):
            if alive > known:
                self._forget_hashes(known, alive)
                known = alive
            equal, same = texts.meet(text, source, rule, ordinal), None
            if whole is not text:
                as_given = texts.meet(whole, source, rule, ordinal)
                other = texts.meet(half, source, rule, ordinal)
                equal = next((one for one in (as_given, equal, other) if one is not None), None)
            if equal is not None and self._settings.preset == "judged":
                equal = self._of_one_event(equal, ordinal, (text, whole, half), source)
            if opening:
                same = openings.meet(opening, source, "outlets" if alike else rule, ordinal)
                equal = same if equal is None and not alike else equal
            found.append((equal, same))
        return found

    def _of_one_event(self, equal: int, ordinal: int, hashes: Iterable[bytes], source: int) -> int | None:
        """The earliest equal document, or that of the same event if an alert or a stub is told anew."""
        if not self._anew(equal, ordinal):
            return equal
        every = {one for digest in hashes for one in self._texts.every(digest, source, self._settings.within)}
        later = sorted(one for one in every if equal < one < ordinal)
        return next((one for one in later if not self._anew(one, ordinal)), None)

    def _anew(self, earlier: int, later: int) -> bool:
        window, rows = self.window, np.array([earlier, later], dtype=np.int64) - self.window.first
        both = window.facts_of(rows, np.zeros(2, dtype=np.int64))
        one, other, records = np.arange(1), np.arange(1, 2), window.evidence_columns.records_of(rows)
        return bool(told_anew(one, other, (both.at(one), both.at(other)), records)[0])

    def oldest_at(self, first: int, documents: int) -> Ints:
        """Advance the clock over documents; return int64: first ordinal in the window when each arrives, ascending."""
        settings, window = self._settings, self.window
        row = first - window.first
        clocks = window.clocks[row : row + documents]
        self.clock = int(clocks[-1])
        if self._first_clock == NO_CLOCK:
            dated = clocks[clocks != NO_CLOCK]
            self._first_clock = int(dated[0]) if len(dated) else NO_CLOCK
        oldest = np.full(documents, window.oldest, dtype=np.int64)
        if settings.window_documents is not None:
            oldest = np.maximum(oldest, np.arange(first, first + documents) - settings.window_documents)
        if settings.window_days is None:
            return oldest
        limits = clocks - round(settings.window_days * DAY)
        # Documents before the first date count as if they had that date.
        limits[limits <= self._first_clock] = NO_CLOCK
        if window.evidence is not None:
            return self._oldest_by_dates(first, oldest, limits)
        alive = window.first + np.searchsorted(window.clocks[: row + documents], limits)
        return np.maximum.accumulate(np.maximum(oldest, alive))

    def _oldest_by_dates(self, first: int, oldest: Ints, limits: Ints) -> Ints:
        """Let documents leave by their own dates, as far as the clock has got, not all at once when it catches up."""
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
        window, names = self.window, {number: name for name, number in self.window.outlets.items()}
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
        for ordinal, (one, source) in enumerate(zip(window.hashes[begin:], sources, strict=True), window.first + begin):
            if one.whole is not one.text:
                self._texts.add(one.whole, source, ordinal)
                self._texts.add(one.half, source, ordinal)
        # Most streams compare no openings.
        if any(openings):
            self._openings.extend(openings, sources, window.first + begin)

    def _resume_groups(
        self, known: int, groups: Sequence[str], state: Mapping[str, int], events: Sequence[GroupEvent]
    ) -> None:
        window = self.window
        if known:
            renamed: dict[str, str] = {}
            for event in reversed(events):
                if event.kind == "merge" and event.other is not None:
                    renamed[event.other] = renamed.get(event.group, event.group)
            window.groups[:known] = [renamed.get(group, group) for group in window.groups[:known]]
        window.groups[known:] = groups
        self.groups.resume(state, events)

    def _resume_clock(self, clock: int) -> None:
        self.clock, window = clock, self.window
        dated = window.clocks[: window.end - window.first]
        dated = dated[dated != NO_CLOCK]
        if self._first_clock == NO_CLOCK:
            self._first_clock = int(dated[0]) if len(dated) else clock

    def _forget_hashes(self, first: int, end: int) -> None:
        window = self.window
        begin, stop = first - window.first, end - window.first
        sources = window.sources[begin:stop].tolist() if stop > begin else []
        for (text, opening, whole, half), source in zip(window.hashes[begin:stop], sources, strict=True):
            self._texts.remove(text, source)
            if whole is not text:
                self._texts.remove(whole, source)
                self._texts.remove(half, source)
            self._openings.remove(opening, source)


def _run_all(steps: Iterable[Callable[[], None]]) -> None:
    for step in steps:
        step()
