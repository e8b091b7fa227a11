"""Renders two texts and their shared passages as one self-contained HTML page: no scripts, everything escaped."""

from __future__ import annotations

from infostream_dedup.passages.text_comparison import TextComparison
from infostream_dedup.report.html import environment

__all__ = ["passages_page"]


def passages_page(comparison: TextComparison, names: tuple[str, str]) -> str:
    """Render both texts side by side; each passage links to its copy in the other text.

    Args:
        comparison: comparison of the two texts.
        names: names of a and b, for the column headings.
    """
    sides = [
        {
            "name": names[0],
            "letter": "a",
            "other": "b",
            "coverage": comparison.coverage_a,
            "pieces": comparison.pieces_a,
        },
        {
            "name": names[1],
            "letter": "b",
            "other": "a",
            "coverage": comparison.coverage_b,
            "pieces": comparison.pieces_b,
        },
    ]
    return environment().get_template("passages.html").render(comparison=comparison, sides=sides)
