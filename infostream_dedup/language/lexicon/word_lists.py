"""Word lists of this package, proper names, and words by which other languages are recognised.

The words of other languages are those of wordfreq (R. Speer, 2022), which covers about forty. A text counts as another
language only if that is clear: a wrong answer would separate it from its copies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import Flag, auto
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from infostream_dedup.language.lexicon.tables import (
    PackedParts,
    SortedLines,
    TableRow,
    dictionaries_folder,
    key_form,
    read_table,
    read_words,
)
from infostream_dedup.model import OUR_LANGUAGES, Language


class NameKind(Flag):
    """What a proper name denotes. A word may have several kinds."""

    SURNAME = auto()
    FIRST_NAME = auto()
    PATRONYMIC = auto()
    PLACE = auto()
    ORGANISATION = auto()
    ABBREVIATION = auto()

    def labels(self) -> tuple[str, ...]:
        """Return the names of the single kinds in lower case, in order of definition.

        >>> (NameKind.PLACE | NameKind.SURNAME).labels()
        ('surname', 'place')
        """
        return tuple(kind.name.lower() for kind in NameKind if kind in self and kind.name)


NO_NAME: Final = NameKind(0)
NAMES_FILE: Final = Path(__file__).with_name("personal_names.bin")
NAME_TABLES: Final[Mapping[str, NameKind]] = MappingProxyType(
    {
        "surnames.tsv": NameKind.SURNAME,
        "first_names.tsv": NameKind.FIRST_NAME,
        "places.tsv": NameKind.PLACE,
        "organisations.tsv": NameKind.ORGANISATION,
    }
)
"""Our tables, all with the columns ``ru uk en kind``."""

_MEDIA: Final = "media"
_MEDIA_ENDINGS: Final = ("news", "info", "tv")
_SHORTEST_MEDIUM: Final = 6


@dataclass(frozen=True, slots=True)
class Name:
    """A one-word name from our tables."""

    kinds: NameKind  # what it denotes
    place: str  # `file:line` of the first row that contains it


def variants(row: TableRow, language: Language) -> list[str]:
    """Return a row's spellings in one language, the canonical one first, case as written."""
    cell = row.cells[language]
    spellings = [variant.strip() for variant in cell.split("|")] if cell else []
    if "" in spellings:
        raise row.bad(language, f"{cell!r} contains an empty variant; expected names separated by '|'")
    return spellings


@cache
def name_rows(table: str) -> tuple[TableRow, ...]:
    """Return all rows of one of ``NAME_TABLES``."""
    rows = read_table(dictionaries_folder() / table, ("ru", "uk", "en", "kind"))
    for row in rows:
        if not (row.cells["ru"] or row.cells["uk"] or row.cells["en"]):
            raise row.bad("ru", "no name in any language; expected at least one")
    return tuple(rows)


@cache
def names(language: Language) -> Mapping[str, Name]:
    """Return the one-word names of our tables by key form."""
    found: dict[str, Name] = {}
    for table, kind in NAME_TABLES.items():
        for row in name_rows(table):
            for spelling in variants(row, language):
                if len(spelling.split()) > 1:
                    continue
                kinds = kind | NameKind.ABBREVIATION if len(spelling) > 1 and spelling.isupper() else kind
                key = key_form(spelling.strip('«»"“”'))
                known = found.get(key)
                found[key] = Name(known.kinds | kinds, known.place) if known else Name(kinds, f"{table}:{row.line}")
    return MappingProxyType(found)


def is_agency(word: str, language: Language) -> bool:
    """Whether a key form is the one-word name of a news agency or medium: a listed one, or Latin like ``nordnews``."""
    ending = len(word) >= _SHORTEST_MEDIUM and word.isascii() and word.endswith(_MEDIA_ENDINGS)
    return ending or word in _agencies(language)


@cache
def _agencies(language: Language) -> frozenset[str]:
    """One-word names of news agencies and media by key form, unless something else also has that name."""
    media: set[str] = set()
    others: set[str] = set()
    for table in NAME_TABLES:
        for row in name_rows(table):
            found = media if table == "organisations.tsv" and row.cells["kind"] == _MEDIA else others
            found.update(key_form(one.strip('«»"“”')) for one in variants(row, language) if " " not in one)
    return frozenset(media - others)


