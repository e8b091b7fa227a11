"""Writes a sweep as a folder of self-contained files."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from infostream_dedup.batch.sweeping import SweepResult
from infostream_dedup.corpus import open_output, write_rows
from infostream_dedup.errors import CannotCreateError
from infostream_dedup.report.html import html_report
from infostream_dedup.report.plots import as_png, as_svg, curve_figure, group_figure

__all__ = ["report_files", "write_files", "write_report"]


def write_report(result: SweepResult, folder: str | Path) -> list[Path]:
    """Write ``sweep.json``, ``sweep.csv``, the plots (SVG, PNG) and ``report.html``.

    Args:
        result: result of ``sweep``.
        folder: created if missing; files with these names are replaced atomically.

    Returns:
        The paths written, in alphabetical order.

    Raises:
        CannotCreateError: the folder or a file cannot be created.
        CannotWriteError: writing failed.
    """
    return write_files(report_files(result), folder)


def write_files(files: Mapping[str, bytes], folder: str | Path) -> list[Path]:
    """Write files to a folder, each atomically.

    Args:
        files: contents by file name.
        folder: created if missing.

    Returns:
        The paths written, in alphabetical order.

    Raises:
        CannotCreateError: the folder or a file cannot be created.
        CannotWriteError: writing failed.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotCreateError(f"cannot create the folder {folder}: {error.strerror or error}") from error
    return [_write(folder / name, content) for name, content in sorted(files.items())]


def report_files(result: SweepResult) -> dict[str, bytes]:
    """Return the contents of a report by file name; equal results give equal bytes."""
    import orjson

    table = io.BytesIO()
    write_rows((row.as_dict() for row in result.rows), table, "csv")
    figures = {
        "symmetry": curve_figure(result, "symmetry"),
        "transitivity": curve_figure(result, "transitivity"),
    }
    if result.groups:
        figures["groups"] = group_figure(result.groups)
    svgs = {name: as_svg(figure) for name, figure in figures.items()}
    files = {
        "sweep.json": orjson.dumps(result.as_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE),
        "sweep.csv": table.getvalue(),
        "report.html": html_report(result, svgs).encode(),
    }
    for name, figure in figures.items():
        files[f"{name}.svg"] = f'<?xml version="1.0" encoding="utf-8"?>\n{svgs[name]}'.encode()
        files[f"{name}.png"] = as_png(figure)
    return files


def _write(path: Path, content: bytes) -> Path:
    with open_output(path) as stream:
        stream.write(content)
    return path
