"""Shipped terms of common words as a table for compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.language.morphology.cache_file import UNKNOWN_ROW, FormRow
from infostream_dedup.language.morphology.known_terms import BETWEEN, GUESS, ITSELF, NO_TERM_ROW, known_texts
from infostream_dedup.language.text.kernels.surface_table import MISSING
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.machine.kernels.byte_blocks import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray


NO_TERM: Final = -1
UNKNOWN: Final = -2


class FormTable:
    """Answers for forms of one language.

    Args:
        forms: distinct forms.
        numbers: int32 (forms, shapes), number of each word's term in ``terms``, ``NO_TERM`` or ``UNKNOWN``; further
            shapes are unknown.
        guessed: int32 (forms, shapes), 1 if the strict rule rejects the term.
        terms: the terms.

    Attributes:
        terms: as given.
    """

    def __init__(
        self, forms: SurfacePool, numbers: NDArray[np.int32], guessed: NDArray[np.int32], terms: SurfaceList
    ) -> None:
        self._forms = forms
        self._numbers = numbers
        self._guessed = guessed
        self.terms = terms

    def numbers(self, forms: SurfaceList, words: NDArray[np.int64], *, strict: bool) -> NDArray[np.int32]:
        """Look up words: int32 (words,), number of each word's term in ``terms``, ``NO_TERM`` or ``UNKNOWN``.

        Args:
            words: int64 (words,), number of the form times the number of shapes, plus the shape.
        """
        found, guessed = self._look_up(forms, words)
        if strict:
            found[(guessed != 0) & (found != UNKNOWN)] = NO_TERM
        return found

    def rows(self, keys: Sequence[str]) -> list[FormRow]:
        """Look up keys (the digit of a shape, then the form); the rows are those of ``CacheFile.rows``."""
        words = np.arange(len(keys)) * len(Shape) + np.array([int(key[0]) for key in keys], dtype=np.int64)
        found, guessed = self._look_up(SurfaceList.of([key[1:] for key in keys]), words)
        terms = iter(self.terms.some(found[found >= 0]))
        return [
            UNKNOWN_ROW if number == UNKNOWN else NO_TERM_ROW if number == NO_TERM else (next(terms), int(not guess))
            for number, guess in zip(found.tolist(), guessed.tolist(), strict=True)
        ]

    def _look_up(self, forms: SurfaceList, words: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Numbers as in ``numbers``, and whether the strict rule rejects each term."""
        if not len(self._forms):
            return np.full(len(words), UNKNOWN, dtype=np.int32), np.zeros(len(words), dtype=np.int32)
        asked, shapes = np.divmod(words, len(Shape))
        held = self._forms.find(forms, asked)
        most = self._numbers.shape[1]
        columns = np.minimum(shapes, most - 1)
        found = self._numbers[held, columns]
        found[(held == MISSING) | (shapes >= most)] = UNKNOWN
        return found, self._guessed[held, columns]


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
    """Return the shipped answers for forms of a language; the first call in a process takes 0.1 s."""
    return KnownTable(*known_texts(language))
