"""Reads the evidence of many documents in compiled code."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np

from infostream_dedup.judging.evidence.characters import DAY_WORDS, MONTH_WORDS, CharacterKind, alphabet, word_hash
from infostream_dedup.judging.evidence.constants import OPENING
from infostream_dedup.judging.evidence.kernels import reading as kernels
from infostream_dedup.judging.evidence.kernels.packing import pack_openings
from infostream_dedup.judging.evidence.kernels.words import BINS
from infostream_dedup.language.text.normalise import clean
from infostream_dedup.language.text.surface_pool import Utf8Texts, block_of, encoded, texts_of_bytes
from infostream_dedup.machine.arrays import Int32s, Ints, Uint8s, Uint32s, Uint64s, offsets_of
from infostream_dedup.machine.scratch import KeptMemory
from infostream_dedup.model import Document
from infostream_dedup.model.document import joined_text

_MOST_KEPT: Final = 1 << 22
"""Bytes of text for which the lists are kept; longer texts are rare, and their lists are given back."""

_ENTRIES: Final = ("triples", "numbers", "names", "lead", "body")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEvidence:
    """Evidence of documents, not weighted yet. The entries of each document are ascending and distinct."""

    triples: Uint64s  # uint64, hashes of three consecutive tokens
    numbers: Uint32s  # uint32, 30 bits of hash, `DATE_BIT` and `HEAD_BIT`
    names: Uint32s  # uint32, codes of skeletons
    lead: Uint32s  # uint32, hashes of word beginnings among the first 20 long words
    body: Uint32s  # uint32, hashes of word beginnings in the whole document
    ends: Ints  # int64 (documents + 1, 5), bounds of each document in these five
    tokens: Int32s  # int32 (documents, 2), tokens of the document, and bits of the figures in its title
    # uint64 (documents, 2), hash of the title's tokens and of its form's tokens; 0 if there are none
    titles: Uint64s
    openings: Uint32s  # uint32, openings of the documents, see `packed`
    opening_ends: Ints  # int64 (documents + 1,), bounds of each

    def __len__(self) -> int:
        return len(self.tokens)

    def lists(self) -> kernels.EvidenceLists:
        """The arrays as compiled code takes them."""
        return kernels.EvidenceLists(
            triples=self.triples,
            numbers=self.numbers,
            names=self.names,
            lead=self.lead,
            body=self.body,
            ends=self.ends,
            tokens=self.tokens,
            titles=self.titles,
        )

    def copied(self) -> RawEvidence:
        """Return this evidence with its entries copied."""
        entries = {name: getattr(self, name).copy() for name in _ENTRIES}
        return replace(self, **entries)

    def triple_blobs(self) -> list[bytes]:
        """Triples of each document as a store keeps them: 8 bytes for each."""
        whole, bounds = self.triples.astype("<u8", copy=False).tobytes(), (8 * self.ends[:, 0]).tolist()
        return [whole[begin:end] for begin, end in pairwise(bounds)]

    def triples_of(self, document: int) -> Uint64s:
        """Hashes of the triples of one document, ascending."""
        return self.triples[self.ends[document, 0] : self.ends[document + 1, 0]]


def evidence_texts(documents: Sequence[Document]) -> tuple[Utf8Texts, Ints]:
    """Arrange titles and texts for ``read_evidence``: all of them, without markup, and where each title ends."""
    block = block_of(documents)
    texts, heads = Utf8Texts(block.offsets, block.data), block.titles - block.offsets[:-1]
    marked = _marked(texts)
    if marked:
        heads, replaced = heads.copy(), {}
        for number in marked:
            one = block[number]
            title, text = clean(one.title), clean(one.text)
            heads[number] = len(encoded(title))
            replaced[number] = encoded(joined_text(title, text))
        texts = with_replaced(texts, replaced)
    return texts, texts.offsets[:-1] + heads


def with_replaced(texts: Utf8Texts, replaced: Mapping[int, bytes]) -> Utf8Texts:
    """Replace some texts; ``replaced``: by number, ascending."""
    sizes, bounds, done = np.diff(texts.offsets), texts.offsets.tolist(), 0
    runs: list[bytes] = []
    for number, text in replaced.items():
        # The texts between two replaced ones are one run of bytes.
        runs += (texts.data[bounds[done] : bounds[number]].tobytes(), text)
        sizes[number], done = len(text), number + 1
    runs.append(texts.data[bounds[done] : bounds[-1]].tobytes())
    return Utf8Texts(offsets_of(sizes), texts_of_bytes(runs).data)


def _marked(texts: Utf8Texts) -> list[int]:
    marked = np.zeros(len(texts), dtype=np.bool_)
    kernels.mark_texts(texts.data, texts.offsets, marked)
    found: list[int] = np.flatnonzero(marked).tolist()
    return found


def read_evidence(texts: Utf8Texts, title_ends: Ints) -> RawEvidence:
    """Read the evidence of documents; ``title_ends``: int64 (documents,), where each title ends in ``texts.data``."""
    with lent_evidence(texts, title_ends) as raw:
        return raw.copied()


@contextmanager
def lent_evidence(texts: Utf8Texts, title_ends: Ints) -> Iterator[RawEvidence]:
    """Read evidence into memory that the next call uses again; after the ``with`` its entries are gone."""
    size, documents = int(texts.offsets[-1] - texts.offsets[0]) + 1, len(texts)
    found = _ROOM.of(size)._replace(
        ends=np.zeros((documents + 1, kernels.FIELDS), dtype=np.int64),
        tokens=np.empty((documents, 2), dtype=np.int32),
        titles=np.empty((documents, 2), dtype=np.uint64),
    )
    kernels.read_documents(texts.data, texts.offsets, title_ends, tables(), scratch_for(texts.longest), found)
    triples, numbers, names, lead, body = found.ends[-1].tolist()
    openings, opening_ends = packed(texts)
    raw = RawEvidence(
        triples=found.triples[:triples],
        numbers=found.numbers[:numbers],
        names=found.names[:names],
        lead=found.lead[:lead],
        body=found.body[:body],
        ends=found.ends,
        tokens=found.tokens,
        titles=found.titles,
        openings=openings,
        opening_ends=opening_ends,
    )
    try:
        yield raw
    finally:
        for name in _ENTRIES:
            object.__delattr__(raw, name)


def packed(texts: Utf8Texts, most: int = OPENING) -> tuple[Uint32s, Ints]:
    """First ``most`` characters of each text in windows-1251, four to a number, and the bounds of each text."""
    # Invisible characters and marks go; others that this alphabet lacks become blanks: the openings are compared word
    # by word, in its languages.
    found = np.zeros(int((np.minimum(np.diff(texts.offsets), most) + 3).sum()), dtype=np.uint8)
    bounds = np.empty(len(texts) + 1, dtype=np.int64)
    pack_openings(texts.data, texts.offsets, most, _alphabet(), found, bounds)
    return found[: 4 * int(bounds[-1])].view("<u4").astype(np.uint32, copy=False), bounds


ALPHABET: Final = "cp1251"


@cache
def codes() -> dict[str, int]:
    """The code of each character of ``ALPHABET`` and of the apostrophe that it lacks."""
    return {bytes([code]).decode(ALPHABET, "replace"): code for code in range(256)} | {"\u02bc": ord("'")}


@cache
def _alphabet() -> Uint8s:
    found = np.full(sys.maxunicode + 1, ord(" "), dtype=np.uint8)
    for character, code in codes().items():
        found[ord(character)] = code if character != "\ufffd" else ord(" ")
    kinds = alphabet().kinds
    found[: kinds.size][kinds == CharacterKind.DROPPED] = 0
    return found


def _empty_lists(size: int) -> kernels.EvidenceLists:
    """Allocate lists with room for an entry of each at every byte."""
    return kernels.EvidenceLists(
        triples=np.empty(size, dtype=np.uint64),
        numbers=np.empty(size, dtype=np.uint32),
        names=np.empty(size, dtype=np.uint32),
        lead=np.empty(size, dtype=np.uint32),
        body=np.empty(size, dtype=np.uint32),
        ends=np.empty((0, kernels.FIELDS), dtype=np.int64),
        tokens=np.empty((0, 2), dtype=np.int32),
        titles=np.empty((0, 2), dtype=np.uint64),
    )


_ROOM: Final = KeptMemory(_empty_lists, _MOST_KEPT)


def scratch_for(longest: int) -> kernels.ReadingScratch:
    """Scratch memory for texts of a given number of bytes."""
    return kernels.ReadingScratch(
        np.zeros(longest + kernels.PADDING, dtype=np.uint8),
        np.zeros(longest + kernels.PADDING, dtype=np.uint16),
        np.empty(longest + 1, dtype=np.uint64),
        np.zeros(2, dtype=np.uint64),
        np.empty(longest + 1, dtype=np.uint32),
        np.zeros(BINS + 1, dtype=np.int64),
        np.zeros(kernels.STATES, dtype=np.int64),
    )


@cache
def tables() -> kernels.Tables:
    """Tables of characters and calendar words."""
    months = {word_hash(word): MONTH_WORDS.get(word, 0) for word in (*MONTH_WORDS, *DAY_WORDS)}
    words = sorted(months)
    return kernels.Tables(
        *alphabet(), np.array(words, dtype=np.uint64), np.array([months[word] for word in words], dtype=np.int64)
    )
