"""Convert the words of texts to counts of terms and to key terms."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from infostream_dedup.terms.compiled import SurfaceTokens, count_terms, select_key_terms
from infostream_dedup.terms.representation import representation

if TYPE_CHECKING:
    from infostream_dedup.model import Settings
    from infostream_dedup.terms.key_terms import KeyTerms, StatisticsOfTerms
    from infostream_dedup.terms.statistics import TermCounts


def key_terms_of_surfaces(
    surfaces: SurfaceTokens,
    settings: Settings,
    *,
    counts: TermCounts | None = None,
    statistics: StatisticsOfTerms | None = None,
    workers: int = 0,
) -> KeyTerms:
    """Select the key terms of every document."""
    if counts is None:
        counts = count_terms(surfaces, settings, workers=workers)
    select = partial(select_key_terms, workers=workers)
    return representation(settings.representation).key_terms(counts, settings, select, statistics)
