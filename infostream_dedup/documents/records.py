"""What a reader yields: the fields of a record, and their position in the input."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from infostream_dedup.errors import BadDataError

__all__ = ["Item", "Place", "Record"]


class Place(NamedTuple):
    """The position of a record in its input.

    Attributes:
        source: file name as given, ``-`` for standard input, ``<list>`` or ``<frame>`` for values in memory.
        line: 1-based line (JSONL, CSV) or row (Parquet, frames, lists); None for the input as a whole.
        byte_offset: offset of the first byte in the uncompressed stream; None for values in memory and Parquet.
        raw: the original bytes; None if they must be made from the values.
    """

    source: str
    line: int | None = None
    byte_offset: int | None = None
    raw: bytes | None = None

    def error(self, code: str, message: str, field: str | None = None) -> BadDataError:
        """Make an error for a fault at this place.

        Args:
            code: short, stable name of the kind of fault.
            message: what was found and what was expected.
            field: the faulty field, if there is one.
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
        values: values by field name.
        place: where the record came from.
        time: time of the document if already known, as for a `Document` in memory; otherwise None.
    """

    values: Mapping[str, Any]
    place: Place
    time: datetime | None = None


Item: TypeAlias = Record | BadDataError
"""Readers yield errors instead of raising them, so that reading can continue after a bad record."""
