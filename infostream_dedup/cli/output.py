"""Results on standard output or in files, and progress on standard error.

Tables for people are fitted to the width of a terminal and coloured where ``rich`` (the extra ``terminal``) is.
Without it the same characters are printed: widths and breaks of lines are found as ``rich`` finds them.
"""

from __future__ import annotations

import math
import re
import shutil
import sys
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

import click
from click.core import ParameterSource

from infostream_dedup.cli.run_log import RUN, without_commands
from infostream_dedup.errors import CannotCreateError

if TYPE_CHECKING:
    from infostream_dedup.documents import ReadingReport
    from infostream_dedup.documents.outputs import CsvDialect, RowFormat
    from infostream_dedup.machine.progress import Progress


Piece: TypeAlias = tuple[str, str]  # a part of a cell, and how ``rich`` is to style it

PIPE_WIDTH: Final = sys.maxsize  # a pipe has no width: nothing is cut or wrapped

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


def end_of(text: str, width: int) -> str:
    """The end of an id that fits: what many ids have in common, such as a host, stands at their beginning."""
    text = _plain(text)
    return text if cell_width(text) <= width else "…" + _cut(text[::-1], width - 1)[::-1]


def _cut(text: str, width: int) -> str:
    used = 0
    for place, character in enumerate(text):
        used += _character_width(character)
        if used > width:
            return text[:place]
    return text


# Every file that a command writes can be written, and has a name of its own

_OUTPUTS: Final = ("summary", "out", "html", "out_labels", "write_config")

_REPORTS: Final = ("out", "curve")

_DOCUMENTS: Final = ("documents", "sources")


def refuse_shared_files(context: click.Context) -> None:
    """Refuse an output or quarantine file that the command also reads, or writes for another purpose."""
    from infostream_dedup.documents.outputs import same_file
    from infostream_dedup.documents.reading import check_quarantine

    files = list(_files(context))
    for name, path in files:
        exists = Path(path).exists()
        if name not in (*_OUTPUTS, "quarantine") or (exists and not Path(path).is_file()):
            continue
        # All documents exist, so a file that does not exist cannot be one of them.
        others = [(one, given) for one, given in files if one != name and (exists or one not in _DOCUMENTS)]
        if name == "quarantine":
            check_quarantine(path, [given for one, given in others if one not in _OUTPUTS])
            continue
        for other in (one for one, given in others if same_file(path, given)):
            if other == "quarantine":
                raise CannotCreateError(f"{path} is also the quarantine file; give the output another name")
            if other in _OUTPUTS:
                raise CannotCreateError(f"{path} is given for two outputs; give each its own name")
            raise CannotCreateError(f"{path} is one of the inputs; give the output another name")


def check_outputs(context: click.Context) -> None:
    """Refuse an output file or report that could not be written, before the work that it is to keep."""
    from infostream_dedup.documents.outputs import check_output
    from infostream_dedup.report import check_report_folder, has_report_extra, require_pages

    for parameter in context.command.params:
        name, kind = parameter.name or "", parameter.type
        path = _given(context, name)
        if path is None or not isinstance(kind, click.Path):
            continue
        if name in _OUTPUTS and kind.file_okay:
            check_output(path)
            if name == "html":
                require_pages()
        elif name in _REPORTS and not kind.file_okay:
            asked = context.get_parameter_source(name) is not ParameterSource.DEFAULT
            if asked or has_report_extra():  # `demo` does without, and says so
                check_report_folder(path, xlsx=context.params.get("xlsx", False))


def _given(context: click.Context, name: str) -> Any:
    """Return the value of a parameter; the general ones, such as ``--summary``, are kept apart."""
    return context.params.get(name, context.meta.get(name))


def _files(context: click.Context) -> Iterator[tuple[str, str]]:
    """Names of parameters and the files that they name; the documents of folders and patterns are named one by one."""
    from infostream_dedup.documents.reading import paths_of

    for parameter in context.command.params:
        name, kind = parameter.name or "", parameter.type
        value = _given(context, name)
        given = [] if value is None else list(value) if isinstance(value, list | tuple) else [value]
        if name in _DOCUMENTS:
            yield from ((name, path) for path in paths_of(given))
        elif isinstance(kind, click.Path) and kind.file_okay:
            yield from ((name, str(one)) for one in given)


