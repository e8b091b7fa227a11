"""pymorphy3's readings of a form, reduced to what the choice of a term needs, and the lemmas of English nouns.

English has no morphological dictionary here. Rules reduce plurals and possessives if the singular is in our tables or
frequent enough compared with the plural; verbs and adjectives stay unchanged. A word that is mostly one of these is no
noun, unless our tables have it. Nouns are recognised by our tables, by their suffix, and by the forms in wordfreq: a
noun has a possessive (committee's) and a plural about as frequent as itself; a verb has a past tense (denied).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from infostream_dedup.language.lexicon.frequency import english_bases, form_frequencies, part_of_speech
from infostream_dedup.language.lexicon.tables import APOSTROPHE, read_words
from infostream_dedup.language.lexicon.word_lists import (
    NO_NAME,
    NameKind,
    concepts,
    excluded,
    is_agency,
    names,
    personal_names,
    stop_words,
)
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.model import OUR_LANGUAGES, Language

_KINDS: Final = {
    "Surn": NameKind.SURNAME, "Name": NameKind.FIRST_NAME, "Patr": NameKind.PATRONYMIC, "Geox": NameKind.PLACE,
    "Orgn": NameKind.ORGANISATION, "Abbr": NameKind.ABBREVIATION,
}  # fmt: skip
_DATIVE: Final = ("ові", "еві", "єві")  # Ukrainian datives, and plurals of adjectives: облікові
_SHORTEST_REST: Final = 3  # number of letters that a word must have after a known prefix, as in pymorphy3
_Marks = tuple[str, NameKind, bool, bool]
_Scored = tuple[float, str, _Marks]
_SCORE: Final = itemgetter(0)
_TO_KEY: Final = str.maketrans({"ё": "е", "'": APOSTROPHE})
"""Lemmas of pymorphy3 are already in lower case and composed."""


class WordReading(NamedTuple):
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
        self._prefixes = frozenset(prefix.replace("ё", "е") for prefix in prefixes)
        self._sizes = sorted(set(map(len, self._prefixes)))
        self._estimator: Any = self._analyzer.prob_estimator
        self._marked: dict[tuple[int, int], tuple[_Marks, str]] = {}

    def knows(self, form: str) -> bool:
        """Whether the dictionary contains the form, or every part of it between hyphens."""
        spelt = form.replace(APOSTROPHE, "'")
        if self._analyzer.word_is_known(spelt):
            return True
        return "-" in spelt and all(part and self._analyzer.word_is_known(part) for part in spelt.split("-"))

    def readings(self, form: str) -> list[WordReading]:
        """Return the dictionary's readings of a form, best first, also of a word after a known prefix (экс-министр)."""
        spelt = form.replace(APOSTROPHE, "'").lower()
        known = self._analyzer.dictionary.words.similar_items(spelt, self._analyzer.char_substitutes)
        if not known and not ("-" in form and self.knows(form)) and not self._has_known_prefix(form):
            return []
        merged: dict[tuple[str, _Marks], float] = {}
        for score, lemma, marks in self._scored(spelt, known):
            key = (lemma.translate(_TO_KEY), marks)
            merged[key] = merged.get(key, 0.0) + score
        found = [
            WordReading(lemma, part_of_speech, kinds, score, feminine, addressed)
            for (lemma, (part_of_speech, kinds, feminine, addressed)), score in merged.items()
        ]
        # Equal scores are ordered by lemma, as pymorphy3 guarantees no order among them.
        found = self._without_datives(form, found)
        found.sort(key=lambda reading: (-round(reading.score, 9), reading.lemma, reading.part_of_speech))
        return found

    def _scored(self, spelt: str, known: Sequence[tuple[str, Sequence[tuple[int, int]]]]) -> list[_Scored]:
        """Do as ``MorphAnalyzer.parse`` does, without objects for each parse of a word that the dictionary contains."""
        if not known:
            every = self._analyzer.parse(spelt)
            return [(one.score, one.normal_form, _marks(one.tag, self._language)) for one in every]
        dictionary, parses = self._analyzer.dictionary, list[_Scored]()
        for word, places in known:
            for place in places:
                if place not in self._marked:
                    tag = dictionary.build_tag_info(*place)
                    self._marked[place] = _marks(tag, self._language), str(tag)
                marks, tag = self._marked[place]
                score = self._estimator.p_t_given_w.prob(spelt, tag) if self._estimator else 1.0
                parses.append((score, dictionary.build_normal_form(*place, word), marks))
        if not any(score for score, _, _ in parses):
            return [(1.0 / len(parses), lemma, marks) for _, lemma, marks in parses]
        return sorted(parses, key=_SCORE, reverse=True)

    def nouns(self) -> Iterator[tuple[str, NameKind]]:
        """Yield lemma and kinds of every noun of the dictionary, which takes half a minute; a lemma may be repeated."""
        for _, tag, lemma, _, place in self._analyzer.dictionary.iter_known_words():
            # The first form of a paradigm is the lemma.
            if place == 0:
                part_of_speech, kinds, _, _ = _marks(tag, self._language)
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
        sizes = [size for size in self._sizes if form[:size] in self._prefixes and len(form) >= size + _SHORTEST_REST]
        return any(self.knows(form[size:]) for size in sizes)


