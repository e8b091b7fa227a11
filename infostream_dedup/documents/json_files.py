"""Records of JSON Lines and of a JSON array; any value of a document as JSON.

Blank lines are not records and are not counted. An object that has a name twice is refused, or a value would be
lost.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import orjson

from infostream_dedup.documents.lines import COLLECT_ADVICE, Line, StreamError, byte_lines, open_bytes
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.errors import BadDataError


def json_bytes(value: Any) -> bytes:
    """Return `value` as compact JSON in UTF-8, without a line end."""
    try:
        return orjson.dumps(value, default=_convert, option=orjson.OPT_SERIALIZE_NUMPY)
    except orjson.JSONEncodeError:
        return _dump_slowly(value)


def _dump_slowly(value: Any) -> bytes:
    """Serialise what orjson refuses: integers beyond 64 bits, keys that are not text."""
    try:
        text = json.dumps(_replace_nonfinite(value), ensure_ascii=False, default=_convert, separators=(",", ":"))
        return text.encode()
    except UnicodeEncodeError:
        raise _unwritable_error(value, "E_ENCODING", "text with a lone surrogate cannot be written") from None
    except RecursionError:
        raise _unwritable_error(value, "E_DEPTH", "nested too deep to be written") from None
    except (TypeError, ValueError) as error:
        raise _unwritable_error(value, "E_TYPE", f"a value cannot be written as JSON ({error})") from None


def _replace_nonfinite(value: Any) -> Any:
    """Return `value` with null in place of each not-a-number and infinity, which JSON lacks."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _replace_nonfinite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_nonfinite(inner) for inner in value]
    return value


def _convert(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Decimal | timedelta | time | UUID):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _unwritable_error(value: Any, code: str, message: str) -> BadDataError:
    name = value.get("id") if isinstance(value, Mapping) else None
    which = f"document {str(name)[:60]!a}: " if name is not None else ""
    return BadDataError(which + message, code=code, source="<output>")


# orjson parses 1,024 levels but writes only 254, and whatever is read must be writable.
_MAX_DEPTH: Final = 250


def jsonl_records(source: str, max_line_bytes: int, encoding: str | None = None) -> Iterator[Item]:
    """Yield the records of one file or of standard input, and an error for each malformed line."""
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
    """Return the content of one line; None if it is blank."""
    place = Place(source, line.number, line.offset, line.data)
    if line.too_long:
        return place.error("E_TOO_LARGE", f"the line is longer than {max_line_bytes} bytes")
    return _parse_line(line, place) if line.data.strip() else None


def fault_item(source: str, fault: StreamError, number: int, offset: int) -> BadDataError:
    """Return the error of a file that breaks off."""
    message = fault.message if number == 0 else f"{fault.message}; {number} whole lines were read before"
    return Place(source, number + 1, offset).error(fault.code, message)


def _parse_line(line: Line, place: Place) -> Item:
    try:
        values: Any = parsed_json(line.data)
    except orjson.JSONDecodeError as error:
        return _parse_error(line, place, error)
    if not isinstance(values, dict):
        kind = "an array" if isinstance(values, list) else repr(values)[:20]
        return place.error("E_TYPE", f"got {kind}, expected one JSON object per line")
    doubled = doubled_name(line.data, values)
    if doubled is not None:
        return place.error("E_JSON", f"the name {doubled!r} comes twice in one object; leave one of them")
    return deep_error(place) if is_too_deep(values, line.data) else Record(values, place)


_NOT_FINITE: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*"|(-?\b(?:NaN|Infinity)\b)', re.DOTALL)
"""Strings, and what Python writes for numbers that JSON lacks."""


