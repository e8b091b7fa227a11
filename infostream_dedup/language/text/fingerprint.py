"""Compare texts by checksum."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from typing import Final

import numpy as np

from infostream_dedup.language.text.character_classes import CODE_POINTS, COMMON, composing
from infostream_dedup.language.text.kernels.scanning import INVISIBLE, LEFT, VISIBLE, write_visible
from infostream_dedup.language.text.normalise import with_bounded_marks
from infostream_dedup.language.text.surface_pool import Utf8Texts
from infostream_dedup.machine.arrays import Ints, Uint8s
from infostream_dedup.machine.kernels import BLOCK

TEXT_HASH: Final = 16  # bytes of a checksum
_BLOCK_BYTES: Final = 1 << 19
"""Bytes of text that are copied and hashed at a time, so that they stay in the processor's cache."""

_WORTH_TABLES: Final = 8  # fewer bodies are hashed one by one: the table of characters takes longer to make
_MOST_ALONE: Final = 500  # bodies that take as long one by one as the table
_alone = [0]  # bodies hashed one by one, at least as many once there is a table


def text_hash(text: str) -> bytes:
    """Checksum of a body without its title, of 16 bytes: the oldest rule of InfoStream (Lande, section 1)."""
    # Texts that differ only in white space or Unicode composition count as equal; one without visible characters has an
    # empty hash and equals no other text.
    visible = " ".join(unicodedata.normalize("NFC", with_bounded_marks(text)).split())
    return blake2b(visible.encode("utf-8", "surrogatepass"), digest_size=TEXT_HASH).digest() if visible else b""


def text_hashes(body: Callable[[int], str], texts: Utf8Texts, begins: Ints) -> list[bytes]:
    """Compute ``text_hash`` for many bodies."""
    few = len(texts) < _WORTH_TABLES and _alone[0] < _MOST_ALONE
    _alone[0] += len(texts) if few else _MOST_ALONE
    if few:
        return [text_hash(body(number)) for number in range(len(texts))]
    hashes: list[bytes] = []
    for block in texts.blocks(_BLOCK_BYTES):
        first = len(hashes)
        known, left = _block_hashes(block, begins[first : first + len(block)])
        hashes += known
        for number in left:
            hashes[first + number] = text_hash(body(first + number))
    return hashes


def _block_hashes(texts: Utf8Texts, begins: Ints) -> tuple[list[bytes], list[int]]:
    """Return the hashes of some bodies, and the numbers of those left to plain code."""
    ends = texts.offsets[1:]
    room = np.empty(int((ends - begins).sum()) + BLOCK, dtype=np.uint8)
    places, left = np.empty(len(texts) + 1, dtype=np.int64), np.empty(len(texts), dtype=np.uint8)
    write_visible(texts.data, begins, ends, _kinds(), room, places, left)
    visible, bounds = room.data, places.tolist()
    hashes = [
        blake2b(visible[begin:end], digest_size=TEXT_HASH).digest() if begin < end else b""
        for begin, end in pairwise(bounds)
    ]
    return hashes, np.flatnonzero(left).tolist()


@cache
def _kinds() -> Uint8s:
    """Return the kinds of code points for ``write_visible``, from Python's own Unicode data."""
    kinds = np.full(CODE_POINTS, LEFT, dtype=np.uint8)
    for point in COMMON:
        character = chr(point)
        if character.isspace():
            kinds[point] = INVISIBLE
        elif not unicodedata.combining(character) and unicodedata.normalize("NFC", character) == character:
            kinds[point] = VISIBLE
    kinds[[point for point in composing() if kinds[point] == VISIBLE]] = LEFT
    return kinds
