"""Shared passages, and the origin of texts, as self-contained HTML pages: no scripts, everything escaped."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from infostream_dedup.judging.passages.original_message import original_message
from infostream_dedup.report.html import environment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infostream_dedup.judging.passages.boilerplate import Boilerplate
    from infostream_dedup.judging.passages.passage_table import TextComparison, TextStretch
    from infostream_dedup.judging.passages.provenance import Provenance


def passages_page(comparison: TextComparison, names: tuple[str, str]) -> str:
    """Render both texts side by side; passages link to their copies, translated words to translations."""
    sides = [
        {
            "name": names[place],
            "letter": letter,
            "other": "ba"[place],
            "language": comparison.languages[place],
            "coverage": getattr(comparison, f"coverage_{letter}"),
            "translated": getattr(comparison.translated, f"share_{letter}"),
            "parts": _parts(getattr(comparison, f"pieces_{letter}")),
        }
        for place, letter in enumerate("ab")
    ]
    titles = comparison.translated.names()
    return environment().get_template("passages.html").render(comparison=comparison, sides=sides, titles=titles)


def _parts(stretches: list[TextStretch]) -> list[list[tuple[TextStretch, bool]]]:
    """Gather the stretches of each passage, and of what is between passages."""
    seen: set[int] = set()
    marked = []
    for stretch in stretches:
        marked.append((stretch, stretch.word not in seen))
        seen.add(stretch.word)
    return [list(part) for _, part in groupby(marked, key=lambda one: one[0].passage)]


_MOST_MEMBERS: Final = 50
"""Larger groups mostly repeat the same text, and compiling one message from them takes long."""


def provenance_page(groups: Sequence[tuple[str, Provenance]], boilerplate: Boilerplate | None = None) -> str:
    """Render the first document of each group, and every copy with kept, changed and added text marked."""
    messages = [
        original_message([group.first, *(copy.document for copy in group.copies)], boilerplate)
        if len(group.copies) < _MOST_MEMBERS
        else []
        for _, group in groups
    ]
    return environment().get_template("provenance.html").render(groups=groups, messages=messages)
