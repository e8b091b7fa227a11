"""Groups: documents of the window joined by ``exact`` and ``duplicate``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import compress, pairwise, repeat
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.model.stream_records import GroupEvent
from infostream_dedup.stream.window import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Groups:
    """The group of each document in the window. A group is named after its earliest document and never renamed.

    A duplicate joins a group only if it repeats a document that is kept, or one that stands for it.
    Large groups are watched besides: a duplicate joins one only if it is linked to a sufficient share of its documents.
    Otherwise it could extend a chain whose first and last documents have nothing in common.

    Args:
        window: holds the documents.
        watched_from: minimum size of a watched group.
        least_density: share of a watched group's documents that a duplicate must be linked to, 0 to 1.

    Attributes:
        joined: ordinals of the window's documents that leave and do not stand for one that is kept
            (``Verdict.stands_for_kept``).
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

    def state(self) -> Mapping[str, int]:
        """Groups whose earliest document has left the window, with the ordinal of that document.

        Between changes it is the same object, because a large window has thousands of such groups.
        """
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

    def join(self, ordinal: int, to: int, linked: NDArray[np.int64], *, exact: bool) -> tuple[bool, list[GroupEvent]]:
        """Let a new document join the group of an earlier one, and merge the groups of all documents it repeats.

        Args:
            linked: int64, all documents that it repeats, ascending.
        """
        held, begun = self._count_linked(linked)
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

    def _count_linked(self, linked: NDArray[np.int64]) -> tuple[Counter[str], dict[str, int]]:
        """Count the linked documents of each group, and give the ordinal of its earliest document."""
        starts, first, counts = np.unique(
            self._window.group_starts[linked - self._window.first], return_index=True, return_counts=True
        )
        names = [self.of(one) for one in linked[first].tolist()]
        return Counter(dict(zip(names, counts.tolist(), strict=True))), dict(zip(names, starts.tolist(), strict=True))

    def begin(self, ordinal: int, *, again: bool = False) -> None:
        """Begin a group with a document that joins none."""
        if not again:
            return
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
            return []
        del members[0]
        if members:
            if group not in self._orphaned:
                self._orphaned[group], self._state = self._begun[group], None
            return []
        del self._members[group], self._begun[group]
        self._forget_orphaned(group)
        self._alarmed.pop(group, None)
        return [GroupEvent(cause, "expiry", group)]

    def _chains(self, linked: int, size: int) -> bool:
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
        """Remove a group that no longer exists from those whose earliest document is gone."""
        if self._orphaned.pop(group, None) is not None:
            self._state = None

    def _set(self, ordinals: Iterable[int], group: str) -> None:
        """Write a group of several documents into the columns of its documents."""
        window, start = self._window, self._begun[group]
        for ordinal in ordinals:
            window.groups[ordinal - window.first] = group
            window.group_starts[ordinal - window.first] = start
