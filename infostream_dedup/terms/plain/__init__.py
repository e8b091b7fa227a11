"""The plain stages from texts to key terms, the reference for the compiled ones."""

from infostream_dedup.terms.plain.counts import count_terms
from infostream_dedup.terms.plain.key_terms import select_key_terms, statistics_of
from infostream_dedup.terms.plain.surfaces import SurfaceCounter, SurfaceCounts

__all__ = ["SurfaceCounter", "SurfaceCounts", "count_terms", "select_key_terms", "statistics_of"]