def parsed_json(data: bytes) -> Any:
    """Parse JSON; the numbers that JSON lacks, and Python writes all the same, become null."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        if b"NaN" not in data and b"Infinity" not in data:
            raise
        return orjson.loads(_NOT_FINITE.sub(lambda found: b"null" if found[1] else found[0], data))


_NAME_END: Final = re.compile(rb'"[ \t\r\n]*:')


def doubled_name(data: bytes | bytearray, value: Any) -> str | None:
    r"""Return a name that an object has twice, of which parsers keep the last; ``None`` if there is none.

    Example:
        >>> doubled_name(rb'[{"a": 1, "\u0061": 2}]', [{"a": 2}])
        'a'
    """
    # Each name ends so; some strings that are no names contain the same, or end in a backslash.
    escapes = b"\\" in data
    ends = len(_NAME_END.findall(data)) - (data.count(b'\\":') if escapes else 0)
    if not (escapes and b'\\\\":' in data) and ends <= sum(
        len(node) for level in _levels(value) for node in level if isinstance(node, dict)
    ):
        return None
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs) and not found:
            found.extend(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        return made

    try:
        json.loads(data, object_pairs_hook=look, parse_int=str)
    except (RecursionError, ValueError):
        return None  # too deep, which is refused elsewhere
    return found[0] if found else None


def _levels(values: Any) -> Iterator[list[Any]]:
    """The objects and arrays of a value, level by level."""
    level = [values] if isinstance(values, dict | list) else []
    while level:
        yield level
        inner: list[Any] = []
        for node in level:
            inner += node.values() if isinstance(node, dict) else node
        level = [child for child in inner if isinstance(child, dict | list)]


def deep_error(place: Place) -> BadDataError:
    """Return the error of a record that `is_too_deep`."""
    return place.error("E_DEPTH", f"nested deeper than {_MAX_DEPTH} levels")


def is_too_deep(values: dict[str, Any], data: bytes) -> bool:
    """Whether a record is nested deeper than can be written."""
    if not any(isinstance(value, dict | list) for value in values.values()):
        return False
    return data.count(b"{") + data.count(b"[") > _MAX_DEPTH and sum(1 for _ in _levels(values)) > _MAX_DEPTH


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


_PEEKED: Final = 64 * 1024
_LONGEST_LINE: Final = 2**24
_LARGEST: Final = 2**31
_OPEN_ENDS: Final = (b"[", b"{", b",", b":")  # ends of a line after which the same value continues


def is_json_lines(source: str, encoding: str | None, *, only_objects: bool = False) -> bool:
    """Whether a file begins with a complete object on its own line that does not wrap other objects."""
    try:
        with open_bytes(source, encoding) as stream:
            first = next((line for line in iter(lambda: stream.readline(_PEEKED), b"") if line.strip()), b"")
            rest = b"" if first.endswith(b"\n") else stream.readline(_LONGEST_LINE)
            more = (first + rest).endswith(b"\n") and next(filter(bytes.strip, stream), b"").lstrip()[:1] == b"{"
    except StreamError:
        return True
    head = first.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith((b"[", b"{")):
        return not only_objects
    if rest:
        # A very long line is an array of objects or a long object; what it begins with shows whether it wraps others.
        return head.startswith(b"{") and (more or not _WRAPPER.match(head))
    try:
        value = parsed_json(head)
    except orjson.JSONDecodeError:
        # Lines of objects, one of them broken, are left to the reader of lines, which reports the position.
        return len(head.strip()) > 2 and not (head.startswith(b"[") or head.rstrip().endswith(_OPEN_ENDS))
    return isinstance(value, dict) and (more or records_inside(value) is None)


_WRAPPER: Final = re.compile(
    rb'(?:(?!"text"\s*:)"[^"\\]*+(?:\\.[^"\\]*+)*"|[^"\[]|\[(?!\s*\{))*'
    rb'(?<!"links":)(?<!"links": )(?<!"images":)(?<!"images": )\[\s*\{',
    re.DOTALL,
)
"""An object that has an array of objects before any text; a document may begin with its links or images."""


def records_inside(value: Any) -> list[Any] | None:
    """Return the objects that an answer of a service or an export wraps; None for what may be a document itself.

    They are those of the only array of objects, however many levels down, or the rows of a table that pandas wrote by
    columns (``{"id": {"0": ...}}``, ``{"columns": [...], "data": [...]}``).

    >>> records_inside({"response": {"numFound": 1, "docs": [{"id": "1"}]}})
    [{'id': '1'}]
    >>> records_inside({"columns": ["id", "text"], "index": [0], "data": [["1", "Снег"]]})
    [{'id': '1', 'text': 'Снег'}]
    """
    if not isinstance(value, dict) or isinstance(value.get("text"), str):
        return None
    names, rows = value.get("columns"), value.get("data")
    if isinstance(names, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows):
        return [dict(zip(names, row, strict=False)) for row in rows]
    cells = list(value.values())
    if len(cells) > 1 and all(isinstance(one, dict) and one.keys() == cells[0].keys() for one in cells):
        return [{name: value[name][row] for name in value} for row in cells[0]]
    level: list[Any] = [value]
    while level:
        inner = [one for node in level for one in node.values()]
        lists = [one for one in inner if isinstance(one, list) and one and all(isinstance(x, dict) for x in one)]
        if lists:
            return lists[0] if len(lists) == 1 else None
        level = [one for one in inner if isinstance(one, dict)]
    return None


def json_array_records(source: str, encoding: str | None) -> Iterator[Item]:
    """Yield the records of a file, which is read into memory as a whole. Positions count records, not lines."""
    whole = Place(source)
    try:
        with open_bytes(source, encoding) as stream:
            content = stream.read(_LARGEST + 1)
    except StreamError as fault:
        yield whole.error(fault.code, fault.message)
        return
    if len(content) > _LARGEST:
        yield whole.error("E_TOO_LARGE", "an array of more than 2 GB; write one object per line (.jsonl)")
        return
    try:
        value: Any = parsed_json(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        yield whole.error("E_JSON", f"line {error.lineno}, column {error.colno}: {error.msg}; expected a JSON array")
        return
    records = value if isinstance(value, list) else (records_inside(value) or [value])
    doubled = doubled_name(content, value)
    if doubled is not None:
        yield whole.error("E_JSON", f"the name {doubled!r} comes twice in one object; leave one of them")
        return
    for number, one in enumerate(records, 1):
        place = Place(source, number)
        try:
            place = place._replace(raw=orjson.dumps(one))
        except orjson.JSONEncodeError:
            # orjson writes whatever it has read, down to a certain depth.
            yield deep_error(place)
            continue
        if isinstance(one, dict):
            yield deep_error(place) if is_too_deep(one, place.raw or b"") else Record(one, place)
        else:
            yield place.error("E_TYPE", f"item {number} is {repr(one)[:20]}, expected an object")
