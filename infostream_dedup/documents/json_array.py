"""Read records of JSON that is not one object per line: an array, indented or not, or an object that contains one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import orjson

from infostream_dedup.documents.gunzip import StreamError
from infostream_dedup.documents.jsonl import deep_error, is_too_deep
from infostream_dedup.documents.lines import open_bytes
from infostream_dedup.documents.records import Item, Place, Record

__all__ = ["is_json_lines", "json_array_records"]

_PEEKED: Final = 64 * 1024
_LARGEST: Final = 2**31
_OPEN_ENDS: Final = (b"[", b"{", b",", b":")
"""Ends of a line after which the same value continues."""


def is_json_lines(source: str, encoding: str | None, *, only_objects: bool = False) -> bool:
    """Whether a file begins with a complete object on its own line that does not wrap other objects.

    Args:
        source: path of the file.
        encoding: encoding of the text; recognised if None.
        only_objects: whether anything that does not begin with an object counts as something other than JSON.
    """
    try:
        with open_bytes(source, encoding) as stream:
            first = next((line for line in iter(lambda: stream.readline(_PEEKED), b"") if line.strip()), b"")
    except StreamError:
        return True
    head = first.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith((b"[", b"{")):
        return not only_objects
    if len(first) == _PEEKED:
        # A very long line is an array of objects or a long object; its first value shows whether it wraps others.
        return head.startswith(b"{") and not _wraps(head)
    try:
        value = orjson.loads(head)
    except orjson.JSONDecodeError:
        # Lines of objects, one of them broken, are left to the reader of lines, which reports the position.
        return len(head.strip()) > 2 and not (head.startswith(b"[") or head.rstrip().endswith(_OPEN_ENDS))
    return isinstance(value, dict) and _inner(value) is None


def _wraps(head: bytes) -> bool:
    name, colon, value = head.partition(b":")
    # A document may begin with an array of objects too.
    if not colon or name.strip(b'{" \t') in (b"images", b"links"):
        return False
    return value.lstrip().startswith(b"[") and value.lstrip()[1:].lstrip().startswith(b"{")


def _inner(value: dict[str, Any]) -> list[Any] | None:
    """Return the array of objects that an object without a text wraps."""
    if "text" in value:
        return None
    lists = [one for one in value.values() if isinstance(one, list) and one and all(isinstance(x, dict) for x in one)]
    return lists[0] if len(lists) == 1 else None


def json_array_records(source: str, encoding: str | None) -> Iterator[Item]:
    """Yield the records of a file, which is read into memory as a whole. Positions count records, not lines.

    Args:
        source: path of the file.
        encoding: encoding of the text; recognised if None.

    Raises:
        NoInputError: the file cannot be opened or read.
    """
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
        value: Any = orjson.loads(content.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError as error:
        yield whole.error("E_JSON", f"line {error.lineno}, column {error.colno}: {error.msg}; expected a JSON array")
        return
    records = value if isinstance(value, list) else (_inner(value) or [value])
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
