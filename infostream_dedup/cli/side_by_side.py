"""Two texts in two columns; shared passages are marked by number and, on a terminal, by colour.

Words in which copied sentences differ are in braces. In texts of two languages, words that translate each other have
one number.
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from typing import TYPE_CHECKING, Final

from infostream_dedup.cli.output import print_table

if TYPE_CHECKING:
    from rich.text import Text

    from infostream_dedup.judging.passages.text_comparison import TextComparison, TextStretch
    from infostream_dedup.terms.translated_words import TranslatedWords

__all__ = ["print_side_by_side"]

_STYLES: Final = ("black on cyan", "black on yellow", "black on green", "black on magenta", "white on blue")
_PIPE_WIDTH: Final = 160
# A text may contain escape sequences that would take over the terminal.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LINE_END: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def print_side_by_side(comparison: TextComparison, names: tuple[str, str]) -> None:
    """Print both texts and a table of their passages.

    Args:
        comparison: what the texts share.
        names: column headers for a and b.
    """
    from rich.console import Console
    from rich.table import Table

    # A pipe has no width; colours are for terminals only.
    console = Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH, markup=False, highlight=False)
    table = Table(box=None, pad_edge=False, padding=(0, 1), expand=True, header_style="bold")
    words = comparison.translated
    for name, coverage, share in zip(
        names, (comparison.coverage_a, comparison.coverage_b), (words.share_a, words.share_b), strict=True
    ):
        heading = f"{_shown(name)}: {100 * coverage:.0f} % of the words are shared"
        if words.met:
            heading += f", {100 * share:.0f} % of the nouns and names translated"
        table.add_column(heading, ratio=1, overflow="fold")
    for left, right in comparison.aligned():
        table.add_row(_marked(left), _marked(right))
    console.print(table)
    console.print()
    if comparison.differences:
        console.print("Words in which copied sentences differ are in braces.")
    if comparison.passages:
        _print_passages(comparison)
    else:
        console.print("The texts have no passage in common.")
    if words.met:
        console.print()
        _print_words(words, comparison.languages)


def _print_words(words: TranslatedWords, languages: tuple[str, str]) -> None:
    print_table(
        [
            {
                "number": one.number,
                f"a ({languages[0]})": one.words.a,
                f"b ({languages[1]})": one.words.b,
                "pivot": one.words.pivot,
                "rung": one.words.rung,
                "in a": len(one.spans_a),
                "in b": len(one.spans_b),
            }
            for one in words.met
        ]
    )


def _print_passages(comparison: TextComparison) -> None:
    print_table(
        [
            {
                "passage": number,
                "a": f"{passage.start_a}:{passage.end_a}",
                "b": f"{passage.start_b}:{passage.end_b}",
                "sentences": passage.sentences,
                "words": passage.words,
            }
            for number, passage in enumerate(comparison.passages, start=1)
        ]
    )


def _marked(pieces: list[TextStretch]) -> Text:
    from rich.text import Text

    text = Text()
    for passage, group in groupby(pieces, key=lambda piece: piece.passage):
        style = _STYLES[passage % len(_STYLES)] if passage else ""
        if passage:
            text.append(f"[{passage}: ", style)
        # Words that differ may be cut by the words translated in them, but have one pair of braces.
        for changed, part in groupby(group, key=lambda piece: piece.changed):
            text.append("{" if changed else "", style)
            for piece in part:
                _append(text, piece, style)
            text.append("}" if changed else "", style)
        if passage:
            text.append("]", style)
    return text


def _append(text: Text, piece: TextStretch, style: str) -> None:
    text.append(_shown(piece.text), f"{style} underline" if piece.changed or piece.word else style)
    if piece.word:
        text.append(f"[{piece.word}]", style or "dim")


def _shown(text: str) -> str:
    return _CONTROL.sub("\ufffd", _LINE_END.sub("\n", text))
