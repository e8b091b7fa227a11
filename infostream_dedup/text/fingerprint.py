"""Equality of texts by checksum."""

from __future__ import annotations

import unicodedata
from hashlib import blake2b

__all__ = ["text_hash"]


def text_hash(text: str) -> bytes:
    """Checksum of a body without its title: the oldest rule of InfoStream (Lande, section 1).

    Two texts that differ only in white space or in Unicode composition are the same text.

    Returns:
        16 bytes; empty for a text without any visible character, which equals nothing.
    """
    visible = " ".join(unicodedata.normalize("NFC", text).split())
    return blake2b(visible.encode("utf-8", "surrogatepass"), digest_size=16).digest() if visible else b""
