"""Measure how much of a collection the pivot language cannot express."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.equivalents import NO_EQUIVALENT, Equivalents, SourceTerms
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import Statistics, document_probability
from infostream_dedup.terms.weighting import weigh

if TYPE_CHECKING:
    from numpy.typing import NDArray


def untranslated_shares(key_terms: KeyTerms, settings: Settings) -> dict[Language, float]:
    """Return the share of the total term weight that terms without an equivalent have, per language of the documents.

    A term without an equivalent is weighted as if it were a separate term of the pivot space; if the background is
    added to a small collection, by its frequency in its own language.
    """
    if key_terms.pivot is None:
        raise ValueError("these key terms are not in a pivot language; make them with representation pivot")
    canonical, space = key_terms.counts, key_terms.pivot
    df = np.bincount(space.sources.counts.indices, minlength=len(space.sources.terms))
    ours = int(np.count_nonzero(canonical.languages < len(OUR_LANGUAGES)))
    unknown = statistics_of_untranslated(df, ours, space.sources, space.equivalents, key_terms.statistics[0])
    weights = weights_of_languages(
        canonical, space.sources, space.equivalents, (key_terms.statistics, unknown), settings
    )
    return shares_of_weights(weights)


def statistics_of_untranslated(
    df: NDArray[np.integer], ours: int, sources: SourceTerms, equivalents: Equivalents, of_space: Statistics
) -> Statistics:
    """Statistics of terms without an equivalent, each as if it were a separate term of the pivot space.

    Args:
        df: int (sources,), documents that contain each source term.
        sources: the terms of the documents; their counts are not used.
    """
    unknown = np.where(equivalents.canonical == NO_EQUIVALENT, df, 0).astype(np.float64)
    pseudo = of_space.documents - ours
    for number, language in enumerate(OUR_LANGUAGES) if pseudo else ():
        own = np.flatnonzero((sources.languages == number) & (unknown > 0))
        if len(own):
            terms = [sources.terms[term] for term in own.tolist()]
            unknown[own] += pseudo * document_probability(terms, term_frequencies(language, "pivot"))
    return Statistics(of_space.documents, unknown, of_space.average_length)


def weights_of_languages(
    canonical: TermCounts,
    sources: SourceTerms,
    equivalents: Equivalents,
    statistics: tuple[list[Statistics], Statistics],
    settings: Settings,
) -> NDArray[np.float64]:
    """Total weight of terms, by language of the documents; the weights of disjoint sets of documents add up.

    Returns:
        float64 (2, languages): of terms with an equivalent, and of those without.
    """
    rest = TermCounts(_without_equivalent(sources, equivalents), sources.terms, canonical.languages, canonical.lengths)
    known = _weight_by_language(canonical, statistics[0], settings)
    return np.stack((known, _weight_by_language(rest, [statistics[1]] * len(LANGUAGES), settings)))


def shares_of_weights(weights: NDArray[np.float64]) -> dict[Language, float]:
    """Share of the weight that terms without an equivalent have, for each of our languages with any weight.

    Args:
        weights: float64 (2, languages), result of ``weights_of_languages``.
    """
    unknown, every = weights[1], weights.sum(axis=0)
    return {language: float(unknown[n] / every[n]) for n, language in enumerate(OUR_LANGUAGES) if every[n] > 0}


def _weight_by_language(counts: TermCounts, statistics: list[Statistics], settings: Settings) -> NDArray[np.float64]:
    weights = np.asarray(weigh(counts, statistics, settings).sum(axis=1), dtype=np.float64)
    return np.bincount(counts.languages, weights=weights, minlength=len(LANGUAGES)).astype(np.float64)


def _without_equivalent(sources: SourceTerms, equivalents: Equivalents) -> sp.csr_array:
    """Return the counts of terms without an equivalent; equal words of two languages stay separate."""
    unknown = equivalents.canonical == NO_EQUIVALENT
    matrix = sources.counts
    kept = unknown[matrix.indices]
    ends = offsets_of(kept)[matrix.indptr]
    return sp.csr_array((matrix.data[kept], matrix.indices[kept], ends), shape=matrix.shape)