@cache
def _marks(tag: Any, language: Language) -> _Marks:
    grammemes: Iterable[str] = tag.grammemes
    kinds = NO_NAME
    for name, kind in _KINDS.items():
        if name in grammemes:
            kinds |= kind
    addressed = "impr" in grammemes or (language == "uk" and "voct" in grammemes)
    return str(tag.POS or ""), kinds, "femn" in grammemes, addressed


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
        """Return the likeliest reading whose lemma our tables list as a name."""
        # At the start of a sentence, no name precedes a much more frequent function word: Досі is hardly ever Доха.
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


RULES: Final = 4  # version of the rules in this file, a cache key; increase it whenever an answer changes
_MOST_REMEMBERED: Final = 1 << 19
_HERE: Final = Path(__file__).parent
_IRREGULAR: Final = dict(pair.split(":") for pair in read_words(_HERE / "irregular_plurals.txt"))
_SAME_IN_PLURAL: Final = frozenset(read_words(_HERE / "same_in_plural.txt"))
_OTHER_WORDS: Final = frozenset(read_words(_HERE / "seldom_nouns.txt"))
_NOUN_ENDINGS: Final = tuple(
    """tion sion ment ness ity ism ist ship hood ance ence ancy ency logy graphy phobia cracy crat metry scope ette dom
    eer tude cide itis osis ware ery ology nomy wright smith graph gram""".split()
)
_OTHER_ENDINGS: Final = tuple("ly ous ful less able ible ish ed ing ize ise ify iest ward wise some".split())
_LONGEST_ABBREVIATION: Final = 6
_SHORTEST_NOUN: Final = 3
_SIBILANT: Final = ("xes", "ches", "shes", "sses", "zes", "oes")
_KEPT_S: Final = ("ss", "us", "is")
_LISTED: Final = 1e-4  # a word in our tables counts as much as a word with this share of the running words
_MONTH: Final = "march"  # the only month that is also a noun of our tables if written in lower case
_NOUN: Final = "NN"
_NUMBER: Final = "CD"
_SHARE_OF_PLURAL: Final = 0.1
_SHARE_OF_POSSESSIVE: Final = 1e-3
_SHARE_OF_OWN_PLURAL: Final = 0.3
_SHARE_OF_PAST: Final = 0.5
_COMMON: Final = 2e-6  # a more frequent word without any sign of a noun is not a noun


