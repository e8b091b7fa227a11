"""Stretches of a text, each shared or not, and each a translated word or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["TextStretch", "with_words_cut"]


class TextStretch(NamedTuple):
    """A stretch of a text.

    Attributes:
        text: as in the text.
        passage: number of its passage, counted from 1; 0 if the other text lacks it.
        begins: whether it is the first stretch of its passage.
        changed: whether these are words of a copied sentence that the other text has in another form, or not at all.
        word: number of the translated word, counted from 1, as in the other text; 0 if this is none.
    """

    text: str
    passage: int
    begins: bool
    changed: bool = False
    word: int = 0


def with_words_cut(
    stretches: list[TextStretch], words: Iterable[tuple[int, Sequence[tuple[int, int]]]]
) -> list[TextStretch]:
    """Cut stretches so that each translated word is one of its own.

    Args:
        stretches: the whole text.
        words: the number of each translated word, from 1, and its places in the text, [start, end).

    Example:
        >>> whole = [TextStretch("Мэр открыл мост", 0, begins=False)]
        >>> [(one.text, one.word) for one in with_words_cut(whole, [(1, [(0, 3)]), (2, [(11, 15)])])]
        [('Мэр', 1), (' открыл ', 0), ('мост', 2)]
    """
    places = {span: number for number, spans in words for span in spans}
    cuts = sorted({edge for span in places for edge in span})
    number_at = {start: number for (start, _), number in places.items()}
    found: list[TextStretch] = []
    at = cut = word = 0
    for stretch in stretches:
        start, end = at, at + len(stretch.text)
        while at < end:
            while cut < len(cuts) and cuts[cut] <= at:
                word = number_at.get(cuts[cut], 0)
                cut += 1
            close = min(end, cuts[cut]) if cut < len(cuts) else end
            part = stretch.text[at - start : close - start]
            found.append(stretch._replace(text=part, begins=stretch.begins and at == start, word=word))
            at = close
    return found
