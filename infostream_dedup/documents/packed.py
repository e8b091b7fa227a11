"""Unpack archives other than gzip: bzip2, xz and Zstandard, recognised by their first bytes."""

from __future__ import annotations

import bz2
import io
import lzma
from typing import Any, Final

from infostream_dedup.documents.gunzip import StreamError

__all__ = ["UnpackedStream", "packing_of"]

_MAGIC: Final = ((b"BZh", "bz2"), (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zst"))
_MAX_RATIO: Final = 1000
_RATIO_FREE_BYTES: Final = 64 * 2**20


def packing_of(begin: bytes) -> str | None:
    """Return ``bz2``, ``xz`` or ``zst`` by the first bytes of a file; None for anything else."""
    return next((name for magic, name in _MAGIC if begin.startswith(magic)), None)


class UnpackedStream(io.RawIOBase):
    """Unpacks an archive.

    Args:
        packed: the archive; remains open.
        packing: kind of archive, from ``packing_of``.

    Raises:
        StreamError: while reading, ``E_PACKED`` for an archive that is truncated or damaged, ``E_RATIO`` for one that
            unpacks to more than a thousand times its size.
    """

    def __init__(self, packed: Any, packing: str) -> None:
        super().__init__()
        self._packed = _Counted(packed)
        self._packing = packing
        self._stream = _opened(self._packed, packing)
        self._bytes_out = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer` and return the number of bytes; 0 at the end."""
        try:
            data = self._stream.read(len(buffer))
        except (OSError, EOFError, lzma.LZMAError, ValueError) as error:
            raise StreamError("E_PACKED", f"the {self._packing} archive is truncated or damaged ({error})") from None
        self._bytes_out += len(data)
        if self._bytes_out > _RATIO_FREE_BYTES and self._bytes_out > _MAX_RATIO * self._packed.count:
            raise StreamError("E_RATIO", f"the archive unpacks to more than {_MAX_RATIO} times its size")
        buffer[: len(data)] = data
        return len(data)


class _Counted(io.RawIOBase):
    """Passes bytes on and counts them."""

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self._stream = stream
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)


def _opened(packed: Any, packing: str) -> Any:
    if packing == "bz2":
        return bz2.BZ2File(packed)
    if packing == "xz":
        return lzma.LZMAFile(packed)
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd")
