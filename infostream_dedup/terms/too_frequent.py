"""Documents that lose their key terms because these are too frequent in the collection."""

from __future__ import annotations

import logging

import numpy as np

from infostream_dedup.model import Settings
from infostream_dedup.terms.key_terms import INSUFFICIENT_TERMS, KeyTerms
from infostream_dedup.terms.weighting import above_df_max

_log = logging.getLogger(__name__)


def count_lost_to_df_max(terms: KeyTerms, settings: Settings) -> int:
    """Count the documents that have too few key terms to be compared, but would have enough without ``df_max``."""
    enough = min(INSUFFICIENT_TERMS, settings.n)
    few = np.flatnonzero(terms.sizes < enough)
    if not len(few) or not terms.statistics:
        # A store keeps key terms without the statistics by which they were chosen.
        return 0
    above = np.stack([above_df_max(one.counted, settings) for one in terms.statistics])
    counts = terms.counts.of(few)
    document = np.repeat(np.arange(len(few)), np.diff(counts.counts.indptr))
    lost = np.bincount(document, above[counts.languages[document], counts.counts.indices], len(few))
    return int(np.count_nonzero(terms.sizes[few] + lost >= enough))


def warn_of_terms_above_df_max(terms: KeyTerms, settings: Settings) -> None:
    """Say so if documents cannot be compared because of ``df_max``: copies that fill a collection would be missed."""
    lost = count_lost_to_df_max(terms, settings)
    if lost:
        _log.warning(
            "representation %s: %d of %d documents have fewer than %d key terms, too few to be compared, because their"
            " other terms occur in more documents than df_max (%g) allows; remove copies first ('dedup' with preset"
            " judged does not count them)",
            settings.representation,
            lost,
            len(terms.sizes),
            min(INSUFFICIENT_TERMS, settings.n),
            settings.df_max,
        )
