"""Terms of forms in the memory of compiled code: most words of a batch need no Python string."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.language.morphology.cache_file import UNKNOWN_ROW, FormRow
from infostream_dedup.language.morphology.known_terms import NO_TERM_ROW
from infostream_dedup.language.text.kernels.surface_table import MISSING
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.language.text.tokens import Shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NO_TERM", "UNKNOWN", "FormTable"]

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
            forms: distinct forms.
            words: int64 (words,), number of the form times the number of shapes, plus the shape.
            strict: dictionary words only.
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
