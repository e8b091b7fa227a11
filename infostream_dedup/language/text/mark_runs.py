"""Texts whose letters carry more marks than any script uses.

Composing a text first sorts its marks, which takes quadratic time in the length of a run of marks. Unicode's
stream-safe text format allows 30 consecutive marks (UAX 15, section 13).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

MOST_MARKS: Final = 30

_BASIC: Final = 0x10000

_SUSPECT: Final = re.compile("[^\x00-\u02ff\u0370-\u0482\u048a-\u0590]")
"""A character that is neither Latin, Greek nor Cyrillic: texts without a run of them need no pattern of all marks."""
_SUSPECTS: Final = re.compile(f"{_SUSPECT.pattern}{{{MOST_MARKS + 1}}}")


def with_bounded_marks(text: str) -> str:
    """Remove the marks after the thirtieth of each run."""
    if text.isascii() or not _may_have_long_run(text):
        return text
    long_run = _long_run()
    return long_run.sub(_bounded, text) if long_run.search(text) else text


def _may_have_long_run(text: str) -> bool:
    """Whether a text has a run of ``MOST_MARKS`` + 1 suspects; one character in so many is in such a run."""
    step = MOST_MARKS + 1
    places = (step * hit.start() for hit in _SUSPECT.finditer(text[::step]))
    return any(_SUSPECTS.search(text, max(place - MOST_MARKS, 0), place + step) for place in places)


@cache
def _long_run() -> re.Pattern[str]:
    """Build a pattern for runs of too many marks, by the data with which Python composes.

    Beyond U+FFFF it matches any characters, for speed.
    """
    marks = "".join(map(re.escape, filter(_is_mark, map(chr, range(0x80, _BASIC)))))
    return re.compile(f"[{marks}\U00010000-\U0010ffff]{{{MOST_MARKS + 1},}}")


def _is_mark(character: str) -> bool:
    """Whether a character is sorted with other marks; a few are not marks themselves but consist of marks."""
    return bool(unicodedata.combining(unicodedata.normalize("NFD", character)[0]))


def _bounded(run: re.Match[str]) -> str:
    kept, marks = [], 0
    for character in run[0]:
        marks = marks + 1 if _is_mark(character) else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)
