"""Undo what a wrong encoding did to a text, where the result is plainly Russian or Ukrainian."""

from __future__ import annotations

import re
from typing import Final

from infostream_dedup.language.text.language import both_cases, count_kinds, kinds_of_bytes

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
_SMALL: Final = "абвгдеёжзийклмнопрстуфхцчшщъыьэюяєіїґ".encode("cp1251")
_COMMON: Final = "оаеинтсрвлі".encode("cp1251")
"""Small letters that make up more than half of any Russian or Ukrainian text."""
_LATIN: Final = both_cases(b"abcdefghijklmnopqrstuvwxyz")
_LETTERS: Final = bytes(
    byte for byte in range(256) if byte == 0x3F or bytes((byte,)).decode("cp1251", "replace").isalpha()
)
"""Bytes of Windows-1251 that may stand for a letter; a question mark stands for any character it lacks."""
_KINDS: Final = kinds_of_bytes(_LATIN, both_cases(_SMALL), _SMALL, both_cases(_COMMON), _COMMON, _LETTERS)

_LEAST_LETTERS: Final = 12
_LEAST_SHARE: Final = 0.95
_COMMON_SHARE: Final = 0.45
_SMALL_SHARE: Final = 0.6
_MOST_BAD: Final = 0.02
_TIMES: Final = 2
"""Some texts went wrong twice."""

_SAMPLE: Final = 2000


def repaired(text: str) -> str | None:
    """Return a text as it was before it was read in a wrong encoding; None if nothing shows that it was.

    Example:
        >>> repaired("Городской совет".encode("cp1251").decode("latin-1")), repaired("Déjà vu, señor, на área")
        ('Городской совет', None)
    """
    found = None
    for _ in range(_TIMES):
        # In capitals, a text looks like one of the other Cyrillic encoding.
        better = None if _is_plausible(text[:_SAMPLE], capitals=True) else _once(text)
        if better is None:
            return found
        found = text = better
        if _is_plausible(found[:_SAMPLE]):
            return found
    return None


def _once(text: str) -> str | None:
    """Undo one wrong reading: the first that gives a plausible text, or else the first that gives valid UTF-8."""
    sample = text[:_SAMPLE]
    # A broken letter is one character beyond ASCII or more; quotation marks and dashes of an English text are few.
    if len(_BEYOND_ASCII.findall(sample)) < max(_LEAST_LETTERS, count_kinds(sample, _KINDS)[0]):
        return None
    valid = None
    for bytes_of, encoding in _READINGS:
        read = _read(text, bytes_of, encoding)
        if read is not None and _is_plausible(read[:_SAMPLE]):
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


def _is_plausible(text: str, *, capitals: bool = False) -> bool:
    """Whether most letters are Russian or Ukrainian, as frequent as in such texts and, unless told otherwise, small."""
    latin, cyrillic, small, any_common, common, letters = count_kinds(text, _KINDS)
    if capitals:
        small, common = cyrillic, any_common
    if small < _SMALL_SHARE * cyrillic or common < _COMMON_SHARE * small:
        return False
    foreign = letters - latin - cyrillic
    if foreign > (1 - _LEAST_SHARE) * cyrillic or latin + foreign >= cyrillic:
        # Emoji and marks of other alphabets were counted too.
        foreign = len(_BEYOND_ASCII_LETTERS.findall(text)) - cyrillic
    return cyrillic > latin + foreign and foreign <= (1 - _LEAST_SHARE) * cyrillic
