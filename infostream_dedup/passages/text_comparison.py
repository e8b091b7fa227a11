"""Comparison of two texts, cut into shared and other stretches."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from infostream_dedup.passages.passage_table import Passage, PassageTable

__all__ = ["TextComparison", "TextStretch", "text_comparison"]

_ALIGNED: Final = 1000
"""Maximum number of aligned passages (the heaviest ones): the time grows with its square."""


class TextStretch(NamedTuple):
    """A stretch of a text.

    Attributes:
        text: as in the text.
        passage: number of its passage, counted from 1; 0 if the other text lacks it.
        begins: whether it is the first stretch of its passage.
    """

    text: str
    passage: int
    begins: bool


class _Copy(NamedTuple):
    """Consecutive copied sentences: their span in the text, and the number of their passage, counted from 1."""

    start: int
    end: int
    passage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextComparison:
    """Passages that two texts share.

    Attributes:
        text_a: as given.
        text_b: as given.
        passages: passages in the order of a's text.
        coverage_a: share of a's words in sentences that b has, too, 0 to 1.
        coverage_b: share of b's words in sentences that a has, too, 0 to 1.
        sentences: number of pairs of matching sentences.
        copies_a: copied sentences of a in text order; consecutive sentences of one passage are joined.
        copies_b: copied sentences of b, likewise.
    """

    text_a: str
    text_b: str
    passages: tuple[Passage, ...]
    coverage_a: float
    coverage_b: float
    sentences: int
    copies_a: tuple[_Copy, ...]
    copies_b: tuple[_Copy, ...]

    @property
    def pieces_a(self) -> list[TextStretch]:
        """Return the whole text a in stretches."""
        return _pieces(self.text_a, self.copies_a)

    @property
    def pieces_b(self) -> list[TextStretch]:
        """Return the whole text b in stretches."""
        return _pieces(self.text_b, self.copies_b)

    def aligned(self) -> list[tuple[list[TextStretch], list[TextStretch]]]:
        """Return both texts in rows, with shared passages side by side.

        Passages in the same order in both texts are aligned; among possible choices, the one with the most words wins.
        """
        left, right = self.pieces_a, self.pieces_b
        numbers = _in_order(self.passages)
        begins_a, begins_b = _begins(left), _begins(right)
        cuts_a = [0, *(begins_a[number] for number in numbers), len(left)]
        cuts_b = [0, *(begins_b[number] for number in numbers), len(right)]
        rows = [
            (left[start_a:end_a], right[start_b:end_b])
            for (start_a, end_a), (start_b, end_b) in zip(pairwise(cuts_a), pairwise(cuts_b), strict=True)
        ]
        return [row for row in rows if row[0] or row[1]]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, without the texts: ``spans``, ``coverage_a``, ``coverage_b``, ``sentences``."""
        return {
            "spans": [passage.as_dict() for passage in self.passages],
            "coverage_a": round(self.coverage_a, 6),
            "coverage_b": round(self.coverage_b, 6),
            "sentences": self.sentences,
        }


def text_comparison(text_a: str, text_b: str, found: PassageTable) -> TextComparison:
    """Project the passages of a table of two documents onto their texts."""
    pair = next(found.document_pairs(), None)
    if pair is None:
        return TextComparison(
            text_a=text_a,
            text_b=text_b,
            passages=(),
            coverage_a=0.0,
            coverage_b=0.0,
            sentences=0,
            copies_a=(),
            copies_b=(),
        )
    copies = [_copies(found, side) for side in range(2)]
    return TextComparison(
        text_a=text_a,
        text_b=text_b,
        passages=pair.passages,
        coverage_a=pair.coverage_a,
        coverage_b=pair.coverage_b,
        sentences=pair.sentences,
        copies_a=copies[0],
        copies_b=copies[1],
    )


def _copies(found: PassageTable, side: int) -> tuple[_Copy, ...]:
    """Return the copied sentences of one side; consecutive sentences of one passage are joined."""
    starts, ends = found.sentences.starts.tolist(), found.sentences.ends.tolist()
    bounds = found.first_match.tolist()
    matched = sorted(
        (sentence, number)
        for number, (begin, end) in enumerate(pairwise(bounds), start=1)
        for sentence in found.matches[begin:end, side].tolist()
    )
    copies: list[_Copy] = []
    before = (-2, 0)
    for sentence, number in matched:
        if (sentence - 1, number) == before:
            copies[-1] = copies[-1]._replace(end=ends[sentence])
        else:
            copies.append(_Copy(starts[sentence], ends[sentence], number))
        before = (sentence, number)
    return tuple(copies)


def _pieces(text: str, copies: tuple[_Copy, ...]) -> list[TextStretch]:
    pieces: list[TextStretch] = []
    seen: set[int] = set()
    at = 0
    for start, end, passage in copies:
        if at < start:
            pieces.append(TextStretch(text[at:start], 0, begins=False))
        pieces.append(TextStretch(text[start:end], passage, begins=passage not in seen))
        seen.add(passage)
        at = end
    if at < len(text):
        pieces.append(TextStretch(text[at:], 0, begins=False))
    return pieces


def _begins(pieces: list[TextStretch]) -> dict[int, int]:
    """Return the index of the first stretch of each passage."""
    return {piece.passage: number for number, piece in enumerate(pieces) if piece.begins}


def _in_order(passages: tuple[Passage, ...]) -> list[int]:
    """Choose the passages that begin in the same order in both texts and have the most words."""
    heaviest = sorted(range(len(passages)), key=lambda place: -passages[place].words)[:_ALIGNED]
    kept = sorted(heaviest)
    weights: list[int] = []
    previous: list[int] = []
    for number, place in enumerate(kept):
        earlier = [one for one in range(number) if passages[kept[one]].start_b < passages[place].start_b]
        best = max(earlier, key=weights.__getitem__, default=-1)
        weights.append(passages[place].words + (weights[best] if best >= 0 else 0))
        previous.append(best)
    chosen: list[int] = []
    at = max(range(len(kept)), key=weights.__getitem__, default=-1)
    while at >= 0:
        chosen.append(kept[at] + 1)
        at = previous[at]
    return chosen[::-1]
