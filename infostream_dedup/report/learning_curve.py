"""A learning curve as a table and a plot."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from infostream_dedup.documents import write_rows
from infostream_dedup.report.criteria_plots import learning_figure
from infostream_dedup.report.files import write_files
from infostream_dedup.report.plots import as_png, as_svg

if TYPE_CHECKING:
    from infostream_dedup.judging.criteria.training import CurvePoint

__all__ = ["write_learning_curve"]


def write_learning_curve(points: Sequence[CurvePoint], folder: str | Path) -> list[Path]:
    """Write ``curve.csv``, ``curve.svg`` and ``curve.png``.

    Args:
        points: from ``Training.learning_curve``.
        folder: created if it does not exist; files of these names are replaced, each in one step.

    Returns:
        The paths written, in alphabetical order.

    Raises:
        CannotCreateError: the folder or a file cannot be created.
        CannotWriteError: writing failed midway.
    """
    table = io.BytesIO()
    write_rows((point.as_dict() for point in points), table, "csv")
    figure = learning_figure(points)
    drawn = f'<?xml version="1.0" encoding="utf-8"?>\n{as_svg(figure)}'.encode()
    files = {"curve.csv": table.getvalue(), "curve.svg": drawn, "curve.png": as_png(figure)}
    return write_files(files, folder)
