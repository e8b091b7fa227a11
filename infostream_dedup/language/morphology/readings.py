"""pymorphy3's readings of a form, reduced to what the choice of a term needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final

from infostream_dedup.language.lexicon.name_tables import NO_NAME, NameKind
from infostream_dedup.language.lexicon.spelling import APOSTROPHE
from infostream_dedup.model import Language

_KINDS: Final = {
    "Surn": NameKind.SURNAME,
    "Name": NameKind.FIRST_NAME,
    "Patr": NameKind.PATRONYMIC,
    "Geox": NameKind.PLACE,
    "Orgn": NameKind.ORGANISATION,
    "Abbr": NameKind.ABBREVIATION,
}

_DATIVE: Final = ("ові", "еві", "єві")
"""Ukrainian datives, and plurals of adjectives: облікові."""

_SHORTEST_REST: Final = 3
"""Number of letters that a word must have after a known prefix, as in pymorphy3."""

_Marks = tuple[str, NameKind, bool, bool]

_TO_KEY: Final = str.maketrans({"ё": "е", "'": APOSTROPHE})
"""Lemmas of pymorphy3 are already in lower case and composed."""


@dataclass(frozen=True, slots=True)
class WordReading:
    """One lemma to which a form may belong.

    Attributes:
        lemma: key form.
        part_of_speech: OpenCorpora's tag: NOUN, ADJF, VERB ...; empty for anything but a word.
        kinds: kinds of things that a proper noun denotes; empty for common nouns.
        score: probability by pymorphy3, 0 to 1, summed over the cases of this lemma; meaningless in Ukrainian.
        feminine: feminine gender.
        addressed: a command (зміни! as opposed to зміни, changes) or, in Ukrainian, a vocative (гірко, o hill!), both
            rare in news.
    """

    lemma: str
    part_of_speech: str
    kinds: NameKind
    score: float
    feminine: bool
    addressed: bool


class ReadingSource:
    """pymorphy3 for one language.

    Args:
        language: ``ru`` or ``uk``.
    """

    def __init__(self, language: Language) -> None:
        from pymorphy3 import MorphAnalyzer

        self._language = language
        self._analyzer: Any = MorphAnalyzer(lang=language)
        prefixes = import_module(f"pymorphy3.lang.{language}").KNOWN_PREFIXES
        self._prefixes: tuple[str, ...] = tuple(sorted(prefix.replace("ё", "е") for prefix in prefixes))
        self._tags: dict[Any, _Marks] = {}

    def knows(self, form: str) -> bool:
        """Whether the dictionary contains the form, or every part of it between hyphens."""
        spelt = form.replace(APOSTROPHE, "'")
        if self._analyzer.word_is_known(spelt):
            return True
        return "-" in spelt and all(part and self._analyzer.word_is_known(part) for part in spelt.split("-"))

    def readings(self, form: str) -> list[WordReading]:
        """Return the dictionary's readings of a form, best score first; empty for an unknown form.

        A known word after a known prefix (экс-министр, киберугроза) counts as known.
        """
        if not self.knows(form) and not self._has_known_prefix(form):
            return []
        parses = self._analyzer.parse(form.replace(APOSTROPHE, "'"))
        merged: dict[tuple[str, _Marks], float] = {}
        for parse in parses:
            key = (parse.normal_form.translate(_TO_KEY), self._marks(parse.tag))
            merged[key] = merged.get(key, 0.0) + parse.score
        found = [
            WordReading(lemma, part_of_speech, kinds, score, feminine, addressed)
            for (lemma, (part_of_speech, kinds, feminine, addressed)), score in merged.items()
        ]
        # Equal scores are ordered by lemma, as pymorphy3 guarantees no order among them.
        found = self._without_datives(form, found)
        found.sort(key=lambda reading: (-round(reading.score, 9), reading.lemma, reading.part_of_speech))
        return found

    def nouns(self) -> Iterator[tuple[str, NameKind]]:
        """Yield lemma and kinds of every noun of the dictionary, which takes half a minute; a lemma may be repeated."""
        for _, tag, lemma, _, place in self._analyzer.dictionary.iter_known_words():
            # The first form of a paradigm is the lemma.
            if place == 0:
                part_of_speech, kinds, _, _ = self._marks(tag)
                if part_of_speech == "NOUN":
                    yield lemma.translate(_TO_KEY), kinds

    def _without_datives(self, form: str, readings: list[WordReading]) -> list[WordReading]:
        """Leave out the dative of a noun that is also the plural of its adjective: обліковий, not облік, for облікові.

        News prefer the dative in -у.
        """
        if self._language != "uk" or not form.endswith(_DATIVE):
            return readings
        adjective = f"{form[:-1]}ий"
        if not any(one.lemma == adjective and one.part_of_speech == "ADJF" for one in readings):
            return readings
        return [one for one in readings if one.part_of_speech != "NOUN" or one.lemma in (adjective, form)]

    def _has_known_prefix(self, form: str) -> bool:
        return form.startswith(self._prefixes) and any(
            form.startswith(prefix) and len(form) >= len(prefix) + _SHORTEST_REST and self.knows(form[len(prefix) :])
            for prefix in self._prefixes
        )

    def _marks(self, tag: Any) -> _Marks:
        marks = self._tags.get(tag)
        if marks is None:
            grammemes: Iterable[str] = tag.grammemes
            kinds = NO_NAME
            for name, kind in _KINDS.items():
                if name in grammemes:
                    kinds |= kind
            addressed = "impr" in grammemes or (self._language == "uk" and "voct" in grammemes)
            marks = self._tags[tag] = (str(tag.POS or ""), kinds, "femn" in grammemes, addressed)
        return marks


@cache
def readings_of(language: Language) -> ReadingSource:
    """Return the shared source for a language, which is loaded once per process (0.1 s, 20 MB)."""
    return ReadingSource(language)
