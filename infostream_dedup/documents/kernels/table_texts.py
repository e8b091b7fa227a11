"""Join the titles and texts of a table's columns into documents, where they are plainly valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.documents.kernels.json_dates import read_date
from infostream_dedup.documents.kernels.json_lines import LEFT, READ, begins_with, hash_content
from infostream_dedup.documents.kernels.json_values import plain_bytes, rare_character
from infostream_dedup.machine.compiling import compiled
from infostream_dedup.machine.kernels.byte_blocks import BLOCK, copy_bytes

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["TableColumns", "join_texts", "read_dates"]

_NONE: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_NEW_LINE: Final = 0x0A


class TableColumns(NamedTuple):
    """What was read; row i is row i of a batch.

    Attributes:
        states: uint8 (rows,), ``LEFT`` or ``READ``.
        languages: uint8 (rows,), index of ``ru``, ``uk``, ``en``, or ``NO_LANGUAGE``.
        dates: int64 (rows, 2), as ``read_date`` returns them; without a date 0 and -1.
        sizes: int64 (rows, 3), bytes of the title, characters of the title, characters of the text.
        hashes: uint64 (rows,), of title and text.
        texts: uint8, title and text of each document as ``full_text`` joins them.
        text_ends: int64 (rows,), end of each document in ``texts``.
        bodies: int64 (rows,), start of the text of each document in ``texts``.
    """

    states: Vector[np.uint8]
    languages: Vector[np.uint8]
    dates: Table[np.int64]
    sizes: Table[np.int64]
    hashes: Vector[np.uint64]
    texts: Vector[np.uint8]
    text_ends: Vector[np.int64]
    bodies: Vector[np.int64]


@compiled
def _characters(data: Vector[np.uint8], begin: int, end: int) -> int:
    """Number of characters of a text; -1 if it is not UTF-8 or has control characters other than tab and line ends."""
    found, at = 0, begin
    while at < end:
        stop = _NONE if end - at >= BLOCK else _ONE << np.uint64(end - at)
        size, inside = plain_bytes(data, at, stop)
        if size < 0:
            return -1
        found += inside
        at += size
        if at < end and size < BLOCK - 2:
            byte = data[at]
            size = 1 if byte in (0x09, 0x0A, 0x0D) else rare_character(data, at) if byte >= 0xE0 else -1
            if size < 0 or at + size > end:
                return -1
            found += 1
            at += size
    return found


@compiled
def join_texts(
    titles: Vector[np.uint8],
    title_ends: Vector[np.int64],
    texts: Vector[np.uint8],
    text_ends: Vector[np.int64],
    out: TableColumns,
) -> None:
    """Join title and text of each row whose state is ``READ``.

    Rows that are not UTF-8 or have control characters other than tabs and line ends become ``LEFT``.

    Args:
        titles: followed by ``BLOCK`` readable bytes; all empty if there are no titles.
        title_ends: int64 (rows + 1,), bounds of the titles.
        texts: followed by ``BLOCK`` readable bytes.
        text_ends: int64 (rows + 1,), bounds of the texts.
        out: receives sizes, hashes, texts, their ends and bodies; ``texts`` has room for all bytes, a line end for
            each row, and ``BLOCK`` bytes more.
    """
    size = 0
    for row in range(out.states.size):
        first = size
        if out.states[row] == READ:
            title, text = title_ends[row + 1] - title_ends[row], text_ends[row + 1] - text_ends[row]
            of_title = _characters(titles, title_ends[row], title_ends[row + 1])
            of_text = _characters(texts, text_ends[row], text_ends[row + 1])
            if of_title < 0 or of_text < 0:
                out.states[row] = LEFT
            else:
                body = first
                if title:
                    copy_bytes(titles, title_ends[row], out.texts, first, title)
                    out.texts[first + title] = _NEW_LINE
                    body = first + title + 1
                copy_bytes(texts, text_ends[row], out.texts, body, text)
                if title and text >= title and begins_with(out.texts, body, first, title):
                    body = first
                    copy_bytes(texts, text_ends[row], out.texts, body, text)
                size = body + text
                out.bodies[row] = body
                out.sizes[row, 0], out.sizes[row, 1], out.sizes[row, 2] = title, of_title, of_text
                out.hashes[row] = hash_content(out.texts, first, size, title)
        out.text_ends[row] = size


@compiled
def read_dates(data: Vector[np.uint8], ends: Vector[np.int64], given: Vector[np.bool_], dates: Table[np.int64]) -> None:
    """Read the dates of a column of strings.

    Args:
        data: UTF-8, followed by 32 readable bytes.
        ends: int64 (rows + 1,), bounds of the dates.
        given: bool (rows,), false for null.
        dates: int64 (rows, 2), receives the result of ``read_date`` for each given date.
    """
    for row in range(given.size):
        if given[row]:
            dates[row, 0], dates[row, 1] = read_date(data, ends[row], ends[row + 1])
