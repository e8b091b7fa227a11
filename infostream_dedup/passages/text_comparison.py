"""Two texts beside each other, cut into what they share and what they do not."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from infostream_dedup.passages.passage_table import Passage, PassageTable

__all__ = ["TextComparison", "TextStretch", "text_comparison"]

_ALIGNED: Final = 1000
"""Most passages that are aligned, the heaviest: the time grows with the square."""


class TextStretch(NamedTuple):
    """A stretch of a text.

    Attributes:
        text: as it stands there.
        passage: 1-based number of the passage that it belongs to; 0 where the other text does not have it.
        begins: whether it is the first piece of its passage.
    """

    text: str
    passage: int
    begins: bool


class _Copy(NamedTuple):
    """Copied sentences in a row: place in the text, and 1-based number of their passage."""

    start: int
    end: int
    passage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextComparison:
    """What two texts share.

    Attributes:
        text_a: as given.
        text_b: as given.
        passages: in the order of a's text.
        coverage_a: share of a's words that stand in sentences which b has too, 0 to 1.
        coverage_b: the same the other way round.
        sentences: pairs of matching sentences.
        copies_a: copied sentences of a in text order, those of one passage that follow each other joined.
        copies_b: the same of b.
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
        """The whole text a, cut."""
        return _pieces(self.text_a, self.copies_a)

    @property
    def pieces_b(self) -> list[TextStretch]:
        """The whole text b, cut."""
        return _pieces(self.text_b, self.copies_b)

    def aligned(self) -> list[tuple[list[TextStretch], list[TextStretch]]]:
        """Both texts in rows, so that passages that follow each other in both stand side by side.

        Of all passages those are aligned that are in the same order in both texts and have the most words.
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
        """Plain values, without the texts: ``spans``, ``coverage_a``, ``coverage_b``, ``sentences``."""
        return {
            "spans": [passage.as_dict() for passage in self.passages],
            "coverage_a": round(self.coverage_a, 6),
            "coverage_b": round(self.coverage_b, 6),
            "sentences": self.sentences,
        }


def text_comparison(text_a: str, text_b: str, found: PassageTable) -> TextComparison:
    """The passages of a table of two documents, laid over their texts."""
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
    """Copied sentences of one side, joined where sentences of one passage follow each other."""
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
    """Number of the first piece of each passage."""
    return {piece.passage: number for number, piece in enumerate(pieces) if piece.begins}


def _in_order(passages: tuple[Passage, ...]) -> list[int]:
    """Numbers of the passages that begin in the same order in both texts, the heaviest such choice."""
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
