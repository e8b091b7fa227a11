"""Choose among several readings of a word form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.name_tables import NameKind, names, personal_names
from infostream_dedup.language.morphology.readings import WordReading
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.model import Language

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
_RARE_FORM: Final = 4e-6
"""Frequent short cases in capitals belong to headlines: ВИНУ, МИРА."""
_POSSESSIVE: Final = ("ів", "їв", "ин", "їн")


class ReadingChoice:
    """Compares readings of one language by frequency, capitals and our tables of names.

    Args:
        language: ``ru`` or ``uk``.
    """

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
        """Sort key: likelier readings first, then adjectives before nouns.

        A lemma is often both (головний: main, chief); it usually precedes a noun, also in names (Білий дім).
        """
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
