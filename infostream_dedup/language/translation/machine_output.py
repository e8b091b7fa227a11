"""Turn the output of a translation model into terms.

A model always writes something. Given a single word without context it may copy the word, repeat a syllable, change the
alphabet, or explain in several words; none of that is an equivalent.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.lexicon.word_lists import stop_words
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.text.normalise import clean, fold
from infostream_dedup.language.text.tokens import SENTENCE_MARK, forms, surfaces

if TYPE_CHECKING:
    from infostream_dedup.model import Language

_LONGEST_RATIO: Final = 3
_LONG: Final = 16  # output up to this length is never too long: уряд is правительство, дім is building
_UNKNOWN: Final = ("⁇", "<unk>")
_ARTICLES: Final = ("the", "a", "an")
# One to three letters three times in a row, four or more twice: тетете, законзакон; not кускус.
_STUTTER: Final = re.compile("(.{1,3})\\1\\1|(.{4,})-?\\2", re.DOTALL)
_FOREIGN: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile(f"[A-Za-zіїєґ{APOSTROPHE}]"),
    "uk": re.compile("[A-Za-zыэъ]"),
    "en": re.compile("[\u0400-\u052f]"),
}


def phrase_of(output: str, term: str, target: Language) -> str | None:
    """Return the words of an output in their case without punctuation and article; ``None`` for no translation."""
    if any(mark in output for mark in _UNKNOWN):
        return None
    words = [surface.removeprefix(SENTENCE_MARK) for surface in surfaces(clean(output))]
    if target == "en" and len(words) > 1 and words[0].lower() in _ARTICLES:
        del words[0]
    phrase = " ".join(words)
    folded = " ".join(map(fold, words))
    if not words or folded == term or len(phrase) > max(_LONG, _LONGEST_RATIO * len(term)):
        return None
    if _STUTTER.search(folded) or _FOREIGN[target].search(folded) or len(set(words)) < len(words):
        return None
    return phrase


def single_term(output: str, term: str, target: Language) -> str | None:
    """Return the term in an output, or ``None`` if there is none.

    Example:
        >>> single_term("The Government.", "уряд", "en")
        'government'
    """
    phrase = phrase_of(output, term, target)
    if phrase is None or " " in phrase:
        return None
    found = forms(SENTENCE_MARK + phrase)
    if len(found) != 1:
        return None
    form, shape = found[0]
    if target == "en":
        return None if form in stop_words("en") else form
    result = _morphology(target).noun_term(form, shape)
    return None if result == term else result


@cache
def _morphology(language: Language) -> Morphology:
    return Morphology(language)
