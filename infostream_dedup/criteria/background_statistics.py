"""Statistics of words that no collection changes, for documents that come one by one: the language at large."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

import numpy as np

from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.morphology.term_frequency import term_frequencies
from infostream_dedup.terms.statistics import (
    BACKGROUND_DOCUMENTS,
    BACKGROUND_WORDS,
    Statistics,
    document_probability,
)

__all__ = ["TITLE_WORDS", "background_statistics"]

TITLE_WORDS: Final = 10
"""Running words of the title of a pseudo-document."""


def background_statistics(
    terms: Sequence[str], languages: Collection[Language], representation: str, *, words: int = BACKGROUND_WORDS
) -> list[Statistics]:
    """Statistics of pseudo-documents alone, one for each of ``LANGUAGES``; the same for any set of documents.

    Args:
        terms: the terms.
        languages: those in use; of the others nothing is read, and their statistics say nothing.
        representation: ``stem`` or ``morph``.
        words: running words of a pseudo-document.
    """
    cf = np.zeros(len(terms), dtype=np.int64)
    found = []
    for language in LANGUAGES:
        df, length = np.zeros(len(terms)), 1.0
        if language in languages:
            shares = term_frequencies(language, representation)
            df = BACKGROUND_DOCUMENTS * document_probability(terms, shares, words=words)
            length = max(words * _covered(language, representation), 1.0)
        found.append(Statistics(float(BACKGROUND_DOCUMENTS), df, cf, length))
    return found


@cache
def _covered(language: Language, representation: str) -> float:
    """Share of running words that are terms."""
    return math.fsum(term_frequencies(language, representation).values())
