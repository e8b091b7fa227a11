"""Texts as HTML with their shared passages and differing numbers marked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup, escape

from infostream_dedup.service.pair_view import NUMBER

__all__ = ["MOST_NUMBERS", "marked_sides", "marked_text"]

_COLOURS: Final = 6
MOST_NUMBERS: Final = 40
"""If more numbers than this differ, only their count is shown: marking them all would make the text unreadable."""


def marked_sides(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Return both sides of a pair (see ``pair_shown``) with their texts as ``html``, None without texts.

    Long texts take a while: call it in a thread.
    """
    sides = [shown["a"], shown["b"]]
    for side in sides:
        side["html"] = None if side["pieces"] is None else marked_text(side["pieces"], side["numbers"], shown["words"])
    return sides


def marked_text(pieces: Sequence[dict[str, Any]], numbers: Collection[str], words: Mapping[str, str]) -> Markup:
    """Mark the passages, translated words and given numbers of a text.

    Args:
        pieces: ``text``, ``passage`` and ``word`` (numbers of the shared passage and of the translated word, 0 for
            none).
        numbers: numbers that the other text lacks.
        words: what each translated word is in both languages, by its number as text.
    """
    marked = set(numbers) if len(numbers) <= MOST_NUMBERS else set()
    seen: set[int] = set()
    parts = []
    for piece in pieces:
        # The number of a passage is shown where it begins, not after every word that differs inside it.
        parts.append(_marked(piece, marked, words, numbered=piece["passage"] not in seen))
        seen.add(piece["passage"])
    return Markup().join(parts)


def _marked(piece: dict[str, Any], marked: set[str], words: Mapping[str, str], *, numbered: bool) -> Markup:
    html = Markup().join(
        Markup('<b class="number">{}</b>').format(part) if number % 2 else escape(part)
        for number, part in enumerate(_split(piece["text"], marked))
    )
    if piece["word"]:
        html = Markup('<span class="word" title="{}">{}</span>').format(words[str(piece["word"])], html)
    if not piece["passage"]:
        return html
    if numbered:
        html = Markup("<sup>{}</sup>{}").format(piece["passage"], html)
    shown = Markup('<mark class="p{} passage" data-passage="{}" tabindex="-1">{}</mark>')
    return shown.format((piece["passage"] - 1) % _COLOURS + 1, piece["passage"], html)


def _split(text: str, marked: set[str]) -> list[str]:
    """Text and the marked numbers in turn, starting with text."""
    if not marked:
        return [text]
    parts, end = [], 0
    for found in NUMBER.finditer(text):
        if found.group() in marked:
            parts += [text[end : found.start()], found.group()]
            end = found.end()
    return [*parts, text[end:]]