@lru_cache(maxsize=_MOST_REMEMBERED)
def lemma(form: str) -> str:
    """Return the singular of a noun or name without its possessive; other words as they are.

    >>> lemma("countries"), lemma("womenʼs"), lemma("series"), lemma("vice-presidents")
    ('country', 'woman', 'series', 'vice-president')
    """
    word = without_possessive(form)
    head, hyphen, last = word.rpartition("-")
    return f"{head}{hyphen}{_singular(last)}" if hyphen else _singular(word)


def noun_term(form: str, shape: Shape) -> str | None:
    """Return the lemma of a noun or of a proper name, the English term of the pivot space; ``None`` for other words."""
    return _noun_term(form, int(shape))


def is_listed_noun(word: str) -> bool:
    """Whether our tables have the word as an English common noun."""
    return word in _nouns()


def is_seldom_noun(term: str) -> bool:
    """Whether a noun of our tables is mostly a verb or an adjective (suspect): it is matched, but is no key term."""
    return is_listed_noun(term) and _is_other_word(term, term, capital=False)


def without_possessive(form: str) -> str:
    """Return a key form without the ending of a possessive."""
    return form.removesuffix(f"{APOSTROPHE}s").removesuffix(APOSTROPHE) or form


def _singular(word: str) -> str:
    irregular = _IRREGULAR.get(word)
    if irregular:
        return irregular
    if word.endswith("men") and len(word) > len("women") and _weight(word[:-2] + "an") > _weight(word):
        return word[:-2] + "an"
    if len(word) < 4 or not word.endswith("s") or word.endswith(_KEPT_S) or word in _SAME_IN_PLURAL:
        return word
    if word in names("en") and word[:-1] not in _nouns():
        return word
    best = max(_singulars(word), key=_weight)
    weight = _weight(best)
    return best if weight and weight >= _SHARE_OF_PLURAL * form_frequencies("en")(word) else word


def _singulars(word: str) -> tuple[str, ...]:
    """Candidates for the singular of a plural, likeliest first: ``max`` keeps the first of equals."""
    if word.endswith("ies"):
        return (word[:-3] + "y", word[:-1])
    if word.endswith(_SIBILANT):
        return (word[:-2], word[:-1])
    return (word[:-1],)


def _weight(word: str) -> float:
    return form_frequencies("en")(word) + (_LISTED if word in _nouns() else 0.0)


@lru_cache(maxsize=_MOST_REMEMBERED)
def _noun_term(form: str, shape: int) -> str | None:
    word = without_possessive(form)
    if len(word) < 2 or (not word[0].isascii() and word[0] > "\u024f") or word in excluded("en"):
        return None
    listed = names("en").get(word)
    if shape != Shape.LOWER and (
        word == _MONTH or (is_agency(word, "en") and part_of_speech(word) is None and word not in _nouns())
    ):
        return None
    if shape == Shape.UPPER and is_roman_numeral(word):
        return None
    if shape == Shape.UPPER and _is_abbreviation(word, listed is not None and NameKind.ABBREVIATION in listed.kinds):
        return word
    if word in stop_words("en") or form in stop_words("en"):
        return None
    singular = lemma(form)
    if singular in _excluded() or singular in stop_words("en"):
        return None
    if shape != Shape.LOWER and (listed or singular in names("en")):
        return singular
    return singular if _is_noun(word, singular, capital=shape == Shape.CAPITAL) else None


def _is_abbreviation(word: str, listed: bool) -> bool:
    """Whether capitals in mixed-case text are an abbreviation: it is listed, or it is short and not a common word."""
    if listed:
        return True
    common = word in _nouns() or form_frequencies("en")(word) >= _COMMON
    return len(word) <= _LONGEST_ABBREVIATION and word not in stop_words("en") and not common


