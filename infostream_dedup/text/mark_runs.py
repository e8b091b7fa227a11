"""Texts whose letters carry more marks than any script uses.

Composing a text first sorts its marks, which takes quadratic time in the length of a run of marks. Unicode's
stream-safe text format allows 30 consecutive marks (UAX 15, section 13).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

__all__ = ["MOST_MARKS", "with_bounded_marks"]

MOST_MARKS: Final = 30

_BASIC: Final = 0x10000

_SUSPECT: Final = re.compile(f"[^\x00-\u02ff\u0370-\u0482\u048a-\u0590]{{{MOST_MARKS + 1}}}")
"""A run of characters that are neither Latin, Greek nor Cyrillic: texts without one need no pattern of all marks."""


def with_bounded_marks(text: str) -> str:
    """Remove the marks after the thirtieth of each run."""
    if text.isascii() or not _SUSPECT.search(text):
        return text
    long_run = _long_run()
    return long_run.sub(_bounded, text) if long_run.search(text) else text


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