def chosen_format(given: str | None, on_terminal: str, in_pipe: str) -> str:
    """Return the requested format, or the one that suits the destination of standard output."""
    return given or (on_terminal if sys.stdout.isatty() else in_pipe)


def is_drawn(output_format: str | None, *, wide: bool = False) -> bool:
    """Whether people read the answer, who did not ask for another form of it."""
    return output_format is None and not wide and sys.stdout.isatty()


def note(message: str) -> None:
    """Print a line for the user on standard error."""
    if not RUN.quiet:
        RUN.say(message)


def note_reading(report: ReadingReport | None, *, more: str = "") -> None:
    """Print a line that accounts for every record of the input, followed by ``more``."""
    if report is None:
        return
    RUN.was_read(report)
    for one in report.first_bad:
        note(f"quarantined: {one}")
    if report.first_bad and (more_bad := report.quarantined - len(report.first_bad)):
        note(f"quarantined: {more_bad:,} more (--quarantine FILE keeps them all)")
    summary = report.summary() + more
    if sys.stderr.isatty():
        # To a person, it is news only if something was not used as it was given.
        summary = summary.removeprefix(f"read {report.read} = used {report.read} + quarantined 0").removeprefix("; ")
    if summary:
        note(summary)


def note_remnants() -> None:
    """Say that a file still contains what was forgotten."""
    note("another process was reading: remnants stay in the log until it ends; run this command again after that")


def print_json(value: Any) -> None:
    """Print one JSON value, indented."""
    import orjson

    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def print_rows(
    rows: Iterable[Mapping[str, Any]],
    output_format: str,
    *,
    columns: Sequence[str] | None = None,
    further: bool = False,
    out: str | None = None,
    inputs: Iterable[str] = (),
) -> int:
    """Print rows, or write all of them to the file ``out``, and count them; ``further``: some have more columns."""
    from infostream_dedup.documents import outputs

    target = out or "-"
    if output_format == "table":
        rows = list(rows)
        print_table(rows)
        return len(rows)
    if target == "-" and output_format in ("xlsx", "parquet") and sys.stdout.isatty():
        told = f"send it to a file: ... --format {output_format} > rows.{output_format}"
        raise click.UsageError(f"{output_format} cannot be shown here; {told}")
    if further and output_format == "xlsx":
        rows = list(rows)
        columns = list(dict.fromkeys([*(columns or ()), *(name for row in rows for name in row)]))
    form, dialect = cast("RowFormat", output_format), outputs.form_for(target, csv_dialect())
    kept = [name for name in inputs if name != "-"]
    with outputs.open_output(target, inputs=kept) as file, outputs.packed(file, target) as stream:
        if further and form == "csv":
            return outputs.write_all_columns(rows, stream, dialect=dialect, first=columns or ())
        return outputs.write_rows(rows, stream, form, columns=columns, dialect=dialect)


def form_of(out: str | None, given: str | None) -> str:
    """Return the requested format of rows, or the one that suits the file, the terminal or the pipe."""
    from infostream_dedup.documents import outputs

    if out in (None, "-"):
        return chosen_format(given, "table", "jsonl")
    if given == "table":
        raise click.UsageError("a table is for the terminal only; for a file use --format jsonl, json or csv")
    return given or outputs.row_format(str(out))


def save_page(page: str, target: str, *, inputs: Iterable[str]) -> None:
    """Write a page to a file, completely or not at all; ``inputs`` are files that it must not replace."""
    from infostream_dedup.documents.outputs import open_output

    with open_output(target, inputs=inputs) as stream:
        stream.write(page.encode("utf-8", "replace"))


def csv_dialect() -> CsvDialect:
    """Return the CSV dialect given by ``--csv-dialect``."""
    context = click.get_current_context(silent=True)
    return cast("CsvDialect", "standard" if context is None else context.meta.get("csv_dialect", "standard"))


_FIRST: Final = (
    *("part", "series", "representation", "k", "chosen", "chosen_by", "kind", "status", "id", "a", "b", "of", "group"),
    *("title", "total", "documents", "method", "name", "what", "value", "source", "f1", "symmetry", "transitivity"),
    *("links", "groups", "precision", "recall", "tp", "fp", "fn", "pairs", "judged", "linked", "seconds"),
    *("duplicates", "symmetry_across", "alarms", "word", "answer", "rung", "wins", "outcome", "why"),
)
"""Columns that a table keeps on a narrow terminal, the most important first."""

