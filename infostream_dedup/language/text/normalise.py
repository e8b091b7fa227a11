"""Normalise raw text so that it can be compared: one spelling for every word.

``clean`` works on whole texts and keeps case, punctuation and line breaks; ``fold`` returns the key form of one word.
Positions in cleaned text differ from positions in the raw text: callers that need spans of the raw text search it
(``text.sentences``). Lists of characters are written out, because the answers of ``unicodedata`` change with the
version of Python.
"""

from __future__ import annotations

import html
import re
import string
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Final

from infostream_dedup.language.lexicon.tables import APOSTROPHE, key_form

# Texts whose letters carry more marks than any script uses.
#
# Composing a text first sorts its marks, which takes quadratic time in the length of a run of marks. Unicode's
# stream-safe text format allows 30 consecutive marks (UAX 15, section 13).

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
    """A pattern for runs of too many marks, by the data with which Python composes; beyond U+FFFF of anything."""
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


APOSTROPHES: Final = "'’ʼ`´‘‛ʹ′ʻˈꞌ＇"  # every character typed as an apostrophe inside a word
INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff9-\ufffb"
)
"""Soft hyphen, joiners, fillers, zero-width and bidirectional marks, variation selectors, byte order mark: ranges of a
pattern."""

FAR_INVISIBLE: Final = "\U0001d173-\U0001d17a\U000e0000-\U000e007f\U000e0100-\U000e01ef"
"""Those beyond U+FFFF, which would make patterns twice as slow: marks of music, tags, further variation selectors."""

MARKS: Final = "\u0300-\u036f"  # combining marks of European scripts, as a range of a pattern

# A letter of Russian or Ukrainian with a stress mark that Unicode composes into a letter of another language.
_STRESSED: Final = "\u0400\u0403\u040c\u040d\u0450\u0453\u045c\u045d"
_UNSTRESSED: Final = str.maketrans(_STRESSED, "ЕГКИегки")
_UNUSUAL: Final = re.compile("[^\x00-\x7f\xa0«»А-Яа-яЁёЄєІіЇїҐґ–—…“”„’№]")
"""Texts without these characters, as most are, hold no marks and no hyphens that need a second look."""

_RARE: Final = re.compile(f"[{INVISIBLE}{MARKS}{_STRESSED}]")
_INVISIBLES: Final = re.compile(f"[{INVISIBLE}]+")
_FAR_INVISIBLES: Final = re.compile(f"[{FAR_INVISIBLE}]+")

# A hyphen at the end of a line, before the small letter with which the next one begins.
_HYPHENATED: Final = re.compile("[-\u00ad](?<=[A-Za-zА-Яа-яЁёЄєІіЇїҐґ].)\r?\n(?=[a-zа-яёєіїґ])")
_MARKED: Final = re.compile(f"[{MARKS}{_STRESSED}]")

# A Cyrillic letter, marks that turn it into another letter (й, ї), then the stress.
_STRESS: Final = re.compile("([\u0400-\u052f][\u0302-\u036f]*)[\u0300\u0301]+")
_LEFT_OVER: Final = re.compile(f"[{MARKS}]+")
_CONSONANT: Final = "бвгґджзклмнпрстфхшщБВГҐДЖЗКЛМНПРСТФХШЩ"

# Begins with a class of letters, to which a search can skip; ignoring case, it would try every position and take ten
# times as long.
URL: Final = re.compile(
    "[FHWfhw](?:(?<=[Hh])[Tt][Tt][Pp][Ss]?://|(?<=[Ff])[Tt][Pp]://|(?<=[Ww])[Ww][Ww]\\.)[!#-;=?-~]*[A-Za-z0-9/#=_-]"
)
"""A web address."""

# Up to the last letter or digit of the run, so that the full stop of the sentence stays.
_EMAIL_CHARACTER: Final = "[A-Za-z0-9._%+-]"
_EMAIL: Final = re.compile(
    f"(?<!{_EMAIL_CHARACTER}){_EMAIL_CHARACTER}*[A-Za-z0-9]@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+"
    f"(?:{_EMAIL_CHARACTER}*[A-Za-z0-9])?"
)
_EMAIL_CHARACTERS: Final = frozenset(f"{string.ascii_letters}{string.digits}._%+-")
_ENTITY: Final = re.compile("&(?:amp;)*(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")

