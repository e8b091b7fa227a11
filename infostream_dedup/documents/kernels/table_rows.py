"""Documents of tables in columns."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.documents.kernels.json_lines import (
    LEFT,
    READ,
    begins_with,
    hash_content,
    plain_bytes,
    rare_character,
    read_date,
)
from infostream_dedup.machine.arrays import Bools, Ints, Table, Uint8s, Uint64s
from infostream_dedup.machine.compiling import compiled, inlined, popcount
from infostream_dedup.machine.kernels import BLOCK, between, copy_bytes, first_bits

# Join the titles and texts of a table's columns into documents, where they are plainly valid

_NONE: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_NEW_LINE: Final = 0x0A


class TableColumns(NamedTuple):
    """What was read; row i is row i of a batch."""

    states: Uint8s  # uint8 (rows,), `LEFT` or `READ`
    languages: Uint8s  # uint8 (rows,), index of `ru`, `uk`, `en`, or `NO_LANGUAGE`
    dates: Table[np.int64]  # int64 (rows, 2), as `read_date` returns them; without a date 0 and -1
    sizes: Table[np.int64]  # int64 (rows, 3), bytes of the title, characters of the title, characters of the text
    hashes: Uint64s  # uint64 (rows,), of title and text
    texts: Uint8s  # uint8, title and text of each document as `full_text` joins them
    text_ends: Ints  # int64 (rows,), end of each document in `texts`
    bodies: Ints  # int64 (rows,), start of the text of each document in `texts`


def _characters(data: Uint8s, begin: int, end: int) -> int:
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
def join_texts(titles: Uint8s, title_ends: Ints, texts: Uint8s, text_ends: Ints, out: TableColumns) -> None:
    """Join title and text of each row whose state is ``READ``.

    Rows that are not UTF-8 or have control characters other than tabs and line ends become ``LEFT``.

    ``titles``: followed by ``BLOCK`` readable bytes; ``title_ends``: (rows + 1,), bounds of the titles; ``texts``:
    followed by ``BLOCK`` readable bytes; ``text_ends``: (rows + 1,), bounds of the texts; ``out``: receives sizes,
    hashes, texts, their ends and bodies; its ``texts`` are those given if all titles are empty, and otherwise have room
    for all bytes, a line end for each row, and ``BLOCK`` bytes more.
    """
    size, placed = 0, title_ends[out.states.size] == 0
    for row in range(out.states.size):
        first = size
        size = text_ends[row + 1] if placed else size
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
                if not placed:
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
def read_dates(data: Uint8s, ends: Ints, given: Bools, dates: Table[np.int64]) -> None:
    """Read the dates of a column of strings.

    ``data``: UTF-8, followed by 32 readable bytes; ``ends``: (rows + 1,), bounds of the dates; ``given``: (rows,),
    false for null; ``dates``: (rows, 2), receives the result of ``read_date`` for each given date.
    """
    for row in range(given.size):
        if given[row]:
            dates[row, 0], dates[row, 1] = read_date(data, ends[row], ends[row + 1])


# What the beginnings of texts show: an encoding that may be wrong, one of our languages

_EXAMINED: Final = 399  # bytes that show whether a text was decoded wrongly
_FEWEST_CAPITALS: Final = 11
_SAMPLE: Final = 16_000  # bytes, more than ``other_language`` examines
_OPENING: Final = 1000  # characters, and bytes, in which most texts show that their language is ours


@compiled
def doubt_encodings(data: Uint8s, bodies: Ints, ends: Ints, states: Uint8s) -> None:
    """Leave documents whose title or text may have been decoded wrongly to the plain code."""
    end = 0
    for text in range(states.size):
        begin, end = end, ends[text]
        if states[text] == READ and (_is_doubted(data, begin, bodies[text]) or _is_doubted(data, bodies[text], end)):
            states[text] = LEFT


@inlined
def _is_doubted(data: Uint8s, begin: int, end: int) -> bool:
    """Whether the first bytes look decoded wrongly.

    Where UTF-8 or a Cyrillic encoding was taken for a Western one, most letters begin with byte C3; where UTF-8 was
    taken for cp1251, every other letter is the Р or С of its first byte. Texts in koi8-u that were taken for cp1251
    have more capitals than small letters, and the reverse as well.
    """
    cyrillic, western, split, large, drawn = 0, 0, 0, 0, 0
    for at in range(begin, min(end, begin + _EXAMINED), BLOCK):
        inside = first_bits(min(end, begin + _EXAMINED) - at)
        russian = between(data, at, 0xD0, 0xD0) & inside
        cyrillic += popcount(between(data, at, 0xD0, 0xD1) & inside)
        western += popcount(between(data, at, 0xC2, 0xC3) & inside)
        split += popcount(russian & between(data, at + 1, 0xA0, 0xA1))
        large += popcount(russian & between(data, at + 1, 0x90, 0xAF))
        drawn += popcount(between(data, at, 0xE2, 0xE2) & inside)
    size = max(min(end - begin, _EXAMINED + 1), 1)
    doubted = 4 * western > size or 4 * drawn > size or (split > 3 and 3 * split > cyrillic + western)
    return doubted or (large > _FEWEST_CAPITALS and 2 * large > cyrillic)


@inlined
def _english(data: Uint8s, at: int, inside: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Where " the " begins, and where " of ", " to ", " in " or " and " does."""
    t, n = between(data, at + 1, 0x74, 0x74), between(data, at + 2, 0x6E, 0x6E)
    blank = between(data, at + 3, 0x20, 0x20)
    inside &= between(data, at, 0x20, 0x20)
    ends = between(data, at + 4, 0x20, 0x20) & inside
    of = between(data, at + 1, 0x6F, 0x6F) & between(data, at + 2, 0x66, 0x66)
    short = of | (t & between(data, at + 2, 0x6F, 0x6F)) | (between(data, at + 1, 0x69, 0x69) & n)
    the = t & between(data, at + 2, 0x68, 0x68) & between(data, at + 3, 0x65, 0x65)
    long = between(data, at + 1, 0x61, 0x61) & n & between(data, at + 3, 0x64, 0x64)
    return the & ends, (short & blank & inside) | (long & ends)


