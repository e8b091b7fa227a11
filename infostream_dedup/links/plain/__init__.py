"""The plain backend: numpy and scipy, short and exact.

It is the reference for the compiled backend, which has the same functions.
"""

from typing import Final

from infostream_dedup.links.plain.groups import group_leaders
from infostream_dedup.links.plain.matching import match
from infostream_dedup.links.plain.sweeping import sweep_counts, sweep_shares

__all__ = ["TEXT_STAGES", "group_leaders", "match", "sweep_counts", "sweep_shares"]

TEXT_STAGES: Final = "plain"
"""Package of ``terms`` with the stages from texts to key terms."""