def _is_noun(word: str, singular: str, *, capital: bool) -> bool:
    if is_seldom_noun(singular):
        return True
    if _is_other_word(word, singular, capital=capital):
        return False
    if singular in _nouns() or singular.rpartition("-")[2] in _nouns():
        return True
    frequency = form_frequencies("en")(singular)
    if capital and frequency < _COMMON:
        return True
    if singular in _OTHER_WORDS or singular.endswith(_OTHER_ENDINGS):
        return False
    if not capital and len(singular) < _SHORTEST_NOUN:
        return False
    if singular.endswith(_NOUN_ENDINGS):
        return True
    if singular != word or _has_possessive(singular, frequency):
        return not _is_verb(singular, frequency) or _has_possessive(singular, frequency)
    if _is_verb(singular, frequency):
        return False
    return frequency < _COMMON or form_frequencies("en")(f"{singular}s") / frequency >= _SHARE_OF_OWN_PLURAL


def _is_other_word(word: str, singular: str, *, capital: bool) -> bool:
    """Whether a word, or the last part of a compound, is mostly a verb, an adjective or a number."""
    first, hyphen, last = word.rpartition("-")
    if hyphen:
        head = first.partition("-")[0]
        numbered = (part_of_speech(head) or "").startswith(_NUMBER) or head in excluded("en")
        return numbered or _is_other_word(last, singular.rpartition("-")[2], capital=False)
    spellings = (word.capitalize(), word, singular) if capital else (word, singular, word.capitalize())
    return not next(filter(None, map(part_of_speech, spellings)), _NOUN).startswith(_NOUN)


def _has_possessive(word: str, frequency: float) -> bool:
    return form_frequencies("en")(f"{word}{APOSTROPHE}s") > _SHARE_OF_POSSESSIVE * frequency


def _is_verb(word: str, frequency: float) -> bool:
    past = word + "d" if word.endswith("e") else word[:-1] + "ied" if word.endswith("y") else word + "ed"
    return form_frequencies("en")(past) > _SHARE_OF_PAST * frequency


@cache
def _nouns() -> frozenset[str]:
    """Return the English single words of our table of nouns, and the last words of its phrases."""
    return frozenset(word.rpartition(" ")[2] for concept in concepts() for word in concept.words["en"])


@cache
def _excluded() -> frozenset[str]:
    """Words whose Russian equivalents are never key terms (calendar, units, reporting); so they never are, either."""
    out: set[str] = set()
    kept: set[str] = set()
    for concept in concepts():
        group = out if any(word in excluded("ru") for word in concept.words["ru"][:1]) else kept
        group.update(concept.words["en"])
    return frozenset((*map(lemma, out - kept), *excluded("en")))


# What a dictionary says of a word, and which words stand for one another

_CLASSES: Final = {  # of parts of speech, as OpenCorpora names them
    **dict.fromkeys(("VERB", "INFN", "GRND", "PRTS", "PRTF", "PRED"), "verb"),
    **dict.fromkeys(("ADJF", "ADJS", "COMP"), "adjective"),
    "NOUN": "noun",
    "NUMR": "number",
}
_TAG_CLASSES: Final = {"NN": "noun", "VB": "verb", "JJ": "adjective", "CD": "number"}


@lru_cache(1 << 14)
def classes(word: str, language: Language) -> frozenset[str]:
    """What a dictionary takes a word for: noun, verb, adjective or number."""
    if language == "en":
        tags = {(part_of_speech(word) or part_of_speech(word.capitalize()) or "")[:2]}
        tags |= {"VB"} if word.endswith(("ing", "ed")) and len(word) > _SHORTEST_REST + 1 else set()
        return frozenset(_TAG_CLASSES[tag] for tag in tags if tag in _TAG_CLASSES)
    found = readings_of(language).readings(word)
    return frozenset(_CLASSES[one.part_of_speech] for one in found if one.part_of_speech in _CLASSES)


