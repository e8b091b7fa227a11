"""The stages from key terms to links and their measures, for 10^6 documents and 10^8 links."""

from infostream_dedup.links.compiled.earlier import group_leaders
from infostream_dedup.links.compiled.matching import match
from infostream_dedup.links.compiled.totals import sweep_counts

__all__ = ["group_leaders", "match", "sweep_counts"]
