"""pymorphy3's readings of a form, reduced to what the choice of a term needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.name_tables import NO_NAME, NameKind, names, personal_names
from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.model import Language

_KINDS: Final = {
    "Surn": NameKind.SURNAME,
    "Name": NameKind.FIRST_NAME,
    "Patr": NameKind.PATRONYMIC,
    "Geox": NameKind.PLACE,
    "Orgn": NameKind.ORGANISATION,
    "Abbr": NameKind.ABBREVIATION,
}

_DATIVE: Final = ("ові", "еві", "єві")  # Ukrainian datives, and plurals of adjectives: облікові
_SHORTEST_REST: Final = 3  # number of letters that a word must have after a known prefix, as in pymorphy3
_Marks = tuple[str, NameKind, bool, bool]
_TO_KEY: Final = str.maketrans({"ё": "е", "'": APOSTROPHE})
"""Lemmas of pymorphy3 are already in lower case and composed."""


@dataclass(frozen=True, slots=True)
class WordReading:
    """One lemma to which a form may belong."""

    lemma: str  # key form
    part_of_speech: str  # OpenCorpora's tag: NOUN, ADJF, VERB ...; empty for anything but a word
    kinds: NameKind  # kinds of things that a proper noun denotes; empty for common nouns
    score: float  # probability by pymorphy3, 0 to 1, summed over the cases of this lemma; meaningless in Ukrainian
    feminine: bool  # feminine gender
    # a command (зміни! as opposed to зміни, changes) or, in Ukrainian, a vocative (гірко, o hill!), both rare in news
    addressed: bool


class ReadingSource:
    """pymorphy3 for Russian or Ukrainian."""

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
        """Return the dictionary's readings of a form, best first, also of a word after a known prefix (экс-министр)."""
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
        """Leave out datives of nouns that are also plurals of adjectives (облікові): news prefer those in -у."""
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


# Choose among several readings of a word form

PERSONAL: Final = NameKind.SURNAME | NameKind.FIRST_NAME | NameKind.PATRONYMIC
PROPER: Final = PERSONAL | NameKind.PLACE | NameKind.ORGANISATION
ADJECTIVAL_SURNAME: Final = ("ский", "цкий", "ський", "цький", "зький")
_CAPITAL_FACTOR: Final = 10.0
"""A capital inside a sentence makes a proper name this much likelier; lower case makes the name of a person or
place this much less likely."""

_RARE_ADJECTIVE: Final = 1e-6
_RARE_READING: Final = 0.01
_RARE_NOUN: Final = 5e-7
_UNHEARD_OF: Final = 5e-8
_NAMING: Final = ("NOUN", "ADJF")
_MUCH: Final = 100.0
_SHORT: Final = 4
_RARE_FORM: Final = 4e-6  # frequent short cases in capitals belong to headlines: ВИНУ, МИРА
_POSSESSIVE: Final = ("ів", "їв", "ин", "їн")


