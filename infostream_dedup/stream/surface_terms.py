"""Maps surfaces to numbers of terms: each distinct surface is analysed once while it is in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.language.text import tokens
from infostream_dedup.language.text.compiled import forms
from infostream_dedup.language.text.kernels.surface_table import MISSING
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.kernels.surface_mapping import NOTHING, SEVERAL
from infostream_dedup.terms.representation import representation

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MOST_REMEMBERED: Final = 500_000
"""Number of surfaces after which memory starts over (about 35 MB). The previous memory is kept, so that recurring words
are not analysed again: at most twice as many surfaces are remembered at once."""

_UNKNOWN: Final = -(1 << 31)
_DIGITS: Final = tuple(str(int(shape)) for shape in Shape)
_MANY: Final = 300
"""Minimum number of surfaces for which compiled code makes the forms; for fewer, starting it takes longer."""


class SurfaceTerms:
    """The terms of surfaces in each language.

    Args:
        settings: representation and rule of ``morph``.
        numbers: numbers of the stream's terms; new ones are added.

    Attributes:
        more: number and terms of each surface with several terms, as in ``TermsOfSurfaces.more``.
    """

    def __init__(self, settings: Settings, numbers: TermNumbers) -> None:
        self._settings = settings
        self._representation = representation(settings.representation)
        self._numbers = numbers
        self._pool, self._former_pool = SurfacePool(), SurfacePool()
        self._codes, self._former_codes = (np.zeros((len(LANGUAGES), 1 << 12), dtype=np.int32) for _ in range(2))
        self._start_over()

    def _start_over(self) -> None:
        """Let the memory be the former one, whose arrays serve again: those of a long stream neither come nor go."""
        self._pool, self._former_pool = self._former_pool.emptied(), self._pool
        self._codes, self._former_codes = self._former_codes, self._codes
        self._codes[:] = _UNKNOWN
        # The codes of the few surfaces with several terms refer to a list that starts over, too.
        self._former_codes[self._former_codes <= SEVERAL] = _UNKNOWN
        self._several: dict[tuple[int, ...], int] = {}
        self.more = np.zeros(0, dtype=np.int32)

    def codes(self, surfaces: SurfaceList, used: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return, for each surface and language, the number of its term, ``NOTHING``, or ``SEVERAL`` and below.

        Args:
            used: uint8 (surfaces,): bit l is set if a document of language l contains the surface.

        Returns:
            int32 (languages, surfaces); ``NOTHING`` if a language does not use a surface.
        """
        if len(self._pool) + len(surfaces) > max(_MOST_REMEMBERED, len(surfaces)):
            self._start_over()
        numbers = self._pool.add(surfaces)
        self._make_room(len(self._pool))
        found = np.full((len(LANGUAGES), len(surfaces)), NOTHING, dtype=np.int32)
        spoken = int(np.bitwise_or.reduce(used))
        for language in range(len(LANGUAGES)):
            if not spoken >> language & 1:
                continue
            codes = self._codes[language]
            # Every surface of a batch in one language is used in that language.
            own = slice(None) if spoken == 1 << language else np.flatnonzero(used & 1 << language)
            held = codes[numbers[own]]
            places = np.flatnonzero(held == _UNKNOWN)
            if len(places):
                unknown = places if isinstance(own, slice) else own[places]
                held[places] = self._found_out(surfaces, unknown, language)
                codes[numbers[unknown]] = held[places]
            found[language, own] = held
        return found

    def _found_out(self, surfaces: SurfaceList, wanted: NDArray[np.int64], language: int) -> NDArray[np.int32]:
        """Return the codes of some surfaces that are not remembered: from the previous memory, or learnt."""
        if not len(self._former_pool):
            return self._learnt(surfaces, wanted, language)
        found = self._former_pool.find(surfaces, wanted)
        codes = np.where(found == MISSING, np.int32(_UNKNOWN), self._former_codes[language, found])
        unknown = np.flatnonzero(codes == _UNKNOWN)
        if len(unknown):
            codes[unknown] = self._learnt(surfaces, wanted[unknown], language)
        return codes

    def _make_room(self, surfaces: int) -> None:
        known = self._codes.shape[1]
        if known < surfaces:
            grown = np.full((len(LANGUAGES), 2 * surfaces), _UNKNOWN, dtype=np.int32)
            grown[:, :known] = self._codes
            self._codes = grown

    def _learnt(self, surfaces: SurfaceList, wanted: NDArray[np.int64], language: int) -> NDArray[np.int32]:
        """Return the codes of some surfaces that are not remembered."""
        if len(wanted) >= _MANY:
            return self._many_learnt(surfaces.picked(wanted), language)
        keys = [
            [f"{_DIGITS[shape]}{form}" for form, shape in tokens.forms(surface)] for surface in surfaces.some(wanted)
        ]
        distinct = list(dict.fromkeys(key for held in keys for key in held))
        terms = self._representation.terms_of_new(distinct, LANGUAGES[language], self._settings)
        number_of = dict(zip(distinct, self._numbered(terms), strict=True))
        return np.array([self._code([number_of[key] for key in held]) for held in keys], dtype=np.int32)

    def _many_learnt(self, surfaces: SurfaceList, language: int) -> NDArray[np.int32]:
        found = forms.forms(surfaces)
        shapes = len(Shape) if self._representation.shaped else 1
        words = found.numbers.astype(np.int64) * shapes + (found.shapes if shapes > 1 else 0)
        # Numbered in the order of the text, so that terms get the numbers that a smaller batch would give them.
        words, numbers = _in_order_of_text(words, len(found.forms) * shapes)
        taken, listed = self._representation.listed_terms(
            found.forms, words, LANGUAGES[language], self._settings, kept=False
        )
        terms = np.full(len(words), NOTHING, dtype=np.int32)
        terms[taken] = self._numbers.numbered(listed)
        terms = terms[numbers]
        codes = np.full(len(surfaces), NOTHING, dtype=np.int32)
        codes[found.surfaces] = terms
        sizes = np.bincount(found.surfaces, minlength=len(surfaces))
        begins = np.cumsum(sizes) - sizes
        for surface in np.flatnonzero(sizes > 1).tolist():
            codes[surface] = self._code(terms[begins[surface] :][: sizes[surface]].tolist())
        return codes

    def _numbered(self, terms: Sequence[str | None]) -> list[int]:
        """Return the number of each term, ``NOTHING`` for a form that is not a term."""
        words = [term for term in terms if term is not None]
        numbers = iter(self._numbers.numbered(words).tolist() if words else ())
        return [NOTHING if term is None else next(numbers) for term in terms]

    def _code(self, terms: Sequence[int]) -> int:
        held = tuple(term for term in terms if term != NOTHING)
        if len(held) < 2:
            return held[0] if held else NOTHING
        place = self._several.get(held)
        if place is None:
            place = self._several[held] = len(self.more)
            self.more = np.concatenate([self.more, np.array([len(held), *held], dtype=np.int32)])
        return SEVERAL - place


def _in_order_of_text(words: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct words in the order in which they first occur, and the place of each word among them.

    Args:
        words: int64 (words,), from 0 to ``most`` - 1.
    """
    firsts = np.empty(most, dtype=np.int64)
    # The last of equal words is written last.
    firsts[words[::-1]] = np.arange(len(words))[::-1]
    firsts = firsts[words]
    is_first = firsts == np.arange(len(words))
    return words[is_first], (np.cumsum(is_first) - 1)[firsts]
