"""Slavic names in Latin letters and back, and names transcribed by sound (Johnson and Джонсон).

There are a dozen ways to write Зеленський in Latin letters. ``latin_key`` is equal for all of them and for
the Cyrillic spellings; ``romanised`` returns those that occur in news.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from itertools import chain, islice, product
from math import log10
from operator import itemgetter
from pathlib import Path
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.tables import APOSTROPHE, read_words
from infostream_dedup.language.lexicon.word_lists import names, personal_names
from infostream_dedup.language.morphology.readings import readings_of
from infostream_dedup.language.translation import target_lexicon
from infostream_dedup.model import Language

_MOST_SPELLINGS: Final = 8


def _table(text: str) -> dict[str, tuple[str, ...]]:
    """Read what each group of letters may become: ``є:ie,ye ь:``."""
    parts = (one.partition(":") for one in text.split())
    return {group: tuple(spellings.split(",")) for group, _, spellings in parts}


def _single(text: str) -> dict[str, str]:
    return {group: spelt for group, (spelt,) in _table(text).items()}


_CYRILLIC_KEY: Final = str.maketrans("иіїыйэеєёяюґщ", "иииииееееаугш", "ъь" + APOSTROPHE)
_LATIN_GROUPS: Final = {
    **_single("shch:ш sch:ш tch:ч sh:ш ch:ч zh:ж kh:х ts:ц tz:ц ck:к ph:ф th:т"),
    **dict(zip("abcdefghijklmnopqrstuvwxyz", "абкдефггииклмнопкрстуввхиз", strict=True)),
    "x": "кс",
}
_LATIN: Final = re.compile("|".join(sorted(_LATIN_GROUPS, key=len, reverse=True)))
_LATIN_LETTER: Final = re.compile("[a-z]")
_BEFORE_VOWEL: Final = re.compile("и+(?=[аеоу])")
_REPEATED: Final = re.compile(r"(.)\1+")
_ONCE: Final = itemgetter(1)  # in place of a template, which takes longer than the search
_ROMAN: Final[dict[Language, dict[str, tuple[str, ...]]]] = {
    "uk": _table(
        "а:a б:b в:v г:h ґ:g д:d е:e з:z и:y і:i к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f ц:ts ч:ch ш:sh є:ie,ye"
        f" ж:zh ї:i,yi й:i,y х:kh щ:shch ю:iu,yu я:ia,ya ь: {APOSTROPHE}: -:-"
    ),
    "ru": _table(
        "а:a б:b в:v г:g д:d е:e з:z и:i к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f ц:ts ч:ch ш:sh ы:y э:e ж:zh й:y,i"
        f" х:kh щ:shch ю:yu,iu я:ya,ia ь: ъ: {APOSTROPHE}:{APOSTROPHE} -:-"
    ),
}
_FIRST: Final[dict[Language, dict[str, tuple[str, ...]]]] = {
    "uk": _table("є:ye ї:yi й:y ю:yu я:ya"),
    "ru": _table("е:e,ye й:y ю:yu я:ya"),
}
_ENDINGS: Final[dict[Language, dict[str, tuple[str, ...]]]] = {
    "uk": _table("ий:yi,y,yy,iy ій:ii,iy я:ia,ya,a"),
    "ru": _table("ий:y,iy,ii ый:y,yi ия:ia,iya ой:oy,oi"),
}
_VOWELS: Final = "аеиоуыэюяіїє"
_SLAVIC: Final = re.compile(
    "(?:enko|ov|ova|ev|eva|yev|iev|in|yn|sky|ski|skyi|skyy|skiy|skii|ska|skaya|chuk|iuk|yuk|ych|ich|ian|yan|vili|dze)$"
)
_BACK_IN_BOTH: Final = _single("shch:щ sh:ш ch:ч zh:ж kh:х ts:ц ya:я ia:я yu:ю iu:ю x:кс")
_BACK_GROUPS: Final[dict[str, dict[str, str]]] = {
    language: dict(zip("abcdefghijklmnopqrstuvwyz", letters, strict=True)) | _BACK_IN_BOTH | _single(others)
    for language, letters, others in (
        ("ru", "абкдефггийклмнопкрстуввиз", "ye:е ie:е yo:е"),
        ("uk", "абкдефггійклмнопкрстуввиз", "ye:є ie:є yo:йо"),
    )
}
_BACK: Final = re.compile("shch|sh|ch|zh|kh|ts|ya|ia|yu|iu|ye|ie|yo|[a-z]")
_SKY: Final = re.compile("(s|ts|tz|z)k(?:yi|yy|iy|ii|yj|ij|y|i|aya|aia|a)$")
_BACK_SKY: Final[dict[Language, dict[str, str]]] = {
    "ru": _single("s:ский ts:цкий tz:цкий z:зкий"),
    "uk": _single("s:ський ts:цький tz:цький z:зький"),
}


def latin_key(name: str) -> str:
    """Return a key that all Cyrillic and Latin spellings of a name share."""
    plain = unicodedata.normalize("NFD", name)
    if plain.isascii() or _LATIN_LETTER.search(plain):
        letters = "".join(char for char in plain if char.isascii())
        spelt = _LATIN.sub(lambda found: _LATIN_GROUPS[found[0]], letters)
    else:
        spelt = name.translate(_CYRILLIC_KEY)
    return without_equal(_BEFORE_VOWEL.sub("", spelt))


def romanised(name: str, language: Language) -> list[str]:
    """Return Latin spellings of a Cyrillic name, the official one first; empty if a letter has no equivalent."""
    stem, endings = _without_ending(name, _ENDINGS[language])
    options = []
    for place, char in enumerate(stem):
        after_vowel = place > 0 and stem[place - 1] in _VOWELS
        of_char = _FIRST[language].get(char) if place == 0 or (after_vowel and char == "е") else None
        of_char = of_char or _ROMAN[language].get(char)
        if of_char is None:
            return []
        options.append(of_char)
    return _spelt(options, endings, _MOST_SPELLINGS)


_MUTE_LATIN: Final = str.maketrans("", "", "aeiouyh" + APOSTROPHE)
_HARD_LETTERS: Final = {
    language: str.maketrans({one: spelt[0].translate(_MUTE_LATIN) for one, spelt in letters.items()})
    for language, letters in _ROMAN.items()
}


def sound_keys(word: str, language: Language) -> list[str]:
    """Return keys of which a Cyrillic name shares one with every Latin word found by ``romanised`` or by its sound."""
    if language == "en":
        return [word.translate(_MUTE_LATIN), *latin_consonants(folded_latin(word))]
    return [word.translate(_HARD_LETTERS[language]), cyrillic_consonants(folded_cyrillic(word))]


def _without_ending(name: str, endings: Mapping[str, tuple[str, ...]]) -> tuple[str, tuple[str, ...]]:
    """The name without the first of these endings that it has, and what the ending may become."""
    for ending, others in endings.items():
        if name.endswith(ending) and len(name) > len(ending) + 1:
            return name[: -len(ending)], others
    return name, ("",)


def _spelt(options: Sequence[tuple[str, ...]], endings: tuple[str, ...], most: int) -> list[str]:
    # Endings differ most, so they vary first.
    spelt = ("".join(letters) + ending for letters in product(*options) for ending in endings)
    return list(dict.fromkeys(islice(spelt, most)))


def cyrillised(name: str, language: Language) -> str | None:
    """Return the Cyrillic spelling of a Slavic name in Latin letters; ``None`` if it does not look Slavic."""
    if not name.isascii() or not name.isalpha() or len(name) < 5 or not _SLAVIC.search(name):
        return None
    adjective = _SKY.search(name)
    stem, ending = (name[: adjective.start()], _BACK_SKY[language][adjective[1]]) if adjective else (name, "")
    return _BACK.sub(lambda found: _BACK_GROUPS[language][found[0]], stem) + ending


# Transcription of Latin names in Cyrillic letters: Johnson is Джонсон, Schröder is Шрёдер.
#
# The spelling of a Latin name does not determine its pronunciation, so pairs of words are compared instead: each
# group of Latin letters may correspond to several Cyrillic ones, and unusual readings cost more. A key of consonants
# finds the words worth comparing.

IMPOSSIBLE: Final = 99.0
_FOLD: Final = str.maketrans("іїыйэєёґяющ", "ииииееегауш", "ьъ-" + APOSTROPHE)


def _groups() -> dict[str, tuple[tuple[str, float], ...]]:
    found = {}
    for line in read_words(Path(__file__).with_name("transcription.txt")):
        group, *options = line.split()
        parts = (option.partition(".") for option in options)
        found[group] = tuple((sound.replace("-", ""), float("0." + (cost or "0"))) for sound, _, cost in parts)
    return found


_GROUPS: Final = _groups()
_ROUNDING: Final = 1e-6
_SILENT_E: Final = ("", 0.0)  # at the end of a word
_FIRST_SOUNDS: Final = {
    letter: "".join(
        sorted({sound[0] for group, sounds in _GROUPS.items() if group[0] == letter for sound, _ in sounds if sound})
    )
    for letter in "abcdefghijklmnopqrstuvwxyz"
}
_MUTE: Final = ("h", "gh")
_LONGEST: Final = max(map(len, _GROUPS))
_CONSONANTS: Final = _table(
    "sch:S,SK tch:S sh:S ch:S,,K zh:S kh: ph:F th:T,S gh: ck:K dg:S kn:N wr:R ts:S tz:S ce:SA ci:SA cy:SA ge:A,SA"
    " gi:A,SA gy:A,SA a:A e:A i:A o:A u:A y:A c:K j:S, x:KS,S b:B d:D f:F k:K l:L m:M n:N p:P r:R t:T s:S z:S q:K"
)
_LATIN_LETTERS: Final = re.compile("|".join(sorted(_CONSONANTS, key=len, reverse=True)))
_IN_GROUPS: Final = re.compile("|".join(g for g, sounds in _CONSONANTS.items() if len(g) > 1 or len(sounds) > 1))
_ONE_BY_ONE: Final = str.maketrans({one: _CONSONANTS.get(one, ("",))[0] for one in "abcdefghijklmnopqrstuvwxyz"})
"""For words without such a group, which are most of the quarter of a million indexed."""

_CYRILLIC_CONSONANTS: Final = str.maketrans("бдфклмнпртсзцжшчаеиоу", "BDFKLMNPRTSSSSSSAAAAA", "вхг")
_MUTE_E: Final = re.compile("(?<=[bdfklmnprstvz])e(?=[bcdfgklmnpqrstvz]|$)")
_MOST_KEYS: Final = 8
_FOLDED: Final = 1 << 14  # of the words in use, which many names are compared with


@lru_cache(_FOLDED)
def folded_cyrillic(word: str) -> str:
    """Rewrite a Russian or Ukrainian key form in letters that both languages share, for the functions below."""
    return without_equal(word.translate(_FOLD).replace("дж", "ж").replace("тч", "ч"))


@lru_cache(_FOLDED)
def folded_latin(word: str) -> str:
    """Remove diacritics, hyphens and doubled letters from a Latin key form."""
    if word.isascii() and word.isalpha() and word.islower():
        return without_equal(word)
    return without_equal("".join(char for char in unicodedata.normalize("NFD", word) if "a" <= char <= "z"))


def without_equal(word: str) -> str:
    """Remove repetitions of a letter."""
    return _REPEATED.sub(_ONCE, word)


def transcription_cost(latin: str, cyrillic: str, *, limit: float = IMPOSSIBLE) -> float:
    """Return the cost of reading one word as the other: 0 for the usual reading, ``IMPOSSIBLE`` if there is none."""
    bound = limit + _ROUNDING
    reached: list[dict[int, float]] = [{} for _ in range(len(latin) + 1)]
    reached[0][0] = 0.0
    for start, places in enumerate(reached[:-1]):
        if not places:
            continue
        for end in range(start + 1, min(start + _LONGEST, len(latin)) + 1):
            onto, sounds = reached[end], _GROUPS.get(latin[start:end], ())
            for sound, cost in (*sounds, _SILENT_E) if latin[start:] == "e" else sounds:
                for place, before in places.items():
                    total, next_place = before + cost, place + len(sound)
                    if total <= bound and cyrillic.startswith(sound, place) and total < onto.get(next_place, bound + 1):
                        onto[next_place] = total
    return round(reached[-1].get(len(cyrillic), IMPOSSIBLE), 3)


def cyrillic_consonants(folded: str) -> str:
    """Return the consonant classes of a folded Cyrillic word, ``A`` for vowels, without в, х and г, often silent."""
    return _merge_sounds(folded.translate(_CYRILLIC_CONSONANTS))


def latin_consonants(folded: str) -> list[str]:
    """Return the consonant classes of a folded Latin word, for each reading of ambiguous groups of letters."""
    # One silent vowel at a time: names with two are rare, and every further key slows the search.
    spellings = [folded, *(folded[: e.start()] + folded[e.end() :] for e in _MUTE_E.finditer(folded))]
    found: dict[str, None] = {}
    for spelt in spellings:
        if not _IN_GROUPS.search(spelt):
            found[_merge_sounds(spelt.translate(_ONE_BY_ONE))] = None
            continue
        options = [_CONSONANTS[group] for group in _LATIN_LETTERS.findall(spelt)]
        for key in islice(product(*options), _MOST_KEYS):
            found[_merge_sounds("".join(key))] = None
    return list(found)


def _merge_sounds(key: str) -> str:
    """Merge doubled sounds, and treat тс like ц: Робертсон has a т before its с, ц has none."""
    return without_equal(key).replace("TS", "S")


# Regular spellings of Russian names in Ukrainian and of Ukrainian names in Russian

_MOST_NAME_SPELLINGS: Final = 16
_HISSING: Final = "жчшщц"
_NAME_ENDINGS: Final[dict[Language, dict[str, tuple[str, ...]]]] = {
    "ru": _table(
        "ский:ський цкий:цький зкий:зький ской:ський,ськой ый:ий ой:ой,ий ик:ик,ік ич:ич ыч:ич ец:ець арь:ар рь:р ия:ія"
    ),
    "uk": _table(
        "ський:ский цький:цкий зький:зкий ий:ый,ий,ой ій:ий,ей ик:ик,ык ич:ич ець:ец ів:ов,ив їв:ев,ив єв:ев ія:ия"
    ),
}
_LETTER_GROUPS: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile("ъе|ье|ъя|ья|ью|ьи|ий|."),
    "uk": re.compile(f"{APOSTROPHE}[яюєї]|ьо|йо|."),
}
_LETTERS: Final[dict[Language, dict[str, tuple[str, ...]]]] = {
    "ru": _table(
        f"ы:и э:е ъ:{APOSTROPHE} ъе:{APOSTROPHE}є ье:{APOSTROPHE}є,ьє ъя:{APOSTROPHE}я ья:{APOSTROPHE}я,ья"
        f" ью:{APOSTROPHE}ю,ью ьи:{APOSTROPHE}ї,ьї и:і,и ий:ий,ій е:е,є"
    ),
    "uk": _table(
        f"и:и,ы і:и ї:и є:е е:е,э ґ:г ьо:е,ьо йо:е,йо {APOSTROPHE}я:ья,ъя {APOSTROPHE}ю:ью {APOSTROPHE}є:ье,ъе"
        f" {APOSTROPHE}ї:ьи"
    ),
}


def respelt(name: str, source: Language) -> list[str]:
    """Return spellings in the other of the two languages, the most regular first."""
    stem, endings = _without_ending(name, _NAME_ENDINGS[source])
    groups = _LETTER_GROUPS[source].findall(stem)
    options = [_options(groups, place, source) for place in range(len(groups))]
    return _spelt(options, endings, _MOST_NAME_SPELLINGS)


def _options(groups: list[str], place: int, source: Language) -> tuple[str, ...]:
    group = groups[place]
    before = groups[place - 1][-1] if place else ""
    if source == "ru":
        if group == "и" and before in _VOWELS and before:
            return ("ї",)
        if group == "и" and before in _HISSING and before:
            return ("и",)
        if group == "и" and place == 0:
            return ("і",)
        if group == "е" and (place == 0 or before in _VOWELS):
            return ("є",)
    elif group == "е" and place == 0:
        return ("э", "е")
    elif group == "йо" and place == 0:
        return ("йо", "е")
    return _LETTERS[source].get(group, (group,))


_DEAREST: Final = 0.5
_PER_LETTER: Final = 0.06
_SHORTEST_SOUND_ALIKE: Final = 5
_FARTHEST: Final = 0.9
_PER_COST: Final = 8.0  # a cost of 1 outweighs this many powers of ten in frequency
_RAREST: Final = 1e-9
_DEARER: Final = 1.0
_MOST: Final = 3
_FEWEST_CONSONANTS: Final = 2
_MOST_CANDIDATES: Final = 16
_SILENT: Final = 4  # Latin letters that may be missing in Cyrillic
_EXTRA: Final = 1  # Cyrillic letters that may be missing in Latin


def western_names(terms: Sequence[str], source: Language, target: Language) -> list[list[str]]:
    """Find at most three spellings of each name in the other alphabet, best first."""
    candidates = [_candidates(term, source, target, dearest=_DEAREST, per_letter=_PER_LETTER) for term in terms]
    known = target_lexicon.are_names((word for found in candidates for word in found), target)
    best = [_best(found, known, target)[:_MOST] for found in candidates]
    common = {word for word in dict.fromkeys(chain.from_iterable(best)) if target_lexicon.is_common_noun(word, target)}
    return [[word for word in words if word not in common] for words in best]


def sound_alikes(terms: Sequence[str], source: Language, target: Language) -> list[list[str]]:
    """Find at most one name that each term can be read as, if the term may be a name."""
    candidates = [
        _candidates(term, source, target, dearest=_FARTHEST, per_letter=_FARTHEST)
        if len(term) >= _SHORTEST_SOUND_ALIKE and target_lexicon.may_be_name(term, source)
        else {}
        for term in terms
    ]
    known = target_lexicon.are_names((word for found in candidates for word in found), target)
    return [_best(found, known, target)[:1] for found in candidates]


def _candidates(
    term: str, source: Language, target: Language, *, dearest: float, per_letter: float
) -> dict[str, float]:
    folded = folded_latin(term) if source == "en" else folded_cyrillic(term)
    keys = latin_consonants(folded) if source == "en" else [cyrillic_consonants(folded)]
    words = names_by_consonants(target)
    limit = min(dearest, per_letter * len(folded))
    found: dict[str, float] = {}
    for key in (one for one in keys if len(one) - one.count("A") >= _FEWEST_CONSONANTS):
        for word in islice(words.of(key, lambda word: _is_alike(*_pair(word, folded, source))), _MOST_CANDIDATES):
            cost = transcription_cost(*_pair(word, folded, source), limit=limit)
            if cost <= limit:
                found[word] = cost
    return found


def _pair(word: str, folded: str, source: Language) -> tuple[str, str]:
    return (folded, folded_cyrillic(word)) if source == "en" else (folded_latin(word), folded)


def _is_alike(latin: str, cyrillic: str) -> bool:
    """Whether lengths and first letters fit: comparing all letters is slow."""
    begin_alike = cyrillic[:1] in _FIRST_SOUNDS.get(latin[:1], "") or latin.startswith(_MUTE)
    return begin_alike and -_EXTRA <= len(latin) - len(cyrillic) <= _SILENT


def _best(found: Mapping[str, float], known: Set[str], target: Language) -> list[str]:
    """Rank words in use by cost and rarity: Johnson before Jonson, which is closer to Джонсон but rare."""
    frequency = form_frequencies(target)
    ordered = sorted(
        (cost * _PER_COST - log10(frequency(word) + _RAREST), word) for word, cost in found.items() if word in known
    )
    return [word for rank, word in ordered if rank <= ordered[0][0] + _DEARER]


@cache
def names_by_consonants(language: Language) -> target_lexicon.WordsByKey:
    """Return the index of possible names by their consonants."""

    def places() -> Iterator[int]:
        is_possible = _possible_names(language)
        return (place for word, place in target_lexicon.places_of_words(language).items() if is_possible(word))

    def keys_of(word: str) -> Sequence[str]:
        return sound_keys(word, language)[1:]

    return target_lexicon.words_by_key("names by sound", language, keys_of, places)


def _possible_names(language: Language) -> Callable[[str], bool]:
    """Return a function that says whether a word may be a name."""
    if language == "en":
        return lambda word: target_lexicon.may_be_name(word, "en")
    knows = readings_of(language).knows
    listed = names(language).keys() | personal_names(language) | set(target_lexicon.noun_lemmas(language).names)
    return lambda word: word in listed or not knows(word)
