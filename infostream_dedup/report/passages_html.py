"""Renders two texts and their shared passages as one self-contained HTML page: no scripts, everything escaped."""

from __future__ import annotations

from itertools import groupby

from infostream_dedup.judging.passages.text_comparison import TextComparison, TextStretch
from infostream_dedup.report.html import environment

__all__ = ["passages_page"]


def passages_page(comparison: TextComparison, names: tuple[str, str]) -> str:
    """Render both texts side by side; passages link to their copies, translated words to translations.

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
            "translated": comparison.translated.share_a,
            "language": comparison.languages[0],
            "parts": _parts(comparison.pieces_a),
        },
        {
            "name": names[1],
            "letter": "b",
            "other": "a",
            "coverage": comparison.coverage_b,
            "translated": comparison.translated.share_b,
            "language": comparison.languages[1],
            "parts": _parts(comparison.pieces_b),
        },
    ]
    titles = comparison.translated.names()
    return environment().get_template("passages.html").render(comparison=comparison, sides=sides, titles=titles)


def _parts(stretches: list[TextStretch]) -> list[list[tuple[TextStretch, bool]]]:
    """Gather the stretches of each passage, and of what is between passages.

    Each stretch comes with whether it is the first place of its translated word, to which the other text links.
    """
    seen: set[int] = set()
    marked = []
    for stretch in stretches:
        marked.append((stretch, stretch.word not in seen))
        seen.add(stretch.word)
    return [list(part) for _, part in groupby(marked, key=lambda one: one[0].passage)]
