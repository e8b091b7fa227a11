"""Collects what an import takes: single words of the wanted parts of speech, with an account of everything else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

from infostream_dedup.errors import BadDataError
from infostream_dedup.lab.lexicography.letters import NAME_OF, stray_letter
from infostream_dedup.language.lexicon.spelling import is_latin, key_form
from infostream_dedup.language.text.normalise import clean
from infostream_dedup.language.translation.refusals import is_blocked
from infostream_dedup.model import Language

__all__ = ["PARTS_OF_SPEECH", "Direction", "NewPair", "PairIntake", "WantedPairs"]

PARTS_OF_SPEECH: Final = ("noun", "name", "adj")
"""Parts of speech that can be imported; terms are nouns and names, and adjectives used as such."""

Direction = Literal["both", "forward", "backward"]
_MAX_LENGTH: Final = 100


@dataclass(frozen=True, slots=True)
class WantedPairs:
    """What to import from a file.

    Attributes:
        file: name of the file as given by the user.
        source: language of its left or first words.
        target: language of its other words.
        parts: parts of speech to import, from ``PARTS_OF_SPEECH``.
    """

    file: str
    source: Language
    target: Language
    parts: frozenset[str]


@dataclass(frozen=True, slots=True)
class NewPair:
    """A pair of key forms to import.

    Attributes:
        source: word of the source language.
        target: its equivalent in the target language.
        part: one of ``PARTS_OF_SPEECH``.
        direction: direction in which the pair translates.
    """

    source: str
    target: str
    part: str
    direction: Direction


class PairIntake:
    """Sorts the pairs that a reader offers.

    Args:
        wanted: what to import from the file.

    Attributes:
        wanted: as given.
        pairs: good pairs in the order of the file, each once.
        broken: errors of rows that cannot be used.
        left_out: number of sound rows that are not imported, by reason.
    """

    def __init__(self, wanted: WantedPairs) -> None:
        self.wanted = wanted
        self.broken: list[BadDataError] = []
        self.left_out: Counter[str] = Counter()
        self._pairs: dict[tuple[str, str], NewPair] = {}

    @property
    def pairs(self) -> tuple[NewPair, ...]:
        """Good pairs in the order of the file, each once."""
        return tuple(self._pairs.values())

    def reject(self, line: int, field: str | None, message: str) -> None:
        """Record a row that cannot be used; the message says what was found, what was expected and what to do."""
        self.broken.append(BadDataError(message, code="E_IMPORT", source=self.wanted.file, line=line, field=field))

    def leave_out(self, reason: str) -> None:
        """Count a sound row that is not wanted."""
        self.left_out[reason] += 1

    def offer(
        self,
        line: int,
        words: tuple[str, str],
        part: str,
        *,
        fields: tuple[str, str],
        direction: Direction = "both",
        edited: bool = True,
    ) -> None:
        """Take a pair, leave it out or reject its row.

        Args:
            line: line number in the file, from 1.
            words: source and target word as spelt in the file.
            part: part of speech; the pair is left out unless it is wanted.
            fields: the file's names for the two words.
            direction: direction in which the pair translates.
            edited: whether somebody is responsible for the file, so that letters of another language are a fault of
                the row. In the dump of a wiki such rows are merely left out.
        """
        if part not in self.wanted.parts:
            return self.leave_out("another part of speech")
        keys = tuple(key_form(" ".join(clean(word).split())) for word in words)
        languages = (self.wanted.source, self.wanted.target)
        for key, word, field, language in zip(keys, words, fields, languages, strict=True):
            if not key:
                return self._refuse(line, field, "an empty word; expected a word; give it or remove the row", edited)
            if len(key) > _MAX_LENGTH:
                message = (
                    f"a word of {len(key)} characters; expected {_MAX_LENGTH} at most; correct it or remove the row"
                )
                return self._refuse(line, field, message, edited)
            stray = "" if is_latin(key) and language != "en" else stray_letter(key, language, latin=True)
            if stray:
                message = (
                    f"{word!r} has {stray!r}, which {NAME_OF[language]} words do not have; correct the word, or check"
                    " whether --from and --to are swapped"
                )
                return self._refuse(line, field, message, edited)
        source, target = keys
        if " " in source or " " in target:
            return self.leave_out("a phrase: terms are single words")
        if is_blocked(source, languages[0]) or is_blocked(target, languages[1]):
            return self.leave_out("on the block-list")
        self._take(NewPair(source, target, part, direction))
        return None

    def _refuse(self, line: int, field: str, message: str, edited: bool) -> None:
        if edited:
            self.reject(line, field, message)
        else:
            self.leave_out("not a word of its language")

    def _take(self, pair: NewPair) -> None:
        known = self._pairs.get((pair.source, pair.target))
        if known is None:
            self._pairs[pair.source, pair.target] = pair
            return
        self.leave_out("repeated in the file")
        if known.direction != pair.direction:
            self._pairs[pair.source, pair.target] = NewPair(pair.source, pair.target, known.part, "both")
