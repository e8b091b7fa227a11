r"""Inputs as lines of bytes of bounded length, with their numbers and offsets.

Lines end only at ``\n``: U+2028, U+0085 and the like are text (``str.splitlines`` would split records at them).
"""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

from infostream_dedup.documents.encodings import ConvertedStream, recognised_encoding
from infostream_dedup.documents.endings import STANDARD_STREAM, must_be_gzip
from infostream_dedup.documents.gunzip import GZIP_MAGIC, GunzipStream, StreamError
from infostream_dedup.documents.packed import UnpackedStream, packing_of
from infostream_dedup.errors import NoInputError

__all__ = ["BYTE_ORDER_MARK", "Line", "byte_lines", "open_bytes", "refuse_wide_encodings"]

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_CHUNK: Final = 64 * 1024
_MAGIC_BYTES: Final = 6

_log = logging.getLogger("infostream_dedup.documents")
_told: Final[set[str]] = set()
"""Files whose encoding has been reported: some files are read twice."""

_Buffered: TypeAlias = "io.BufferedReader[Any]"


class Line(NamedTuple):
    """One line.

    Attributes:
        data: bytes of the line with its line end; only the first part if `too_long`.
        number: line number, from 1.
        offset: offset of the first byte in the uncompressed stream.
        too_long: whether the line, without its line end, has more bytes than allowed.
    """

    data: bytes
    number: int
    offset: int
    too_long: bool


@contextmanager
def open_bytes(source: str, encoding: str | None = None) -> Iterator[_Buffered]:
    """Open the bytes of a file or of standard input (``-``) as UTF-8, unpacked if they start like an archive.

    Args:
        source: path of the file, or ``-``.
        encoding: encoding of the text; if None, UTF-16 and the usual Cyrillic ones are recognised.

    Raises:
        NoInputError: the input cannot be opened or read.
        StreamError: while reading, or at once if a ``.gz`` file is not an archive.
    """
    opened = _open_standard_input() if source == STANDARD_STREAM else _open_file(source)
    try:
        with (
            opened as stream,
            _unpack(stream, gzip=must_be_gzip(source)) as unpacked,
            _convert(unpacked, encoding, source) as converted,
        ):
            yield converted
    except OSError as error:
        raise NoInputError(f"cannot read {source}: {error.strerror or error}") from error


def _open_file(source: str) -> _Buffered:
    try:
        return io.BufferedReader(io.FileIO(source), buffer_size=_CHUNK)
    except OSError as error:
        raise NoInputError(f"cannot open {source}: {error.strerror or error}") from error


@contextmanager
def _open_standard_input() -> Iterator[_Buffered]:
    if sys.stdin is None:
        raise NoInputError("standard input is closed; expected JSON Lines")
    stream: Any = sys.stdin.buffer
    try:
        descriptor = stream.fileno()
    except OSError:
        descriptor = None
    if descriptor is not None:
        # Use our own buffer: a thread still waiting for input would hold the lock that Python needs to exit.
        with open(descriptor, "rb", closefd=False) as own:
            yield own
        return
    if isinstance(stream, io.BufferedReader):
        yield stream
        return
    buffered: _Buffered = io.BufferedReader(stream)
    try:
        yield buffered
    finally:
        # Dropping the buffer would close standard input, which is not ours.
        if not stream.closed:
            buffered.detach()


@contextmanager
def _unpack(stream: _Buffered, *, gzip: bool) -> Iterator[_Buffered]:
    begin = stream.peek(_MAGIC_BYTES)[:_MAGIC_BYTES]
    packing = packing_of(begin)
    if begin.startswith(GZIP_MAGIC):
        unpacked: _Buffered = io.BufferedReader(GunzipStream(stream), buffer_size=_CHUNK)
    elif packing is not None:
        unpacked = io.BufferedReader(UnpackedStream(stream, packing), buffer_size=_CHUNK)
    elif gzip:
        raise StreamError("E_GZIP", "the name ends with .gz, but this is not a gzip archive")
    else:
        yield stream
        return
    with unpacked:
        yield unpacked


@contextmanager
def _convert(stream: _Buffered, encoding: str | None, source: str) -> Iterator[_Buffered]:
    if encoding is None:
        # Wait only for a file: standard input may be a pipe that delivers one line now and the next in an hour.
        try:
            encoding = recognised_encoding(stream.peek(1))
        except StreamError:
            # The reader meets the same fault when it gets there.
            encoding = None
        if encoding is not None and source not in _told:
            _told.add(source)
            _log.warning(
                "%s: the text is %s, not UTF-8, and is read as such (use --encoding to change that)", source, encoding
            )
    if encoding is None or encoding == "utf-8":
        yield stream
        return
    converted: _Buffered = io.BufferedReader(ConvertedStream(stream, encoding), buffer_size=_CHUNK)
    with converted:
        yield converted


def byte_lines(
    stream: BinaryIO, limit: int, *, blanks_as_one: bool = False, number: int = 0, offset: int = 0
) -> Iterator[Line]:
    """Yield the lines of `stream`, without a byte order mark at the start of the input.

    Memory is bounded: only the first `limit` bytes of a longer line are kept.

    Args:
        stream: the bytes; for `blanks_as_one` buffered.
        limit: maximum bytes kept of a line.
        blanks_as_one: yield only the last of consecutive empty lines: an archive of empty lines unpacks to millions.
        number: lines of the input that precede `stream`.
        offset: bytes of the input that precede `stream`.

    Raises:
        StreamError: the stream is UTF-16 or UTF-32 (``E_ENCODING``), or a broken archive (see `GunzipStream`).
    """
    while data := stream.readline(limit + 1):
        number += 1
        start = offset
        offset += len(data)
        if number == 1:
            refuse_wide_encodings(data)
            if data.startswith(BYTE_ORDER_MARK):
                data = data.removeprefix(BYTE_ORDER_MARK)
                start += len(BYTE_ORDER_MARK)
                if not data.endswith(b"\n"):
                    tail = stream.readline(len(BYTE_ORDER_MARK))
                    data += tail
                    offset += len(tail)
        too_long = len(data) > limit and not data.endswith(b"\n")
        if too_long:
            offset += _skip_line(stream)
            data = data[:limit]
        elif blanks_as_one and data == b"\n":
            more = _skip_empty_lines(stream)
            number, start, offset = number + more, start + more, offset + more
        yield Line(data, number, start, too_long)


def _skip_empty_lines(stream: Any) -> int:
    skipped = 0
    # The next line reports the fault of the stream again.
    with suppress(StreamError):
        while ahead := stream.peek():
            empty = len(ahead) - len(ahead.lstrip(b"\n"))
            stream.read(empty)
            skipped += empty
            if empty < len(ahead):
                break
    return skipped


def _skip_line(stream: BinaryIO) -> int:
    skipped = 0
    while data := stream.readline(_CHUNK):
        skipped += len(data)
        if data.endswith(b"\n"):
            break
    return skipped


def refuse_wide_encodings(data: bytes) -> None:
    """Look at the first line of an input.

    Raises:
        StreamError: it is UTF-16 or UTF-32.
    """
    # In UTF-16 and UTF-32, ASCII has zero bytes within its first characters; UTF-8 text never starts like that.
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise StreamError("E_ENCODING", "this looks like UTF-16 or UTF-32, expected UTF-8; convert it, e.g. with iconv")
