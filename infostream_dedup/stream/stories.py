"""Stories: groups that tell one event, in one language or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from infostream_dedup.machine.arrays import Ints
from infostream_dedup.model.stream_records import GroupEvent, StoryEvent


class Stories:
    """The story of each group of the window that has one.

    A story is named after the earliest of its groups, which is named after its earliest document. When two stories
    merge, the one that began first keeps its name; an event records that the other name is no longer used. A group
    alone counts as its own story, which verdicts do not mention. ``begun`` is the ordinal of the earliest document of
    the group of a document.
    """

    def __init__(self, group_of: Callable[[int], str], begun: Callable[[int], int]) -> None:
        self._group_of, self._begun_of = group_of, begun
        self.by_group: dict[str, str] = {}
        self._groups: dict[str, list[str]] = {}
        self._begun: dict[str, int] = {}

    def of(self, group: str) -> str | None:
        """Return the story of a group; ``None`` if it is alone."""
        return self.by_group.get(group)

    def resume(self, groups: Iterable[tuple[str, str, int]]) -> None:
        """Restore the stories of the window's groups."""
        self.by_group.clear()
        self._groups, self._begun = {}, {}
        for group, story, begun in groups:
            self._put(group, story)
            self._begun[story] = begun

    def follow(self, ordinal: int, events: Sequence[GroupEvent]) -> list[StoryEvent]:
        """Update stories after the group events that a document caused."""
        for event in events:
            if event.kind == "expiry":
                self._expire(event.group)
        merges = [(event.group, event.other) for event in events if event.kind == "merge" and event.other is not None]
        if not merges:
            return []
        group = self._group_of(ordinal)
        loose = {} if group in self.by_group else {group: self._begun_of(ordinal)}
        names = dict.fromkeys(name for pair in merges for name in pair)
        with_story = {story for name in names if (story := self._leave(name)) is not None}
        if not with_story:
            return []
        return self._unite(ordinal, loose | {story: self._begun[story] for story in with_story}, [group])

    def join(self, ordinal: int, translated: Sequence[int]) -> list[StoryEvent]:
        """Join the group of a document with those of earlier documents that have the same text in another language."""
        return self._join(ordinal, [ordinal, *translated])

    def tell(self, ordinal: int, told: Sequence[int]) -> list[StoryEvent]:
        """Join the group of a document with the stories of earlier documents that report its event.

        A story of several groups takes it only if two of them report the event, or the first one does. Otherwise the
        two ends of a story could have nothing in common; such a refusal is a ``split``.
        """
        own = self._group_of(ordinal)
        mine = self.by_group.get(own, own)
        firsts = {name: one for one in told if (name := self._group_of(one)) != own}
        if not firsts:
            return []
        linked = Counter(self.by_group.get(name, name) for name in firsts)
        joined: list[int] = []
        refused: list[StoryEvent] = []
        for name, one in firsts.items():
            story = self.by_group.get(name, name)
            if story == mine:
                continue
            if linked[story] > 1 or story in firsts or len(self._groups.get(story, ())) < 2:
                joined.append(one)
            else:
                refused.append(StoryEvent(ordinal, own, story, self._begun_of(ordinal), "split"))
        return self._join(ordinal, [ordinal, *joined]) if joined else refused

    def _join(self, ordinal: int, ordinals: Sequence[int]) -> list[StoryEvent]:
        groups = {self._group_of(one): self._begun_of(one) for one in ordinals}
        loose = {name: begun for name, begun in groups.items() if name not in self.by_group}
        with_story = {self.by_group[name] for name in groups if name in self.by_group}
        stories = loose | {story: self._begun[story] for story in with_story}
        # Equal texts detected as different languages are one group already.
        return self._unite(ordinal, stories, list(loose)) if len(stories) > 1 else []

    def _expire(self, group: str) -> None:
        story = self._leave(group)
        if story is not None and not self._groups[story]:
            del self._groups[story], self._begun[story]

    def _unite(self, ordinal: int, stories: dict[str, int], groups: Sequence[str]) -> list[StoryEvent]:
        stays, *others = sorted(stories, key=lambda story: (stories[story], story))
        for other in others:
            for group in self._groups.pop(other, []):
                self._put(group, stays)
            self._begun.pop(other, None)
        for group in groups:
            self._put(group, stays)
        self._begun[stays] = stories[stays]
        return [StoryEvent(ordinal, stays, other, stories[stays], "merge") for other in others]

    def _put(self, group: str, story: str) -> None:
        self.by_group[group] = story
        self._groups.setdefault(story, []).append(group)

    def _leave(self, group: str) -> str | None:
        story = self.by_group.pop(group, None)
        if story is not None:
            self._groups[story].remove(group)
        return story


def stories_of(told: Sequence[Ints], leader: Ints) -> Ints:
    """The earliest document of each document's story, -1 where it tells one alone: int64 (documents,)."""
    # ``told`` has later documents and earlier ones whose event they report, ``leader`` the earliest of each group.
    leaders = leader.tolist()
    stories = Stories([*map(str, leaders)].__getitem__, leaders.__getitem__)
    later, earlier = np.concatenate([np.zeros((2, 0), dtype=np.int64), *told], axis=1)
    order = np.lexsort((earlier, later))
    documents, starts = np.unique(later[order], return_index=True)
    for document, linked in zip(documents.tolist(), np.split(earlier[order], starts[1:]), strict=False):
        stories.tell(document, linked.tolist())
    names = {group: int(stories.of(str(group)) or group) for group in np.unique(leader).tolist()}
    found = np.array([names[group] for group in leaders], dtype=np.int64)
    return np.where(np.bincount(found, minlength=len(found))[found] > 1, found, -1) if len(found) else found
