"""A comparison of methods as one self-contained HTML page: no script, no network reference, everything escaped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infostream_dedup.evaluation.comparison import Comparison
from infostream_dedup.report.html import environment
from infostream_dedup.report.published_methods import PUBLISHED_DICE, PUBLISHED_METHODS

__all__ = ["comparison_page"]


def comparison_page(comparison: Comparison, figures: Mapping[str, str]) -> str:
    """The comparison as one page, without times: they are in a file of their own.

    Args:
        comparison: of ``compare``.
        figures: ``precision-recall`` and ``dice`` as ``<svg>`` elements.
    """
    from markupsafe import Markup

    # The SVG is drawn by us; matplotlib escapes the names of methods in it.
    drawn = {name.replace("-", "_"): Markup(svg) for name, svg in figures.items()}  # noqa: S704
    rows = [row.as_dict(times=False) for row in comparison.rows]
    return (
        environment()
        .get_template("comparison.html")
        .render(
            comparison=comparison,
            figures=drawn,
            rows=rows,
            best=max((row["f1"] for row in rows if row["f1"] is not None), default=None),
            published=[(row, PUBLISHED_METHODS[row["method"]]) for row in rows if row["method"] in PUBLISHED_METHODS],
            published_dice=_dice_beside(comparison),
        )
    )


def _dice_beside(comparison: Comparison) -> list[dict[str, Any]]:
    """Published Dice coefficients with ours, for the pairs of methods that were compared."""
    place = {name: number for number, name in enumerate(comparison.names)}
    return [
        {"one": one, "other": other, "paper": value, "ours": comparison.dice[place[one]][place[other]]}
        for (one, other), value in PUBLISHED_DICE.items()
        if one in place and other in place
    ]
