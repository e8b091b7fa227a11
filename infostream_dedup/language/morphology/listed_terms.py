"""Terms of many words in the memory of compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.language.morphology.form_cache import cached_table, terms_of_uncommon
from infostream_dedup.language.morphology.known_table import UNKNOWN, FormTable, known_table
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.machine.collector import collector_paused
from infostream_dedup.model import Language

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Listed = tuple[NDArray[np.bool_], SurfaceList]


def listed_terms(
    forms: SurfaceList, words: NDArray[np.int64], language: Language, *, strict: bool, kept: bool
) -> _Listed:
    """Return the ``morph`` terms of words: from the shipped table, otherwise from the cache or morphology.

    Args:
        words: int64 (words,), number of the form times the number of shapes, plus the shape; distinct.

    Returns:
        bool (words,), the words that are terms; and their terms, in the same order.
    """

    def rare(words: NDArray[np.int64]) -> _Listed:
        return _analysed(forms, words, language, strict=strict, kept=kept)

    def uncommon(words: NDArray[np.int64]) -> _Listed:
        # Whoever keeps answers asks once for all words, which the file answers in order.
        table = None if kept else cached_table(language, len(words))
        return rare(words) if table is None else _looked_up(table, forms, words, rare, strict=strict)

    return _looked_up(known_table(language), forms, words, uncommon, strict=strict)


def _looked_up(
    table: FormTable,
    forms: SurfaceList,
    words: NDArray[np.int64],
    others: Callable[[NDArray[np.int64]], _Listed],
    *,
    strict: bool,
) -> _Listed:
    """Take terms from a table, and from ``others`` for the words that it does not know."""
    numbers = table.numbers(forms, words, strict=strict)
    taken, unknown = numbers >= 0, numbers == UNKNOWN
    common = table.terms.picked(numbers[taken])
    if not unknown.any():
        return taken, common
    taken[unknown], more = others(words[unknown])
    return taken, _merged(common, more, unknown[taken])


def _analysed(forms: SurfaceList, words: NDArray[np.int64], language: Language, *, strict: bool, kept: bool) -> _Listed:
    """Terms of words that are in no table."""
    asked, shapes = np.divmod(words, len(Shape))
    with collector_paused():
        keys = [f"{shape}{form}" for form, shape in zip(forms.some(asked), shapes.tolist(), strict=True)]
        ordered = sorted(keys)
        held = dict(zip(ordered, terms_of_uncommon(ordered, language, strict=strict, kept=kept), strict=True))
        terms = [held[key] for key in keys]
    taken = np.array([term is not None for term in terms], dtype=np.bool_)
    return taken, SurfaceList.of([term for term in terms if term is not None])


def _merged(ones: SurfaceList, others: SurfaceList, from_others: NDArray[np.bool_]) -> SurfaceList:
    """Merge two lists, each in its order; bool (entries,) says which entries are the others'."""
    size = ones.starts[-1]
    both = SurfaceList(
        np.concatenate([ones.starts, others.starts[1:] + size]), np.concatenate([ones.pool[:size], others.pool])
    )
    places = np.where(from_others, len(ones) + np.cumsum(from_others) - 1, np.cumsum(~from_others) - 1)
    return both.picked(places)
