"""Decide, document by document, which marked terms of a collection are names."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from infostream_dedup.language.translation.written_names import Marked, decided, plain_term
from infostream_dedup.terms.counts import TermCounts

__all__ = ["with_names_decided"]

_BOUNDS: Final = "A["
"""In code point order, marked terms begin at the first of these letters and end before the second."""


def with_names_decided(counts: TermCounts) -> TermCounts:
    """Return counts of names and plain terms; the same counts if no term is marked."""
    import scipy.sparse as sp

    first, end = (bisect_left(counts.terms, letter) for letter in _BOUNDS)
    if first == end:
        return counts
    known, found = list(counts.terms), counts.terms[first:end]
    wanted = {term for one in found for term in (plain_term(one), one.capitalize())}
    added = sorted(term for term in wanted if not _holds(known, term))
    terms = sorted([*known, *added])
    places = [bisect_left(known, term) for term in added]
    number_of = partial(bisect_left, terms)
    marked = Marked(np.arange(len(terms)), np.full(len(terms), -1))
    for term in found:
        marked.enter(number_of(term), term, number_of)
    matrix = counts.counts
    shifted = matrix.indices + np.searchsorted(places, matrix.indices, side="right")
    columns = decided(np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), shifted, marked)
    # Summing changes data and bounds.
    rows = (matrix.data.copy(), columns.astype(matrix.indices.dtype), matrix.indptr.copy())
    summed = sp.csr_array(rows, shape=(matrix.shape[0], len(terms)))
    summed.sum_duplicates()
    return replace(counts, counts=summed, terms=terms)


def _holds(ordered: list[str], term: str) -> bool:
    place = bisect_left(ordered, term)
    return place < len(ordered) and ordered[place] == term
