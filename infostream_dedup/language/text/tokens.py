"""Split a text into words, in two steps: surfaces (fast, per text) and forms (careful, once per distinct surface).

A *letter* is a character for which ``str.isalnum`` is true, except decimal digits (Unicode Nd). A *word* is a run of
letters, or several such runs joined by single hyphens (U+002D). Letters include the apostrophe U+02BC, which
``clean`` puts inside words. Digits and underscores are not letters: they end a word.

A *capital* is a character of A-Z, À-Þ without ×, U+0100-017F, U+0386-03AB, U+0400-042F, U+0460-052F (blocks that
alternate capitals and small letters are included whole, which does no harm: a small letter is LOWER everywhere).

An *opener* is ``.`` ``!`` ``?`` ``…`` ``:`` line feed, carriage return, or the beginning of the text; a full stop
directly after a single capital (the initial in "В. Зеленский") is not an opener. A word *opens a sentence* if it begins
with a capital and, going back from it, an opener comes before any letter, digit or underscore. Its surface is the word
with ``SENTENCE_MARK`` in front; every other surface is the word itself. So the surface alone determines its forms, and
a scanner of UTF-8 bytes only needs one flag and the length of the last word to do the same.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final, NamedTuple

from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.text.normalise import fold

SENTENCE_MARK: Final = "¶"
SHORTEST_FORM: Final = 2
LONGEST_FORM: Final = 40
_LONGEST_SURFACE: Final = 1000
"""Maximum number of characters of a word; a longer token is not even several words run together."""

_CAPITAL: Final = "A-ZÀ-ÖØ-Þ\u0100-\u017f\u0386-\u03ab\u0400-\u042f\u0460-\u052f"
_OPENING: Final = re.compile(f"[.!?…:\\n\\r](?<!\\b[{_CAPITAL}]\\.)[^\\w.!?…:\\n\\r]*+(?=[{_CAPITAL}])")
_WORD: Final = re.compile(f"{SENTENCE_MARK}?[^\\W\\d_]+(?:-[^\\W\\d_]+)*")
_SMALL: Final = "а-яёђ-џѓґіїєў"
_LARGE: Final = "А-ЯЁЂ-ЏҐІЇЄЎ"
_PART: Final = f"(?:[{_LARGE}]?[{_SMALL}]+|[A-Za-z]+)"
_ONE_WORD: Final = re.compile(f"{_PART}(?:-{_PART})*")
_CAMEL: Final = re.compile(f"(?<=[{_SMALL}])(?=[{_LARGE}A-Z])|(?<=[a-z])(?=[{_LARGE}])")

# ПриватБанк, ТикТок, МолдГРЭС are names spelt this way; УкраиныВладимир is two words.
_CAMEL_NAME: Final = re.compile(f"[{_LARGE}][{_SMALL}]{{1,5}}(?=[{_LARGE}])")
_CYRILLIC: Final = re.compile("[\u0400-\u052f]")
_LATIN: Final = re.compile("[A-Za-z]")
_BETWEEN_ALPHABETS: Final = re.compile("(?<=[\u0400-\u052f])(?=[A-Za-z])|(?<=[A-Za-z])(?=[\u0400-\u052f])")
_ONE_ALPHABET: Final = re.compile("[А-Яа-яЁёЄєІіЇїҐґ-]+|[\\x00-\\x7f]+")
"""What no folding mixes with letters of another alphabet: most pieces of glued words."""

_LETTER: Final = re.compile(f"[^\\W\\d_{APOSTROPHE}]")

# Folding may turn one letter into several characters, and leave apostrophes at the ends.
_SIMPLE: Final = re.compile(
    f"[А-Яа-яЁёЄєІіЇїҐґ]{{{SHORTEST_FORM},{LONGEST_FORM}}}|[A-Za-z]{{{SHORTEST_FORM},{LONGEST_FORM}}}"
)
"""Words of letters that nothing but their case changes: most parts of glued words."""

_GLUED: Final = re.compile("(?:[А-ЯЁЄІЇҐ][а-яёєіїґ]{6,}|[а-яёєіїґ]+)(?:[А-ЯЁЄІЇҐ][а-яёєіїґ]+)+")
"""Words of such letters alone that nothing but capitals separates; shorter first parts may belong to names."""

_GLUED_PART: Final = re.compile("[А-ЯЁЄІЇҐ]?[а-яёєіїґ]+")
_TRIMMED: Final = re.compile(f"{_LETTER.pattern}+(?:[{APOSTROPHE}-]{_LETTER.pattern}+)*")


class Shape(IntEnum):
    """What the capitals of a word indicate, in a text that is not all in capitals."""

    LOWER = 0  # no capital first letter
    START = 1  # a capital at the start of a sentence, which indicates nothing
    CAPITAL = 2  # a capital first letter inside a sentence: a proper noun
    UPPER = 3  # two or more letters, all capitals: an abbreviation, or a headline


class Form(NamedTuple):
    """A normalised word."""

    form: str  # key form, 2 to 40 characters
    shape: Shape  # how it was capitalised


def surfaces(text: str) -> list[str]:
    """Return all words of a cleaned text in order; those that open a sentence begin with ``SENTENCE_MARK``.

    >>> surfaces("Новый премьер-министр. «Киев рад», пишет В. Зеленский")
    ['¶Новый', 'премьер-министр', '¶Киев', 'рад', 'пишет', 'В', 'Зеленский']
    """
    return _WORD.findall(_OPENING.sub(f" {SENTENCE_MARK}", f"\n{text}"))


def forms(surface: str) -> tuple[Form, ...]:
    """Return the normalised words of a surface: usually one, several for glued words, none for junk.

    Words run together by bad scraping are split between a small Cyrillic letter and a capital, and between two scripts.
    A word with a capital and at most five small letters before the next capital is a name spelt this way (ПриватБанк)
    and stays whole. Latin words (YouTube) stay whole.

    >>> [form.form for form in forms("пишетАгора")]
    ['пишет', 'агора']
    """
    word = surface.removeprefix(SENTENCE_MARK)
    if len(word) > _LONGEST_SURFACE:
        return ()
    opens = word != surface
    if _SIMPLE.fullmatch(word) and _ONE_WORD.fullmatch(word):
        return (Form(word.casefold().replace("ё", "е"), _simple_shape(word, opens=opens)),)
    found: list[Form] = []
    # Two in five glued words of news are of this kind, and need no look at every boundary.
    parts = _GLUED_PART.findall(word) if _GLUED.fullmatch(word) else _unglued(word)
    for number, part in enumerate(parts):
        opening = opens and number == 0
        if _SIMPLE.fullmatch(part):
            found.append(Form(part.casefold().replace("ё", "е"), _simple_shape(part, opens=opening)))
            continue
        shape = _shape(part, opens=opening)
        words = _TRIMMED.findall(fold(part))
        kept = (one for one in words if len(one) <= LONGEST_FORM and len(_LETTER.findall(one)) >= SHORTEST_FORM)
        found.extend(Form(form, shape) for form in kept)
    return tuple(found)


def _simple_shape(word: str, *, opens: bool) -> Shape:
    """``_shape`` of a word of letters only."""
    if not word[0].isupper():
        return Shape.LOWER
    if word.isupper():
        return Shape.UPPER
    return Shape.START if opens else Shape.CAPITAL


def _shape(word: str, *, opens: bool) -> Shape:
    letters = _LETTER.findall(word)
    if not letters or not letters[0].isupper():
        return Shape.LOWER
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return Shape.UPPER
    return Shape.START if opens else Shape.CAPITAL


def _unglued(word: str) -> list[str]:
    """Split a glued word; parts between hyphens are split separately, so that IT-компания stays one word."""
    return [word] if _ONE_WORD.fullmatch(word) else "-".join(map(_cut, word.split("-"))).split()


def _cut(part: str) -> str:
    if not _CAMEL_NAME.match(part):
        part = _CAMEL.sub(" ", part)
    return " ".join(_BETWEEN_ALPHABETS.sub(" ", piece) if _is_mixed(piece) else piece for piece in part.split())


def _is_mixed(word: str) -> bool:
    """Whether a word still has letters of both alphabets when look-alike letters are repaired."""
    if _ONE_ALPHABET.fullmatch(word):
        return False
    folded = fold(word)
    return bool(_LATIN.search(folded) and _CYRILLIC.search(folded))
