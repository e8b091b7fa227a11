"""Many texts as UTF-8 in one block of memory, for compiled code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.machine.kernels.byte_blocks import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray


_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ROOM: Final = BLOCK + 2


# Not frozen: making a frozen one takes several times as long, and each document of a stream makes several.
@dataclass(slots=True)
class Utf8Texts:
    """Concatenated texts.

    Attributes:
        offsets: int64 (texts + 1,), bounds of the texts.
        data: uint8, valid UTF-8, followed by ``BLOCK`` + 2 readable bytes.
    """

    offsets: NDArray[np.int64]
    data: NDArray[np.uint8]

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
