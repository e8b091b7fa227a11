"""Measure how much of a collection the pivot language cannot express."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language, Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.equivalents import NO_EQUIVALENT
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.pivot_space import PivotSpace
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import Statistics, document_probability
from infostream_dedup.terms.weighting import weigh

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["untranslated_shares"]


def untranslated_shares(key_terms: KeyTerms, settings: Settings) -> dict[Language, float]:
    """Return the share of the total term weight that terms without an equivalent have, per language of the documents.

    A term without an equivalent is weighted as if it were a separate term of the pivot space; if the background is
    added to a small collection, by its frequency in its own language.

    Args:
        key_terms: key terms in a pivot language.
        settings: the settings that produced them.

    Returns:
        0 to 1 for each of our languages with documents of any weight, in the order of ``OUR_LANGUAGES``.

    Raises:
        ValueError: the key terms are not in a pivot language.
    """
    if key_terms.pivot is None:
        raise ValueError("these key terms are not in a pivot language; make them with representation pivot")
    known = _weight_by_language(key_terms.counts, key_terms.statistics, settings)
    rest = _without_equivalent(key_terms.pivot, key_terms.counts)
    statistics = _statistics(rest, key_terms.pivot, key_terms.statistics[0])
    unknown = _weight_by_language(rest, [statistics] * len(LANGUAGES), settings)
    every = known + unknown
    return {language: float(unknown[n] / every[n]) for n, language in enumerate(OUR_LANGUAGES) if every[n] > 0}


def _weight_by_language(counts: TermCounts, statistics: list[Statistics], settings: Settings) -> NDArray[np.float64]:
    weights = np.asarray(weigh(counts, statistics, settings).sum(axis=1), dtype=np.float64)
    return np.bincount(counts.languages, weights=weights, minlength=len(LANGUAGES)).astype(np.float64)


def _without_equivalent(space: PivotSpace, counts: TermCounts) -> TermCounts:
    """Return the counts of terms without an equivalent; equal words of two languages stay separate."""
    unknown = space.equivalents.canonical == NO_EQUIVALENT
    matrix = space.sources.counts
    kept = unknown[matrix.indices]
    ends = np.concatenate(([0], np.cumsum(kept)))[matrix.indptr]
    rest = sp.csr_array((matrix.data[kept], matrix.indices[kept], ends), shape=matrix.shape)
    return TermCounts(rest, space.sources.terms, counts.languages, counts.lengths)


def _statistics(counts: TermCounts, space: PivotSpace, of_space: Statistics) -> Statistics:
    df = np.bincount(counts.counts.indices, minlength=len(counts.terms)).astype(np.float64)
    pseudo = of_space.documents - np.count_nonzero(counts.languages < len(OUR_LANGUAGES))
    for number, language in enumerate(OUR_LANGUAGES) if pseudo else ():
        own = np.flatnonzero((space.sources.languages == number) & (df > 0))
        if len(own):
            terms = [space.sources.terms[term] for term in own.tolist()]
            df[own] += pseudo * document_probability(terms, term_frequencies(language, "pivot"))
    return Statistics(of_space.documents, df, of_space.average_length)
