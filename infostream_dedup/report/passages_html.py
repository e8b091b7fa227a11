"""Renders two texts and their shared passages as one self-contained HTML page: no scripts, everything escaped."""

from __future__ import annotations

from infostream_dedup.passages.text_comparison import TextComparison
from infostream_dedup.passages.text_stretches import TextStretch
from infostream_dedup.report.html import environment

__all__ = ["passages_page"]


def passages_page(comparison: TextComparison, names: tuple[str, str]) -> str:
    """Render both texts side by side; each passage links to its copy, and each translated word to its translation.

    Args:
        comparison: comparison of the two texts.
        names: names of a and b, for the column headings.
    """
    pieces_a, pieces_b = comparison.pieces_a, comparison.pieces_b
    linked = {one.word for one in pieces_a if not one.passage} & {one.word for one in pieces_b if not one.passage}
    sides = [
        {
            "name": names[0],
            "letter": "a",
            "other": "b",
            "coverage": comparison.coverage_a,
            "translated": comparison.translated.share_a,
            "language": comparison.languages[0],
            "pieces": _with_places(pieces_a, linked),
        },
        {
            "name": names[1],
            "letter": "b",
            "other": "a",
            "coverage": comparison.coverage_b,
            "translated": comparison.translated.share_b,
            "language": comparison.languages[1],
            "pieces": _with_places(pieces_b, linked),
        },
    ]
    titles = comparison.translated.names()
    return environment().get_template("passages.html").render(comparison=comparison, sides=sides, titles=titles)


def _with_places(stretches: list[TextStretch], linked: set[int]) -> list[tuple[TextStretch, bool]]:
    """Say of each stretch whether it is the first place of its translated word, to which the other text links.

    Args:
        stretches: the whole text.
        linked: numbers of the words that both texts have outside of passages.
    """
    seen: set[int] = set()
    found = []
    for stretch in stretches:
        # Within a passage, the text links to its copy.
        word = stretch.word if not stretch.passage and stretch.word in linked else 0
        found.append((stretch._replace(word=word), word not in seen))
        seen.add(word)
    return found
