"""Renders a comparison of methods as one self-contained HTML page: no scripts, no network, everything escaped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infostream_dedup.lab.evaluation.comparison import Comparison
from infostream_dedup.report.html import environment
from infostream_dedup.report.published_methods import PUBLISHED_DICE, PUBLISHED_METHODS

__all__ = ["comparison_page"]


def comparison_page(comparison: Comparison, figures: Mapping[str, str]) -> str:
    """Render the comparison as one page, without times, which have their own file.

    Args:
        comparison: result of ``compare``.
        figures: ``precision-recall`` and ``dice`` as ``<svg>`` elements.
    """
    from markupsafe import Markup

    # We draw the SVG ourselves, and matplotlib escapes the names of methods in it.
    svgs = {name.replace("-", "_"): Markup(svg) for name, svg in figures.items()}  # noqa: S704
    rows = [row.as_dict(times=False) for row in comparison.rows]
    best = max((row["f1"] for row in rows if row["f1"] is not None), default=None)
    return (
        environment()
        .get_template("comparison.html")
        .render(
            comparison=comparison,
            figures=svgs,
            rows=rows,
            best=best if comparison.has_best else None,
            grouped=any(row.get("bcubed_f1") is not None for row in rows),
            published=[(row, PUBLISHED_METHODS[row["method"]]) for row in rows if row["method"] in PUBLISHED_METHODS],
            published_dice=_pair_with_published_dice(comparison),
        )
    )


def _pair_with_published_dice(comparison: Comparison) -> list[dict[str, Any]]:
    """List published Dice coefficients with ours, for the pairs of methods compared."""
    index = {name: number for number, name in enumerate(comparison.names)}
    return [
        {"one": one, "other": other, "paper": value, "ours": comparison.dice[index[one]][index[other]]}
        for (one, other), value in PUBLISHED_DICE.items()
        if one in index and other in index
    ]
