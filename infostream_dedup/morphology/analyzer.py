"""Which key term a word form is: the lemma of a noun or of a proper name, by morphological frequency dictionaries.

The "new way" of Lande's paper (section 2): a normal form is kept only if it stands in a morphological frequency
dictionary (nouns, well-known surnames, names of firms and organisations). Here the dictionaries are those of pymorphy3,
the word frequencies of wordfreq, the personal names of names-translator and our own tables in ``dictionaries/``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from infostream_dedup.lexicon.frequency import form_frequencies
from infostream_dedup.lexicon.name_tables import NO_NAME, NameKind, names, personal_names
from infostream_dedup.lexicon.word_lists import added_nouns, excluded, repairs, stop_words
from infostream_dedup.model import Language
from infostream_dedup.morphology.name_inflection import nominatives, predicted_nominative
from infostream_dedup.morphology.readings import Reading, readings_of
from infostream_dedup.morphology.stemming import stem
from infostream_dedup.text.tokens import Shape

__all__ = ["RULES", "Analysis", "Morphology"]

RULES: Final = 2
"""Version of the rules in this file and its neighbours; raise it whenever an answer changes: caches are keyed by it."""

_PERSONAL: Final = NameKind.SURNAME | NameKind.FIRST_NAME | NameKind.PATRONYMIC
_PROPER: Final = _PERSONAL | NameKind.PLACE | NameKind.ORGANISATION
_CAPITAL_FACTOR: Final = 10.0
"""A capital inside a sentence makes a proper name this much likelier, a small letter a person's name less likely."""

_RARE_ADJECTIVE: Final = 1e-6
_RARE_READING: Final = 0.01
_LISTED_NAME: Final = 1e-7
"""A name in a list of names counts as much as a word that makes up this share of the running words."""

_LONGEST_ABBREVIATION: Final = 6
_SHORTEST_NAME: Final = 3
_LONGEST_WORD: Final = 40
_GLUED_PART: Final = 5
_GLUED_FREQUENCY: Final = 2e-6

_ADJECTIVAL_SURNAME: Final = ("ский", "цкий", "ський", "цький", "зький")
_OF_A_PLACE: Final[dict[Language, str]] = {"ru": "ский", "uk": "ський", "en": ""}
_INDECLINABLE: Final = ("и", "і", "ї", "у", "ю", "э", "е", "є")
_POSSESSIVE: Final = ("ів", "їв", "ин", "їн")
_FEMININE_ADJECTIVE: Final = ("ська", "цька", "зька")
_FEMININE_POSSESSIVE: Final = ("ова", "ева", "єва", "іна", "їна", "ина")


