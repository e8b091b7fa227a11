"""Stories: groups in several languages that report the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from infostream_dedup.model.stream_records import StoryEvent


class Stories:
    """The story of each group of the window that is linked to another language.

    A story is named after the earliest of its groups, which is named after its earliest document. When two stories
    merge, the one that began first keeps its name; an event records that the other name is no longer used. A group
    without a link to another language counts as its own story, which verdicts do not mention.
    """

    def __init__(self) -> None:
        self._story_of: dict[str, str] = {}
        self._groups: dict[str, list[str]] = {}
        self._begun: dict[str, int] = {}

    def of(self, group: str) -> str | None:
        """Return the story of a group; ``None`` if the group has no link to another language."""
        return self._story_of.get(group)

    def resume(self, groups: Iterable[tuple[str, str, int]]) -> None:
        """Restore the stories of the window's groups."""
        self._story_of, self._groups, self._begun = {}, {}, {}
        for group, story, begun in groups:
            self._put(group, story)
            self._begun[story] = begun

    def join(self, ordinal: int, groups: Sequence[tuple[str, int]]) -> list[StoryEvent]:
        """Join groups of several languages into one story."""
        loose = {name: begun for name, begun in groups if name not in self._story_of}
        with_story = {self._story_of[name] for name, _ in groups if name in self._story_of}
        stories = loose | {story: self._begun[story] for story in with_story}
        # Equal texts detected as different languages are one group already.
        return self._unite(ordinal, stories, list(loose)) if len(stories) > 1 else []

    def merge(self, ordinal: int, names: Sequence[str], group: str, begun: int) -> list[StoryEvent]:
        """Update stories after groups of one language were merged."""
        loose = {} if group in self._story_of else {group: begun}
        with_story = {story for name in names if (story := self._leave(name)) is not None}
        if not with_story:
            return []
        return self._unite(ordinal, loose | {story: self._begun[story] for story in with_story}, [group])

    def leave(self, group: str) -> None:
        """Remove a group whose last document has left the window."""
        story = self._leave(group)
        if story is not None and not self._groups[story]:
            del self._groups[story], self._begun[story]

    def _unite(self, ordinal: int, stories: dict[str, int], groups: Sequence[str]) -> list[StoryEvent]:
        """Join several stories, and groups without a story, into one."""
        stays, *others = sorted(stories, key=lambda story: (stories[story], story))
        for other in others:
            for group in self._groups.pop(other, []):
                self._put(group, stays)
            self._begun.pop(other, None)
        for group in groups:
            self._put(group, stays)
        self._begun[stays] = stories[stays]
        return [StoryEvent(ordinal, stays, other, stories[stays]) for other in others]

    def _put(self, group: str, story: str) -> None:
        self._story_of[group] = story
        self._groups.setdefault(story, []).append(group)

    def _leave(self, group: str) -> str | None:
        """Remove a group from its story, and return the story."""
        story = self._story_of.pop(group, None)
        if story is not None:
            self._groups[story].remove(group)
        return story
