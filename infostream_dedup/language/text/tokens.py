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
import unicodedata
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.text.normalise import APOSTROPHES, clean, fold

if TYPE_CHECKING:
    from numpy.typing import NDArray


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

    LOWER = 0
    """No capital first letter."""
    START = 1
    """A capital at the start of a sentence, which indicates nothing."""
    CAPITAL = 2
    """A capital first letter inside a sentence: a proper noun."""
    UPPER = 3
    """Two or more letters, all capitals: an abbreviation, or a headline."""


class Form(NamedTuple):
    """A normalised word."""

    form: str  # key form, 2 to 40 characters
    shape: Shape  # how it was capitalised


def surfaces(text: str) -> list[str]:
    """Return all words of a cleaned text in order; those that open a sentence begin with ``SENTENCE_MARK``.

    Example:
        >>> surfaces("Новый премьер-министр. «Киев рад», пишет В. Зеленский")
        ['¶Новый', 'премьер-министр', '¶Киев', 'рад', 'пишет', 'В', 'Зеленский']
    """
    return _WORD.findall(_OPENING.sub(f" {SENTENCE_MARK}", f"\n{text}"))


def forms(surface: str) -> tuple[Form, ...]:
    """Return the normalised words of a surface: usually one, several for glued words, none for junk.

    Words run together by bad scraping are split between a small Cyrillic letter and a capital, and between two scripts.
    A word with a capital and at most five small letters before the next capital is a name spelt this way (ПриватБанк)
    and stays whole. Latin words (YouTube) stay whole.

    Example:
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
        found.extend(Form(form, shape) for form in _TRIMMED.findall(fold(part)) if _is_token(form))
    return tuple(found)


def _simple_shape(word: str, *, opens: bool) -> Shape:
    """``_shape`` of a word of letters only."""
    if not word[0].isupper():
        return Shape.LOWER
    if word.isupper():
        return Shape.UPPER
    return Shape.START if opens else Shape.CAPITAL


def _is_token(form: str) -> bool:
    return len(form) <= LONGEST_FORM and len(_LETTER.findall(form)) >= SHORTEST_FORM


def _shape(word: str, *, opens: bool) -> Shape:
    letters = _LETTER.findall(word)
    if not letters or not letters[0].isupper():
        return Shape.LOWER
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return Shape.UPPER
    return Shape.START if opens else Shape.CAPITAL


def _unglued(word: str) -> list[str]:
    """Split a glued word; parts between hyphens are split separately, so that IT-компания stays one word."""
    if _ONE_WORD.fullmatch(word):
        return [word]
    return "-".join(map(_cut, word.split("-"))).split()


def _cut(part: str) -> str:
    """Insert blanks between glued words."""
    if not _CAMEL_NAME.match(part):
        part = _CAMEL.sub(" ", part)
    return " ".join(_BETWEEN_ALPHABETS.sub(" ", piece) if _is_mixed(piece) else piece for piece in part.split())


def _is_mixed(word: str) -> bool:
    """Whether a word still has letters of both alphabets when look-alike letters are repaired."""
    if _ONE_ALPHABET.fullmatch(word):
        return False
    folded = fold(word)
    return bool(_LATIN.search(folded) and _CYRILLIC.search(folded))


# Character classes for the scanner: the rules of `normalise` and `tokens` as a table of code points.
#
# The table is built on first use from the alphabets of the regular expressions and from Python's Unicode data, so
# that the scanner and the plain code cannot drift apart with a new version of Python.

CODE_POINTS: Final = 0x20000
"""Size of the table; texts with characters beyond it (rare Chinese ones) are left to the plain code."""

COMMON: Final = (*range(0x3000), *range(0xFE00, 0xFF00), *range(0x1F000, 0x1FB00))
"""Code points common in European news, including signs and pictographs. All others, such as Chinese characters, are
left to the plain code: to classify them would take each process a third of a second."""


class CharacterClass(IntEnum):
    """Kinds of characters. The order matters to the scanner: letters come first."""

    CAPITAL = 0
    """A letter that may open a sentence."""
    LETTER = 1
    """Any other letter."""
    OTHER = 2
    """Neither a letter, digit nor underscore; no effect on its neighbours."""
    HYPHEN = 3
    """Joins two letters."""
    FIGURE = 4
    """A digit or an underscore: ends a word; the sentence continues."""
    STOP = 5
    """A full stop."""
    OPENER = 6
    """Any other character after which a sentence begins."""
    APOSTROPHE = 7
    """Raw text only: becomes a letter between letters."""
    QUOTE = 8
    """Raw text only: a double quote, which some use as an apostrophe."""
    MARKUP = 9
    """Raw text only: may begin or be part of an address, an entity, a tag or a field."""
    INVISIBLE = 10
    """Raw text only: dropped, without effect between two characters that are not both letters."""
    UNCLEAN = 11
    """Raw text only: a character that cleaning changes, or may change together with its neighbours."""
    UNKNOWN = 12
    """Left to the plain code, as is any text with such a character."""


_MARKUP: Final = "&<%{@"


@cache
def classes_of_cleaned_text() -> NDArray[np.uint8]:
    """Kind of every code point in text that ``normalise.clean`` returned: uint8 (CODE_POINTS,)."""
    # Look up the numbers once, not for each of the hundred thousand characters: an enumeration is slow.
    capital, letter, other = map(int, (CharacterClass.CAPITAL, CharacterClass.LETTER, CharacterClass.OTHER))
    kinds = np.full(CODE_POINTS, CharacterClass.UNKNOWN, dtype=np.uint8)
    characters = [chr(point) for point in COMMON]
    kinds[[*COMMON]] = other
    kinds[[ord(one) for one in characters if one == "_" or one.isalnum()]] = CharacterClass.FIGURE
    words = surfaces("\n".join(characters))
    kinds[[ord(word[-1]) for word in words]] = [capital if word[0] == SENTENCE_MARK else letter for word in words]
    rest = np.flatnonzero(kinds == other)
    after = surfaces("".join(f"б {chr(point)}А," for point in rest.tolist()))[1::2]
    kinds[rest[_opening(after)]] = CharacterClass.OPENER
    # The expression for initials accepts some capitals that are not letters: a full stop after one is not an opener.
    after = surfaces("".join(f"б{chr(point)}. А," for point in rest.tolist()))[1::2]
    kinds[rest[~_opening(after)]] = CharacterClass.UNKNOWN
    kinds[ord(SENTENCE_MARK)] = CharacterClass.UNKNOWN
    kinds[ord("-")] = CharacterClass.HYPHEN
    kinds[ord(".")] = CharacterClass.STOP
    return kinds


def _opening(words: list[str]) -> NDArray[np.bool_]:
    return np.array([word[0] == SENTENCE_MARK for word in words], dtype=np.bool_)


@cache
def classes_of_raw_text() -> NDArray[np.uint8]:
    """Kind of every code point in any text: uint8 (CODE_POINTS,)."""
    kinds = classes_of_cleaned_text().copy()
    characters = [chr(point) for point in COMMON if point != ord("\n")]
    cleaned = clean("\n".join(characters)).split("\n")
    for one, after in zip(characters, cleaned, strict=True):
        if after != one or unicodedata.combining(one):
            marks = after or unicodedata.combining(one)
            kinds[ord(one)] = CharacterClass.UNCLEAN if marks else CharacterClass.INVISIBLE
    kinds[[point for point in composing() if kinds[point] != CharacterClass.UNKNOWN]] = CharacterClass.UNCLEAN
    for one in APOSTROPHES:
        kinds[ord(one)] = (
            CharacterClass.APOSTROPHE if kinds[ord(one)] == CharacterClass.OTHER else CharacterClass.UNCLEAN
        )
    kinds[[ord(one) for one in _MARKUP]] = CharacterClass.MARKUP
    kinds[ord('"')] = CharacterClass.QUOTE
    return kinds


@cache
def composing() -> list[int]:
    """Code points that may combine with the character before them."""
    parts = [found.split() for point in range(CODE_POINTS) if (found := unicodedata.decomposition(chr(point)))]
    second = {int(pair[1], 16) for pair in parts if len(pair) == 2 and not pair[0].startswith("<")}
    hangul = [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]
    return sorted(point for point in second.union(hangul) if point < CODE_POINTS)