class ReadingChoice:
    """Compares readings of one language (not English) by frequency, capitals and our tables of names."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._frequency = form_frequencies(language)
        self._names = names(language)

    def likeliest(self, readings: Sequence[WordReading], shape: Shape) -> WordReading:
        """Return the likeliest reading of a form in a shape; the first of equals."""
        if len(readings) == 1:
            return readings[0]
        return max(readings, key=lambda reading: self._preference(reading, shape))

    def tabled(self, readings: Sequence[WordReading], chosen: WordReading, shape: Shape) -> WordReading | None:
        """Return the likeliest reading whose lemma our tables list as a name.

        At the start of a sentence, no name precedes a much more frequent function word: Досі is hardly ever Доха.
        """
        found = [one for one in readings if self._is_tabled(one)]
        if not found:
            return None
        best = self.likeliest(found, shape)
        other = shape == Shape.START and chosen.part_of_speech not in _NAMING
        return None if other and self._frequency(chosen.lemma) > _MUCH * self._frequency(best.lemma) else best

    def is_abbreviation(self, form: str, reading: WordReading) -> bool:
        """Whether a form in capitals, which may be a case of a word, is an abbreviation: НОН, АГУ."""
        return len(form) <= _SHORT and form != reading.lemma and self._frequency(form) < _RARE_FORM

    def is_rare(self, reading: WordReading) -> bool:
        """Whether a listed name is likelier than this noun at the start of a sentence: Шор, not шоры (blinkers)."""
        return self._frequency(reading.lemma) < _RARE_NOUN

    def is_unheard_of(self, reading: WordReading) -> bool:
        """Whether this name gives way to cases of listed ones: Неваде is a case of Невада, not of Невад."""
        return self._frequency(reading.lemma) < _UNHEARD_OF

    def _is_tabled(self, reading: WordReading) -> bool:
        listed = self._names.get(reading.lemma)
        if listed is None or NameKind.ABBREVIATION in listed.kinds:
            return False
        return reading.part_of_speech == "NOUN" or reading.lemma.endswith(ADJECTIVAL_SURNAME)

    def is_rare_surname(self, reading: WordReading) -> bool:
        """Whether a reading is an adjective that is rare as such and listed as a surname: Будянский."""
        return (
            reading.part_of_speech == "ADJF"
            and reading.lemma.endswith(ADJECTIVAL_SURNAME)
            and self._frequency(reading.lemma) < _RARE_ADJECTIVE
            and reading.lemma in personal_names(self._language)
        )

    def _preference(self, reading: WordReading, shape: Shape) -> tuple[float, bool, bool, float]:
        """Sort key: likelier readings first, then adjectives before nouns, as in names (Білий дім)."""
        frequency = self._frequency(reading.lemma)
        # The Ukrainian dictionary has no probabilities; the frequency of the lemma is the best evidence available.
        likely = reading.score if self._language == "ru" else (frequency + 1e-9) * self._plausibility(reading)
        if shape == Shape.CAPITAL and (reading.kinds & PROPER or reading.lemma in self._names):
            likely *= _CAPITAL_FACTOR
        elif shape == Shape.LOWER and (reading.kinds & (PERSONAL | NameKind.PLACE) or self.is_place(reading.lemma)):
            likely /= _CAPITAL_FACTOR
        noun = reading.part_of_speech == "NOUN"
        return round(likely, 12), reading.part_of_speech == "ADJF", noun, frequency

    def is_place(self, lemma: str) -> bool:
        """Whether a lemma is listed as a place name."""
        listed = self._names.get(lemma)
        return listed is not None and NameKind.PLACE in listed.kinds

    def _plausibility(self, reading: WordReading) -> float:
        """Discount lemmas that owe their frequency to other readings: зміни! (from зміна), офіцерів (the officer's)."""
        possessive = reading.part_of_speech == "ADJF" and reading.lemma.endswith(_POSSESSIVE)
        return _RARE_READING if reading.addressed or possessive else 1.0


# Recognise Roman numerals and words run together; mend lemmas of compounds whose first part is in another case

_ROMAN: Final = re.compile(r"(?=[ivxіх]{2})[xх]{0,3}(?:[iі][xх]|[iі]?v|v?[iі]{0,3})")
"""Numbers up to 39, in Latin letters or in Cyrillic look-alikes."""

_SHORTEST_PART: Final = 5
_SHORTEST_HEAD: Final = 5
_COMMON_HEAD: Final = 1e-6
"""Minimum frequency of the first part's lemma; otherwise вице would count as a case of вица, and контр- as a case of
контра."""


def is_roman_numeral(form: str) -> bool:
    """Whether a form written in capitals is a number, or several numbers joined by hyphens.

    >>> is_roman_numeral("xxi"), is_roman_numeral("ii-iii"), is_roman_numeral("цик")
    (True, True, False)
    """
    return all(map(_ROMAN.fullmatch, form.split("-")))


def is_run_together(form: str, is_frequent: Callable[[str], bool]) -> bool:
    """Whether frequent words were run together; shorter or rarer parts would exclude names (Раджастан, Брентфорд)."""
    for cut in range(_SHORTEST_PART, len(form) - _SHORTEST_PART + 1):
        rest = form[cut:]
        if is_frequent(form[:cut]) and (is_frequent(rest) or is_run_together(rest, is_frequent)):
            return True
    return False


def with_head_as_lemma(
    lemma: str, readings: Callable[[str], Sequence[WordReading]], frequency: Callable[[str], float]
) -> str:
    """Also put the part before the last hyphen into the nominative: країна-член, not країн-член."""
    head, hyphen, last = lemma.rpartition("-")
    if len(head) < _SHORTEST_HEAD:
        return lemma
    found = readings(head)
    if not found or any(one.lemma == head or one.part_of_speech != "NOUN" for one in found):
        return lemma
    best = max(found, key=lambda one: (frequency(one.lemma), one.lemma)).lemma
    return f"{best}{hyphen}{last}" if frequency(best) >= _COMMON_HEAD else lemma
