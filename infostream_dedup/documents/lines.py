r"""Lines of text files, packed or not, in any encoding, and the file formats, recognised by the ending of a name.

Lines end only at ``\n``: U+2028, U+0085 and the like are text (``str.splitlines`` would split records at them). Unlike
the standard library, the reader of gzip returns every byte that can be unpacked before it reports a truncated archive,
and refuses an archive made to fill memory or disk.
"""

from __future__ import annotations

import bz2
import codecs
import io
import logging
import lzma
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import PurePath
from typing import Any, BinaryIO, Final, Literal, NamedTuple, TypeAlias

from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.machine.files import Readable
from infostream_dedup.model.registry import offered
from infostream_dedup.model.tabular import require_arrow

Format = Literal["jsonl", "json", "csv", "parquet", "xlsx"]
STANDARD_STREAM: Final = "-"

_FORMATS: Final[dict[str, Format]] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "csv", ".parquet": "parquet",
    ".xlsx": "xlsx",
}  # fmt: skip
_GZIP: Final = ".gz"
InputFormat = Literal["jsonl", "json", "csv", "parquet", "arrow", "xlsx", "text", "reader"]

_INPUTS: Final[dict[str, InputFormat]] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".jsonlines": "jsonl", ".jl": "jsonl", ".json": "json", ".csv": "csv",
    ".tsv": "csv", ".tab": "csv", ".txt": "text", ".parquet": "parquet", ".parquet.gzip": "parquet",
    ".parq": "parquet", ".pq": "parquet", ".feather": "arrow", ".arrow": "arrow", ".xlsx": "xlsx",
}  # fmt: skip
PACKINGS: Final = (".gz", ".bz2", ".xz", ".zst", ".zip")
"""Endings of the names of packed files. pandas calls a Parquet file with packed pages ``.parquet.gzip``."""

_STREAMS: Final = ("jsonl", "json", "csv", "text")

READERS: Final = {
    f".{name.lower()}": point for name, point in offered("readers").items() if f".{name.lower()}" not in _INPUTS
}
"""Readers of other packages by the endings of their files: functions that take a path and yield dicts."""

KNOWN_ENDINGS: Final = (
    *_INPUTS,
    *READERS,
    *(ending + packing for ending, form in _INPUTS.items() if form in _STREAMS for packing in PACKINGS),
    ".zip",
)
"""Endings of file names that can be read."""

_COLLECTED: Final = (".rss", ".atom", ".xml", ".rdf", ".html", ".htm", ".xhtml", ".warc")
COLLECT_ADVICE: Final = (
    "'infostream-dedup collect' turns feeds, pages, web archives and exports of Telegram into documents"
)
"""What to do with such a file."""


def file_format(name: str) -> Format:
    """Return the format in which to write the file `name`; ``-`` is JSON Lines."""
    if name == STANDARD_STREAM:
        return "jsonl"
    path = PurePath(name.lower())
    packed = path.suffix == _GZIP
    form = _FORMATS.get(path.with_suffix("").suffix if packed else path.suffix)
    if form is None or (packed and form in ("parquet", "xlsx")):
        raise ConfigurationError(
            f"{name}: unknown kind of file; known endings are .jsonl and .ndjson (JSON Lines), .json, .csv, .tsv, "
            "each also with .gz, .parquet, .xlsx, and - for standard output"
        )
    return form


def input_format(name: str) -> InputFormat:
    """Return the format of a file to read, by its ending; ``-`` is JSON Lines."""
    if name == STANDARD_STREAM:
        return "jsonl"
    lower = name.lower()
    if lower.endswith(".zip"):
        return _inner_format(name)
    for ending in sorted(KNOWN_ENDINGS, key=len, reverse=True):
        if lower.endswith(ending):
            return "reader" if ending in READERS else _INPUTS["." + ending.split(".")[1]]
    if lower.removesuffix(_GZIP).endswith(_COLLECTED):
        raise ConfigurationError(f"{name}: unknown kind of file; {COLLECT_ADVICE}")
    raise ConfigurationError(
        f"{name}: unknown kind of file; known endings are .jsonl, .ndjson, .jl, .json, .csv, .tsv, .tab and .txt, each "
        f"also with {', '.join(PACKINGS)}; {', '.join(('.parquet', '.pq', '.feather', '.arrow', '.xlsx', *READERS))}; "
        "and - for JSON Lines on standard input"
    )


def zipped(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """Return the only file of an archive."""
    files = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith(("__MACOSX/", "."))]
    if len(files) != 1:
        raise ConfigurationError(f"{name}: the archive holds {len(files)} files, expected one; unpack it first")
    return files[0]


def _inner_format(name: str) -> InputFormat:
    """Return the format of the file in a ZIP archive, by its own name."""
    try:
        with zipfile.ZipFile(name) as archive:
            inner = zipped(archive, name).filename
    except OSError as error:
        raise NoInputError(f"{name}: {error.strerror or error}") from None
    except zipfile.BadZipFile as error:
        raise BadDataError(f"not a ZIP archive that can be read ({error})", code="E_PACKED", source=name) from None
    form = "text" if inner.lower().endswith(".zip") else input_format(inner)
    if form not in _STREAMS or inner.lower().endswith(PACKINGS):
        raise ConfigurationError(f"{name}: {inner} is not read inside an archive; unpack it first")
    return form


