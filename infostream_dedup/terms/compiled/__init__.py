"""The stages from texts to key terms."""

from infostream_dedup.terms.compiled.counts import count_terms
from infostream_dedup.terms.compiled.key_terms import select_key_terms, statistics_of
from infostream_dedup.terms.compiled.surfaces import SurfaceCounter, SurfaceTokens

__all__ = ["SurfaceCounter", "SurfaceTokens", "count_terms", "select_key_terms", "statistics_of"]
