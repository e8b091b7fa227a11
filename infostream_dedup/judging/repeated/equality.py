"""The checksum of exact copies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from infostream_dedup.judging.repeated.kernels.equality import hash_words
from infostream_dedup.judging.repeated.lines import signs
from infostream_dedup.language.text.fingerprint import text_hashes
from infostream_dedup.language.text.normalise import URL, clean
from infostream_dedup.language.text.surface_pool import Utf8Texts, block_of, texts_of
from infostream_dedup.machine.arrays import Bools, Ints, Uint64s
from infostream_dedup.model import Document

_FEWEST_WORDS: Final = 2  # a text of one word, such as "Comments", proves nothing

_TRACKING: Final = re.compile(r"[?&](?:utm_\w+|\w*clid)=[^&#]*|#.*|^\w+://(?:www\.)?|/$")
"""What two links to one page may differ in."""


def equality_hash(document: Document) -> bytes:
    """Checksum by which two documents are exact copies: 16 bytes; empty if it would prove nothing.

    A body of 25 words and more is compared without its title, except for white space: the oldest rule of InfoStream
    (Lande, section 1). A shorter one may be a stub that many items have, so title and text are compared together, by
    their folded words and addresses: case, punctuation, emoji, markup and tracking parameters make no difference,
    digits do. One word proves nothing.
    """
    return equality_hashes([document])[0]


def equality_hashes(documents: Sequence[Document]) -> list[bytes]:
    """Return ``equality_hash`` of each document, and after it what is left out of those that lost lines."""
    block = block_of(documents)
    texts, bodies = Utf8Texts(block.offsets, block.data), block.bodies
    found = text_hashes(lambda number: block[number].text, texts, bodies)
    words, marked, hashes = _word_hashes(texts, bodies)
    numbers = np.flatnonzero(marked & (words >= 0))
    if len(numbers):
        cleaned = texts_of([_plain(texts[number]) for number in numbers.tolist()])
        # A long tag is no word, so the text was short before it was cleaned.
        words[numbers], _, hashes[numbers] = _word_hashes(cleaned, cleaned.offsets[1:])
    for number in np.flatnonzero(words >= 0).tolist():
        found[number] = hashes[number].tobytes() if words[number] >= _FEWEST_WORDS else b""
    return found if block.not_compared is None else block.not_compared.add_to(found)


def _word_hashes(texts: Utf8Texts, bodies: Ints) -> tuple[Ints, Bools, Uint64s]:
    documents = len(texts)
    words, marked = np.empty(documents, dtype=np.int64), np.empty(documents, dtype=np.bool_)
    hashes = np.empty((documents, 2), dtype=np.uint64)
    hash_words(texts.data, texts.offsets, bodies, signs(), words, marked, hashes)
    return words, marked, hashes


def _plain(text: str) -> str:
    return "\n".join([clean(text), *[_TRACKING.sub("", address) for address in URL.findall(text)]])