# Groups are not possessive: before 3.11.5, Python matched such groups wrongly (python/cpython issue 106052).
# In place, soft hyphens fill up what an address in an attribute becomes.
_GAP: Final = "[\\s\u00ad]"
_ATTRIBUTE: Final = (
    f"{_GAP}++[A-Za-z_:@][A-Za-z0-9_:.-]*+(?:{_GAP}*=(?:{_GAP}*(?:\"[^\"<]*+\"|'[^'<]*+')|[^\\s\"'<>`\u00ad]*+))?"
)

# Without a value (<b and c>), attributes may be words of the text.
_REST_OF_TAG: Final = f"(?:(?=[^<>]*=)(?:{_ATTRIBUTE})+{_GAP}*| ?)/?>"
_TAG: Final = re.compile(f"</?[A-Za-z][A-Za-z0-9_:-]{{0,30}}{_REST_OF_TAG}")
"""A simple tag, or one with attributes of which one has a value."""

_INLINE: Final = re.compile(
    "</?(?:a|abbr|acronym|b|bdi|bdo|big|code|del|dfn|em|font|i|ins|kbd|mark|nobr|s|samp|small|span|strike|strong|tt|u|"
    f"var|wbr|tg-emoji|tg-spoiler)(?=[\\s/>]){_REST_OF_TAG}",
    re.IGNORECASE | re.ASCII,
)
"""A tag that nobody sees: letters on both sides are those of one word."""

_MOST_NESTED: Final = 8
_DECLARATION: Final = re.compile("<(?:!\\[CDATA\\[|[!?][A-Za-z][^<>]*>)")
_BLOCK: Final = re.compile("<(?:!--|(script|style)(?=[\\s/>])[^<>]*>)", re.IGNORECASE | re.ASCII)
"""Beginning of a comment, a script or a style sheet. Beyond ASCII, the long s would be an s."""

_BLOCK_ENDS: Final = {
    "": re.compile("-->"),
    "script": re.compile("</script\\s*>", re.IGNORECASE | re.ASCII),
    "style": re.compile("</style\\s*>", re.IGNORECASE | re.ASCII),
}

# Translation programs that do not know the apostrophe write пам<unk>ять.
_UNKNOWN_APOSTROPHE: Final = re.compile(f"<unk>(?<=[{_CONSONANT}].....)(?=[яюєї])")
_FORMAT: Final = re.compile("%(?:\\([A-Za-z0-9_]{1,40}\\))?(?:[0-9]{1,2}\\$)?[sd]\\b")
_FIELD: Final = re.compile("\\$?\\{[A-Za-z0-9_]{0,40}\\}")
_ANY_APOSTROPHE: Final = f"[{APOSTROPHES}]"
_SOME_APOSTROPHE: Final = re.compile(_ANY_APOSTROPHE)
_LOOSE_APOSTROPHE: Final = re.compile(f"{_ANY_APOSTROPHE}(?<=[ \u00a0].)")
_LETTER: Final = f"[^\\W\\d_{APOSTROPHES}]"
_INNER_APOSTROPHE: Final = re.compile(f"{_ANY_APOSTROPHE}(?<={_LETTER}.){_ANY_APOSTROPHE}*+(?={_LETTER})")
_DOUBLE_QUOTE_FOR_APOSTROPHE: Final = re.compile(f'"(?<=[{_CONSONANT}].)(?=[яюєї][а-яіїєґ])')

# Only a small letter: a capital would mostly be a name in single quotes (директоров 'Яндекса').
_TORN_APOSTROPHE: Final = re.compile(f"[ \u00a0]{_ANY_APOSTROPHE}(?<=[{_CONSONANT}]..)[ \u00a0]?(?=[яюєї])")
_LATIN_LOOK_ALIKE: Final = "ABCEHIKMOPTXYaceiopxy"
_CYRILLIC_LOOK_ALIKE: Final = "АВСЕНІКМОРТХУасеіорху"

# The last five look like Cyrillic letters only as capitals; they come from text that was lower-cased.
TO_CYRILLIC: Final[dict[int, int]] = str.maketrans(_LATIN_LOOK_ALIKE + "bhkmt", _CYRILLIC_LOOK_ALIKE + "внкмт")
TO_LATIN: Final[dict[int, int]] = str.maketrans(_CYRILLIC_LOOK_ALIKE, _LATIN_LOOK_ALIKE)
"""Code points of letters that look alike, small letters and capitals, from Latin to Cyrillic and back."""

