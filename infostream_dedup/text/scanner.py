"""From texts to numbers of surfaces, fast: the same surfaces as ``tokens.surfaces(normalise.clean(text))``.

A scanner belongs to one thread and has surfaces of its own; ``merged`` puts those of several together. Which thread
scans which text changes nothing in the end: surfaces are numbered in the order in which they are first met in the
documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.text.character_classes import classes_of_cleaned_text, classes_of_raw_text
from infostream_dedup.text.kernels.byte_blocks import BLOCK
from infostream_dedup.text.kernels.scanning import READ, UNCLEAN, UNKNOWN, Words, scan
from infostream_dedup.text.normalise import clean
from infostream_dedup.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.text.tokens import surfaces
from infostream_dedup.text.utf8 import Texts, texts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Scanned", "Scanner", "merged"]


@dataclass(frozen=True, slots=True)
class Scanned:
    """The tokens of a run of documents.

    Attributes:
        tokens: int32, number of the surface of each token; the documents lie in any order.
        begins: int64 (documents,), where the tokens of each document begin.
        lengths: int64 (documents,), how many they are.
    """

    tokens: NDArray[np.int32]
    begins: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.begins)


@dataclass(frozen=True, slots=True)
class _Pass:
    """Tokens of texts in their order, where they end, and what became of each text."""

    tokens: NDArray[np.int32]
    ends: NDArray[np.int64]
    states: NDArray[np.uint8]


class Scanner:
    """Reads texts and numbers their surfaces.

    Attributes:
        surfaces: those met so far.
    """

    def __init__(self) -> None:
        self.surfaces = SurfacePool()
        self._rooms = [np.empty(0, dtype=np.int32)] * 2

    def scan(self, texts: Texts, first: int) -> Scanned:
        """Number the surfaces of raw texts. Texts of earlier documents must have been scanned before.

        Args:
            texts: the texts.
            first: number of the document that the first one is; the others follow.
        """
        documents = np.arange(first, first + len(texts), dtype=np.int64)
        raw = self._scan(texts, documents, raw=True)
        unclean = np.flatnonzero(raw.states == UNCLEAN)
        cleaned = texts_of([clean(texts[number]) for number in unclean.tolist()])
        again = self._scan(cleaned, documents[unclean], raw=False)
        left = np.concatenate([np.flatnonzero(raw.states == UNKNOWN), unclean[again.states == UNKNOWN]])
        plain = self._plain([surfaces(clean(texts[number])) for number in left.tolist()], documents[left])
        begins, lengths = raw.ends[:-1].copy(), np.diff(raw.ends)
        before = len(raw.tokens)
        for part, which in ((again, unclean), (plain, left)):
            begins[which], lengths[which] = part.ends[:-1] + before, np.diff(part.ends)
            before += len(part.tokens)
        return Scanned(np.concatenate([raw.tokens, again.tokens, plain.tokens]), begins, lengths)

    def _scan(self, texts: Texts, documents: NDArray[np.int64], *, raw: bool) -> _Pass:
        kinds = classes_of_raw_text() if raw else classes_of_cleaned_text()
        size = int(texts.offsets[-1] - texts.offsets[0])
        # A token takes two bytes at least: a letter and what parts it from the next.
        tokens = self._room(raw, (size + len(texts) + 1) // 2)
        ends, states = np.zeros(len(texts) + 1, dtype=np.int64), np.zeros(len(texts), dtype=np.uint8)
        words = _words(texts.longest)
        offsets, data, pool = texts.offsets, texts.data, self.surfaces
        done = scan(data, offsets, documents, 0, kinds, raw, words, pool.table, tokens, ends, states)
        while done < len(texts):
            stopped = int(offsets[done + 1] - offsets[done])
            pool.make_room(stopped // 2 + 1, 2 * stopped)
            done = scan(data, offsets, documents, done, kinds, raw, words, pool.table, tokens, ends, states)
        return _Pass(tokens[: ends[-1]], ends, states)

    def _room(self, which: bool, size: int) -> NDArray[np.int32]:
        """Memory for the tokens of a pass, kept from call to call: to ask for it anew takes as long as to use it."""
        if len(self._rooms[which]) < size:
            self._rooms[which] = np.empty(size, dtype=np.int32)
        return self._rooms[which]

    def _plain(self, texts: Sequence[Sequence[str]], documents: NDArray[np.int64]) -> _Pass:
        """Take surfaces as the plain code found them."""
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        ends = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
        words = texts_of([surface for text in texts for surface in text])
        firsts = np.repeat((documents << 32) - ends[:-1], lengths) + np.arange(len(words))
        tokens = self.surfaces.add(SurfaceList(words.offsets, words.data), firsts)
        return _Pass(tokens, ends, np.full(len(texts), READ, dtype=np.uint8))


def merged(pools: Sequence[SurfacePool]) -> tuple[SurfaceList, list[NDArray[np.int32]]]:
    """All surfaces in the order in which they are first met in the documents.

    Args:
        pools: at least one; the first takes up the others.

    Returns:
        The surfaces, and for each pool int32, the new number of each of its surfaces.
    """
    first = pools[0]
    numbers = [np.arange(len(first), dtype=np.int32)]
    numbers += [first.add(pool.listed(), pool.firsts) for pool in pools[1:]]
    order = np.argsort(first.firsts, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return first.listed(order), [rank[own] for own in numbers]


def _words(size: int) -> Words:
    """Room for the words of a text of that many bytes."""
    count = size // 2 + 1
    return Words(
        np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.int64),
        np.empty(count, dtype=np.uint64),
        np.empty(count, dtype=np.uint8),
        np.empty(2 * size + BLOCK, dtype=np.uint8),
    )
