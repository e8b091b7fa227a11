"""Word statistics of general language, for documents that arrive one by one."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

import numpy as np

from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import (
    BACKGROUND_DOCUMENTS,
    BACKGROUND_WORDS,
    Statistics,
    document_probability,
)

__all__ = ["TITLE_WORDS", "background_statistics"]

TITLE_WORDS: Final = 10
"""Number of running words in the title of a pseudo-document."""


def background_statistics(
    terms: Sequence[str], languages: Collection[str], representation: str, *, words: int = BACKGROUND_WORDS
) -> list[Statistics]:
    """Make statistics from pseudo-documents alone, one for each of ``LANGUAGES``; they do not depend on the documents.

    Args:
        terms: the terms.
        languages: languages in use; the statistics of the others stay empty.
        representation: ``stem`` or ``morph``.
        words: number of running words in a pseudo-document.
    """
    found = []
    for language in LANGUAGES:
        df, length = np.zeros(len(terms)), 1.0
        if language in OUR_LANGUAGES and language in languages:
            shares = term_frequencies(language, representation)
            df = BACKGROUND_DOCUMENTS * document_probability(terms, shares, words=words)
            length = max(words * _share_of_terms(language, representation), 1.0)
        found.append(Statistics(float(BACKGROUND_DOCUMENTS), df, length))
    return found


@cache
def _share_of_terms(language: Language, representation: str) -> float:
    """Return the share of running words that are terms."""
    return math.fsum(term_frequencies(language, representation).values())
