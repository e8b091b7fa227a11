"""Slavic names in Latin letters and back.

There are a dozen ways to write Зеленський in Latin letters. ``latin_key`` is equal for all of them and for
the Cyrillic spellings; ``romanised`` returns those that occur in news.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice, product
from typing import Final

from infostream_dedup.language.lexicon.spelling import APOSTROPHE
from infostream_dedup.model import Language

_MOST_SPELLINGS: Final = 8

_CYRILLIC_KEY: Final = str.maketrans(
    {
        **dict.fromkeys("иіїыйь", "и"),
        **dict.fromkeys("эеєё", "е"),
        **dict.fromkeys("ъ" + APOSTROPHE, ""),
        "ь": "",
        "я": "а",
        "ю": "у",
        "ґ": "г",
        "щ": "ш",
    }
)
_LATIN_GROUPS: Final = {
    "shch": "ш",
    "sch": "ш",
    "tch": "ч",
    "sh": "ш",
    "ch": "ч",
    "zh": "ж",
    "kh": "х",
    "ts": "ц",
    "tz": "ц",
    "ck": "к",
    "ph": "ф",
    "th": "т",
    **dict(zip("abcdefghijklmnopqrstuvwxyz", "абкдефггииклмнопкрстуввхиз", strict=True)),
    "x": "кс",
}
_LATIN: Final = re.compile("|".join(sorted(_LATIN_GROUPS, key=len, reverse=True)))
_LATIN_LETTER: Final = re.compile("[a-z]")
_BEFORE_VOWEL: Final = re.compile("и+(?=[аеоу])")
_RUN: Final = re.compile(r"(.)\1*")

_ROMAN: Final[dict[Language, dict[str, tuple[str, ...]]]] = {
    "uk": dict(
        zip(
            "абвгґдезиіклмнопрстуфцчш",
            [(x,) for x in "a b v h g d e z y i k l m n o p r s t u f ts ch sh".split()],
            strict=True,
        )
    )
    | {
        "є": ("ie", "ye"),
        "ж": ("zh",),
        "ї": ("i", "yi"),
        "й": ("i", "y"),
        "х": ("kh",),
        "щ": ("shch",),
        "ю": ("iu", "yu"),
        "я": ("ia", "ya"),
        "ь": ("",),
        APOSTROPHE: ("",),
        "-": ("-",),
    },
    "ru": dict(
        zip(
            "абвгдезиклмнопрстуфцчшыэ",
            [(x,) for x in "a b v g d e z i k l m n o p r s t u f ts ch sh y e".split()],
            strict=True,
        )
    )
    | {
        "ж": ("zh",),
        "й": ("y", "i"),
        "х": ("kh",),
        "щ": ("shch",),
        "ю": ("yu", "iu"),
        "я": ("ya", "ia"),
        "ь": ("",),
        "ъ": ("",),
        APOSTROPHE: (APOSTROPHE,),
        "-": ("-",),
    },
}
_FIRST: Final[dict[Language, dict[str, tuple[str, ...]]]] = {
    "uk": {"є": ("ye",), "ї": ("yi",), "й": ("y",), "ю": ("yu",), "я": ("ya",)},
    "ru": {"е": ("e", "ye"), "й": ("y",), "ю": ("yu",), "я": ("ya",)},
}
_ENDINGS: Final[dict[Language, tuple[tuple[str, tuple[str, ...]], ...]]] = {
    "uk": (("ий", ("yi", "y", "yy", "iy")), ("ій", ("ii", "iy")), ("я", ("ia", "ya", "a"))),
    "ru": (("ий", ("y", "iy", "ii")), ("ый", ("y", "yi")), ("ия", ("ia", "iya")), ("ой", ("oy", "oi"))),
}
_VOWELS: Final = "аеиоуыэюяіїє"

_SLAVIC: Final = re.compile(
    "(?:enko|ov|ova|ev|eva|yev|iev|in|yn|sky|ski|skyi|skyy|skiy|skii|ska|skaya|chuk|iuk|yuk|ych|ich|ian|yan|vili|dze)$"
)
_BACK_IN_BOTH: Final = {
    "shch": "щ",
    "sh": "ш",
    "ch": "ч",
    "zh": "ж",
    "kh": "х",
    "ts": "ц",
    "ya": "я",
    "ia": "я",
    "yu": "ю",
    "iu": "ю",
    "x": "кс",
}
_BACK_GROUPS: Final[dict[Language, dict[str, str]]] = {
    "ru": {
        **dict(zip("abcdefghijklmnopqrstuvwyz", "абкдефггиджклмнопкрстуввиз".replace("дж", "й"), strict=True)),
        **_BACK_IN_BOTH,
        "ye": "е",
        "ie": "е",
        "yo": "е",
    },
    "uk": {
        **dict(zip("abcdefghijklmnopqrstuvwyz", "абкдефггійклмнопкрстуввиз", strict=True)),
        **_BACK_IN_BOTH,
        "ye": "є",
        "ie": "є",
        "yo": "йо",
    },
}
_BACK: Final = re.compile("shch|sh|ch|zh|kh|ts|ya|ia|yu|iu|ye|ie|yo|[a-z]")
_SKY: Final = re.compile("(s|ts|tz|z)k(?:yi|yy|iy|ii|yj|ij|y|i|aya|aia|a)$")
_BACK_SKY: Final[dict[Language, dict[str, str]]] = {
    "ru": {"s": "ский", "ts": "цкий", "tz": "цкий", "z": "зкий"},
    "uk": {"s": "ський", "ts": "цький", "tz": "цький", "z": "зький"},
}


def latin_key(name: str) -> str:
    """Return a key that all Cyrillic and Latin spellings of a name share.

    >>> {latin_key(name) for name in ("зеленский", "зеленський", "zelenskyy", "zelensky", "zelenskii")}
    {'зеленски'}
    """
    plain = unicodedata.normalize("NFD", name)
    if plain.isascii() or _LATIN_LETTER.search(plain):
        letters = "".join(char for char in plain if char.isascii())
        spelt = _LATIN.sub(lambda found: _LATIN_GROUPS[found[0]], letters)
    else:
        spelt = name.translate(_CYRILLIC_KEY)
    return _without_repeats(_BEFORE_VOWEL.sub("", _without_repeats(spelt)))


def _without_repeats(word: str) -> str:
    return "".join(_RUN.findall(word))


def romanised(name: str, language: Language) -> list[str]:
    """Return Latin spellings of a Cyrillic name, the official one first; empty if a letter has no equivalent.

    Example:
        >>> romanised("стефанчук", "uk")
        ['stefanchuk']
    """
    for ending, spellings in _ENDINGS[language]:
        if name.endswith(ending) and len(name) > len(ending) + 1:
            return _spell(name[: -len(ending)], language, spellings)
    return _spell(name, language, ("",))


def _spell(stem: str, language: Language, endings: tuple[str, ...]) -> list[str]:
    options = []
    for place, char in enumerate(stem):
        after_vowel = place > 0 and stem[place - 1] in _VOWELS
        of_char = _FIRST[language].get(char) if place == 0 or (after_vowel and char == "е") else None
        of_char = of_char or _ROMAN[language].get(char)
        if of_char is None:
            return []
        options.append(of_char)
    # Endings differ most, so they vary first.
    spelt = ("".join(letters) + ending for letters in product(*options) for ending in endings)
    return list(dict.fromkeys(islice(spelt, _MOST_SPELLINGS)))


def cyrillised(name: str, language: Language) -> str | None:
    """Return the Cyrillic spelling of a Slavic name in Latin letters; ``None`` if it does not look Slavic.

    Example:
        >>> cyrillised("brovdenko", "uk"), cyrillised("johnson", "ru")
        ('бровденко', None)
    """
    if not name.isascii() or not name.isalpha() or len(name) < 5 or not _SLAVIC.search(name):
        return None
    adjective = _SKY.search(name)
    stem, ending = (name[: adjective.start()], _BACK_SKY[language][adjective[1]]) if adjective else (name, "")
    return _BACK.sub(lambda found: _BACK_GROUPS[language][found[0]], stem) + ending
