"""Recognise text that is not UTF-8 by its first bytes, and read it as UTF-8."""

from __future__ import annotations

import codecs
import io
from typing import Any, Final

from infostream_dedup.documents.gunzip import StreamError
from infostream_dedup.errors import ConfigurationError

__all__ = ["ConvertedStream", "encoding_named", "recognised_encoding"]

_CHUNK: Final = 64 * 1024
_LEAST_LETTERS: Final = 20
"""Minimum number of letters outside ASCII for a guess: a stray byte in UTF-8 is a bad record, not another encoding."""

_LEAST_SHARE: Final = 0.85
_ONE_BYTE: Final = ("cp1251", "koi8-u", "cp866", "iso8859-5", "mac-cyrillic")
_COMMON: Final = frozenset("оаеинтсрвліi")
"""Lower-case letters that make up more than half of any Russian or Ukrainian text."""

_WIDE: Final = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def encoding_named(name: str | None) -> str | None:
    """Return Python's name for an encoding.

    Raises:
        ConfigurationError: Python does not know it, or it is not an encoding of text (such as base64).
    """
    if name is None:
        return None
    try:
        # Unlike lookup(), encode() refuses codecs that turn bytes into bytes.
        "".encode(name)
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        raise ConfigurationError(f"unknown encoding {name!r}; for example utf-8, cp1251, koi8-u, utf-16") from None


def recognised_encoding(begin: bytes) -> str | None:
    """Return the encoding of bytes, or None for UTF-8 and anything not recognised.

    Args:
        begin: the first bytes of a file.

    Example:
        >>> recognised_encoding("Погода в Києві: сьогодні дощ, завтра сонце".encode("cp1251"))
        'cp1251'
        >>> recognised_encoding("Погода в Києві".encode()) is None
        True
    """
    if begin.startswith(codecs.BOM_UTF32_LE):
        return "utf-32"
    for mark, name in _WIDE:
        if begin.startswith(mark):
            return name
    if begin[:1].isascii() and begin[1:2] == b"\0" and begin[3:4] == b"\0":
        return "utf-16-le"
    if begin[:1] == b"\0" and begin[2:3] == b"\0" and begin[1:2] != b"\0":
        return "utf-16-be"
    decoded = begin.decode("utf-8", "replace")
    # A letter cut in two by the end of the sample is not a fault.
    broken = decoded[:-3].count("\ufffd")
    whole = sum(letter > "\x7f" and letter != "\ufffd" for letter in decoded)
    if not broken or whole >= broken:
        return None
    best = max(_ONE_BYTE, key=lambda name: _likeness(begin, name))
    return best if _likeness(begin, best) >= _LEAST_SHARE else None


def _likeness(begin: bytes, name: str) -> float:
    """Score how much the letters outside ASCII look like Russian or Ukrainian: above .85 if they are."""
    text = begin.decode(name, "replace")
    high = [letter for letter in text if letter > "\x7f"]
    if len(high) < _LEAST_LETTERS:
        return 0.0
    cyrillic = sum("\u0400" <= letter <= "\u04ff" for letter in high)
    common = sum(letter in _COMMON for letter in high)
    return cyrillic / len(high) if common > cyrillic / 3 else 0.0


class ConvertedStream(io.RawIOBase):
    """The bytes of a stream as UTF-8.

    Args:
        stream: bytes in another encoding; remains open.
        encoding: name of that encoding.

    Raises:
        StreamError: while reading, ``E_ENCODING`` for bytes that are invalid in the encoding.
    """

    def __init__(self, stream: Any, encoding: str) -> None:
        super().__init__()
        self._stream = stream
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer` with UTF-8 and return the number of bytes; 0 at the end."""
        while not self._ready and not self._ended:
            packed = self._stream.read1(_CHUNK)
            self._ended = not packed
            try:
                self._ready = self._decoder.decode(packed, final=self._ended).encode()
            except UnicodeError as error:
                raise StreamError("E_ENCODING", f"the text is not {self._encoding} ({error})") from None
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size
