"""Tables for people, fitted to the width of a terminal; coloured on one where ``rich`` (the extra ``terminal``) is.

Without it, the same characters are printed: widths and breaks of lines are found as ``rich`` finds them.
"""

from __future__ import annotations

import math
import re
import shutil
import sys
import unicodedata
from collections.abc import Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Final, NamedTuple, TypeAlias

from infostream_dedup.cli.run_log import without_commands

Piece: TypeAlias = tuple[str, str]
"""A part of a cell, and how ``rich`` is to style it."""

PIPE_WIDTH: Final = sys.maxsize
"""A pipe has no width: nothing is cut or wrapped."""

_WORD: Final = re.compile(r"\s*\S+\s*")


class Column(NamedTuple):
    """A column; ``numeric`` ones are aligned to the right and never wrapped."""

    header: str
    numeric: bool = False


def has_rich() -> bool:
    """Whether terminals are coloured."""
    try:
        import rich  # noqa: F401 - whether it can be imported
    except ImportError:
        return False
    return True


def terminal_width(in_pipe: int = PIPE_WIDTH) -> int:
    """Columns of standard output."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else in_pipe


def say(text: str) -> None:
    """Print a sentence, on a terminal broken between words."""
    wide = terminal_width()
    lines = wrap(text, wide, subsequent_indent="  ", break_on_hyphens=False) if cell_width(text) > wide else [text]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def show_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Sequence[Piece]]],
    *,
    even: bool = False,
    in_pipe: int = PIPE_WIDTH,
) -> None:
    """Print a table; ``even`` columns share the whole width."""
    columns = [Column(_plain(name), numeric) for name, numeric in columns]
    rows = [[[(_plain(text), style) for text, style in cell] for cell in row] for row in rows]
    if sys.stdout.isatty() and has_rich():
        _show_richly(columns, rows, even=even)
        return
    cells = [["".join(text for text, _ in cell) for cell in row] for row in rows]
    sys.stdout.write("".join(f"{line}\n" for line in table_lines(columns, cells, terminal_width(in_pipe), even=even)))


def _show_richly(columns: Sequence[Column], rows: Sequence[Sequence[Sequence[Piece]]], *, even: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 1), expand=even, header_style="bold")
    for column in columns:
        table.add_column(
            column.header,
            justify="right" if column.numeric else "left",
            no_wrap=column.numeric,
            ratio=1 if even else None,
            overflow="fold" if even else "ellipsis",
        )
    for row in rows:
        table.add_row(*(Text.assemble(*cell) for cell in row))
    Console(markup=False, highlight=False, emoji=False).print(table)


def table_lines(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int, *, even: bool = False
) -> list[str]:
    """Return the lines of a table, padded with blanks to its width."""
    if not columns:
        return [""]
    table = [[one.header for one in columns], *rows]
    # Two blanks between columns: one belongs to each.
    pads = [(number > 0) + (number < len(columns) - 1) for number in range(len(columns))]
    natural = [
        max(max(map(cell_width, row[number].splitlines()), default=0) for row in table) + pad
        for number, pad in enumerate(pads)
    ]
    widths = _shared(width, pads) if even else _fitted(natural, [not one.numeric for one in columns], width)
    lines = []
    for row in table:
        cells = [
            _wrapped(cell, wide - pad, numeric=column.numeric, fold=even)
            for cell, wide, pad, column in zip(row, widths, pads, columns, strict=True)
        ]
        blanks = [" " * (wide - pad) for wide, pad in zip(widths, pads, strict=True)]
        if row is table[0]:
            # Names end on one line, as rich writes them.
            cells = [
                [blank] * (max(map(len, cells)) - len(cell)) + cell for cell, blank in zip(cells, blanks, strict=True)
            ]
        for parts in zip_longest(*cells):
            whole = (blank if part is None else part for part, blank in zip(parts, blanks, strict=True))
            lines.append("  ".join(whole))
    return lines


def cell_width(text: str) -> int:
    """Columns that a text takes in a terminal."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _shared(width: int, pads: Sequence[int]) -> list[int]:
    widths, left = [], width
    for number, pad in enumerate(pads):
        widths.append(max(1 + pad, math.ceil(left / (len(pads) - number))))
        left -= widths[-1]
    return widths