_CYRILLIC: Final = re.compile("[\u0400-\u052f\u02bc]+")
_LATIN: Final = re.compile("[^\\W\\d_\u0250-\U0010ffff]+(?:\u02bc[^\\W\\d_\u0250-\U0010ffff]+)*")


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the engine makes of one form.

    Attributes:
        lemma: normal form in key spelling; the form itself where there is no better one.
        part_of_speech: OpenCorpora's mark (NOUN, ADJF, VERB ...); empty where nothing is known.
        kinds: what a proper name names; empty for other words.
        known: a dictionary holds the word; else it is a guess.
        frequency: share of running words that are the lemma, 0 to 1.
        source: where the lemma is from: ``pymorphy3``, ``names-translator``, ``predicted``, ``latin``, ``stem`` or
            ``file:line``.
        term: the key term, ``None`` where the form is none.
        in_dictionary: the term stands under the strict rule too, which takes no guesses.
        why: why it is no term; empty where it is one.
    """

    lemma: str
    part_of_speech: str = ""
    kinds: NameKind = NO_NAME
    known: bool = False
    frequency: float = 0.0
    source: str = ""
    term: str | None = None
    in_dictionary: bool = False
    why: str = ""


class Morphology:
    """Analyses of forms of one language.

    English has no noun dictionary here: its terms are the Snowball stems of all words but the stop words, and
    ``Analysis.source`` says so.

    Args:
        language: ``ru``, ``uk`` or ``en``.

    Example:
        >>> Morphology("ru").noun_term("зеленского", Shape.CAPITAL)
        'зеленский'
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self._stop = stop_words(language)
        self._frequency = form_frequencies(language)
        if language != "en":
            self._source = readings_of(language)
            self._names = names(language)
            self._latin_names = names("en")
            self._excluded = excluded(language)
            self._repairs = repairs(language)
            self._added = added_nouns(language)

    def noun_term(self, form: str, shape: Shape, *, strict: bool = False) -> str | None:
        """The ``morph`` term of a form, ``None`` where it is none.

        Args:
            form: a key form.
            shape: how it was capitalised.
            strict: take words of the dictionaries only, no predicted proper nouns.
        """
        analysis = self.analyse(form, shape)
        return None if strict and not analysis.in_dictionary else analysis.term

    def analyse(self, form: str, shape: Shape) -> Analysis:
        """Everything known of a form in a shape."""
        if self.language == "en":
            return self._english(form)
        return self._judged(self._found(form, shape), form)

    def _english(self, form: str) -> Analysis:
        analysis = Analysis(stem(form, "en"), frequency=self._frequency(form), source="stem")
        if form in self._stop:
            return replace(analysis, why="stop word", source="stop_en.txt")
        if len(form) < 2:
            return replace(analysis, why="one letter")
        return replace(analysis, term=analysis.lemma, in_dictionary=True)

    def _found(self, form: str, shape: Shape) -> Analysis:
        """The best lemma, before the lists of words that are no terms have their say."""
        listed = self._names.get(form)
        if listed and shape == Shape.UPPER and NameKind.ABBREVIATION in listed.kinds:
            return self._named(form)
        if form in self._stop:
            return Analysis(form, source=f"stop_{self.language}.txt", why="stop word")
        if len(form) > _LONGEST_WORD:
            return Analysis(form, why=f"longer than {_LONGEST_WORD} letters")
        alphabets = {_alphabet(part) for part in form.split("-")}
        if alphabets == {"latin"}:
            return self._latin(form, shape)
        if "" in alphabets:
            return Analysis(form, why="not a word of one alphabet")
        if form in self._repairs:
            return self._repaired(form)
        return self._cyrillic(form, shape)

    def _cyrillic(self, form: str, shape: Shape) -> Analysis:
        readings = self._source.readings(form)
        if not readings:
            return self._unknown(form, shape)
        chosen = readings[0]
        if len(readings) > 1:
            chosen = max(readings, key=lambda reading: self._preference(reading, shape))
        if shape == Shape.LOWER:
            return self._read(chosen)
        common = chosen.part_of_speech == "NOUN" and not chosen.kinds & _PROPER
        if common and shape != Shape.CAPITAL:
            return self._read(chosen)
        return self._capitalised(form, shape, readings, chosen)

    def _capitalised(self, form: str, shape: Shape, readings: list[Reading], chosen: Reading) -> Analysis:
        """A known word that may be a name: our tables come before the guess of the dictionary."""
        tabled = [one for one in readings if self._is_tabled(one)]
        best = max(tabled, key=lambda reading: self._preference(reading, shape)) if tabled else None
        if (shape == Shape.CAPITAL or chosen.kinds & _PROPER) and self._is_name_itself(form, best):
            return self._named(form)
        if best:
            return self._read(best)
        if shape == Shape.CAPITAL and not any(one.kinds & _PROPER for one in readings):
            name = self._table_name(form, abbreviations=False)
            if name:
                return self._named(name)
            if self._is_rare_surname(chosen):
                return self._predicted(chosen.lemma)
        return self._read(chosen)

    def _is_name_itself(self, form: str, best: Reading | None) -> bool:
        """Whether a listed name that does not decline (Санду) is likelier than a case of another one (Санда)."""
        listed = self._names.get(form)
        if listed is None or NameKind.ABBREVIATION in listed.kinds:
            return False
        return best is None or best.lemma == form or self._frequency(form) > self._frequency(best.lemma)

    def _is_rare_surname(self, reading: Reading) -> bool:
        """An adjective that is rare as such and listed as a surname: Будянский."""
        return (
            reading.part_of_speech == "ADJF"
            and reading.lemma.endswith(_ADJECTIVAL_SURNAME)
            and self._frequency(reading.lemma) < _RARE_ADJECTIVE
            and reading.lemma in personal_names(self.language)
        )

    def _is_tabled(self, reading: Reading) -> bool:
        listed = self._names.get(reading.lemma)
        if listed is None or NameKind.ABBREVIATION in listed.kinds:
            return False
        return reading.part_of_speech == "NOUN" or reading.lemma.endswith(_ADJECTIVAL_SURNAME)

    def _preference(self, reading: Reading, shape: Shape) -> tuple[float, bool, bool, float]:
        """Sort key of a reading: the likelier, then adjectives before nouns in lower case and after them elsewhere.

        One lemma is often both (головний: main, chief); in lower case it mostly stands before a noun.
        """
        frequency = self._frequency(reading.lemma)
        # The Ukrainian dictionary has no probabilities; the frequency of the lemma is the best evidence there is.
        likely = reading.score if self.language == "ru" else (frequency + 1e-9) * self._plausibility(reading)
        if shape == Shape.CAPITAL and (reading.kinds & _PROPER or reading.lemma in self._names):
            likely *= _CAPITAL_FACTOR
        elif shape == Shape.LOWER and (reading.kinds & _PERSONAL or self._is_place(reading.lemma)):
            likely /= _CAPITAL_FACTOR
        noun = reading.part_of_speech == "NOUN"
        adjective_first = shape == Shape.LOWER and reading.part_of_speech == "ADJF"
        return round(likely, 12), adjective_first, noun, frequency

    def _is_place(self, lemma: str) -> bool:
        listed = self._names.get(lemma)
        return listed is not None and NameKind.PLACE in listed.kinds

    def _plausibility(self, reading: Reading) -> float:
        """Discount for lemmas that owe their frequency to a noun: зміни! beside зміна, офіцерів (the officer's)."""
        possessive = reading.part_of_speech == "ADJF" and reading.lemma.endswith(_POSSESSIVE)
        return _RARE_READING if reading.imperative or possessive else 1.0

    def _read(self, reading: Reading) -> Analysis:
        """A reading of a known word."""
        lemma = self._masculine(reading)
        listed = self._names.get(lemma)
        noun = (
            reading.part_of_speech == "NOUN"
            or lemma in self._added
            or (listed is not None and lemma.endswith(_ADJECTIVAL_SURNAME))
        )
        kinds = reading.kinds | listed.kinds if listed else reading.kinds
        frequency = self._frequency(lemma)
        return Analysis(
            lemma,
            part_of_speech=reading.part_of_speech,
            kinds=kinds,
            known=True,
            frequency=frequency,
            source="pymorphy3",
            term=lemma if noun else None,
            in_dictionary=noun and (frequency > 0 or bool(kinds & _PROPER)),
            why="" if noun else "no noun",
        )

    def _masculine(self, reading: Reading) -> str:
        """Feminine surnames under the masculine form, as the Russian dictionary has them: Зеленська as Зеленський.

        The genitive of the one is the nominative of the other (Іванова), so they cannot be told apart anyway.
        """
        lemma = reading.lemma
        if self.language == "uk" and reading.feminine and NameKind.SURNAME in reading.kinds:
            if lemma.endswith(_FEMININE_ADJECTIVE):
                return lemma[:-1] + "ий"
            if lemma.endswith(_FEMININE_POSSESSIVE) and self._source.knows(lemma[:-1]):
                return lemma[:-1]
        return lemma

    def _unknown(self, form: str, shape: Shape) -> Analysis:
        added = next((word for word in nominatives(form, self.language) if word in self._added), None)
        if added:
            return self._dictionary_noun(added, self._added[added].place)
        name = self._table_name(form, abbreviations=shape != Shape.LOWER)
        if name:
            return self._named(name)
        if shape == Shape.LOWER:
            return self._compound(form) or Analysis(form, why="in no dictionary")
        if shape == Shape.UPPER and 2 <= len(form) <= _LONGEST_ABBREVIATION:
            return Analysis(
                form, "NOUN", NameKind.ABBREVIATION, frequency=self._frequency(form), source="predicted", term=form
            )
        if len(form) < _SHORTEST_NAME:
            return Analysis(form, why="too short for a name")
        if self._is_glued(form):
            return Analysis(form, why="two words run together")
        name_guess = self._compound(form) or self._predicted(form)
        if not name_guess.known and self._is_place(name_guess.lemma.removesuffix(_OF_A_PLACE[self.language])):
            return replace(name_guess, term=None, part_of_speech="ADJF", why="adjective of a place")
        if shape != Shape.CAPITAL and not name_guess.known and name_guess.frequency == 0:
            return replace(name_guess, term=None, why="in no dictionary, and the capital says nothing here")
        return name_guess

    def _compound(self, form: str) -> Analysis | None:
        """A word after a hyphen decides the lemma: IT-компании as IT-компания. ``None`` where it is no known noun."""
        head, hyphen, last = form.rpartition("-")
        if not hyphen or not all(_alphabet(part) == "latin" or self._source.knows(part) for part in head.split("-")):
            return None
        analysis = self._cyrillic(last, Shape.LOWER) if self._source.knows(last) else None
        if analysis is None or analysis.term is None:
            return None
        return replace(analysis, lemma=f"{head}-{analysis.lemma}", term=f"{head}-{analysis.term}")

    def _predicted(self, form: str) -> Analysis:
        head, hyphen, last = form.rpartition("-")
        personal = personal_names(self.language)

        def evidence(word: str) -> float:
            return self._frequency(word) + (_LISTED_NAME if word in personal else 0.0)

        lemma = head + hyphen + predicted_nominative(last, self.language, evidence)
        listed = lemma in personal
        return Analysis(
            lemma,
            part_of_speech="NOUN",
            kinds=NameKind.SURNAME if listed else NO_NAME,
            known=listed,
            frequency=self._frequency(lemma),
            source="names-translator" if listed else "predicted",
            term=lemma,
            in_dictionary=listed,
        )

    def _table_name(self, form: str, *, abbreviations: bool) -> str | None:
        """The name of our tables that the form is a case of; the most frequent one of several."""
        found = [word for word in nominatives(form, self.language) if self._declines_to(word, form)]
        if not abbreviations:
            found = [word for word in found if NameKind.ABBREVIATION not in self._names[word].kinds]
        return max(found, key=lambda word: (word == form, self._frequency(word), word)) if found else None

    def _declines_to(self, name: str, form: str) -> bool:
        """Whether a listed name can take the form: persons' names in -и, -у and so on do not decline (Драги)."""
        listed = self._names.get(name)
        if listed is None:
            return False
        return name == form or not name.endswith(_INDECLINABLE) or bool(listed.kinds & ~_PERSONAL)

    def _named(self, name: str) -> Analysis:
        listed = self._names[name]
        return Analysis(
            name,
            part_of_speech="NOUN",
            kinds=listed.kinds,
            known=True,
            frequency=self._frequency(name),
            source=listed.place,
            term=name,
            in_dictionary=True,
        )

    def _repaired(self, form: str) -> Analysis:
        repair = self._repairs[form]
        if not repair.lemma:
            return Analysis(form, known=True, source=repair.place, why=repair.why)
        return self._dictionary_noun(repair.lemma, repair.place)

    def _dictionary_noun(self, lemma: str, place: str) -> Analysis:
        return Analysis(
            lemma,
            part_of_speech="NOUN",
            known=True,
            frequency=self._frequency(lemma),
            source=place,
            term=lemma,
            in_dictionary=True,
        )

    def _latin(self, form: str, shape: Shape) -> Analysis:
        """A Latin word inside Cyrillic text is a name if it has a capital."""
        if form in self._names:
            return self._named(form)
        proper = shape in (Shape.CAPITAL, Shape.UPPER) and len(form) > 1
        listed = self._latin_names.get(form) if proper else None
        return Analysis(
            form,
            kinds=listed.kinds if listed else NO_NAME,
            known=listed is not None,
            frequency=self._frequency(form),
            source=listed.place if listed else "latin",
            term=form if proper else None,
            in_dictionary=listed is not None,
            why="" if proper else "a Latin word without a capital",
        )

    def _is_glued(self, form: str) -> bool:
        """Frequent words run together by a bad scrape: they would become the rarest, so the heaviest, nouns.

        Parts of less than five letters, or rarer ones, would take too many names with them (Раджастан, Брентфорд).
        """
        for cut in range(_GLUED_PART, len(form) - _GLUED_PART + 1):
            if self._is_frequent(form[:cut]) and (self._is_frequent(form[cut:]) or self._is_glued(form[cut:])):
                return True
        return False

    def _is_frequent(self, word: str) -> bool:
        return "-" not in word and self._frequency(word) >= _GLUED_FREQUENCY and self._source.knows(word)

    def _judged(self, found: Analysis, form: str) -> Analysis:
        """The last word: repaired lemmas, words that are no key terms, evidence for the strict rule."""
        if found.term is None:
            return found
        repair = self._repairs.get(found.lemma)
        if repair and repair.lemma and found.lemma not in self._names:
            found = self._repaired(found.lemma)
        lemma = found.lemma
        if min(len(lemma), len(form)) < 2:
            return replace(found, term=None, in_dictionary=False, why="one letter")
        listed = self._excluded.get(lemma) or self._excluded.get(form)
        if listed:
            return replace(found, term=None, in_dictionary=False, why=f"{listed.why} ({listed.place})")
        # A noun of a dictionary may share its lemma with a function word (ніж: knife, than); a guess may not.
        if lemma in self._stop and not found.known and NameKind.ABBREVIATION not in found.kinds:
            return replace(found, term=None, in_dictionary=False, why="stop word")
        if found.known and not found.in_dictionary and self._frequency(form) > 0:
            return replace(found, in_dictionary=True)
        return found


def _alphabet(part: str) -> str:
    """``latin``, ``cyrillic``, or empty for anything else."""
    if _CYRILLIC.fullmatch(part):
        return "cyrillic"
    return "latin" if _LATIN.fullmatch(part) else ""
