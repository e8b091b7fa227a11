"""Undo what a wrong encoding did to a text, where the result is plainly Russian or Ukrainian."""

from __future__ import annotations

import re
from typing import Final

from infostream_dedup.language.text.language import SAMPLE, LetterCounts, letter_counts

_UNDEFINED: Final = (0x81, 0x8D, 0x8F, 0x90, 0x9D)
_WESTERN: Final = {
    **{chr(byte): byte for byte in range(0x80, 0x100)},
    **{bytes((byte,)).decode("cp1252"): byte for byte in range(0x80, 0xA0) if byte not in _UNDEFINED},
}
"""Bytes of characters by Windows-1252, and by Latin-1 where it has none."""

_CYRILLIC: Final = {
    **{chr(byte): byte for byte in range(0x80, 0xA0)},
    **{bytes((byte,)).decode("cp1251"): byte for byte in range(0x80, 0x100) if byte != 0x98},
    # A program that knows no letter for this byte put a mark in its place.
    "\ufffd": 0x98,
}
_KOI8: Final = {bytes((byte,)).decode("koi8-r"): byte for byte in range(0x80, 0x100)}
_READINGS: Final = (
    (_WESTERN, "utf-8"),
    (_CYRILLIC, "utf-8"),
    (_WESTERN, "cp1251"),
    (_WESTERN, "koi8-u"),
    (_CYRILLIC, "koi8-u"),
    (_KOI8, "cp1251"),
)
"""How a text was read wrongly, and the encoding that it has."""

_BEYOND_ASCII: Final = re.compile("[^\x00-\x7f]")
_BEYOND_ASCII_LETTERS: Final = re.compile(r"[^\x00-\x7f\W\d_]")
_LEAST_LETTERS: Final = 12
_LEAST_SHARE: Final = 0.95
_COMMON_SHARE: Final = 0.45
_SMALL_SHARE: Final = 0.6
_MOST_BAD: Final = 0.02
_TIMES: Final = 2  # some texts went wrong twice


def repaired(text: str, letters: LetterCounts | None = None) -> str | None:
    """Return a text as it was before it was read in a wrong encoding; None if nothing shows that it was.

    >>> repaired("Городской совет".encode("cp1251").decode("latin-1")), repaired("Déjà vu, señor, на área")
    ('Городской совет', None)
    """
    found = None
    for _ in range(_TIMES):
        # In capitals, a text looks like one of the other Cyrillic encoding.
        better = None if _is_plausible(text, letters, capitals=True) else _once(text)
        if better is None:
            return found
        found = text = better
        letters = letter_counts(found)
        if _is_plausible(found, letters):
            return found
    return None


def _once(text: str) -> str | None:
    """Undo one wrong reading: the first that gives a plausible text, or else the first that gives valid UTF-8."""
    sample = text[:SAMPLE]
    # A broken letter is one character beyond ASCII or more; quotation marks and dashes of an English text are few.
    if len(_BEYOND_ASCII.findall(sample)) < max(_LEAST_LETTERS, letter_counts(sample).latin):
        return None
    valid = None
    for bytes_of, encoding in _READINGS:
        read = _read(text, bytes_of, encoding)
        if read is not None and _is_plausible(read):
            return read
        if encoding == "utf-8" and read is not None and valid is None:
            valid = read
    return valid


def _read(text: str, bytes_of: dict[str, int], encoding: str) -> str | None:
    """Read the bytes of a text in another encoding; what was correct in the text stays. None if too much is wrong."""
    parts, run, wrong = list[str](), bytearray(), 0
    for character in text:
        byte = ord(character) if character < "\x80" else bytes_of.get(character)
        if byte is not None:
            run.append(byte)
            continue
        wrong += 1
        parts += (run.decode(encoding, "replace"), character)
        run.clear()
    parts.append(run.decode(encoding, "replace"))
    read = "".join(parts)
    beyond = len(_BEYOND_ASCII.findall(read))
    return read if wrong + read.count("\ufffd") <= max(1, _MOST_BAD * beyond) else None


def _is_plausible(text: str, letters: LetterCounts | None = None, *, capitals: bool = False) -> bool:
    """Whether most letters are Russian or Ukrainian, as frequent as in such texts and, unless told otherwise, small."""
    letters = letters or letter_counts(text)
    cyrillic, latin = letters.cyrillic, letters.latin
    small, common = (cyrillic, letters.common) if capitals else (letters.small, letters.small_common)
    if small < _SMALL_SHARE * cyrillic or common < _COMMON_SHARE * small:
        return False
    foreign = letters.any - latin - cyrillic
    if foreign > (1 - _LEAST_SHARE) * cyrillic or latin + foreign >= cyrillic:
        # Emoji and marks of other alphabets were counted too.
        foreign = len(_BEYOND_ASCII_LETTERS.findall(text[:SAMPLE])) - cyrillic
    return cyrillic > latin + foreign and foreign <= (1 - _LEAST_SHARE) * cyrillic
