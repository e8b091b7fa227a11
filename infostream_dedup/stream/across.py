"""A stream across languages: terms of the pivot language, links with earlier documents, stories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.model import Document
from infostream_dedup.model.stream_records import (
    EpochFrequencies,
    GroupEvent,
    KeptPivot,
    Remembered,
    StoryEvent,
    TranslatedFrom,
    Verdict,
)
from infostream_dedup.stream.analysis import Analysed
from infostream_dedup.stream.key_choice import KeyRows, choose_keys
from infostream_dedup.stream.links_across import KEY_TERMS, LinkAcross, LinksAcross
from infostream_dedup.stream.memory import Memory
from infostream_dedup.stream.pivot_frequencies import PivotFrequencies
from infostream_dedup.stream.pivot_reading import PivotRead, PivotReader, without
from infostream_dedup.stream.pivot_window import PivotRows
from infostream_dedup.stream.pivot_words import PivotWords
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.blobs import INT32, INT64, blobs_of_rows
from infostream_dedup.stream.stories import Stories
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.stream.words_across import WordsAcross

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EnteringAcross:
    """Consecutive documents of a batch on their way into the window, in the pivot language.

    Attributes:
        keys: their 30 key terms.
        members: the terms that count as each key term.
        canonical: the terms that document frequencies count.
        matched_by: all terms by which other documents can match these.
    """

    keys: KeyRows
    members: Ragged
    canonical: Ragged
    matched_by: Ragged

    @property
    def rows(self) -> PivotRows:
        """The columns that the window keeps."""
        return PivotRows(self.keys.keys, self.keys.weights, self.members, self.matched_by)

    def kept(self, links: Sequence[Sequence[LinkAcross]]) -> list[KeptPivot]:
        """What is kept of each document, given its links."""
        further = without(self.matched_by, self.canonical)
        short, long = (
            [blobs_of_rows(rows.indptr, rows.values, dtype) for rows in columns]
            for columns, dtype in (
                ((self.keys.keys, self.canonical, further), INT32),
                ((self.keys.weights, self.members), INT64),
            )
        )
        return [
            KeptPivot(
                keys=keys, weights=weights, members=members, canonical=canonical, further=further, links=_packed(own)
            )
            for keys, canonical, further, weights, members, own in zip(*short, *long, links, strict=True)
        ]


def _packed(links: Sequence[LinkAcross]) -> bytes:
    if not links:
        return b""
    return np.array([value for link in links for value in (link.ordinal, link.smaller)], dtype=INT64).tobytes()


class Across:
    """The part of a stream's engine that compares documents across languages.

    Args:
        settings: settings of the stream.
        numbers: numbers of its terms.

    Attributes:
        frequencies: document frequencies of the pivot language.
        stories: stories of the window's groups.
    """

    def __init__(self, settings: StreamSettings, numbers: TermNumbers) -> None:
        self._settings = settings.terms.but(n=KEY_TERMS)
        self._numbers = numbers
        self._words = PivotWords(numbers)
        self._reader = PivotReader(settings.terms, numbers, self._words)
        self.frequencies = PivotFrequencies(settings.terms, numbers)
        self.stories = Stories()

    def remember(self, memory: Memory) -> None:
        """Attach the window, whose documents are not linked yet."""
        self._groups = memory.groups
        self.links = LinksAcross(memory.window)
        self._met = WordsAcross(memory.window, self._words, self._numbers)

    def read(self, batch: Sequence[Document], analysed: Analysed) -> PivotRead:
        """Translate the terms of a batch."""
        return self._reader.read(batch, analysed)

    def entering(self, read: PivotRead, start: int, end: int) -> EnteringAcross:
        """Choose the key terms of consecutive documents of one epoch."""
        keys = choose_keys(read.canonical, start, end, self.frequencies, self._numbers, self._settings)
        canonical, matched_by = (_part(rows, start, end) for rows in (read.canonical.terms, read.matched_by))
        return EnteringAcross(keys, read.members(start, keys.keys), canonical, matched_by)

    def count(self, lengths: NDArray[np.int64], entering: EnteringAcross) -> None:
        """Count documents in the open epoch."""
        self.frequencies.count(lengths, entering.canonical)

    def close(self, epoch: int) -> list[EpochFrequencies]:
        """Close the open epoch."""
        return self.frequencies.close(epoch)

    def follow(self, ordinal: int, events: Sequence[GroupEvent]) -> list[StoryEvent]:
        """Update stories after the group events that a document caused in its own language."""
        for event in events:
            if event.kind == "expiry":
                self.stories.leave(event.group)
        merges = [(event.group, event.other) for event in events if event.kind == "merge" and event.other is not None]
        if not merges:
            return []
        names = list(dict.fromkeys(name for pair in merges for name in pair))
        return self.stories.merge(ordinal, names, self._groups.of(ordinal), self._groups.begun(ordinal))

    def met(self, first: int, links: Sequence[Sequence[LinkAcross]]) -> list[TranslatedFrom | None]:
        """Describe how consecutive documents match the best earlier one in another language, or None."""
        linked = [place for place, own in enumerate(links) if own]
        found: list[TranslatedFrom | None] = [None] * len(links)
        named = self._met.translated([first + place for place in linked], [links[place][0] for place in linked])
        for place, translation in zip(linked, named, strict=True):
            found[place] = translation
        return found

    def extend_verdict(
        self,
        document: Remembered,
        verdict: Verdict,
        links: Sequence[LinkAcross],
        translation: TranslatedFrom | None,
    ) -> tuple[Verdict, list[StoryEvent]]:
        """Add the links of a document across languages to its verdict."""
        groups, ordinal = self._groups, document.ordinal
        if not links:
            story = self.stories.of(verdict.group)
            return (verdict if story is None else replace(verdict, story=story)), []
        of = [ordinal, *(link.ordinal for link in links)]
        events = self.stories.join(ordinal, [(groups.of(one), groups.begun(one)) for one in of])
        verdict = replace(
            verdict,
            translation_of=self._met.id_of(links[0].ordinal),
            translation=translation,
            story=self.stories.of(verdict.group),
        )
        return verdict, events


def _part(rows: Ragged, start: int, end: int) -> Ragged:
    bounds = rows.indptr[start : end + 1]
    return Ragged(bounds - bounds[0], rows.values[bounds[0] : bounds[-1]].astype(np.int64))
