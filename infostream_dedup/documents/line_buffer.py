"""Read complete lines in large pieces, for code that processes many at once; ``byte_lines`` yields them one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.documents.gunzip import StreamError
from infostream_dedup.documents.lines import BYTE_ORDER_MARK, Line, refuse_wide_encodings
from infostream_dedup.machine.kernels.byte_blocks import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LineBuffer"]

_SIZE: Final = 1 << 21
"""Bytes read at a time: as many as fit into the processor's cache together with what is computed from them."""


class LineBuffer:
    """The next bytes of a stream.

    Args:
        stream: a buffered stream.
        size: bytes to read at a time; more if a line is longer.

    Attributes:
        data: uint8, the bytes, followed by ``BLOCK`` zeros.
        size: number of bytes.
        ended: whether the stream has ended: no more bytes will follow.
        number: number of lines before these bytes.
        offset: number of bytes before them.
        last: offset after the last line taken.
    """

    def __init__(self, stream: Any, size: int = _SIZE) -> None:
        self._stream = stream
        self._chunk = size
        self._fault: StreamError | None = None
        self.data: NDArray[np.uint8] = np.zeros(size + BLOCK, dtype=np.uint8)
        self.size = 0
        self.ended = False
        self.number = 0
        self.offset = 0
        self.last = 0

    def fill(self) -> None:
        """Read until a piece is complete or the stream ends.

        Raises:
            StreamError: the stream is UTF-16 or UTF-32.
        """
        begin = self.offset == 0 and self.size == 0
        room = len(self.data) - BLOCK
        view = self.data.data
        try:
            while self.size < room and not self.ended:
                got = self._stream.readinto1(view[self.size : room])
                self.size += got
                self.ended = got == 0
        except StreamError as fault:
            self._fault, self.ended = fault, True
        self.data[self.size : self.size + BLOCK] = 0
        if begin:
            self._check_begin()

    @property
    def whole(self) -> bool:
        """Whether the last line is complete although no line end follows it: the stream ended without a fault."""
        return self.ended and self._fault is None

    def grow(self) -> None:
        """Enlarge the buffer for a longer line."""
        data = np.zeros(2 * (len(self.data) - BLOCK) + BLOCK, dtype=np.uint8)
        data[: self.size] = self.data[: self.size]
        self.data = data

    def line(self, begin: int, end: int, before: int, limit: int) -> Line:
        """Return a line as ``byte_lines`` yields it.

        Args:
            begin: its first byte.
            end: the byte after it, without its line end.
            before: number of lines before it in this piece.
            limit: maximum bytes kept.
        """
        too_long = end - begin > limit
        stop = begin + limit if too_long else min(end + 1, self.size)
        return Line(self.data[begin:stop].tobytes(), self.number + before + 1, self.offset + begin, too_long)

    def take(self, lines: int, begin: int, end: int, limit: int) -> None:
        """Drop lines that have been read, and keep what follows them.

        Args:
            lines: number of lines.
            begin: first byte of the last of them.
            end: the byte after it, without its line end.
            limit: maximum bytes kept of a line.
        """
        too_long = end - begin > limit
        end = min(end + 1, self.size)
        self.last = self.offset + (begin + limit if too_long else end)
        rest = self.size - end
        self.data[:rest] = self.data[end : self.size].copy()
        self.data[rest : rest + BLOCK] = 0
        self.size = rest
        self.number += lines
        self.offset += end

    def skip_line(self, limit: int) -> None:
        """Drop a line whose first part has been read.

        Args:
            limit: maximum bytes kept of a line.
        """
        self.last = self.offset + limit
        self.number += 1
        while True:
            self.offset += self.size
            self.size = 0
            if self.ended:
                return
            self.fill()
            found = np.flatnonzero(self.data[: self.size] == ord("\n"))
            if len(found):
                last = self.last
                self.take(0, 0, int(found[0]), limit)
                self.last = last
                return

    def check_end(self) -> None:
        """Raise the fault that ended the stream, if any.

        Raises:
            StreamError: a broken archive.
        """
        if self._fault is not None:
            raise self._fault

    def _check_begin(self) -> None:
        first = self.data[: min(self.size, BLOCK)].tobytes().split(b"\n", 1)
        refuse_wide_encodings(first[0] + (b"\n" if len(first) > 1 else b""))
        if first[0].startswith(BYTE_ORDER_MARK):
            mark = len(BYTE_ORDER_MARK)
            self.data[: self.size - mark] = self.data[mark : self.size].copy()
            self.size -= mark
            self.data[self.size : self.size + BLOCK] = 0
            self.offset = mark
