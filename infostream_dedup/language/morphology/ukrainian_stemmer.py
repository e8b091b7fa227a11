"""A light stemmer for Ukrainian, which Snowball lacks: remove the longest ending, then level four alternations.

Written for this package. The endings are those of school grammar paradigms; which endings and alternations help was
decided on the forms of frequent words (wordfreq, zipf >= 3) grouped by lemma (pymorphy3):
``tests/text/test_ukrainian_stemmer.py`` measures it. Endings that mostly cut into real stems were left out: -ий after
-н- and -ов- is removed, but -ний and -овий are not; otherwise україну and стороні would lose their н, and голові its
ов.
"""

from __future__ import annotations

from typing import Final

from infostream_dedup.language.lexicon.spelling import APOSTROPHE

_NOUN: Final = "а у ю я о е є и і ї ь й ів їв ей ом ем єм ою ею єю ам ям ами ями ах ях"
_ADJECTIVE: Final = "ий ій ого ьому ому ього им ім ими іми их іх ої ьої ою ьою"
_PARTICIPLE: Final = "ий а е і ого ому им ими их у ої ою о"
"""After ``ован`` and ``ен``: організований, створено."""
_PAST: Final = "в ла ло ли ти ть тиме тиму тимуть"
"""After a theme vowel: читав, робити, працюватиме."""
_PRESENT: Final = "ю єш є єть ємо єте ють й йте"
"""After a theme vowel: читаю, працює, думай, займаєть(ся)."""
_VERB: Final = (
    "еш еть емо ете уть єш єть ємо єте ють иш имо ите їть ать ять нути нув нула нули неш немо нете нуть ла ло ли"
)


def _after(stems: str, endings: str) -> list[str]:
    return [stem + ending for stem in stems.split() for ending in endings.split()]


ENDINGS: Final = frozenset(
    [
        *f"{_NOUN} {_ADJECTIVE} {_VERB}".split(),
        *_after("ован ен", _PARTICIPLE),
        *_after("а я и і ува юва", _PAST),
        *_after("а я у ю", _PRESENT),
    ]
)
"""Endings that may be removed."""
_LONGEST: Final = max(map(len, ENDINGS))
_SHORTEST_STEM: Final = 3
_VOWELS: Final = frozenset("аеєиіїоуюя")
_REFLEXIVE: Final = ("ся", "сь")
_SHORTEST_REFLEXIVE: Final = 6
_FLEETING: Final = ("ец", "єц", "ок", "ек")
_LABIALS: Final = frozenset("бпвмф")


def stem_ukrainian(form: str) -> str:
    """Return roughly what the inflected forms of a Ukrainian word share.

    Args:
        form: a key form without hyphens; words in other scripts are returned unchanged.

    Returns:
        A string, often not a word; never empty unless the form is. An ending is removed only if at least 3 characters,
        including a vowel, remain.

    Example:
        >>> stem_ukrainian("можливість"), stem_ukrainian("можливостями")
        ('можливост', 'можливост')
    """
    if len(form) >= _SHORTEST_REFLEXIVE and form.endswith(_REFLEXIVE):
        form = form[:-2]
    return _levelled(_without_ending(form).rstrip(APOSTROPHE) or form)


def _without_ending(form: str) -> str:
    for size in range(min(_LONGEST, len(form) - _SHORTEST_STEM), 0, -1):
        if form[-size:] in ENDINGS and not _VOWELS.isdisjoint(form[:-size]):
            return form[:-size]
    return form


def _levelled(stem: str) -> str:
    """Return one spelling for stems whose last sounds change between cases or persons."""
    if len(stem) <= _SHORTEST_STEM:
        return stem[:-1] + "к" if stem[-1:] == "ц" else stem  # руці, року
    if stem[-1] == stem[-2]:
        stem = stem[:-1]  # знання, знань
    elif stem.endswith(_FLEETING):
        stem = stem[:-2] + stem[-1]  # будинок, будинку
    elif stem.endswith("іст") and len(stem) > _SHORTEST_STEM + 2:
        stem = stem[:-3] + "ост"  # кількість, кількості
    elif stem[-1] == "л" and stem[-2] in _LABIALS:
        stem = stem[:-1]  # роблю, робиш
    # українець, українці; році, року
    return stem[:-1] + "к" if stem[-1] == "ц" else stem
