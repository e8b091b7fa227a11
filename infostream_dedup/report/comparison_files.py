"""Writes a comparison of methods as a folder of self-contained files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from infostream_dedup.documents import write_rows
from infostream_dedup.lab.evaluation.comparison import Comparison
from infostream_dedup.report.comparison_html import comparison_page
from infostream_dedup.report.comparison_plots import dice_figure, plane_figure
from infostream_dedup.report.files import write_files
from infostream_dedup.report.plots import as_png, as_svg

__all__ = ["comparison_files", "write_comparison"]


def write_comparison(comparison: Comparison, folder: str | Path) -> list[Path]:
    """Write ``comparison.json``, ``comparison.csv``, ``dice.csv``, ``times.csv``, plots (SVG, PNG), ``report.html``.

    Args:
        comparison: result of ``compare``.
        folder: created if missing; files with these names are replaced atomically.

    Returns:
        The paths written, in alphabetical order.

    Raises:
        CannotCreateError: the folder or a file cannot be created.
        CannotWriteError: writing failed.
    """
    return write_files(comparison_files(comparison), folder)


def comparison_files(comparison: Comparison) -> dict[str, bytes]:
    """Return contents by file name; equal results give equal bytes except in ``times.csv``."""
    import orjson

    figures = {"precision-recall": plane_figure(comparison), "dice": dice_figure(comparison)}
    svgs = {name: as_svg(figure) for name, figure in figures.items()}
    content = comparison.as_dict(times=False)
    files = {
        "comparison.json": orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE),
        "comparison.csv": _format_csv(content["rows"]),
        "dice.csv": _format_csv(
            {"method": name, **dict(zip(comparison.names, row, strict=True))}
            for name, row in zip(comparison.names, comparison.dice, strict=True)
        ),
        "times.csv": _format_csv(_list_times(comparison)),
        "report.html": comparison_page(comparison, svgs).encode(),
    }
    for name, figure in figures.items():
        files[f"{name}.svg"] = f'<?xml version="1.0" encoding="utf-8"?>\n{svgs[name]}'.encode()
        files[f"{name}.png"] = as_png(figure)
    return files


def _list_times(comparison: Comparison) -> list[dict[str, Any]]:
    """List the times of all methods, and of the reading that they share."""
    shared = comparison.reading
    rows: list[dict[str, Any]] = [
        {
            "method": "(reading, shared by all)",
            "seconds": round(shared.seconds, 4),
            "cpu_seconds": round(shared.cpu_seconds, 4),
            "growth": None,
        }
    ]
    for row in comparison.rows:
        found = row.as_dict()
        rows.append({name: found[name] for name in ("method", "seconds", "cpu_seconds", "growth")})
    return rows


def _format_csv(rows: Iterable[Mapping[str, Any]]) -> bytes:
    stream = io.BytesIO()
    write_rows(rows, stream, "csv")
    return stream.getvalue()
