"""Distinct surfaces numbered by compiled code, and their growing memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.language.text.kernels import surface_table as kernels
from infostream_dedup.machine.arrays import Int32s, Ints, Uint8s
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.model import NO_TIME, Document, DocumentBlock, microseconds_of, without_text

# Many texts as UTF-8 in one block of memory, for compiled code

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ROOM: Final = BLOCK + 2


# Not frozen: making a frozen one takes several times as long, and each document of a stream makes several.
@dataclass(slots=True)
class Utf8Texts:
    """Concatenated texts."""

    offsets: Ints  # int64 (texts + 1,), bounds of the texts
    data: Uint8s  # uint8, valid UTF-8, followed by `BLOCK` + 2 readable bytes

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> str:
        return self.data[self.offsets[number] : self.offsets[number + 1]].tobytes().decode()

    def blocks(self, size: int) -> Iterator[Utf8Texts]:
        """Yield the texts in runs of about ``size`` bytes, each of at least one text; no text is copied."""
        if len(self) == 1:
            yield self
            return
        starts = self.offsets[:-1] - self.offsets[0]
        # A run ends where a multiple of the size is passed.
        firsts = [*np.flatnonzero(np.diff(starts // size, prepend=-1)).tolist(), len(self)]
        for first, end in pairwise(firsts):
            yield Utf8Texts(self.offsets[first : end + 1], self.data)

    @property
    def longest(self) -> int:
        """Length of the longest text in bytes."""
        return int(np.diff(self.offsets).max(initial=0))


def encoded(text: str) -> bytes:
    """Encode a text in UTF-8. Lone surrogates, which UTF-8 cannot encode, become U+FFFD; neither is part of a word."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode()


def texts_of(strings: Sequence[str]) -> Utf8Texts:
    """Encode texts as ``encoded`` does."""
    try:
        return texts_of_bytes([text.encode() for text in strings])
    except UnicodeEncodeError:
        return texts_of_bytes([encoded(text) for text in strings])


def texts_of_bytes(texts: Sequence[bytes]) -> Utf8Texts:
    """Concatenate texts that are valid UTF-8."""
    offsets = np.array([0, *accumulate(map(len, texts))], dtype=np.int64)
    return Utf8Texts(offsets, np.frombuffer(b"".join([*texts, bytes(_ROOM)]), dtype=np.uint8))


def block_of(documents: Sequence[Document], *, without_texts: bool = False) -> DocumentBlock:
    """Return documents as columns; ``without_texts``: keep no other copy of texts unless UTF-8 cannot hold one."""
    if isinstance(documents, DocumentBlock):
        return documents
    try:
        titles, joined = _encoded_texts(documents, str.encode)
    except UnicodeEncodeError:
        titles, joined = _encoded_texts(documents, encoded)
        without_texts = False
    begins = joined.offsets[::2].copy()
    times = [NO_TIME if one.time is None else microseconds_of(one.time) for one in documents]
    characters = [(len(one.title), len(one.text)) for one in documents]
    block = DocumentBlock(
        ids=[one.id for one in documents],
        languages=[one.lang for one in documents],
        sources=[one.source for one in documents],
        urls=[one.url for one in documents],
        times=np.array(times, dtype=np.int64),
        data=joined.data,
        offsets=begins,
        titles=begins[:-1] + np.array(titles, dtype=np.int64),
        bodies=joined.offsets[1::2].copy(),
        characters=np.array(characters, dtype=np.int64).reshape(-1, 2),
        without_text=lambda number: without_text(documents[number]),
        whole=documents.__getitem__,
    )
    if not without_texts:
        return block
    return replace(block, without_text=[without_text(one) for one in documents].__getitem__, whole=lambda _: None)


def _encoded_texts(documents: Sequence[Document], encode: Callable[[str], bytes]) -> tuple[list[int], Utf8Texts]:
    """Sizes of the titles, and two texts for each document: its title, if that is no part of its text, and its text."""
    titles = [encode(one.title) for one in documents]
    parts: list[bytes] = []
    for one, title in zip(documents, titles, strict=True):
        parts += (b"" if one.text.startswith(one.title) else title + b"\n", encode(one.text))
    # Joined at once: texts are copied as little as possible.
    return list(map(len, titles)), texts_of_bytes(parts)


