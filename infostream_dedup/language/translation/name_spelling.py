"""Regular spellings of Russian names in Ukrainian and of Ukrainian names in Russian."""

from __future__ import annotations

import re
from itertools import islice, product
from typing import Final

from infostream_dedup.language.lexicon.spelling import APOSTROPHE
from infostream_dedup.model import Language

_MOST_SPELLINGS: Final = 16
_VOWELS: Final = "аеиоуыэюяіїє"
_HISSING: Final = "жчшщц"

_ENDINGS: Final[dict[Language, tuple[tuple[str, tuple[str, ...]], ...]]] = {
    "ru": (
        ("ский", ("ський",)),
        ("цкий", ("цький",)),
        ("зкий", ("зький",)),
        ("ской", ("ський", "ськой")),
        ("ый", ("ий",)),
        ("ой", ("ой", "ий")),
        ("ик", ("ик", "ік")),
        ("ич", ("ич",)),
        ("ыч", ("ич",)),
        ("ец", ("ець",)),
        ("арь", ("ар",)),
        ("рь", ("р",)),
        ("ия", ("ія",)),
    ),
    "uk": (
        ("ський", ("ский",)),
        ("цький", ("цкий",)),
        ("зький", ("зкий",)),
        ("ий", ("ый", "ий", "ой")),
        ("ій", ("ий", "ей")),
        ("ик", ("ик", "ык")),
        ("ич", ("ич",)),
        ("ець", ("ец",)),
        ("ів", ("ов", "ив")),
        ("їв", ("ев", "ив")),
        ("єв", ("ев",)),
        ("ія", ("ия",)),
    ),
}
_GROUPS: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile("ъе|ье|ъя|ья|ью|ьи|ий|."),
    "uk": re.compile(f"{APOSTROPHE}[яюєї]|ьо|йо|."),
}
_LETTERS: Final[dict[Language, dict[str, tuple[str, ...]]]] = {
    "ru": {
        "ы": ("и",),
        "э": ("е",),
        "ъ": (APOSTROPHE,),
        "ъе": (APOSTROPHE + "є",),
        "ье": (APOSTROPHE + "є", "ьє"),
        "ъя": (APOSTROPHE + "я",),
        "ья": (APOSTROPHE + "я", "ья"),
        "ью": (APOSTROPHE + "ю", "ью"),
        "ьи": (APOSTROPHE + "ї", "ьї"),
        "и": ("і", "и"),
        "ий": ("ий", "ій"),
        "е": ("е", "є"),
    },
    "uk": {
        "и": ("и", "ы"),
        "і": ("и",),
        "ї": ("и",),
        "є": ("е",),
        "е": ("е", "э"),
        "ґ": ("г",),
        "ьо": ("е", "ьо"),
        "йо": ("е", "йо"),
        APOSTROPHE + "я": ("ья", "ъя"),
        APOSTROPHE + "ю": ("ью",),
        APOSTROPHE + "є": ("ье", "ъе"),
        APOSTROPHE + "ї": ("ьи",),
    },
}


def respelt(name: str, source: Language) -> list[str]:
    """Return spellings in the other of the two languages, the most regular first.

    Example:
        >>> respelt("рыжов", "ru"), respelt("гладкий", "ru")[0]
        (['рижов'], 'гладкий')
    """
    stem = name
    endings: tuple[str, ...] = ("",)
    for ending, others in _ENDINGS[source]:
        if name.endswith(ending) and len(name) > len(ending) + 1:
            stem, endings = name[: -len(ending)], others
            break
    groups = _GROUPS[source].findall(stem)
    options = [_options(groups, place, source) for place in range(len(groups))]
    spelt = ("".join(letters) + ending for letters in product(*options) for ending in endings)
    return list(dict.fromkeys(islice(spelt, _MOST_SPELLINGS)))


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
