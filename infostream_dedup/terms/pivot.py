"""Key terms in one term space for all languages, that of a pivot language (Lande, section 3).

Every source term has one canonical pivot term, its best equivalent, which carries document frequency and weight;
further equivalents count only in matching. The key terms of a document are the n heaviest of its canonical terms, and
are looked up among all equivalents of all terms of another document. A term without an equivalent adds to the length
of its document but is not a key term.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import scipy.sparse as sp

from infostream_dedup.model import LANGUAGES, Language, Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.equivalents import (
    NO_EQUIVALENT,
    Equivalents,
    Translate,
    equivalents_of,
    translate_by_ladder,
)
from infostream_dedup.terms.key_terms import KeyTerms, Select
from infostream_dedup.terms.pivot_columns import key_columns, places_of, targets_of
from infostream_dedup.terms.pivot_space import PivotSpace
from infostream_dedup.terms.plain import select_key_terms
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.source_terms import SourceTerms, source_terms
from infostream_dedup.terms.statistics import Statistics, Totals, filled_up

__all__ = ["pivot_key_terms"]


def pivot_key_terms(
    counts: TermCounts,
    settings: Settings,
    *,
    select: Select = select_key_terms,
    translate: Translate = translate_by_ladder,
) -> KeyTerms:
    """Key terms of every document in the pivot language.

    Args:
        counts: the documents as counts of their own languages' terms.
        settings: pivot, weighting, n, df_min, df_max, target.
        select: selects the heaviest terms, plain or compiled.
        translate: returns the equivalents of terms.

    Returns:
        Key terms whose columns are sets of equivalents (see ``pivot_columns``), with ``pivot`` set.
    """
    pivot = cast("Language", settings.pivot)
    sources = source_terms(counts)
    equivalents = equivalents_of(sources, pivot, translate, shares=_shares(counts))
    canonical = _canonical_counts(counts, sources, equivalents)
    statistics = _statistics(canonical, sources, equivalents, settings)
    chosen = select(canonical, settings, [statistics] * len(LANGUAGES))
    columns = key_columns(chosen.keys, sources, equivalents)
    met_by = sources.counts if settings.target == "text" else _restricted(sources, equivalents, chosen.targets)
    space = PivotSpace(pivot, sources, equivalents, columns.canonical, columns.sets)
    return KeyTerms(columns.keys, targets_of(met_by, columns, equivalents), canonical, chosen.statistics, space)


def _shares(counts: TermCounts) -> dict[Language, float]:
    """Share of the documents that each language has."""
    documents = np.bincount(counts.languages, minlength=len(LANGUAGES)) / max(len(counts.languages), 1)
    return dict(zip(LANGUAGES, documents.tolist(), strict=True))


def _canonical_counts(counts: TermCounts, sources: SourceTerms, equivalents: Equivalents) -> TermCounts:
    """Counts of canonical terms; the length of a document counts all of its terms."""
    matrix = sp.csr_array(sources.counts @ equivalents.to_canonical())
    matrix.sort_indices()
    return TermCounts(matrix, equivalents.vocabulary, counts.languages, counts.lengths)


def _statistics(counts: TermCounts, sources: SourceTerms, equivalents: Equivalents, settings: Settings) -> Statistics:
    """Statistics of the whole pivot space, with the background of its documents' languages."""
    df = np.bincount(counts.counts.indices, minlength=len(counts.terms))
    totals = Totals(len(counts.lengths), int(counts.lengths.sum()))
    background = (lambda: _frequencies(counts, sources, equivalents)) if settings.background else None
    return filled_up(counts.terms, df, totals, background if totals.documents else None)


def _frequencies(counts: TermCounts, sources: SourceTerms, equivalents: Equivalents) -> dict[str, float]:
    """Share of running words that have each canonical term, averaged over the languages of the documents.

    The frequency of the pivot language alone would make rare terms of frequent words: of an English "saw", taken for
    the tool, a Russian "пила".
    """
    shares = np.zeros(len(counts.terms), dtype=np.float64)
    for number, language in enumerate(LANGUAGES):
        own = np.flatnonzero((sources.languages == number) & (equivalents.canonical != NO_EQUIVALENT))
        if len(own):
            known = term_frequencies(language, "pivot")
            weights = [known.get(sources.terms[source], 0.0) for source in own.tolist()]
            part = np.bincount(equivalents.canonical[own], weights=weights, minlength=len(shares))
            shares += float((counts.languages == number).mean()) * part
    return dict(zip(counts.terms, shares.tolist(), strict=True))


def _restricted(sources: SourceTerms, equivalents: Equivalents, chosen: sp.csr_array) -> sp.csr_array:
    """Source terms of each document whose canonical term is among the chosen ones."""
    matrix = sources.counts
    kept = places_of(matrix, equivalents, chosen) >= 0
    ends = np.concatenate(([0], np.cumsum(kept)))[matrix.indptr]
    return sp.csr_array((matrix.data[kept], matrix.indices[kept], ends), shape=matrix.shape)
