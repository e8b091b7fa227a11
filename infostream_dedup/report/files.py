"""Writes a sweep as a folder of self-contained files."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from infostream_dedup.documents import open_output, write_rows
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
from infostream_dedup.report.tables import Cover, Wording, tabulate_parts, wording_of
from infostream_dedup.report.workbook import workbook_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infostream_dedup.runs.batch.sweeping import SweepResult


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
    """Write ``sweep.json``, ``sweep.csv``, the plots and ``report.html``.

    Plots are SVG, and also PNG where matplotlib (the extra ``plots``) is installed.

    Args:
        paper: show the values that the paper published beside yours.
        made: the day to print on the page, as ``2026-11-22``; without it the bytes do not depend on the day.
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