_ROOM: Final = 24  # columns of a terminal that a text is given before a column further right is left out
_IDS: Final = frozenset(("id", "a", "b", "of", "group"))
_ROOM_OF_ID: Final = 16  # the same for an id, of which the end is shown


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as a table: numbers to the right, ``None`` as a dash; a terminal gets the columns that fit."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [Column(name, all(isinstance(row.get(name), int | float | None) for row in rows)) for name in names]
    cells = [[_cell(row.get(name), 2 if name == "probability" else 3) for name in names] for row in rows]
    kept = list(range(len(names)))
    if sys.stdout.isatty():
        if _wide(columns, cells) > shutil.get_terminal_size().columns:
            ids = [number for number, name in enumerate(names) if name in _IDS]
            for row in cells:
                row[:] = [end_of(one, _ROOM_OF_ID) if number in ids else one for number, one in enumerate(row)]
        kept = _fitting(columns, cells)
    show_table([columns[one] for one in kept], [[[(row[one], "")] for one in kept] for row in cells])
    if len(kept) < len(names):
        left_out = ", ".join(name for number, name in enumerate(names) if number not in kept)
        say(f"(no room for {left_out}: see --format csv, or use a pipe)")


def _wide(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> int:
    texts = [[one.header for one in columns], *cells]
    return sum(max(cell_width(row[one]) for row in texts) + 2 for one in range(len(columns)))


def _fitting(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> list[int]:
    """Numbers of the columns that fit, in their order."""
    rank = {name: number for number, name in enumerate(_FIRST)}
    order = sorted(range(len(columns)), key=lambda one: rank.get(columns[one].header, len(rank)))
    kept: list[int] = []
    left = shutil.get_terminal_size().columns
    for one in order:
        longest = max((cell_width(row[one]) for row in cells), default=0)
        wide = max(cell_width(columns[one].header), longest if columns[one].numeric else min(longest, _ROOM)) + 2
        if wide <= left or not kept:
            kept.append(one)
            left -= wide
    return sorted(kept)


def _cell(value: Any, decimals: int) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{decimals}f}"
    if isinstance(value, Mapping):
        parts = (f"{name} {_cell(one, decimals)}" for name, one in value.items())
        return str(value["text"]) if "text" in value else ", ".join(parts)
    if isinstance(value, list | tuple):
        between = " · " if any(isinstance(one, Mapping) for one in value) else " "
        return between.join(_cell(one, decimals) for one in value)
    return str(value)


_BAR: Final = 40  # characters of a whole bar

_REDRAWN: Final = 0.1  # seconds between two states of a bar


@contextmanager
def progress_bar(*, hidden: bool = False, stages: bool = False) -> Iterator[Progress | None]:
    """Return a function to call with (step, done, total), or ``None`` if nobody would see a bar.

    The bar is that of the step that is being done, and vanishes at the end; nothing else may be printed before.
    """
    hidden |= RUN.quiet
    if hidden or RUN.has_lines or not sys.stderr.isatty():
        yield _lines(silent=hidden or not stages)
        return
    begun, drawn, ended = time.monotonic(), 0.0, False

    def show(step: str, done: int, total: int | None) -> None:
        nonlocal drawn
        RUN.stage(step, ended=done == total)
        now = time.monotonic()
        if ended or (now - drawn < _REDRAWN and done != total):
            return
        drawn, spent = now, int(now - begun)
        bar = f"{'━' * min(_BAR, _BAR * done // total):<{_BAR}} {done:,}/{total:,}" if total else f"{done:,}"
        RUN.draw(f"{step:<16} {bar} {spent // 60}:{spent % 60:02}")

    try:
        yield show
    finally:
        ended = True
        RUN.draw("")


def _lines(*, silent: bool) -> Progress | None:
    begun: set[str] = set()

    def show(step: str, done: int, total: int | None) -> None:
        RUN.stage(step, ended=done == total)
        if step not in begun and not silent:
            begun.add(step)
            RUN.say(step)

    return show if RUN.is_summed_up or not silent else None