def texts_of_arrow(array: Any) -> Utf8Texts:
    """Return the texts of a ``string`` or ``large_string`` array without nulls; they are copied only if necessary."""
    import pyarrow as pa

    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)) or array.null_count:
        raise ValueError(f"texts are {array.type} with {array.null_count} nulls; expected strings without nulls")
    if len(array) == 0:
        return Utf8Texts(np.zeros(1, dtype=np.int64), np.zeros(_ROOM, dtype=np.uint8))
    _, places, buffer = array.buffers()
    kind = np.int64 if pa.types.is_large_string(array.type) else np.int32
    offsets = np.frombuffer(places, dtype=kind)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    data = np.frombuffer(buffer, dtype=np.uint8) if buffer is not None else np.zeros(0, dtype=np.uint8)
    if len(data) < offsets[-1] + _ROOM:
        data = np.concatenate([data[offsets[0] : offsets[-1]], np.zeros(_ROOM, dtype=np.uint8)])
        data.flags.writeable = False
        offsets -= offsets[0]
    return Utf8Texts(offsets, data)


_SLOTS: Final = 1 << 16
_FEWEST_SLOTS: Final = 1 << 10
_MOST_ROOM: Final = 4
"""How many times as large as a new table one may be that is emptied and used again: clearing a much larger one takes
longer than allocating the new one, and drives other data out of the processor's cache."""

_BYTES_PER_SURFACE: Final = 32
_LINE_BREAK: Final = 0x0A
_FEW_WORDS: Final = 100  # number of words below which Python converts them in less time than numpy takes to start