@inlined
def _shows_ours(data: Uint8s, begin: int, end: int) -> bool:
    the, others, distinctive, foreign = _NONE, _NONE, _NONE, _NONE
    for at in range(begin, min(end, begin + _SAMPLE), BLOCK):
        inside = first_bits(end - at)
        if (between(data, at, 0x26, 0x26) | between(data, at, 0x3C, 0x3C)) & inside:
            return False
        second = between(data, at, 0xD1, 0xD1) & inside
        if at < begin + 4 * _OPENING:
            after = between(data, at + 1, 0x92, 0x93) | between(data, at + 1, 0x95, 0x95)
            foreign |= second & (after | between(data, at + 1, 0x98, 0x9F))
            foreign |= between(data, at, 0xD2, 0xD3) & ~between(data, at + 1, 0x90, 0x91) & inside
        if at < begin + _OPENING - BLOCK:
            after = between(data, at + 1, 0x8B, 0x8B) | between(data, at + 1, 0x8D, 0x8D)
            after |= between(data, at + 1, 0x91, 0x91) | between(data, at + 1, 0x94, 0x94)
            distinctive |= second & (after | between(data, at + 1, 0x96, 0x97))
            if not distinctive and end - at > 4:
                found, other = _english(data, at, first_bits(end - at - 4))
                the, others = the | found, others | other
    return bool((the and others) or (distinctive and not foreign))


@compiled
def show_ours(data: Uint8s, begins: Ints, ends: Ints, found: Bools) -> None:
    """Find texts without markup that ``language_beyond_ours`` takes for ours by a few letters or words; not all."""
    for text in range(found.size):
        found[text] = _shows_ours(data, begins[text], ends[text])
