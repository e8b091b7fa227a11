"""A gzip archive as a stream of bytes that reports what is wrong with the archive.

Unlike the standard library, it returns every byte that can be unpacked before it reports a truncated archive, and
refuses an archive made to fill memory or disk.
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
    """The bytes of an input end early, for a reason that the user should know.

    Args:
        code: short, stable name of the kind of fault.
        message: what was found and what was expected.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class GunzipStream(io.RawIOBase):
    """Unpacks an archive of one or more members; zero bytes after the last are padding.

    Args:
        packed: the archive; remains open when this stream is closed.
        max_ratio: maximum number of unpacked bytes for each packed byte.
        ratio_free_bytes: number of unpacked bytes up to which `max_ratio` is not checked.

    Raises:
        StreamError: while reading, after the last good byte: ``E_GZIP`` for an archive that is truncated, damaged or
            followed by other data, ``E_RATIO`` for one that exceeds `max_ratio`.
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
        """Return True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer` with unpacked bytes and return their number; 0 at the end of the archive."""
        data = self._unpack(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _unpack(self, size: int) -> bytes:
        if self._damage is not None:
            raise self._damage
        while not self._member.eof or self._start_next_member():
            packed = self._pending or self._read_chunk()
            before = self._member.copy()
            try:
                # zlib may still hold output after all input: an empty call fetches it.
                data = self._member.decompress(packed, size)
            except zlib.error as error:
                self._damage = StreamError("E_GZIP", f"the gzip archive is damaged ({error})")
                return _unpack_up_to_damage(before, packed) or self._unpack(size)
            self._pending = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if data:
                self._check_ratio(len(data))
                return data
            if not packed:
                raise StreamError("E_GZIP", "the gzip archive is truncated; get it again")
        return b""

    def _read_chunk(self) -> bytes:
        packed = self._packed.read(_CHUNK)
        self._bytes_in += len(packed)
        return packed

    def _start_next_member(self) -> bool:
        rest = self._pending.lstrip(b"\0")
        while len(rest) < len(GZIP_MAGIC):
            more = self._read_chunk()
            if not more:
                break
            rest = (rest + more).lstrip(b"\0")
        self._pending = b""
        if not rest:
            return False
        if not rest.startswith(GZIP_MAGIC):
            raise StreamError("E_GZIP", "bytes that are not gzip data follow the archive")
        self._pending = rest
        self._member = zlib.decompressobj(_WITH_GZIP_HEADER)
        return True

    def _check_ratio(self, size: int) -> None:
        self._bytes_out += size
        used = self._bytes_in - len(self._pending)
        if self._bytes_out > self._ratio_free_bytes and self._bytes_out > self._max_ratio * used:
            raise StreamError(
                "E_RATIO",
                f"{used} packed bytes unpack to {self._bytes_out}, more than {self._max_ratio} times as many; "
                "if that is intended, unpack the archive first",
            )


def _unpack_up_to_damage(member: zlib._Decompress, packed: bytes) -> bytes:
    """Return what `packed` yields before the byte at which zlib gives up; a whole chunk would yield nothing."""
    data = bytearray()
    for position in range(len(packed)):
        try:
            data += member.decompress(packed[position : position + 1])
        except zlib.error:
            break
    return bytes(data)
