"""Count the terms of documents by sparse matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.language.text.tokens import Form, forms
from infostream_dedup.model import LANGUAGES, Language, Settings
from infostream_dedup.terms.representation import representation
from infostream_dedup.terms.statistics import TermCounts
from tests.oracles.surfaces import SurfaceCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray


def count_terms(surface_counts: SurfaceCounts, settings: Settings) -> TermCounts:
    """Turn counts of surfaces into counts of terms: a product with sparse 0/1 matrices of (surfaces, terms)."""
    import scipy.sparse as sp

    per_language = [_terms_of_surfaces(surface_counts, n, language, settings) for n, language in enumerate(LANGUAGES)]
    terms = sorted({term for _, found in per_language for term in found})
    number_of = {term: number for number, term in enumerate(terms)}
    documents = surface_counts.counts.shape[0]
    empty = np.zeros(0, dtype=np.int32)
    counts = sp.csr_array((empty, (empty, empty)), shape=(documents, len(terms)))
    for language_number, (rows, found) in enumerate(per_language):
        columns = np.fromiter((number_of[term] for term in found), dtype=np.int64, count=len(found))
        mapping = sp.csr_array(
            (np.ones(len(rows), dtype=np.int32), (rows, columns)), shape=(len(surface_counts.surfaces), len(terms))
        )
        own = np.flatnonzero(surface_counts.languages == language_number)
        chosen = sp.csr_array((np.ones(len(own), dtype=np.int32), (own, own)), shape=(documents, documents))
        counts = counts + (chosen @ surface_counts.counts) @ mapping
    counts.eliminate_zeros()
    counts.sort_indices()
    return TermCounts(counts, terms, surface_counts.languages, np.asarray(counts.sum(axis=1), dtype=np.int64))


def _terms_of_surfaces(
    surface_counts: SurfaceCounts, language_number: int, language: Language, settings: Settings
) -> tuple[NDArray[np.int64], list[str]]:
    """Return the surfaces that documents of a language use, and their terms; a surface appears once per term."""
    used = np.unique(surface_counts.counts[surface_counts.languages == language_number].indices)
    rows: list[int] = []
    parts: list[Form] = []
    for row in used.tolist():
        for form in forms(surface_counts.surfaces[row]):
            rows.append(row)
            parts.append(form)
    distinct = list(dict.fromkeys(parts))
    terms = representation(settings.representation).terms(distinct, language, settings)
    term_of = dict(zip(distinct, terms, strict=True))
    kept = [(row, term) for row, form in zip(rows, parts, strict=True) if (term := term_of[form]) is not None]
    return np.array([row for row, _ in kept], dtype=np.int64), [term for _, term in kept]