_LATIN: Final = re.compile("[A-Za-z]")
_COMMON: Final = re.compile("[А-Яа-яЁёЄєІіЇїҐґ-]+")  # letters of Russian and Ukrainian, which need no repair
_CYRILLIC: Final = re.compile("[\u0400-\u052f]")
_FILLER: Final = "\u00ad"
_Put = str | Callable[[re.Match[str]], str]


def clean(text: str) -> str:
    """Unify what looks alike and drop what is invisible; cleaning twice changes nothing.

    * tags such as ``<b>`` and references to invisible characters vanish, references to letters and digits (``&#1055;``)
    become these, and words that a hyphen divides at the end of a line are joined; * the first 30 marks of a longer run
    stay; * NFC; й, ї, ё stay whole, stress marks and other marks that do not
    belong to a letter are dropped; * soft hyphens, zero-width and bidirectional marks, and byte order marks are
    dropped; * URLs, e-mail addresses, HTML entities, tags, comments, scripts and style sheets, ``<unk>``, ``%s``,
    ``{0}`` become a blank; * an apostrophe between letters becomes U+02BC, as does one that machine translation
    detached (``п 'ять``, ``об ’єкт``) or did not know (``пам<unk>ять``), a double quote used as one (``з"явився``) or
    an entity (``об&#39;єкт``); * the hyphens U+2010 and U+2011 become ``-``.

    >>> clean("П 'ять за\u0301мків: https://example.org/a")
    'Пʼять замків:  '
    """
    text = _shown(text)
    if "\n" in text:
        text = _HYPHENATED.sub("", text)
    if text.isascii() or not _UNUSUAL.search(text):
        return _apostrophes(_placeholders(text))
    if _FAR_INVISIBLES.search(text):
        text = _FAR_INVISIBLES.sub("", text)
    text = with_bounded_marks(text)
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    if _RARE.search(text):
        text = _HYPHENATED.sub("", _marks(text))
    if "\u2010" in text or "\u2011" in text:
        text = text.replace("\u2010", "-").replace("\u2011", "-")
    return _apostrophes(_placeholders(text))


def in_place(text: str) -> str:
    """Do of ``clean`` what tells words from other things, in a text whose words stay where they are.

    Addresses, entities, tags and fields become blanks, and what stands for an apostrophe becomes one, with soft hyphens
    up to the length of what they replace. Marks and invisible characters stay: cleaning a word drops them.

    >>> in_place("об&#39;єкт <br/>").replace("\u00ad", ".")
    "об'....єкт  ...."
    """
    text = _HYPHENATED.sub(_filled(_FILLER, ""), _shown(text, _FILLER))
    return _apostrophes(_placeholders(text, _FILLER), _FILLER)


def without_blocks(text: str, filler: str = "") -> str:
    """Replace comments, scripts and style sheets of HTML by blanks; one without an end stays.

    filler: a character that fills what is replaced up to its length; empty to make the text shorter.

    >>> without_blocks("а<!-- б -->в", " ")
    'а          в'
    """
    if "<!--" not in text and "<s" not in text and "<S" not in text:
        return text
    kept, done, place, endless = [], 0, 0, set()
    while block := _BLOCK.search(text, place):
        place, name = block.end(), (block[1] or "").lower()
        end = None if name in endless else _BLOCK_ENDS[name].search(text, place)
        if end is None:
            endless.add(name)
            continue
        place = end.end()
        kept += [text[done : block.start()], " " + filler * (place - block.start() - 1)]
        done = place
    return "".join([*kept, text[done:]])


def fold(word: str) -> str:
    """Key form of one word: compatibility composed, case-folded, ``ё`` as ``е``, look-alike letters repaired.

    A part between hyphens that mixes Latin and Cyrillic letters becomes Cyrillic if all its Latin letters have a
    Cyrillic look-alike (Unicode TR39), otherwise Latin if all its Cyrillic letters have a Latin one; otherwise it is
    unchanged. Latin ``i`` becomes ``і`` in Russian too, which has no similar letter. Digits are not changed.
    Idempotent.

    >>> fold("Cрочно"), fold("Mоldоva"), fold("Пётр")
    ('срочно', 'moldova', 'петр')
    """
    if word.isascii() or _COMMON.fullmatch(word):
        return key_form(word)
    word = unicodedata.normalize("NFKC", word)
    if _LATIN.search(word) and _CYRILLIC.search(word):
        word = "-".join(map(_one_alphabet, word.split("-")))
    return _LEFT_OVER.sub("", unicodedata.normalize("NFKC", key_form(word)))


