"""Checksums of documents: of all they hold, of how they begin, of their numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np
import orjson

from infostream_dedup.corpus.documents import row_of
from infostream_dedup.features.fast_numbers import fast_numbers
from infostream_dedup.model import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["batch_hash", "content_hash", "number_hashes", "opening_hash"]

_WORD: Final = re.compile(r"\w+")
_LEAST_WORDS: Final = 5
"""A first paragraph of fewer words ("Киев, 5 мая") begins too many texts."""

_MOST_NUMBERS_KNOWN: Final = 1 << 16


def content_hash(document: Document) -> bytes:
    """16 bytes that change with every field of a document, whatever the order of its fields."""
    row = row_of(document)
    options = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
    try:
        content = orjson.dumps(row, default=str, option=options)
    except orjson.JSONEncodeError:
        # Lone surrogates and integers beyond 64 bits, which documents made in memory may hold.
        content = json.dumps(row, default=str, sort_keys=True, ensure_ascii=True).encode()
    return blake2b(content, digest_size=16).digest()


def batch_hash(content_hashes: Sequence[bytes]) -> bytes:
    """16 bytes that change with every document of a batch and with their order."""
    return blake2b(b"".join(content_hashes), digest_size=16).digest()


def opening_hash(text: str) -> bytes:
    """16 bytes of the words of the first paragraph, without case and punctuation; empty below five words."""
    words = _WORD.findall(text.lstrip().partition("\n")[0].casefold())
    if len(words) < _LEAST_WORDS:
        return b""
    return blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def number_hashes(text: str) -> NDArray[np.int64]:
    """63-bit hashes of the distinct numbers of a text, ascending."""
    found = sorted(set(map(_number_hash, fast_numbers(text))))
    return np.array(found, dtype=np.int64)


@lru_cache(_MOST_NUMBERS_KNOWN)
def _number_hash(number: str) -> int:
    return int.from_bytes(blake2b(number.encode(), digest_size=8).digest(), "little") >> 1
