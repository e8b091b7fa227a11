"""A gzip archive as a stream of bytes that says what is wrong with it.

Unlike the standard library it hands out every byte that can be unpacked before it reports a cut archive, and it
stops at an archive made to fill memory or disk.
"""

from __future__ import annotations

import io
import zlib
from typing import Any, BinaryIO, Final

__all__ = ["GZIP_MAGIC", "GunzipStream", "StreamError"]

GZIP_MAGIC: Final = b"\x1f\x8b"
_CHUNK: Final = 64 * 1024
_WITH_GZIP_HEADER: Final = 16 + zlib.MAX_WBITS


class StreamError(Exception):
    """The bytes of an input end here, for a reason that a user must hear.

    Args:
        code: short stable name of the kind of fault.
        message: what came and what was expected.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class GunzipStream(io.RawIOBase):
    """Unpacks one archive of one or more members; zero bytes behind the last are padding.

    Args:
        packed: the archive; stays open when this stream is closed.
        max_ratio: unpacked bytes allowed for each packed one ...
        ratio_free_bytes: ... once this many have been unpacked.

    Raises:
        StreamError: while reading, behind the last good byte: ``E_GZIP`` for an archive that is cut, damaged or
            followed by something else, ``E_RATIO`` for one that unpacks to too much.
    """

    def __init__(self, packed: BinaryIO, *, max_ratio: int = 200, ratio_free_bytes: int = 64 * 2**20) -> None:
        super().__init__()
        self._packed = packed
        self._max_ratio = max_ratio
        self._ratio_free_bytes = ratio_free_bytes
        self._pending = b""
        self._damage: StreamError | None = None
        self._bytes_in = 0
        self._bytes_out = 0
        self._member = zlib.decompressobj(_WITH_GZIP_HEADER)

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer` with unpacked bytes; 0 at the end of the archive."""
        data = self._unpack(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _unpack(self, size: int) -> bytes:
        if self._damage is not None:
            raise self._damage
        while not self._member.eof or self._next_member():
            packed = self._pending or self._more()
            before = self._member.copy()
            try:
                # zlib may still hold output when all input is in: an empty call fetches it.
                data = self._member.decompress(packed, size)
            except zlib.error as error:
                self._damage = StreamError("E_GZIP", f"the gzip archive is damaged ({error})")
                return _up_to_damage(before, packed) or self._unpack(size)
            self._pending = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if data:
                self._count(len(data))
                return data
            if not packed:
                raise StreamError("E_GZIP", "the gzip archive is cut short; get it again")
        return b""

    def _more(self) -> bytes:
        packed = self._packed.read(_CHUNK)
        self._bytes_in += len(packed)
        return packed

    def _next_member(self) -> bool:
        rest = self._pending.lstrip(b"\0")
        while len(rest) < len(GZIP_MAGIC):
            more = self._more()
            if not more:
                break
            rest = (rest + more).lstrip(b"\0")
        self._pending = b""
        if not rest:
            return False
        if not rest.startswith(GZIP_MAGIC):
            raise StreamError("E_GZIP", "bytes that are no gzip data follow the archive")
        self._pending = rest
        self._member = zlib.decompressobj(_WITH_GZIP_HEADER)
        return True

    def _count(self, size: int) -> None:
        self._bytes_out += size
        used = self._bytes_in - len(self._pending)
        if self._bytes_out > self._ratio_free_bytes and self._bytes_out > self._max_ratio * used:
            raise StreamError(
                "E_RATIO",
                f"{self._bytes_out} bytes came out of {used} packed ones, more than {self._max_ratio} for each; "
                "unpack the archive first if it is meant so",
            )


def _up_to_damage(member: zlib._Decompress, packed: bytes) -> bytes:
    """What comes out of `packed` before the byte at which zlib gives up; a whole chunk would give nothing."""
    data = bytearray()
    for position in range(len(packed)):
        try:
            data += member.decompress(packed[position : position + 1])
        except zlib.error:
            break
    return bytes(data)