def _marks(text: str) -> str:
    """Drop invisible characters and the marks that belong to no letter."""
    text = unicodedata.normalize("NFC", _INVISIBLES.sub("", text))
    # Most of these texts have a few invisible characters, and no marks.
    if not _MARKED.search(text):
        return text
    text = text.translate(_UNSTRESSED)
    text = unicodedata.normalize("NFC", _STRESS.sub("\\1", text))
    return unicodedata.normalize("NFC", _LEFT_OVER.sub("", text))


def _shown(text: str, filler: str = "") -> str:
    """Drop what nobody sees between letters, and write letters for references; ``filler`` as in ``_placeholders``."""
    if "&" not in text and "<" not in text:
        return text
    letter, nothing = _filled(filler, _letter), _filled(filler, "")
    # What one step leaves may be a reference or tag again.
    for _ in range(_MOST_NESTED):
        before = text
        if "&" in text:
            text = _ENTITY.sub(letter, text)
        if "<" in text:
            text = _INLINE.sub(nothing, text)
        if text == before:
            break
    return text


def _letter(match: re.Match[str]) -> str:
    """The letters or digits that a reference means, nothing for what is invisible; other references stay."""
    meant = html.unescape(f"&{match[1]};")
    if meant in APOSTROPHES:
        return "'"
    if _UNSEEN.fullmatch(meant):
        return ""
    return meant if meant.isalnum() else match[0]


_UNSEEN: Final = re.compile(f"[{INVISIBLE}{FAR_INVISIBLE}{MARKS}]")


def _placeholders(text: str, filler: str = "") -> str:
    """Blank all that is not a word: comments, scripts, addresses, entities, tags, fields; ``filler`` keeps lengths."""
    blank = _filled(filler, " ")
    # First, because an address at the end of a comment may include the dashes that end the comment.
    text = without_blocks(text, filler)
    if "://" in text or "www." in text or "WWW." in text:
        text = URL.sub(blank, text)
    if "@" in text:
        text = _without_addresses(text, filler)
    if "&" in text:
        text = _ENTITY.sub(blank, text)
    if "<" in text:
        text = _UNKNOWN_APOSTROPHE.sub(_filled(filler, "'"), text)
        text = _TAG.sub(blank, _DECLARATION.sub(blank, text))
    if "%" in text:
        text = _FORMAT.sub(blank, text)
    if "{" in text:
        text = _FIELD.sub(blank, text)
    return text


def _filled(filler: str, put: _Put) -> _Put:
    """Return what ``put`` replaces a match by, filled up to the length of the match."""
    if not filler:
        return put

    def replaced(match: re.Match[str]) -> str:
        return (put if isinstance(put, str) else put(match)).ljust(len(match[0]), filler)

    return replaced


def _without_addresses(text: str, filler: str = "") -> str:
    """Replace e-mail addresses by blanks. A search for the pattern would try every letter of the text."""
    kept, done, sign = [], 0, text.find("@")
    while sign >= 0:
        begin = sign
        while begin > done and text[begin - 1] in _EMAIL_CHARACTERS:
            begin -= 1
        address = _EMAIL.match(text, begin)
        if address is not None:
            kept += [text[done:begin], " " + filler * (len(address[0]) - 1)]
            done = address.end()
        sign = text.find("@", max(sign + 1, done))
    return "".join([*kept, text[done:]])


def _apostrophes(text: str, filler: str = "") -> str:
    """Write the apostrophes inside words in one way; ``filler`` as in ``_placeholders``."""
    if '"' in text:
        text = _DOUBLE_QUOTE_FOR_APOSTROPHE.sub(APOSTROPHE, text)
    # Searched for first because most texts have none.
    if _SOME_APOSTROPHE.search(text):
        put = _filled(filler, APOSTROPHE)
        text = _INNER_APOSTROPHE.sub(put, text)
        if _LOOSE_APOSTROPHE.search(text):
            text = _TORN_APOSTROPHE.sub(put, text)
    return text


def _one_alphabet(part: str) -> str:
    """Repair look-alikes in one part of a word, if that leaves a single alphabet."""
    if not (_LATIN.search(part) and _CYRILLIC.search(part)):
        return part
    cyrillic = part.translate(TO_CYRILLIC)
    if not _LATIN.search(cyrillic):
        return cyrillic
    latin = part.translate(TO_LATIN)
    return part if _CYRILLIC.search(latin) else latin
