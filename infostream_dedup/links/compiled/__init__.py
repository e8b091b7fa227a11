"""The compiled backend: the functions of ``plain`` for 10^6 documents and 10^8 links. Importing it imports numba."""

from typing import Final

from infostream_dedup.links.compiled.earlier import group_leaders
from infostream_dedup.links.compiled.matching import match
from infostream_dedup.links.compiled.totals import sweep_counts

__all__ = ["TEXT_STAGES", "group_leaders", "match", "sweep_counts"]

TEXT_STAGES: Final = "compiled"
"""Package of ``terms`` with the stages from texts to key terms."""
