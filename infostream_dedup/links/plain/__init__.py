"""The plain backend: numpy and scipy, short and exact. It judges the compiled one, which has the same functions."""

from infostream_dedup.links.plain.groups import group_leaders
from infostream_dedup.links.plain.matching import match
from infostream_dedup.links.plain.sweeping import sweep_counts, sweep_shares

__all__ = ["group_leaders", "match", "sweep_counts", "sweep_shares"]