# Not frozen: making a frozen one takes several times as long, and each document of a stream makes several.
@dataclass(slots=True, eq=False)
class SurfaceList(Sequence[str]):
    """Concatenated surfaces, or other words, in UTF-8; a month's words would take gigabytes as Python strings."""

    starts: Ints  # int64 (surfaces + 1,), bounds of the surfaces
    pool: Uint8s  # uint8, followed by `BLOCK` readable bytes

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> list[str]: ...

    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return self.some(np.arange(*number.indices(len(self))))
        place = range(len(self))[number]
        return self.pool[self.starts[place] : self.starts[place + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self.strings())

    @classmethod
    def of(cls, words: Sequence[str]) -> SurfaceList:
        """Convert words, which must not contain line breaks."""
        if 0 < len(words) < _FEW_WORDS:
            parts = "\n".join(words).encode().split(b"\n")
            bounds = np.array([0, *accumulate(map(len, parts))], dtype=np.int64)
            return cls(bounds, np.frombuffer(bytearray(b"".join([*parts, bytes(BLOCK)])), dtype=np.uint8))
        text = np.frombuffer("\n".join([*words, ""]).encode(), dtype=np.uint8)
        ends = np.flatnonzero(text == _LINE_BREAK)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), ends + 1 - np.arange(1, len(ends) + 1)])
        return cls(starts, np.concatenate([text[text != _LINE_BREAK], np.zeros(BLOCK, dtype=np.uint8)]))

    def strings(self) -> list[str]:
        """All surfaces."""
        return self.some(np.arange(len(self)))

    def some(self, numbers: NDArray[np.integer]) -> list[str]:
        """Return the surfaces with these numbers, in order."""
        if len(numbers) == 0:
            return []
        size = int((self.starts[numbers + 1] - self.starts[numbers]).sum())
        lines = np.empty(size + len(numbers), dtype=np.uint8)
        kernels.write_lines(self.starts, self.pool, numbers.astype(np.int64, copy=False), lines)
        # Splitting one string is three times as fast as creating strings one by one.
        return lines.tobytes().decode().split("\n")[:-1]

    def picked(self, numbers: NDArray[np.integer]) -> SurfaceList:
        """Return the surfaces with these numbers, in order, as another list."""
        size = int((self.starts[numbers + 1] - self.starts[numbers]).sum())
        starts, pool = np.empty(len(numbers) + 1, dtype=np.int64), np.empty(size + BLOCK, dtype=np.uint8)
        kernels.reorder(self.starts, self.pool, numbers.astype(np.int32, copy=False), starts, pool)
        pool[size:] = 0
        return SurfaceList(starts, pool)

    def code_point_order(self) -> Int32s:
        """int32 (surfaces,): numbers of distinct surfaces in code point order; no surface contains a zero byte."""
        order = np.arange(len(self), dtype=np.int32)
        ranges = np.empty((len(self) // kernels.RANGES_PER_WORD + 1, 3), dtype=np.int64)
        kernels.sort_words(self.pool, self.starts, order, np.empty(len(self), dtype=np.uint64), ranges)
        return order


class SurfacePool:
    """Distinct surfaces, numbered in order of arrival, in a table for compiled code, which ``make_room`` replaces.

    ``expected``: a document's words scattered over a large table would touch most of its pages.
    """

    def __init__(self, expected: int = _SLOTS) -> None:
        slots = _slots(expected)
        self.table = kernels.SurfaceTable(
            np.zeros(slots, dtype=np.uint64),
            np.empty(slots // 2 * _BYTES_PER_SURFACE, dtype=np.uint8),
            np.zeros(2, dtype=np.int64),
        )

    def __len__(self) -> int:
        return int(self.table.size[0])

    def emptied(self, expected: int = _SLOTS) -> SurfacePool:
        """Return a pool without surfaces: this one, whose table nobody may use any longer, unless it is too large."""
        if len(self.table.slots) > _MOST_ROOM * _slots(expected):
            return SurfacePool(expected)
        self.table.slots[:], self.table.size[:] = 0, 0
        return self

    def listed(self) -> SurfaceList:
        """All surfaces, by number."""
        starts = np.empty(len(self) + 1, dtype=np.int64)
        pool = np.empty(kernels.total_size(self.table) + BLOCK, dtype=np.uint8)
        kernels.unpack(self.table, starts, pool)
        return SurfaceList(starts, pool)

    def add(self, surfaces: SurfaceList) -> Int32s:
        """Return the numbers of surfaces, which may repeat; new surfaces get new numbers."""
        numbers = np.empty(len(surfaces), dtype=np.int32)
        self.make_room(len(surfaces), int(surfaces.starts[-1] - surfaces.starts[0]))
        hashes = np.empty(kernels.AT_ONCE, dtype=np.uint64)
        kernels.intern_all(self.table, surfaces.pool, surfaces.starts, hashes, numbers)
        return numbers

    def find(self, surfaces: SurfaceList, wanted: Ints) -> Int32s:
        """Return the numbers of some surfaces, ``MISSING`` if they are not in the pool; quick for small pools."""
        numbers = np.empty(len(wanted), dtype=np.int32)
        kernels.find_all(self.table, surfaces.pool, surfaces.starts, wanted, numbers)
        return numbers

    def make_room(self, words: int, size: int) -> None:
        """Make room for this many more words of this many bytes in total; what is too small at least doubles."""
        old = self.table
        if kernels.has_room(old, words, size):
            return
        count, held = int(old.size[0]), int(old.size[1])
        slots, pool = old.slots, old.pool
        if held + size + kernels.HEADER * words + BLOCK > len(pool):
            pool = np.empty(2 * held + size + kernels.HEADER * words + BLOCK, dtype=np.uint8)
            pool[:held] = old.pool[:held]
        if 2 * (count + words) > len(slots):
            slots = np.zeros(1 << (2 * (2 * count + words) - 1).bit_length(), dtype=np.uint64)
        self.table = kernels.SurfaceTable(slots, pool, old.size)
        if slots is not old.slots:
            kernels.fill_slots(self.table, old.slots)


def _slots(expected: int) -> int:
    return min(max(1 << (2 * expected).bit_length(), _FEWEST_SLOTS), _SLOTS)
