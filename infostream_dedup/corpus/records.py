"""What a reader hands on: the fields of one record and the place they came from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from infostream_dedup.errors import BadDataError

__all__ = ["Item", "Place", "Record"]


class Place(NamedTuple):
    """Where a record stands in its input.

    Attributes:
        source: file name as given, ``-`` for standard input, ``<list>`` or ``<frame>`` for values in memory.
        line: 1-based line (JSONL, CSV) or row (Parquet, frames, lists); None for the input as a whole.
        byte_offset: offset of the first byte in the uncompressed stream; None where there are no bytes.
        raw: the bytes as they came; None where they must be made from the values.
    """

    source: str
    line: int | None = None
    byte_offset: int | None = None
    raw: bytes | None = None

    def error(self, code: str, message: str, field: str | None = None) -> BadDataError:
        """The error that tells what is wrong here.

        Args:
            code: short stable name of the kind of fault.
            message: what came and what was expected.
            field: the field at fault, if one is.
        """
        return BadDataError(
            message,
            code=code,
            source=self.source,
            line=self.line,
            field=field,
            byte_offset=self.byte_offset,
            raw=self.raw or b"",
        )


class Record(NamedTuple):
    """One record before it is checked.

    Attributes:
        values: field names to values.
        place: where it came from.
        time: its time where that is known already, as of a `Document` read before; else None.
    """

    values: Mapping[str, Any]
    place: Place
    time: datetime | None = None


Item: TypeAlias = Record | BadDataError
"""Readers yield errors instead of raising them, so that reading can go on behind a bad record."""
