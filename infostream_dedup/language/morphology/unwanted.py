"""Recognise Roman numerals and words run together; mend lemmas of compounds whose first part is in another case."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from infostream_dedup.language.morphology.readings import WordReading

_ROMAN: Final = re.compile(r"(?=[ivxіх]{2})[xх]{0,3}(?:[iі][xх]|[iі]?v|v?[iі]{0,3})")
"""Numbers up to 39, in Latin letters or in Cyrillic look-alikes."""

_SHORTEST_PART: Final = 5
_SHORTEST_HEAD: Final = 5
_COMMON_HEAD: Final = 1e-6
"""Minimum frequency of the first part's lemma; otherwise вице would count as a case of вица, and контр- as a case of
контра."""


def is_roman_numeral(form: str) -> bool:
    """Whether a form written in capitals is a number, or several numbers joined by hyphens.

    Example:
        >>> is_roman_numeral("xxi"), is_roman_numeral("ii-iii"), is_roman_numeral("цик")
        (True, True, False)
    """
    return all(map(_ROMAN.fullmatch, form.split("-")))


def is_run_together(form: str, is_frequent: Callable[[str], bool]) -> bool:
    """Whether bad scraping ran frequent words together, which would become the rarest and so the heaviest nouns.

    Accepting shorter or rarer parts would exclude too many names (Раджастан, Брентфорд).
    """
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
