"""Shipped terms of common words as a table for compiled code."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.language.morphology.form_table import NO_TERM, FormTable
from infostream_dedup.language.morphology.known_terms import BETWEEN, GUESS, ITSELF, known_texts
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.machine.kernels.byte_blocks import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["KnownTable", "known_table"]

_SHAPES: Final = int(Shape.UPPER)
"""Number of shapes with answers; words in capitals are rare and left to the morphology."""


class KnownTable(FormTable):
    """Answers for common forms of one language; each term is there once.

    Args:
        forms: distinct forms, one per line.
        answers: result of ``known_terms.row_of`` for each form, one per line.
    """

    def __init__(self, forms: str, answers: str) -> None:
        listed = _Parts(forms).picked()
        pool, terms = SurfacePool(), SurfacePool()
        pool.add(listed)
        parts = _Parts(answers)
        numbers = np.full(len(parts), NO_TERM, dtype=np.int32)
        numbers[parts.itself] = terms.add(listed.picked(parts.lines[parts.itself]))
        numbers[parts.other] = terms.add(parts.picked(parts.other))
        by_shape = _by_shape(numbers, parts, len(listed)), _by_shape(parts.guessed, parts, len(listed))
        super().__init__(pool, *by_shape, terms.listed())


class _Parts:
    """Parts of lines, separated by tabs.

    Attributes:
        lines: int64 (parts,), line of each part.
        columns: int64 (parts,), place of each part in its line.
        guessed: int32 (parts,), 1 if the part begins with the mark of a guess, which is not part of its text.
        itself: int64, the parts that say that the term equals the form.
        other: int64, the parts that are terms.
    """

    def __init__(self, text: str) -> None:
        data = np.frombuffer(text.encode() + bytes(BLOCK), dtype=np.uint8).copy()
        size = len(data) - BLOCK
        breaks = data[:size] == ord("\n")
        ends = np.flatnonzero(breaks | (data[:size] == ord(BETWEEN)))
        begins = np.concatenate([np.zeros(1, dtype=np.int64), ends + 1])[: len(ends)]
        last = breaks[ends]
        self.lines = np.cumsum(last) - last
        self.columns = np.arange(len(ends)) - np.searchsorted(self.lines, self.lines)
        self.guessed = (data[begins] == ord(GUESS)).astype(np.int32)
        begins = begins + self.guessed
        itself = (ends - begins == 1) & (data[begins] == ord(ITSELF))
        self.itself, self.other = np.flatnonzero(itself), np.flatnonzero(~itself & (ends > begins))
        # Odd entries of this list are the gaps between parts.
        bounds = np.stack([begins, ends], axis=1).ravel()
        self._list = SurfaceList(np.append(bounds, size), data)

    def __len__(self) -> int:
        return len(self.lines)

    def picked(self, parts: NDArray[np.int64] | None = None) -> SurfaceList:
        """Return the texts of some parts, or of all."""
        return self._list.picked(2 * (np.arange(len(self)) if parts is None else parts))


def _by_shape(values: NDArray[np.int32], parts: _Parts, forms: int) -> NDArray[np.int32]:
    """Values (forms, shapes); a shape without a part of its own has the value of the one before."""
    found = np.empty((forms, _SHAPES), dtype=values.dtype)
    has = np.zeros((forms, _SHAPES), dtype=np.bool_)
    found[parts.lines, parts.columns], has[parts.lines, parts.columns] = values, True
    for shape in range(1, _SHAPES):
        found[:, shape] = np.where(has[:, shape], found[:, shape], found[:, shape - 1])
    return found


@cache
def known_table(language: str) -> KnownTable:
    """Return the shipped answers for forms of a language; the first call in a process takes 0.1 s.

    Raises:
        BadDataError: the file is damaged.
    """
    return KnownTable(*known_texts(language))