def is_table(name: str | PathLike[str], kinds: Sequence[InputFormat] = ("csv", "xlsx")) -> bool:
    """Whether a file to read has rows and columns of cells: CSV, or a workbook."""
    lower = str(name).lower()
    return any(lower.endswith(one) and _INPUTS.get("." + one.split(".")[1]) in kinds for one in KNOWN_ENDINGS)


def without_ending(name: str) -> str:
    """Return the name of a file without its folders and its known ending."""
    own = PurePath(name).name
    ending = max((one for one in KNOWN_ENDINGS if own.lower().endswith(one)), key=len, default="")
    return own[: len(own) - len(ending)] or own


def must_be_gzip(name: str) -> bool:
    """Whether the name of a file announces a gzip archive."""
    return name.lower().endswith(_GZIP)


GZIP_MAGIC: Final = b"\x1f\x8b"
_CHUNK: Final = 64 * 1024
_MAX_GZIP_RATIO: Final = 200
_RATIO_FREE_BYTES: Final = 64 * 2**20  # less than this may have been packed to any size
_WITH_GZIP_HEADER: Final = 16 + zlib.MAX_WBITS


class StreamError(Exception):
    """The bytes of an input end early, for a reason that the user should know."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class GunzipStream(Readable):
    """Unpacks an archive of one or more members; zero bytes after the last are padding."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._pending = b""
        self._damage: StreamError | None = None
        self._bytes_in = 0
        self._bytes_out = 0
        self._member = zlib.decompressobj(_WITH_GZIP_HEADER)

    def made(self, most: int) -> bytes:
        """The next unpacked bytes."""
        if self._damage is not None:
            raise self._damage
        while not self._member.eof or self._start_next_member():
            packed = self._pending or self._read_chunk()
            before = self._member.copy()
            try:
                # zlib may still hold output after all input: an empty call fetches it.
                data = self._member.decompress(packed, most)
            except zlib.error as error:
                self._damage = StreamError("E_GZIP", f"the gzip archive is damaged ({error})")
                return _unpack_up_to_damage(before, packed) or self.made(most)
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
        if self._bytes_out > _RATIO_FREE_BYTES and self._bytes_out > _MAX_GZIP_RATIO * used:
            raise StreamError(
                "E_RATIO",
                f"{used} packed bytes unpack to {self._bytes_out}, more than {_MAX_GZIP_RATIO} times as many; "
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


_MAGIC: Final = ((b"BZh", "bz2"), (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zst"), (b"PK\x03\x04", "zip"))
_MAX_RATIO: Final = 1000


def check_ratio(unpacked: int, packed: int) -> None:
    """Refuse what unpacks to far more than anybody packs; the same for every packed format (StreamError)."""
    if unpacked > _RATIO_FREE_BYTES and unpacked > _MAX_RATIO * packed:
        raise StreamError("E_RATIO", f"the archive unpacks to more than {_MAX_RATIO} times its size")


def packing_of(begin: bytes) -> str | None:
    """Return ``bz2``, ``xz``, ``zst`` or ``zip`` by the first bytes of a file; None for anything else."""
    return next((name for magic, name in _MAGIC if begin.startswith(magic)), None)


class UnpackedStream(Readable):
    """Unpacks an archive."""

    def __init__(self, packed: Any, packing: str) -> None:
        self._packed = _Counted(packed)
        self._packing = packing
        self._stream = _opened(self._packed, packing)
        self._bytes_out = 0

    def made(self, most: int) -> bytes:
        """The next unpacked bytes."""
        try:
            data: bytes = self._stream.read(most)
        except (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, ValueError) as error:
            raise StreamError("E_PACKED", f"the {self._packing} archive is truncated or damaged ({error})") from None
        self._bytes_out += len(data)
        check_ratio(self._bytes_out, self._packed.count)
        return data


class _Counted(Readable):
    """Passes bytes on and counts them."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.count = 0

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def made(self, most: int) -> bytes:
        data: bytes = self._stream.read(most)
        self.count += len(data)
        return data


def _opened(packed: Any, packing: str) -> Any:
    if packing == "bz2":
        return bz2.BZ2File(packed)
    if packing == "xz":
        return lzma.LZMAFile(packed)
    if packing == "zip":
        try:
            archive = zipfile.ZipFile(packed)
            return archive.open(zipped(archive, "ZIP"))
        except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, ConfigurationError) as error:
            raise StreamError("E_PACKED", f"not a ZIP archive that can be read here ({error})") from None
    require_arrow("reading .zst")
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd")


_LEAST_LETTERS: Final = 20
"""Minimum number of letters outside ASCII for a guess: a stray byte in UTF-8 is a bad record, not another encoding."""

_LEAST_SHARE: Final = 0.85
_COMMON_SHARE: Final = 0.45  # share of the common letters below which this is another language
_LAST: Final = frozenset("ыьэюя")  # letters that every longer text has, but not Hebrew read as cp1251
ONE_BYTE: Final = ("cp1251", "koi8-u", "cp866", "iso8859-5", "mac-cyrillic")
_COMMON: Final = frozenset("оаеинтсрвліi")
"""Lower-case letters that make up more than half of any Russian or Ukrainian text."""

_WIDE: Final = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def encoding_named(name: str | None) -> str | None:
    """Return Python's name for an encoding."""
    if name is None:
        return None
    try:
        # Unlike lookup(), encode() refuses codecs that turn bytes into bytes.
        "".encode(name)
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        raise ConfigurationError(f"unknown encoding {name!r}; for example utf-8, cp1251, koi8-u, utf-16") from None


def recognised_encoding(begin: bytes) -> str | None:
    """Return the encoding of bytes, or None for UTF-8 and anything not recognised."""
    if begin.startswith(codecs.BOM_UTF32_LE):
        return "utf-32"
    for mark, name in _WIDE:
        if begin.startswith(mark):
            return name
    if begin[:1].isascii() and begin[1:2] == b"\0" and begin[3:4] == b"\0":
        return "utf-16-le"
    if begin[:1] == b"\0" and begin[2:3] == b"\0" and begin[1:2] != b"\0":
        return "utf-16-be"
    decoded = begin.decode("utf-8", "replace")
    # A letter cut in two by the end of the sample is not a fault.
    broken = decoded[:-3].count("\ufffd")
    whole = sum(letter > "\x7f" and letter != "\ufffd" for letter in decoded)
    if not broken or whole >= broken:
        return None
    best = max(ONE_BYTE, key=lambda name: _likeness(begin, name))
    return best if _likeness(begin, best) >= _LEAST_SHARE else None


def written_encoding(source: str) -> tuple[str, bool]:
    """Encoding of a text file as recognised, and whether it has the byte order mark of UTF-8."""
    with _open_file(source) as stream, _unpack(stream, gzip=must_be_gzip(source)) as unpacked:
        begin = unpacked.peek(1)
        return recognised_encoding(begin) or "utf-8", begin.startswith(BYTE_ORDER_MARK)


def _likeness(begin: bytes, name: str) -> float:
    """Score how much the letters outside ASCII look like Russian or Ukrainian: above .85 if they are."""
    text = begin.decode(name, "replace")
    high = [letter for letter in text if letter > "\x7f"]
    if len(high) < _LEAST_LETTERS:
        return 0.0
    cyrillic = sum("\u0400" <= letter <= "\u04ff" for letter in high)
    common = sum(letter in _COMMON for letter in high)
    is_hebrew = len(high) >= 2 * _LEAST_LETTERS and _LAST.isdisjoint(text.lower())
    return cyrillic / len(high) if common > _COMMON_SHARE * cyrillic and not is_hebrew else 0.0


class ConvertedStream(Readable):
    """The bytes of a stream as UTF-8."""

    def __init__(self, stream: Any, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._ended = False

    def made(self, most: int) -> bytes:
        """The next bytes of UTF-8."""
        while not self._ready and not self._ended:
            packed = self._stream.read1(_CHUNK)
            self._ended = not packed
            try:
                self._ready = self._decoder.decode(packed, final=self._ended).encode()
            except UnicodeError as error:
                raise StreamError("E_ENCODING", f"the text is not {self._encoding} ({error})") from None
        data, self._ready = self._ready[:most], self._ready[most:]
        return data


BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_MAGIC_BYTES: Final = 6
_log = logging.getLogger("infostream_dedup.documents")
_told: Final[set[str]] = set()  # files whose encoding has been reported: some files are read twice
_Buffered: TypeAlias = "io.BufferedReader[Any]"


class Line(NamedTuple):
    """One line."""

    data: bytes
    number: int
    offset: int
    too_long: bool


@contextmanager
def open_bytes(source: str, encoding: str | None = None) -> Iterator[_Buffered]:
    """Open the bytes of a file or of standard input (``-``) as UTF-8, unpacked if they start like an archive."""
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
                "%s: the text is %s, not UTF-8, and is read as such; if wrong, convert it"
                " (where documents are read, --encoding names another)", source, encoding,
            )  # fmt: skip
    if encoding is None or encoding == "utf-8":
        yield stream
        return
    converted: _Buffered = io.BufferedReader(ConvertedStream(stream, encoding), buffer_size=_CHUNK)
    with converted:
        yield converted


def byte_lines(stream: BinaryIO, limit: int, *, blanks_as_one: bool = False) -> Iterator[Line]:
    """Yield the lines of `stream`, without a byte order mark at the start of the input."""
    number = offset = 0
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
    """Look at the first line of an input; the bytes of an archive are no text either."""
    if data.startswith(GZIP_MAGIC):
        raise StreamError("E_GZIP", "an archive within an archive; unpack it once, e.g. with gzip -d")
    # In UTF-16 and UTF-32, ASCII has zero bytes within its first characters; UTF-8 text never starts like that.
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise StreamError("E_ENCODING", "this looks like UTF-16 or UTF-32, expected UTF-8; convert it, e.g. with iconv")