class PersonalNames(Set[str]):
    """Key forms of personal names of a language, each with its spellings in the other one."""

    def __init__(self, names: SortedLines, spellings: SortedLines) -> None:
        self.names = names
        self._spellings = spellings

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.names.place(name) >= 0

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def spellings(self, name: str) -> list[str]:
        """Return the spellings of a name in the other language; for a Ukrainian name, best first."""
        place = self.names.place(name)
        return [] if place < 0 else self._spellings[place].split(" ")

    @classmethod
    def _from_iterable(cls, names: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        return frozenset(names)


@cache
def personal_names(language: Language) -> PersonalNames:
    """Return the surnames and first names of names-translator: Ukrainian, their Russian spellings, no English."""
    if language == "en":
        return PersonalNames(SortedLines(b""), SortedLines(b""))
    parts = PackedParts(NAMES_FILE)
    return PersonalNames(SortedLines(parts.part(f"{language} names")), SortedLines(parts.part(f"{language} spellings")))


_SAMPLE: Final = 4000
_OPENING: Final = 1000  # number of characters in which most texts in our languages reveal their language
MOST_WORDS: Final = 100
WORDS_FILE: Final = Path(__file__).with_name("frequent_words.tsv")
_LIST: Final = 60  # number of most frequent words of a language; they make up about 40 % of running text
_FEWEST_WORDS: Final = 10
_SHARE: Final = 0.15  # share of a text's words that must be on the list of its language
_AHEAD: Final = 1.6  # factor by which words on it must outnumber words on the list of any of our languages
_FEWEST_LETTERS: Final = 12
_OF_ENGLISH: Final = (" of ", " to ", " and ", " in ")
_OF_RUSSIAN: Final = "ыэё"
_OF_UKRAINIAN: Final = "іїєґ"
_FOREIGN: Final = "ўјљњџћђѓќѕәғқңөұүһҷҳӣӯҗ"
_LATIN: Final = re.compile("[a-z\u00df-\u00f6\u00f8-\u024f\u1e00-\u1eff]")
_CYRILLIC: Final = re.compile("[\u0430-\u045f\u0490-\u052f]")
_WORD: Final = re.compile("[^\\W\\d_]+(?:['\u2019][^\\W\\d_]+)?")
_SCRIPTS: Final = {
    "el": "[\u0370-\u03ff\u1f00-\u1fff]",
    "hy": "[\u0530-\u058f]",
    "he": "[\u0590-\u05ff]",
    "ar": "[\u0600-\u06ff\u0750-\u077f]",
    "hi": "[\u0900-\u097f]",
    "bn": "[\u0980-\u09ff]",
    "ta": "[\u0b80-\u0bff]",
    "th": "[\u0e00-\u0e7f]",
    "ka": "[\u10a0-\u10ff]",
    "ko": "[\u1100-\u11ff\uac00-\ud7af]",
    "ja": "[\u3040-\u30ff]",
    "zh": "[\u4e00-\u9fff]",
}
"""Letters of a script, and the language that most news in it is written in."""

_CYRILLIC_LETTERS: Final = (
    ("be", "ў"), ("mk", "ѓќѕ"), ("sr", "јљњџћђ"), ("tt", "җ"), ("tg", "ҷҳӣӯ"), ("kk", "ұғқ"), ("ky", "ң"), ("mn", "өү"),
)  # fmt: skip
"""Cyrillic letters that only some languages have, the most distinctive first."""
_CYRILLIC_CODES: Final = {*dict(_CYRILLIC_LETTERS), *"bg ba cv ce os uz av ab kv udm sah rue cu".split()}
_DISTINCTIVE_SHARE: Final = 0.008
"""Minimum share of such letters among all letters; names from these languages stay below it."""

_LATIN_LISTS: Final = tuple("ca cs da de es fi fil fr hu id is it lt lv ms nb nl pl pt ro sh sk sl sv tr vi".split())
_LISTED: Final[Mapping[str, str]] = MappingProxyType(
    {"no": "nb", "nn": "nb", "hr": "sh", "bs": "sh", "sr": "sh", "tl": "fil"}
)
"""Names that wordfreq has for some languages."""


_SHORT: Final[Mapping[str, str]] = MappingProxyType(
    dict(
        pair.split(":")
        for pair in (
            "ara:ar aze:az bel:be bul:bg cat:ca ces:cs cze:cs dan:da deu:de ger:de ell:el gre:el epo:eo spa:es est:et "
            "eus:eu baq:eu fas:fa per:fa fin:fi fra:fr fre:fr gle:ga heb:he hin:hi hun:hu hye:hy arm:hy ind:id ita:it "
            "jpn:ja kat:ka geo:ka kaz:kk kor:ko lit:lt lav:lv mkd:mk mac:mk nob:nb nep:ne nld:nl dut:nl nor:no pol:pl "
            "por:pt ron:ro rum:ro slk:sk slo:sk slv:sl srp:sr sot:st swe:sv tam:ta tur:tr yid:yi zho:zh chi:zh"
        ).split()
    )
)
"""ISO 639-2 codes of some languages, and their ISO 639-1 codes."""


def short_code(code: str) -> str:
    """Return the ISO 639-1 code of a language given by three letters, if we know it."""
    return _SHORT.get(code, code)


def other_language(text: str) -> str | None:
    """Return the code of the language of a text if it is clearly not one of ours."""
    if _shows_our_language(text[:_OPENING]):
        return None
    sample = text[:_SAMPLE].lower()
    latin, cyrillic = len(_LATIN.findall(sample)), len(_CYRILLIC.findall(sample))
    if max(latin, cyrillic) < _FEWEST_LETTERS or not sample.isascii():
        script = _other_script(sample, latin + cyrillic)
        if script is not None:
            return script
    if max(latin, cyrillic) < _FEWEST_LETTERS:
        return None
    return _by_words(sample, _LATIN_LISTS) if latin > 2 * cyrillic else _cyrillic_language(sample, cyrillic)


def is_belied(code: str, text: str) -> bool:
    """Whether the words of a text show that it is in one of our languages, not in the one that its label names.

    >>> is_belied("de", "The parliament passed the bill on pensions by 60 votes to 12, the speaker said in a note")
    True
    """
    sample = text[:_SAMPLE].lower()
    words = _WORD.findall(sample)
    if len(words) < _FEWEST_WORDS:
        return False
    is_latin = len(_LATIN.findall(sample)) > len(_CYRILLIC.findall(sample))
    ours = _share(words, "en") if is_latin else max(_share(words, "ru"), _share(words, "uk"))
    # Nothing is known of the words of these languages, and some of them are also ours.
    if not is_latin and code in _CYRILLIC_CODES and not _listed_words(code):
        return False
    return ours >= max(_SHARE, _AHEAD * _share(words, code))


def _shows_our_language(opening: str) -> bool:
    """Whether a text is so clearly in one of our languages that nothing needs counting."""
    if " the " in opening and any(word in opening for word in _OF_ENGLISH):
        return True
    distinctive = any(letter in opening for letter in _OF_RUSSIAN) or any(letter in opening for letter in _OF_UKRAINIAN)
    return distinctive and not any(letter in opening for letter in _FOREIGN)


def _other_script(sample: str, ours: int) -> str | None:
    """Return the language by the script of most letters, if that is neither Latin nor Cyrillic."""
    counts = {language: len(re.findall(letters, sample)) for language, letters in _SCRIPTS.items()}
    if sum(counts.values()) < max(_FEWEST_LETTERS, ours):
        return None
    if counts["ja"] * 10 > counts["zh"] > 0:
        return "ja"
    found = max(counts, key=counts.__getitem__)
    return (_by_words(sample, ("ar", "fa", "ur")) or "ar") if found == "ar" else found


def _cyrillic_language(sample: str, letters: int) -> str | None:
    if "ў" in sample and sample.count("ў") > sample.count("и"):
        return "be"
    for language, distinctive in _CYRILLIC_LETTERS[1:]:
        if sum(map(sample.count, distinctive)) > _DISTINCTIVE_SHARE * letters:
            return language
    return _by_words(sample, ("bg", "mk"))


def _by_words(sample: str, languages: tuple[str, ...]) -> str | None:
    """Return the language whose frequent words clearly outnumber those of our languages and of any other."""
    words = _WORD.findall(sample)
    if len(words) < _FEWEST_WORDS:
        return None
    ours = max(_share(words, language) for language in ("en", "ru", "uk"))
    if ours >= 1 / _AHEAD * 0.6:
        return None
    shares = {language: _share(words, language) for language in languages}
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= max(_SHARE, _AHEAD * ours) else None


def _share(words: list[str], language: str) -> float:
    listed = _listed_words(language)
    return sum(word in listed for word in words) / len(words)


@cache
def _listed_words(language: str) -> frozenset[str]:
    return frozenset(most_frequent_words(language, _LIST))


def most_frequent_words(language: str, number: int) -> tuple[str, ...]:
    """Return at most ``MOST_WORDS`` of the most frequent words of a language, made of letters."""
    return _lists().get(_LISTED.get(language, language), ())[:number]


@cache
def _lists() -> dict[str, tuple[str, ...]]:
    lines = WORDS_FILE.read_text(encoding="utf-8").splitlines()
    return {language: tuple(words.split(" ")) for language, words in (line.split("\t") for line in lines)}


_STOP_WORDS: Final = 100
NEGATIONS: Final = frozenset(
    "не ни нет нельзя без никто ничего никогда ні немає нема неможливо ніхто нічого ніколи no not never nobody"
    " nothing without cannot neither nor donʼt doesnʼt didnʼt wonʼt canʼt isnʼt arenʼt wasnʼt werenʼt hasnʼt havenʼt"
    " hadnʼt wouldnʼt couldnʼt shouldnʼt refused refuses failed fails declined declines отказался отказалась"
    " отказались отказалось відмовився відмовилася відмовилась відмовилися відмовились".split()
)
"""Key forms of words that deny what follows."""


@dataclass(frozen=True, slots=True)
class ListedWord:
    """A word's entry in a table."""

    lemma: str  # correct lemma; empty if the form is not a noun
    why: str  # reason in a few words
    place: str  # `file:line` of the entry


@cache
def stop_words(language: str) -> frozenset[str]:
    """Key forms of function words and the like; for other languages than ours, the hundred most frequent words."""
    if language not in OUR_LANGUAGES:
        return frozenset(map(key_form, most_frequent_words(language, _STOP_WORDS)))
    return frozenset(map(key_form, read_words(dictionaries_folder() / f"stop_{language}.txt")))


@cache
def excluded(language: Language) -> Mapping[str, ListedWord]:
    """Return, by key form, lemmas of nouns that are never key terms: calendar, units, reporting formulas."""
    return _read_listed_words("excluded.tsv", ("language", "word", "why"), language)


@cache
def repairs(language: Language) -> Mapping[str, ListedWord]:
    """Return, by key form, forms that the morphological dictionary gets wrong, with lemmas, empty for no noun."""
    return _read_listed_words("repairs.tsv", ("language", "word", "lemma", "why"), language)


@cache
def added_nouns(language: Language) -> Mapping[str, ListedWord]:
    """Return, by key form, lemmas of common nouns that pymorphy3 does not know yet."""
    return _read_listed_words("nouns.tsv", ("language", "word", "why"), language)


@cache
def translated_names(language: Language) -> Mapping[str, ListedWord]:
    """Return, by key form, nouns that are translated as nouns even if they are written as names."""
    return _read_listed_words("translated_names.tsv", ("language", "word", "why"), language)


def _read_listed_words(file: str, columns: tuple[str, ...], language: Language) -> Mapping[str, ListedWord]:
    found: dict[str, ListedWord] = {}
    for row in read_table(dictionaries_folder() / file, columns):
        listed = row.cells["language"]
        if listed not in OUR_LANGUAGES:
            raise row.bad("language", f"{listed!r}; expected one of {', '.join(OUR_LANGUAGES)}")
        if listed != language:
            continue
        key = key_form(row.cells["word"])
        if not key:
            raise row.bad("word", "empty; expected a word")
        if key in found:
            raise row.bad("word", f"{row.cells['word']!r} is already in {found[key].place}; expected it once")
        lemma = key_form(row.cells["lemma"]) if "lemma" in columns else key
        found[key] = ListedWord(lemma, row.cells["why"], f"{row.file}:{row.line}")
    return MappingProxyType(found)


# Hand-written tables for translation: concepts in three languages, false friends, words never to answer with


@dataclass(frozen=True, slots=True)
class Concept:
    """One row of ``translations.tsv``."""

    # key forms by language, the most common first; includes phrases of several words
    words: Mapping[Language, tuple[str, ...]]
    part_of_speech: str  # `noun` or `adj` (an adjective used as a noun)
    source: str  # origin of the row; `own` for this project
    place: str  # `file:line` of the row


@dataclass(frozen=True, slots=True)
class FalseFriend:
    """One row of ``false_friends.tsv``, in key forms."""

    ru: str  # Russian word
    uk: str  # Ukrainian word that looks like it
    right_uk: tuple[str, ...]  # Ukrainian translations of the Russian word
    is_wrong: bool  # True if `uk` is never a translation, False if it is one of several


@cache
def concepts() -> tuple[Concept, ...]:
    """Return all rows of ``translations.tsv`` in order, roughly from the most frequent down."""
    rows = read_table(dictionaries_folder() / "translations.tsv", (*OUR_LANGUAGES, "pos", "source"))
    return tuple(
        Concept(
            {one: tuple(dict.fromkeys(map(key_form, variants(row, one)))) for one in OUR_LANGUAGES},
            row.cells["pos"],
            row.cells["source"],
            f"{row.file}:{row.line}",
        )
        for row in rows
    )


@cache
def false_friends() -> tuple[FalseFriend, ...]:
    """Return all rows of ``false_friends.tsv``."""
    found = []
    for row in read_table(dictionaries_folder() / "false_friends.tsv", ("ru", "uk", "right_uk", "meaning")):
        ru, uk = key_form(row.cells["ru"]), key_form(row.cells["uk"])
        right = tuple(key_form(word.strip()) for word in row.cells["right_uk"].split("|"))
        if not (ru and uk and all(right)):
            raise row.bad("right_uk", "an empty word; expected words in the first three columns")
        found.append(FalseFriend(ru, uk, right, uk not in right))
    return tuple(found)


@cache
def blocked(language: Language) -> frozenset[str]:
    """Return the key forms that must never be translated or given as a translation: slurs and obscenities."""
    rows = read_table(dictionaries_folder() / "blocklist.tsv", ("language", "word", "why"))
    return frozenset(key_form(row.cells["word"]) for row in rows if row.cells["language"] == language)


# Words that turn what is said round, and those that say it

AUXILIARIES: Final = frozenset(
    "be is was are were to will do does did has have had a an the any can could may able managed бы б и й і та может"
    " могут смог смогла смогло смогли сумел сумели удалось може можуть зміг змогла змогло змогли вдалося".split()
)

NEGATIVE_PREFIXES: Final = ("не", "без", "бес", "un", "in", "im", "il", "ir", "dis", "non")

NEVER_NEGATED: Final = frozenset(
    "только лише тільки менее менш менше позднее пізніше ранее раніше more less later fewer only until один раз"
    " хуже".split()
)

DENIALS: Final = (
    *("опроверг", "опроверж", "спростув", "спростов", "вымыс", "вигад", "недостоверн", "недостовірн", "неправд"),
    *("брехн", "брехл", "дезинф", "дезінф", "неподтвержд", "непідтвердж", "debunk", "untrue", "hoax", "denies"),
    *("denied", "denying", "denial", "refut", "disinform", "misinform", "unconfirm", "действительности", "дійсності"),
)

REJECTIONS: Final = tuple("отверг отриц заперечу заперечи відкину dismiss reject disput".split())
"""Beginnings of words that deny only in the place of a statement; elsewhere a bill or a goal may be rejected."""

DENYING: Final = (*DENIALS, *REJECTIONS)

REFUSED: Final = tuple((word,) for word in "of entry access bail entrance admission permission visas".split())
"""Words after "denied", "denial" that say what is refused: a denial of service."""

RUMOURS: Final = ("слух", "чутк", "rumo")

MEDIA: Final = tuple(
    "сообщ переда пиш цитир ссыл данны фото видео источник редак корр автор повід дани відео джерел кор according"
    " report wrote photo video source via reuters".split()
)
"""Beginnings of words near the name of whoever reports."""

SPEAKING: Final = tuple("заяв рассказ уточн отмет слов розпов зазнач said says told".split())

STATING: Final = (*SPEAKING, *"сообщ подтверд подтвержд объяв анонс повідом підтверд оголос confirm announc".split())
"""Beginnings of verbs that say something is so; a denial in the place of one turns the news round."""

INTERROGATIVES: Final = frozenset(
    "как что где куда откуда почему зачем кто кого кому когда сколько какой какая какие какое чем чей"
    " як що де куди звідки чому навіщо хто коли скільки який яка які яке чи"
    " how what where why who whom whose when which".split()
)

CONJUNCTIONS: Final = frozenset("и й і та або или and or с з із зі with".split())