@lru_cache(1 << 14)
def is_proper(word: str, language: Language) -> bool:
    """Whether a dictionary takes a capitalised word at the beginning of a sentence for a name."""
    if language == "en":
        return (part_of_speech(word) or "")[:3] == "NNP" and part_of_speech(word.lower()) is None
    found = readings_of(language).readings(word.lower())
    return bool(found) and all(one.kinds & PROPER for one in found)


@lru_cache(1 << 14)
def lemmas(word: str, language: Language) -> frozenset[str]:
    """Dictionary forms of a word."""
    if language == "en":
        return english_bases(word)
    return frozenset(one.lemma for one in readings_of(language).readings(word))


SYNONYMS_FILE: Final = Path(__file__).with_name("synonyms.txt")
"""Words that stand for one another, by hand: beginnings of lemmas, whole ones with a full stop; bars part opposites.

Lines with Latin and Cyrillic words are of all languages, and no report of one event has words of two parts: what one
sells another buys.
"""


def synonyms(x: str, y: str, language: Language) -> bool:
    """Whether two words stand in one line of the synonyms."""
    return not meanings(x, language).isdisjoint(meanings(y, language))


def opposites(x: str, y: str, language: Language) -> bool:
    """Whether two words stand in different parts of one line: opposites, or different things of one kind."""
    mine, its = ({one for one in _lines_of(word, language) if one < 0} for word in (x, y))
    lines = {one // PARTS for one in mine}.intersection(one // PARTS for one in its)
    return not lines.issubset(one // PARTS for one in mine & its)


@lru_cache(1 << 17)
def parts_of_lines(word: str, language: Language) -> tuple[int, ...]:
    """The parts of lines of all languages that a word stands in; divided by ``PARTS``, the lines."""
    # To look up a lemma takes a hundred times as long.
    known = word[:_SHORTEST_REST] in _heads()
    return tuple(line for line in _lines_of(word, language) if line < -_SHARED) if known else ()


@lru_cache(1 << 14)
def meanings(word: str, language: Language) -> frozenset[int]:
    """The lines of the synonyms that a word stands in; none in other languages."""
    return frozenset(line for line in _lines_of(word, language) if line >= 0)


@lru_cache(1 << 14)
def _lines_of(word: str, language: Language) -> frozenset[int]:
    """The lines that a word stands in, or, negative, the parts of lines with bars.

    What a short beginning leaves of a lemma is an ending: "end" is the beginning of no "endorse", "пом" of no "помил".
    """
    if language not in OUR_LANGUAGES:
        return frozenset()
    found = _lines_by_beginning()
    ending = 2 if language == "en" else 3
    bare = {one.removesuffix("ся") for one in (word, *lemmas(word, language))}
    ends = {
        (one, end) for one in bare for end in range(min(_SHORTEST_REST, len(one)), min(len(one), _LONGEST_LEMMA) + 1)
    }
    beginnings = {one[:end] for one, end in ends if len(one) - end <= ending or end >= _SURE} | {
        f"{one}." for one in bare
    }
    return frozenset(line for beginning in beginnings for line in found.get(beginning, ()))


PARTS: Final = 64  # most parts of a line
_OF_ALL: Final = re.compile("[a-z].*[а-я]")
_SHARED: Final = 1 << 20
_SURE: Final = 5  # letters of a beginning that any ending may follow
_LONGEST_LEMMA: Final = 24


@cache
def _heads() -> frozenset[str]:
    """How the words of lines of all languages begin."""
    found = _lines_by_beginning().items()
    return frozenset(word.rstrip(".")[:_SHORTEST_REST] for word, lines in found if min(lines) < -_SHARED)


@cache
def _lines_by_beginning() -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, line in enumerate(SYNONYMS_FILE.read_text(encoding="utf-8").splitlines()):
        last = -PARTS * number - 1 - (_SHARED if _OF_ALL.search(line) else 0)
        for part, words in enumerate(line.split("|")):
            for beginning in words.split():
                found.setdefault(beginning, []).append(last - part if "|" in line else number)
    return found
