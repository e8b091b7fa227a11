"""Align two sequences of words in time that grows with their length.

The time of ``difflib`` grows with the cube of the length if a few words recur often, as in a table without full stops:
.7, 5.8 and 46 s for texts of 3,500, 7,000 and 14,000 characters. Only sequences as short as ordinary sentences are
compared by it whole. Longer ones are cut at word triples that occur once in either sequence (as in Cohen's patience
diff), and between these compared ``_WINDOW`` words at a time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final, NamedTuple

__all__ = ["Block", "Replacement", "matching_blocks", "replacements"]

_FEW: Final = 200 * 200
"""Maximum product of the lengths of two sequences that are compared whole."""

_WINDOW: Final = 64


class Block(NamedTuple):
    """Equal words in both sequences.

    Attributes:
        left: place of the first one in the first sequence.
        right: place of the first one in the second sequence.
        size: number of words.
    """

    left: int
    right: int
    size: int


class Replacement(NamedTuple):
    """Words of the first sequence that were replaced by words of the second; one of the two may have none.

    Attributes:
        left: place of the first word in the first sequence.
        left_end: place after the last one.
        right: place of the first word in the second sequence.
        right_end: place after the last one.
    """

    left: int
    left_end: int
    right: int
    right_end: int


def matching_blocks(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Block]:
    """Return blocks of equal words, ascending in both sequences.

    Args:
        left: words, or their numbers.
        right: the same.

    Example:
        >>> [tuple(block) for block in matching_blocks("зима пришла в город".split(), "зима в город".split())]
        [(0, 0, 1), (2, 1, 2)]
    """
    if len(left) * len(right) <= _FEW:
        return _whole(left, right)
    blocks: list[Block] = []
    anchors = [(-1, -1), *_anchors(left, right), (len(left), len(right))]
    for (start, other_start), (end, other_end) in pairwise(anchors):
        if start >= 0:
            blocks.append(Block(start, other_start, 1))
        gap, other_gap = left[start + 1 : end], right[other_start + 1 : other_end]
        found = _whole if len(gap) * len(other_gap) <= _FEW else _by_windows
        blocks += [Block(i + start + 1, j + other_start + 1, size) for i, j, size in found(gap, other_gap)]
    return blocks


def replacements(left: Sequence[Hashable], right: Sequence[Hashable]) -> Iterator[Replacement]:
    """Yield the words between the blocks of equal words, in order."""
    at = other = 0
    for block in (*matching_blocks(left, right), Block(len(left), len(right), 0)):
        if (at, other) != block[:2]:
            yield Replacement(at, block.left, other, block.right)
        at, other = block.left + block.size, block.right + block.size


def _whole(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Block]:
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    return [Block(*block) for block in blocks if block.size]


def _anchors(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the places of triples that occur once in either sequence: the longest series that ascends in both."""
    one, other = _single_triples(left), _single_triples(right)
    pairs = [(place, other[triple]) for triple, place in one.items() if triple in other]
    # For each length, the series that ends earliest on the right, as its last pair; and for each pair the one before.
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
        before.append(last[length - 1] if length else -1)
    series = []
    number = last[-1] if last else -1
    while number >= 0:
        series.append(pairs[number])
        number = before[number]
    return series[::-1]


def _single_triples(words: Sequence[Hashable]) -> dict[tuple[Hashable, ...], int]:
    """Return the place of each triple of words that occurs once, ascending."""
    triples = list(zip(words, words[1:], words[2:], strict=False))
    times = Counter(triples)
    return {triple: place for place, triple in enumerate(triples) if times[triple] == 1}


def _by_windows(left: Sequence[Hashable], right: Sequence[Hashable]) -> Iterator[Block]:
    """Compare sequences ``_WINDOW`` words at a time; after more new words than that, they no longer meet."""
    at = other = 0
    while at < len(left) and other < len(right):
        size, most = 0, min(len(left) - at, len(right) - other)
        while size < most and left[at + size] == right[other + size]:
            size += 1
        if size:
            yield Block(at, other, size)
            at, other = at + size, other + size
        found = _whole(left[at : at + _WINDOW], right[other : other + _WINDOW])
        # What matches late in a window may belong to words beyond it, unless nothing matches before.
        early = [block for block in found if max(block.left, block.right) < _WINDOW // 2] or found[:1]
        for block in early:
            yield Block(at + block.left, other + block.right, block.size)
        if early:
            at, other = at + early[-1].left + early[-1].size, other + early[-1].right + early[-1].size
        else:
            at, other = at + _WINDOW, other + _WINDOW
