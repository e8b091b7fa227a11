"""A report on disk: a workbook, pictures, tables, a page."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.documents import open_output, write_rows
from infostream_dedup.documents.outputs import require_workbooks
from infostream_dedup.errors import CannotCreateError
from infostream_dedup.report.drawing import Picture, as_png, as_svg
from infostream_dedup.report.html import html_report
from infostream_dedup.report.needed import has_plots
from infostream_dedup.report.plots import (
    answer_figure,
    curve_figure,
    describe_curves,
    describe_groups,
    describe_parts,
    described,
    drawn_parts,
    group_figure,
    part_figure,
)
from infostream_dedup.report.tables import Cover, Wording, cards_of, cover_lines, tabulate_parts, wording_of
from infostream_dedup.runs.batch.sweeping import SweepResult

if TYPE_CHECKING:
    from xlsxwriter import Workbook


# Write a sweep as a workbook for spreadsheet programs; equal results give equal bytes.


_DAY: Final = datetime(2000, 1, 1)
"""Stored as the creation date, so that the bytes do not depend on the day."""

_WIDEST: Final = 60


def workbook_of(result: SweepResult, cover: Cover) -> bytes:
    """Build the sheets of a report: what was measured, rows, parts, groups, sources, pairs."""
    xlsxwriter = require_workbooks()
    wording, target = wording_of(cover.language), io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(target, options) as book:
        book.set_properties({"title": wording("title"), "created": _DAY})
        _add_sheet(book, wording("title")[:31], _summary(result, cover, wording))
        _add_sheet(book, wording("links_found")[:31], result.as_rows())
        _add_sheet(book, wording("groups_of_duplicates")[:31], _groups(result))
        _add_sheet(book, wording("sources")[:31], _sources(result))
        _add_sheet(book, wording("shared_terms")[:31], _pairs(result))
    return target.getvalue()


def _summary(result: SweepResult, cover: Cover, wording: Wording) -> list[dict[str, Any]]:
    lines = cover_lines(result, cover, wording)
    for card in cards_of(result, wording):
        chosen = wording("no_k") if card.k is None else f"k = {card.k}"
        lines.append((f"{card.name}: {chosen}", wording.spoken(card.missing or card.reason)[0]))
    return [{"": name, " ": value} for name, value in lines]


def _groups(result: SweepResult) -> Iterable[dict[str, Any]]:
    for name, listing in result.listed.items():
        for number, group in enumerate(listing.groups, start=1):
            for one in group.documents:
                own = {field: getattr(one, field) for field in ("id", "title", "source", "published", "url")}
                yield {"representation": name, "k": listing.k, "group": number, "documents": group.size, **own}


def _sources(result: SweepResult) -> Iterable[dict[str, Any]]:
    for name, listing in result.listed.items():
        for one in listing.sources:
            counts = {"documents": one.documents, "grouped": one.grouped, "first": one.first, "copied": one.copied}
            yield {"representation": name, "k": listing.k, "source": one.source, **counts}


def _pairs(result: SweepResult) -> Iterable[dict[str, Any]]:
    for one in result.examples:
        sides = {
            f"{name}_{side}": getattr(one, f"{name}_{side}")
            for side in ("a", "b")
            for name in ("title", "source", "published", "url")
        }
        counts = {"forward": one.forward, "backward": one.backward, "terms": " ".join(one.terms)}
        yield {"representation": one.representation, "k": one.k, "a": one.a, "b": one.b, **counts, **sides}


def _add_sheet(book: Workbook, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add a sheet with a bold header that stays in view; no sheet is added without rows."""
    table = list(rows)
    if not table:
        return
    sheet, header = book.add_worksheet(name), book.add_format({"bold": True})
    columns: Sequence[str] = list(dict.fromkeys(column for row in table for column in row))
    for place, column in enumerate(columns):
        values = [row.get(column) for row in table]
        widest = max(len(str(value)) for value in (column, *values) if value is not None)
        sheet.set_column(place, place, min(widest + 2, _WIDEST))
        sheet.write_string(0, place, column, header)
        for line, value in enumerate(values, start=1):
            if value is None:
                continue
            if isinstance(value, bool):
                sheet.write_boolean(line, place, value)
            elif isinstance(value, int | float):
                sheet.write_number(line, place, value)
            else:
                sheet.write_string(line, place, str(value))
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, len(table), len(columns) - 1)


