"""Find the key term of a word form, the lemma of a noun or proper name, by morphological frequency dictionaries.

The "new way" of Lande's paper (section 2): a normal form is kept only if a morphological frequency dictionary (nouns,
well-known surnames, names of firms and organisations) contains it. Here, the dictionaries are those of pymorphy3, the
word frequencies of wordfreq, the personal names of names-translator and our own tables in ``dictionaries/``.

Rules are tried in a fixed order, and the first one that knows the form decides: ``_found`` lists the rules for any
form, ``_unknown`` those for a form unknown to pymorphy3.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from infostream_dedup.language.lexicon import word_lists
from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.tables import alphabet
from infostream_dedup.language.morphology.readings import (
    ADJECTIVAL_SURNAME,
    PERSONAL,
    PROPER,
    ReadingChoice,
    WordReading,
    is_roman_numeral,
    is_run_together,
    readings_of,
    with_head_as_lemma,
)
from infostream_dedup.language.morphology.stemming import stem, stems
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.model import Language

# The analysis of one word form


class Analysis(NamedTuple):
    """Lemma and key term of a form."""

    lemma: str  # normal form in key spelling; the form itself if none is known
    part_of_speech: str = ""  # OpenCorpora's tag (NOUN, ADJF, VERB ...); empty if unknown
    kinds: word_lists.NameKind = word_lists.NO_NAME  # kinds of things that a proper name denotes; empty for other words
    known: bool = False  # whether a dictionary contains the word; otherwise the analysis is a guess
    frequency: float = 0.0  # share of running words that are the lemma, 0 to 1
    # where the lemma comes from: `pymorphy3`, `names-translator`, `predicted`, `latin`, `stem` or `file:line`
    source: str = ""
    term: str | None = None  # the key term; `None` for a form that is not a term
    in_dictionary: bool = False  # whether the strict rule, which excludes guesses, also accepts the term
    why: str = ""  # why the form is not a term; empty if it is one


# Reduce inflected proper names to one nominative, without a dictionary of their paradigms.
#
# pymorphy3 guesses the lemma of an unknown word from each form alone, so that one name gets several lemmas (Шольц and
# Шольца become "шольц" and "шолец"). Here, every division of a form into stem and ending is weighted by the frequency
# of the *whole* paradigm of that stem, and the nominative depends only on the stem, so that all forms of a name share
# it.

_NAMES: Final = word_lists.NameKind.FIRST_NAME | word_lists.NameKind.PLACE
_OF_MEN: Final = ("ов", "ев", "єв", "ів", "їв")  # endings of surnames that are also genitives of the plural
_OF_VILLAGES: Final = ("ово", "ево", "ино", "ыно")
_CASES: Final = ("а", "у")


def surname_instead(form: str, lemma: str, readings: Sequence[WordReading], language: Language) -> str | None:
    """Return the surname that a capitalised form is likelier to be; ``None`` if the lemma may stand.

    News hardly ever speak of several people by their first name, and no longer decline villages in -ово, which are too
    small for our tables (Косово is listed).

    >>> from infostream_dedup.language.morphology.readings import readings_of
    >>> surname_instead("мошкова", "мошково", readings_of("ru").readings("мошкова"), "ru")
    'мошков'
    """
    if lemma == form or not any(one.kinds & _NAMES for one in readings if one.lemma == lemma):
        return None
    if form.endswith(_OF_MEN):
        surname = form
    elif (
        lemma.endswith(_OF_VILLAGES)
        and lemma not in word_lists.names(language)
        and form in {lemma[:-1] + ending for ending in _CASES}
    ):
        surname = form[:-1]
    else:
        return None
    return surname if surname in word_lists.personal_names(language) else None


_SHORTEST_STEM: Final = 3
_LONGEST_CHANGE: Final = 4  # letters by which a nominative may differ from a case: an ending, and a vowel before it
_LONGEST_END: Final = 6  # three letters of an ending, and as many by which the stems of a declension end


@dataclass(frozen=True, slots=True)
class _Declension:
    """Endings of one kind of stem."""

    stems: tuple[str, ...]  # endings of its stems; empty for the stems that no other declension covers
    endings: tuple[str, ...]  # all case endings, the longest first
    # endings of the nominative, each with the weight of its evidence: an ending that other declensions use in an
    # oblique case weighs less. Without any evidence, the first one is used
    nominatives: tuple[tuple[str, float], ...]


def _declension(stems: str, endings: str, nominatives: str) -> _Declension:
    """Make a declension from plain text: ``-`` is the empty ending, ``а/.5`` a nominative with its weight."""
    cut = sorted((_ending(part) for part in endings.split()), key=lambda ending: (-len(ending), ending))
    weighed = (part.partition("/") for part in nominatives.split())
    return _Declension(
        tuple(stems.split()), tuple(cut), tuple((_ending(ending), float(weight or 1)) for ending, _, weight in weighed)
    )


def _ending(part: str) -> str:
    return "" if part == "-" else part


_RU: Final = "- а у ом ем е ы и я ю й ь ой ей ою ею ам ям ами ями ах ях"
_UK: Final = "- а у ові ом ем єм еві єві і ї и я ю й ь о ою ею єю ам ям ами ями ах ях"
_RU_AFTER_VOWEL: Final = "я ю ем е и й ей ею ям ями ях"
_UK_AFTER_VOWEL: Final = "я ю єм єві ї й єю ям ями ях"
_RU_NOMINATIVES: Final = "- й ь а/.5 я/.5 е/.25 и/.25 ы/.25 у/.25"
_DECLENSIONS: Final[dict[Language, tuple[_Declension, ...]]] = {
    "ru": (
        _declension("ск цк", "ий ого ому им ом ая ой ую ою ие их ими ое", "ий"),
        _declension("ск цк", "- а у ом е", "-"),
        _declension("ов ев ин ын", "- а у ым ом е ой ы ых ыми о", "- о/.5 а/.25"),
        _declension("и", _RU_AFTER_VOWEL, "я й"),
        _declension("а е о у э ы", _RU_AFTER_VOWEL, "й я/.5"),
        _declension("н", _RU, _RU_NOMINATIVES),
        _declension("н", "ый ого ому ым ая ую ые ых ыми", "ый ой/.5"),
        _declension("", _RU, _RU_NOMINATIVES),
        _declension("", "ый ого ому ым ые ых ыми", "ый ой/.5"),
    ),
    "uk": (
        _declension("ськ цьк зьк", "ий ого ому им ім а ій ої у ою і их ими е", "ий"),
        _declension("ськ цьк зьк", "- а у ом ові", "-"),
        _declension("ов ев єв ін їн", "- а у им ом ові ій ої ою и их ими о", "- о/.5 а/.25"),
        _declension("енк", _UK, "о -/.25"),
        _declension("і", _UK_AFTER_VOWEL, "я й"),
        _declension("а е є о у и ї", _UK_AFTER_VOWEL, "й я/.5"),
        _declension("", _UK, "- й ь а/.5 я/.5 о/.5 і/.25 и/.25 у/.25"),
        _declension("", "ий ого ому им ім ій ої их ими", "ий"),
    ),
    "en": (),
}
_PLURAL_GENITIVES: Final[dict[Language, tuple[str, ...]]] = {"ru": ("ов", "ев"), "uk": ("ів", "їв"), "en": ()}
"""Only used to look words up in a list: as endings of unknown names, they would turn Курбанов into Курбан."""

_FLEETING: Final[dict[Language, str]] = {"ru": "ец", "uk": "ець", "en": ""}


def nominatives(form: str, language: Language) -> Iterator[str]:
    """Yield every word that the form can be a case of, the form itself included; most are not words, some repeat."""
    yield form
    for base, declension in _cuts(form, language):
        for word, _ in _weighed_nominatives(base, declension, language):
            yield word
    if form.endswith(_PLURAL_GENITIVES[language]) and len(form) >= _SHORTEST_STEM + 2:
        yield form[:-2]


def predicted_nominative(
    form: str, language: Language, evidence: Callable[[str], float], occurs: Callable[[str], bool] = lambda _: True
) -> str:
    """Return the likeliest nominative of an unknown proper name; ``occurs``: whether a stem may have any evidence."""
    best: tuple[float, str, _Declension] | None = None
    for base, declension in _cuts(form, language):
        total = sum([evidence(base + ending) for ending in declension.endings]) if occurs(base) else 0.0
        if best is None or total > best[0]:
            best = (total, base, declension)
    if best is None:
        return form
    _, base, declension = best
    # max keeps the first of equals, so the order of the table decides.
    candidates = _weighed_nominatives(base, declension, language)
    if not occurs(base):
        candidates[1 : len(declension.nominatives)] = []
    return max(candidates, key=lambda candidate: candidate[1] * evidence(candidate[0]))[0]


def _weighed_nominatives(base: str, declension: _Declension, language: Language) -> list[tuple[str, float]]:
    """Return the nominatives of a stem with their weights; Лубинц- gains a vowel there that the other cases drop."""
    found = [(base + ending, weight) for ending, weight in declension.nominatives]
    if base.endswith("ц") and len(base) > _SHORTEST_STEM:
        found.append((base[:-1] + _FLEETING[language], 1.0))
    return found


def _cuts(form: str, language: Language) -> Iterator[tuple[str, _Declension]]:
    """Yield the stems and declensions that can make the form, the shortest stem first."""
    for size, declension in _cuts_by_end(form[-_LONGEST_END:], language):
        yield form[: len(form) - size], declension


@lru_cache(1 << 14)
def _cuts_by_end(form: str, language: Language) -> list[tuple[int, _Declension]]:
    """Letters of the ending and declension of each cut: the last letters of a form decide."""
    cuts = [(form[: len(form) - size], form[len(form) - size :]) for size in (3, 2, 1, 0) if size <= len(form)]
    return [
        (len(ending), declension)
        for base, ending in cuts
        if not ending or len(base) >= _SHORTEST_STEM
        for declension in _fitting(base, language)
        if ending in declension.endings
    ]


def _fitting(base: str, language: Language) -> list[_Declension]:
    """Return the declension for a stem, or the general one."""
    table = _DECLENSIONS[language]
    return [one for one in table if one.stems and base.endswith(one.stems)] or [one for one in table if not one.stems]


RULES: Final = 4
"""Version of the rules in this file and its neighbours, a cache key; increase it whenever an answer changes."""

_LISTED_NAME: Final = 1e-7  # a name in a list of names counts as much as a word with this share of the running words
_LONGEST_ABBREVIATION: Final = 6
_SHORTEST_NAME: Final = 3
_LONGEST_WORD: Final = 40
_GLUED_FREQUENCY: Final = 2e-6
_NAMED: Final = (Shape.CAPITAL, Shape.UPPER)
_OF_A_PLACE: Final[dict[Language, str]] = {"ru": "ский", "uk": "ський", "en": ""}
_INDECLINABLE: Final = ("и", "і", "ї", "у", "ю", "э", "е", "є")
_FEMININE_ADJECTIVE: Final = ("ська", "цька", "зька")
_FEMININE_POSSESSIVE: Final = ("ова", "ева", "єва", "іна", "їна", "ина")


class Morphology:
    """Analyses of forms of one language.

    English has no noun dictionary here: its terms are the Snowball stems of all words except stop words, as
    ``Analysis.source`` says.

    >>> Morphology("ru").noun_term("зеленского", Shape.CAPITAL)
    'зеленский'
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self._stop = word_lists.stop_words(language)
        if language != "en":
            self._frequency = form_frequencies(language)
            self._source = readings_of(language)
            self._choice = ReadingChoice(language)
            self._names = word_lists.names(language)
            self._latin_names = word_lists.names("en")
            self._english_stop = word_lists.stop_words("en")
            self._excluded = word_lists.excluded(language)
            self._repairs = word_lists.repairs(language)
            self._added = word_lists.added_nouns(language)
            self._tabled = sorted({*self._names, *self._added})

    def noun_term(self, form: str, shape: Shape, *, strict: bool = False) -> str | None:
        """Return the ``morph`` term of a form; ``None`` for a form that is not a term."""
        analysis = self.analyse(form, shape)
        return None if strict and not analysis.in_dictionary else analysis.term

    def analyse(self, form: str, shape: Shape) -> Analysis:
        """Return everything known about a form in a shape."""
        if self.language == "en":
            return self._english(form)
        return self._checked(self._found(form, shape), form, shape)

    def _english(self, form: str) -> Analysis:
        analysis = Analysis(lemma=stem(form, "en"), frequency=form_frequencies("en")(form), source="stem")
        if form in self._stop:
            return analysis._replace(why="stop word", source="stop_en.txt")
        if len(form) < 2:
            return analysis._replace(why="one letter")
        return analysis._replace(term=analysis.lemma, in_dictionary=True)

    def english_terms(self, forms: Sequence[str]) -> list[str | None]:
        """``noun_term`` for each of many English forms, whatever their shapes."""
        return [
            None if form in self._stop or len(form) < 2 else found
            for form, found in zip(forms, stems(forms, "en"), strict=True)
        ]

    def _found(self, form: str, shape: Shape) -> Analysis:
        """Return the best lemma, before the lists of excluded words are applied."""
        listed = self._names.get(form)
        if listed and shape == Shape.UPPER and word_lists.NameKind.ABBREVIATION in listed.kinds:
            return self._named(form)
        if form in self._stop:
            return Analysis(lemma=form, source=f"stop_{self.language}.txt", why="stop word")
        if len(form) > _LONGEST_WORD:
            return Analysis(lemma=form, why=f"longer than {_LONGEST_WORD} letters")
        alphabets = set(map(alphabet, form.split("-")))
        if alphabets == {"latin"}:
            return self._latin(form, shape)
        if not all(alphabets):
            return Analysis(lemma=form, why="not a word of one alphabet")
        return self._repaired(form) or self._cyrillic(form, shape)

    def _latin(self, form: str, shape: Shape) -> Analysis:
        """Analyse a Latin word in Cyrillic text: it is a name if it has a capital."""
        if form in self._names:
            return self._named(form)
        proper = shape in _NAMED and len(form) > 1 and form not in self._english_stop
        listed = self._latin_names.get(form) if proper else None
        return Analysis(
            lemma=form,
            kinds=listed.kinds if listed else word_lists.NO_NAME,
            known=listed is not None,
            frequency=self._frequency(form),
            source=listed.place if listed else "latin",
            term=form if proper else None,
            in_dictionary=listed is not None,
            why="" if proper else "a Latin word without a capital, or a function word",
        )

    def _repaired(self, form: str) -> Analysis | None:
        """Analyse a form whose lemma, or lack of a term, is stated in our table of repairs."""
        repair = self._repairs.get(form)
        if repair is None:
            return None
        if not repair.lemma:
            return Analysis(lemma=form, known=True, source=repair.place, why=repair.why)
        return self._dictionary_noun(repair.lemma, repair.place)

    def _cyrillic(self, form: str, shape: Shape) -> Analysis:
        readings = self._source.readings(form)
        if not readings:
            return self._unknown(form, shape)
        chosen = self._choice.likeliest(readings, shape)
        if shape == Shape.LOWER:
            return self._read(chosen)
        if shape == Shape.UPPER and self._choice.is_abbreviation(form, chosen):
            return self._abbreviation(form)
        common = chosen.part_of_speech == "NOUN" and not chosen.kinds & PROPER
        if common and shape != Shape.CAPITAL:
            rare = shape == Shape.START and self._choice.is_rare(chosen)
            return self._named(form) if rare and self._is_name_itself(form, chosen) else self._read(chosen)
        return self._capitalised(form, shape, readings, chosen)

    def _capitalised(self, form: str, shape: Shape, readings: list[WordReading], chosen: WordReading) -> Analysis:
        """Choose the reading of a known word that may be a name: our tables precede the dictionary's guess."""
        best = self._choice.tabled(readings, chosen, shape)
        if (shape == Shape.CAPITAL or chosen.kinds & PROPER) and self._is_name_itself(form, best):
            return self._named(form)
        surname = surname_instead(form, (best or chosen).lemma, readings, self.language)
        if surname:
            return self._person(surname)
        if best:
            return self._read(best)
        no_name = self._choice.is_unheard_of(chosen) or not any(one.kinds & PROPER for one in readings)
        if shape == Shape.CAPITAL and no_name:
            name = self._table_name(form, abbreviations=False)
            if name:
                return self._named(name)
            if self._choice.is_rare_surname(chosen):
                return self._person(chosen.lemma)
        return self._read(chosen)

    def _is_name_itself(self, form: str, best: WordReading | None) -> bool:
        """Whether a listed indeclinable name (Санду) is likelier than a case of another name (Санда)."""
        listed = self._names.get(form)
        if listed is None or word_lists.NameKind.ABBREVIATION in listed.kinds:
            return False
        return best is None or best.lemma == form or self._frequency(form) > self._frequency(best.lemma)

    def _read(self, reading: WordReading) -> Analysis:
        """Turn a reading of a known word into an analysis."""
        lemma = self._masculine(reading)
        listed = self._names.get(lemma)
        noun = (
            reading.part_of_speech == "NOUN"
            or lemma in self._added
            or (listed is not None and lemma.endswith(ADJECTIVAL_SURNAME))
        )
        kinds = reading.kinds | listed.kinds if listed else reading.kinds
        frequency = self._frequency(lemma)
        return Analysis(
            lemma=lemma,
            part_of_speech=reading.part_of_speech,
            kinds=kinds,
            known=True,
            frequency=frequency,
            source="pymorphy3",
            term=lemma if noun else None,
            in_dictionary=noun and (frequency > 0 or bool(kinds & PROPER)),
            why="" if noun else "no noun",
        )

    def _masculine(self, reading: WordReading) -> str:
        """Masculine form of feminine surnames, as Russian dictionaries have it: Зеленський for Зеленська."""
        lemma = reading.lemma
        if self.language == "uk" and reading.feminine and word_lists.NameKind.SURNAME in reading.kinds:
            if lemma.endswith(_FEMININE_ADJECTIVE):
                return lemma[:-1] + "ий"
            if lemma.endswith(_FEMININE_POSSESSIVE) and self._source.knows(lemma[:-1]):
                return lemma[:-1]
        return lemma

    def _unknown(self, form: str, shape: Shape) -> Analysis:
        """Analyse a form that pymorphy3 does not know."""
        added = next((word for word in self._tabled_nominatives(form) if word in self._added), None)
        if added:
            return self._dictionary_noun(added, self._added[added].place)
        name = self._table_name(form, abbreviations=shape != Shape.LOWER)
        if name:
            return self._named(name)
        if shape == Shape.LOWER:
            return self._compound(form) or Analysis(lemma=form, why="in no dictionary")
        if shape == Shape.UPPER and 2 <= len(form) <= _LONGEST_ABBREVIATION:
            return self._abbreviation(form)
        if len(form) < _SHORTEST_NAME:
            return Analysis(lemma=form, why="too short for a name")
        if is_run_together(form, self._is_frequent):
            return Analysis(lemma=form, why="two words run together")
        guess = self._compound(form) or self._predicted(form)
        if not guess.known and self._choice.is_place(guess.lemma.removesuffix(_OF_A_PLACE[self.language])):
            return guess._replace(term=None, part_of_speech="ADJF", why="adjective of a place")
        if shape != Shape.CAPITAL and not guess.known and guess.frequency == 0:
            return guess._replace(term=None, why="in no dictionary, and the capital says nothing here")
        return guess

    def _abbreviation(self, form: str) -> Analysis:
        kinds, frequency = word_lists.NameKind.ABBREVIATION, self._frequency(form)
        return Analysis(
            lemma=form, part_of_speech="NOUN", kinds=kinds, frequency=frequency, source="predicted", term=form
        )

    def _compound(self, form: str) -> Analysis | None:
        """Take the lemma from the word after a hyphen: IT-компания of IT-компании; ``None`` unless it is a noun."""
        head, hyphen, last = form.rpartition("-")
        if not hyphen or not all(alphabet(part) == "latin" or self._source.knows(part) for part in head.split("-")):
            return None
        analysis = self._cyrillic(last, Shape.LOWER) if self._source.knows(last) else None
        if analysis is None or analysis.term is None:
            return None
        return analysis._replace(lemma=f"{head}-{analysis.lemma}", term=f"{head}-{analysis.term}")

    def _predicted(self, form: str) -> Analysis:
        head, hyphen, last = form.rpartition("-")
        listed = word_lists.personal_names(self.language)

        def evidence(word: str) -> float:
            return self._frequency(word) + (_LISTED_NAME if word in listed else 0.0)

        def occurs(base: str) -> bool:
            return self._frequency.any_begins(base) or listed.names.any_begins(base)

        return self._person(head + hyphen + predicted_nominative(last, self.language, evidence, occurs))

    def _person(self, lemma: str) -> Analysis:
        listed = lemma in word_lists.personal_names(self.language)
        return Analysis(
            lemma=lemma,
            part_of_speech="NOUN",
            kinds=word_lists.NameKind.SURNAME if listed else word_lists.NO_NAME,
            known=listed,
            frequency=self._frequency(lemma),
            source="names-translator" if listed else "predicted",
            term=lemma,
            in_dictionary=listed,
        )

    def _tabled_nominatives(self, form: str) -> list[str]:
        """Return the words of our tables that the form can be a case of; few forms begin like any of them."""
        beginning = form[: max(len(form) - _LONGEST_CHANGE, _SHORTEST_STEM)]
        place = bisect_left(self._tabled, beginning)
        if place == len(self._tabled) or not self._tabled[place].startswith(beginning):
            return []
        return [word for word in nominatives(form, self.language) if word in self._names or word in self._added]

    def _table_name(self, form: str, *, abbreviations: bool) -> str | None:
        """Return the name in our tables that the form is a case of; the most frequent of several."""
        found = [word for word in self._tabled_nominatives(form) if self._declines_to(word, form)]
        if not abbreviations:
            found = [word for word in found if word_lists.NameKind.ABBREVIATION not in self._names[word].kinds]
        return max(found, key=lambda word: (word == form, self._frequency(word), word)) if found else None

    def _declines_to(self, name: str, form: str) -> bool:
        """Whether a listed name can take the form: personal names in -и, -у and so on do not decline (Драги)."""
        listed = self._names.get(name)
        if listed is None:
            return False
        return name == form or not name.endswith(_INDECLINABLE) or bool(listed.kinds & ~PERSONAL)

    def _named(self, name: str) -> Analysis:
        listed = self._names[name]
        return self._dictionary_noun(name, listed.place, listed.kinds)

    def _dictionary_noun(self, lemma: str, place: str, kinds: word_lists.NameKind = word_lists.NO_NAME) -> Analysis:
        return Analysis(
            lemma=lemma,
            part_of_speech="NOUN",
            kinds=kinds,
            known=True,
            frequency=self._frequency(lemma),
            source=place,
            term=lemma,
            in_dictionary=True,
        )

    def _is_frequent(self, word: str) -> bool:
        return "-" not in word and self._frequency(word) >= _GLUED_FREQUENCY and self._source.knows(word)

    def _checked(self, found: Analysis, form: str, shape: Shape) -> Analysis:
        """Apply the tables of repaired lemmas and of excluded words, and the evidence for the strict rule."""
        if found.term is None:
            return found
        if "-" in found.lemma and found.lemma not in self._names:
            whole = with_head_as_lemma(found.lemma, self._source.readings, self._frequency)
            found = found._replace(lemma=whole, term=whole)
        repair = self._repairs.get(found.lemma)
        if repair and repair.lemma and found.lemma not in self._names:
            found = self._dictionary_noun(repair.lemma, repair.place)
        lemma = found.lemma
        why = ""
        if min(len(lemma), len(form)) < 2:
            why = "one letter"
        elif shape == Shape.UPPER and is_roman_numeral(form):
            why = "a Roman numeral"
        elif word_lists.is_agency(lemma, self.language) and self._is_meant_as_name(lemma, form, shape):
            why = "an agency"
        elif listed := self._excluded.get(lemma) or self._excluded.get(form):
            why = f"{listed.why} ({listed.place})"
        # A dictionary noun may share its lemma with a function word (ніж: knife, than); a guess may not.
        elif lemma in self._stop and not found.known and word_lists.NameKind.ABBREVIATION not in found.kinds:
            why = "stop word"
        if why:
            return found._replace(term=None, in_dictionary=False, why=why)
        if found.known and not found.in_dictionary and self._frequency(form) > 0:
            return found._replace(in_dictionary=True)
        return found

    def _is_meant_as_name(self, lemma: str, form: str, shape: Shape) -> bool:
        """Whether a word that may be a name or a common noun (Правда) is meant as the name."""
        nouns = (one for one in self._source.readings(form) if one.lemma == lemma and not one.kinds & PROPER)
        return shape in _NAMED or not any(nouns)
