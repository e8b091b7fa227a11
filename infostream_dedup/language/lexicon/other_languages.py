"""Recognise languages other than Russian, Ukrainian and English by letters and by their most frequent words.

The words are those of wordfreq (R. Speer, 2022), which covers about forty languages. A text counts as another language
only if that is clear: a wrong answer would separate it from its copies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

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
    """Return the ISO 639-1 code of a language given by three letters, if we know it.

    >>> short_code("deu"), short_code("de"), short_code("haw")
    ('de', 'de', 'haw')
    """
    return _SHORT.get(code, code)


def other_language(text: str) -> str | None:
    """Return the code of the language of a text if it is clearly not one of ours.

    >>> other_language("Der Bundestag hat am Freitag das Gesetz über die Renten mit den Stimmen der Koalition")
    'de'
    >>> other_language("The parliament passed the pension bill") is None
    True
    """
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
