"""Terms of many words in the memory of compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.machine.collector import collector_paused
from infostream_dedup.model import Language
from infostream_dedup.morphology.form_cache import terms_of_uncommon
from infostream_dedup.morphology.known_table import UNKNOWN, known_table
from infostream_dedup.text.surface_pool import SurfaceList
from infostream_dedup.text.tokens import Shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["listed_terms"]


def listed_terms(
    forms: SurfaceList, words: NDArray[np.int64], language: Language, *, strict: bool, kept: bool
) -> tuple[NDArray[np.bool_], SurfaceList]:
    """Return the ``morph`` terms of words: from the shipped table, otherwise from cache or morphology.

    Args:
        forms: distinct forms.
        words: int64 (words,), number of the form times the number of shapes, plus the shape; distinct.
        language: Russian or Ukrainian.
        strict: dictionary words only.
        kept: whether to keep in memory the answers that are not in the table.

    Returns:
        bool (words,), the words that are terms; and their terms, in the same order.
    """
    table = known_table(language)
    numbers = table.numbers(forms, words, strict=strict)
    unknown = numbers == UNKNOWN
    taken = numbers >= 0
    others = _uncommon(forms, words[unknown], language, strict=strict, kept=kept)
    taken[unknown] = [term is not None for term in others]
    common = table.terms.picked(numbers[numbers >= 0])
    return taken, _merged(common, SurfaceList.of([term for term in others if term is not None]), unknown[taken])


def _uncommon(
    forms: SurfaceList, words: NDArray[np.int64], language: Language, *, strict: bool, kept: bool
) -> list[str | None]:
    """Terms of words that are not in the table."""
    asked, shapes = np.divmod(words, len(Shape))
    with collector_paused():
        keys = [f"{shape}{form}" for form, shape in zip(forms.some(asked), shapes.tolist(), strict=True)]
        ordered = sorted(keys)
        terms = dict(zip(ordered, terms_of_uncommon(ordered, language, strict=strict, kept=kept), strict=True))
        return [terms[key] for key in keys]


def _merged(ones: SurfaceList, others: SurfaceList, from_others: NDArray[np.bool_]) -> SurfaceList:
    """Merge two lists, each in its order; bool (entries,) says which entries are the others'."""
    size = ones.starts[-1]
    both = SurfaceList(
        np.concatenate([ones.starts, others.starts[1:] + size]), np.concatenate([ones.pool[:size], others.pool])
    )
    places = np.where(from_others, len(ones) + np.cumsum(from_others) - 1, np.cumsum(~from_others) - 1)
    return both.picked(places)