# Writes a sweep as a folder of self-contained files.


def write_report(
    result: SweepResult,
    folder: str | Path,
    *,
    command: str | None = None,
    made: str | None = None,
    ui_language: str = "en",
    xlsx: bool = False,
    paper: bool = False,
) -> list[Path]:
    """Write ``sweep.json``, ``sweep.csv``, the plots (SVG, and PNG with the extra ``plots``) and ``report.html``.

    ``paper``: show the paper's values beside yours; ``made``: the day to print, without which the bytes are the same.
    """
    cover = Cover(command=command, made=made, language=ui_language, paper=paper)
    files = report_files(result, cover)
    if xlsx:
        files["report.xlsx"] = workbook_of(result, cover)
    return write_files(files, folder)


def write_files(files: Mapping[str, bytes], folder: str | Path) -> list[Path]:
    """Write files to a folder, each atomically."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotCreateError(f"cannot create the folder {folder}: {error.strerror or error}") from error
    return [_write(folder / name, content) for name, content in sorted(files.items())]


def report_files(result: SweepResult, cover: Cover | None = None) -> dict[str, bytes]:
    """Return the contents of a report by file name; equal results give equal bytes."""
    import orjson

    cover = cover or Cover()
    table = io.BytesIO()
    write_rows(iter(result.as_rows()), table, "csv")
    pictures = list(_draw(result, wording_of(cover.language), paper=cover.paper))
    svgs = {one.name: described(as_svg(one.figure), one.name, one.title, one.description) for one in pictures}
    files = {
        "sweep.json": orjson.dumps(result.as_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE),
        "sweep.csv": table.getvalue(),
        "report.html": html_report(result, svgs, cover).encode(),
    }
    for one in pictures:
        files[f"{one.name}.svg"] = f'<?xml version="1.0" encoding="utf-8"?>\n{svgs[one.name]}'.encode()
        if has_plots():
            files[f"{one.name}.png"] = as_png(one.figure)
    return files


@dataclass(frozen=True, slots=True)
class _Picture:
    """A plot with its name and a description for people who cannot see it."""

    name: str
    figure: Picture
    title: str
    description: str


def _draw(result: SweepResult, wording: Wording, *, paper: bool) -> Iterator[_Picture]:
    if result.answer is not None:
        by_day = len(result.answer.days) > 1
        said = {name: wording.count(getattr(result.answer, name)) for name in ("repeats", "documents")}
        title = wording("figure_answer" if by_day else "figure_answer_kinds")
        yield _Picture("answer", answer_figure(result.answer, wording), title, wording("described_answer", **said))
    for quantity in ("symmetry", "transitivity"):
        figure = curve_figure(result, quantity, wording, paper=paper)
        yield _Picture(quantity, figure, wording(f"figure_{quantity}"), describe_curves(result, quantity, wording))
    if result.groups:
        figure = group_figure(result.groups, wording)
        yield _Picture("groups", figure, wording("figure_groups"), describe_groups(result, wording))
    tables = tabulate_parts(result, wording)
    if tables is not None and result.by is not None and drawn_parts(tables, result.by, wording):
        title = wording("figure_parts", k=tables.figure_k)
        figure = part_figure(tables, result.by, wording)
        yield _Picture("parts", figure, title, describe_parts(tables, wording))


def _write(path: Path, content: bytes) -> Path:
    with open_output(path) as stream:
        stream.write(content)
    return path