def _fitted(natural: list[int], wrapped: Sequence[bool], width: int) -> list[int]:
    """Take from the widest columns that may be wrapped, until the table fits; then from all."""
    widths = [one or 1 for one in natural]
    while sum(widths) > width and any(wrapped):
        most = max(one for one, may in zip(widths, wrapped, strict=True) if may)
        second = max(one if may and one != most else 0 for one, may in zip(widths, wrapped, strict=True))
        if most == second or not most:
            break
        excess = sum(widths) - width
        chosen = [int(may and one == most) for one, may in zip(widths, wrapped, strict=True)]
        widths = _reduced(excess, chosen, [min(excess, most - second)] * len(widths), widths)
    if sum(widths) > width:
        widths = _reduced(sum(widths) - width, [1] * len(widths), widths, widths)
    return widths


def _reduced(total: int, ratios: Sequence[int], most: Sequence[int], widths: list[int]) -> list[int]:
    ratios = [ratio if one else 0 for ratio, one in zip(ratios, most, strict=True)]
    left, found = sum(ratios), []
    for ratio, limit, width in zip(ratios, most, widths, strict=True):
        taken = min(limit, round(ratio * total / left)) if ratio and left > 0 else 0
        found.append(width - taken)
        total, left = total - taken, left - ratio
    return found


def _wrapped(text: str, width: int, *, numeric: bool, fold: bool) -> list[str]:
    lines = []
    for line in text.split("\n"):
        parts = [line] if numeric else _divided(line, width, fold=fold)
        for part in parts:
            kept = part.rstrip() if numeric else _without_end(part, width)
            if cell_width(kept) > width:
                kept = _cut(kept, width if fold else width - 1)
                # A character of two cells may leave one free.
                kept += "" if fold else " " * (width - 1 - cell_width(kept)) + "…"
            blanks = " " * (width - cell_width(kept))
            lines.append(blanks + kept if numeric else kept + blanks)
    return lines


def _divided(line: str, width: int, *, fold: bool) -> list[str]:
    """Break a line between words; with ``fold``, also words that are longer than a line."""
    breaks, used = [], 0
    for match in _WORD.finditer(line):
        start, word = match.start(), match[0]
        size = cell_width(word.rstrip())
        if width - used >= size:
            used += cell_width(word)
            continue
        if start:
            breaks.append(start)
        used = cell_width(word)
        if size > width and fold:
            pieces = _chopped(word, width)
            for piece in pieces[:-1]:
                start += len(piece)
                breaks.append(start)
            used = cell_width(pieces[-1])
    return [line[begin:end] for begin, end in zip([0, *breaks], [*breaks, len(line)], strict=True)]


def _chopped(word: str, width: int) -> list[str]:
    pieces = []
    while word:
        piece = _cut(word, width) or word[:1]
        pieces.append(piece)
        word = word[len(piece) :]
    return pieces


def _without_end(text: str, width: int) -> str:
    """Drop blanks at the end that are beyond the width."""
    blanks = len(text) - len(text.rstrip())
    return text[: len(text) - min(blanks, max(0, len(text) - width))]


def _plain(text: str) -> str:
    return without_commands(text).replace("\t", " ")


def cut(text: str, width: int) -> str:
    """The beginning of a text that fits, with an ellipsis if something is missing; control characters are gone."""
    text = _plain(text)
    return text if cell_width(text) <= width else _cut(text, width - 1).rstrip() + "…"


def _cut(text: str, width: int) -> str:
    used = 0
    for place, character in enumerate(text):
        used += _character_width(character)
        if used > width:
            return text[:place]
    return text
