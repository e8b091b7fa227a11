"""Read records of JSON Lines: one object per line.

Blank lines are not records and are not counted. If a key occurs twice in one object, the last value counts (the
parser does not report it).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import orjson

from infostream_dedup.documents.endings import COLLECT_ADVICE
from infostream_dedup.documents.gunzip import StreamError
from infostream_dedup.documents.lines import Line, byte_lines, open_bytes
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.errors import BadDataError

__all__ = ["fault_item", "is_too_deep", "jsonl_records", "line_item"]

# orjson parses 1,024 levels but writes only 254, and whatever is read must be writable.
_MAX_DEPTH: Final = 250


def jsonl_records(source: str, max_line_bytes: int, encoding: str | None = None) -> Iterator[Item]:
    """Yield the records of one file or of standard input, and an error for each malformed line.

    Args:
        source: path of the file, or ``-``.
        max_line_bytes: a longer line is skipped without being loaded (``E_TOO_LARGE``).
        encoding: encoding of the text; recognised if None.

    Raises:
        NoInputError: the file cannot be opened or read.
    """
    last = Place(source, line=0, byte_offset=0)
    try:
        with open_bytes(source, encoding) as stream:
            for line in byte_lines(stream, max_line_bytes, blanks_as_one=True):
                last = Place(source, line.number, line.offset, line.data)
                item = line_item(source, line, max_line_bytes)
                if item is not None:
                    yield item
    except StreamError as fault:
        yield fault_item(source, fault, last.line or 0, (last.byte_offset or 0) + len(last.raw or b""))


def line_item(source: str, line: Line, max_line_bytes: int) -> Item | None:
    """Return the content of one line; None if it is blank.

    Args:
        source: file from which it comes.
        line: the line.
        max_line_bytes: limit named in the message about a longer line.
    """
    place = Place(source, line.number, line.offset, line.data)
    if line.too_long:
        return place.error("E_TOO_LARGE", f"the line is longer than {max_line_bytes} bytes")
    return _parse_line(line, place) if line.data.strip() else None


def fault_item(source: str, fault: StreamError, number: int, offset: int) -> BadDataError:
    """Return the error of a file that breaks off.

    Args:
        source: the file.
        fault: what is wrong.
        number: number of complete lines read before.
        offset: offset of the first byte after them.
    """
    message = fault.message if number == 0 else f"{fault.message}; {number} whole lines were read before"
    return Place(source, number + 1, offset).error(fault.code, message)


def _parse_line(line: Line, place: Place) -> Item:
    try:
        values: Any = orjson.loads(line.data)
    except orjson.JSONDecodeError as error:
        return _parse_error(line, place, error)
    if not isinstance(values, dict):
        kind = "an array" if isinstance(values, list) else repr(values)[:20]
        return place.error("E_TYPE", f"got {kind}, expected one JSON object per line")
    return deep_error(place) if is_too_deep(values, line.data) else Record(values, place)


def deep_error(place: Place) -> BadDataError:
    """Return the error of a record that `is_too_deep`."""
    return place.error("E_DEPTH", f"nested deeper than {_MAX_DEPTH} levels")


def is_too_deep(values: dict[str, Any], data: bytes) -> bool:
    """Whether a record is nested deeper than can be written.

    Args:
        values: the record.
        data: the bytes it was parsed from.
    """
    if not any(isinstance(value, dict | list) for value in values.values()):
        return False
    return data.count(b"{") + data.count(b"[") > _MAX_DEPTH and _measure_depth(values) > _MAX_DEPTH


def _measure_depth(values: Any) -> int:
    depth = 0
    level = [values]
    while level:
        depth += 1
        inner = (child for node in level for child in (node.values() if isinstance(node, dict) else node))
        level = [child for child in inner if isinstance(child, dict | list)]
    return depth


def _parse_error(line: Line, place: Place, error: orjson.JSONDecodeError) -> BadDataError:
    try:
        line.data.decode()
    except UnicodeDecodeError as wrong:
        byte = line.data[wrong.start]
        return place.error("E_ENCODING", f"byte 0x{byte:02x} at byte {wrong.start + 1} of the line is not UTF-8")
    reason = error.msg.lower()
    # A record that breaks off ends after the newline for orjson, in column 1 of the next line.
    at = f"column {min(error.pos, len(error.doc.rstrip())) + 1}: {error.msg}"
    if "depth" in reason or "recursion" in reason:
        return place.error("E_DEPTH", f"{at}; nested too deep")
    if "surrogate" in reason or "byte order mark" in reason:
        return place.error("E_ENCODING", f"{at}; expected Unicode text in UTF-8")
    advice = f"; {COLLECT_ADVICE}" if line.data.lstrip().startswith(b"<") else ""
    return place.error("E_JSON", f"{at}; expected one JSON object per line{advice}")
