"""Decode feeds and pages: what they claim about their encoding is believed if their bytes agree."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from importlib import import_module
from typing import Final

from infostream_dedup.documents.lines import ONE_BYTE, recognised_encoding

_CLAIM: Final = re.compile(
    rb"""<(?:\?xml|meta)\b[^>]{0,300}?(?:encoding|charset)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE
)
_SEARCHED: Final = 4096
_SAMPLE: Final = 1 << 16
_LATIN: Final = frozenset(("iso8859-1", "cp1252", "ascii", "iso8859-15", "latin-1"))
"""Encodings in which any bytes are a text, and which servers name for want of a better one."""

_REFUSED: Final = frozenset(("utf-7", "hz", "punycode", "idna", "unicode_escape", "raw_unicode_escape"))
_MOST_BAD: Final = 0.01
_WHOLE_LETTERS: Final = 10
"""Letters beyond ASCII for each broken one in UTF-8 that was cut somewhere."""

_BY_ESCAPES: Final = "iso2022"


def decoded(content: bytes, claims: Iterable[str | None] = ()) -> str:
    """Decode a feed or page.

    Valid UTF-8 is that whatever is claimed, and so is UTF-8 with a few broken letters, which become U+FFFD. Of other
    bytes, those that look like Russian or Ukrainian are read as such; then the claims count, those of the server before
    those in the content; then what the bytes look like.
    """
    names = [one for claim in (*claims, *_claims_inside(content)) if (one := _known(claim)) is not None]
    escapes = next((one for one in names if one.startswith(_BY_ESCAPES)), None)
    if escapes is not None and b"\x1b" in content:
        return content.decode(escapes, "replace")
    recognised = recognised_encoding(content[:_SAMPLE])
    if recognised is not None:
        return content.decode(recognised, "replace")
    text = content.decode("utf-8-sig", "replace")
    broken = text.count("\ufffd")
    if not broken or sum(one > "\x7f" for one in text) > _WHOLE_LETTERS * broken:
        return text
    for name in names:
        if name not in _LATIN and not name.startswith("utf"):
            claimed = content.decode(name, "replace")
            if claimed.count("\ufffd") <= _MOST_BAD * len(content):
                return claimed
    return content.decode(_guessed(content) or next(iter(names), "utf-8"), "replace")


def _claims_inside(content: bytes) -> list[str]:
    return [one.decode() for one in _CLAIM.findall(content[:_SEARCHED])]


def _known(claim: str | None) -> str | None:
    """Return Python's name of an encoding of texts."""
    try:
        "".encode(claim or "")
        name = codecs.lookup(claim or "").name
    except (LookupError, ValueError, TypeError):
        return None
    return None if name in _REFUSED else name


def _guessed(content: bytes) -> str | None:
    """Return what the bytes look like, if the library that knows is there."""
    try:
        found = import_module("charset_normalizer").from_bytes(content[:_SAMPLE]).best()
    except ImportError:
        return None
    # Of Cyrillic encodings, our own rule has the better knowledge, and has said no.
    return None if found is None or _known(found.encoding) in map(_known, ONE_BYTE) else str(found.encoding)
