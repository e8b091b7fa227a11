"""From key terms and targets to a similarity matrix and the measures of its links: numbers only, no text.

``plain`` and ``compiled`` implement the same stages; ``choose_backend`` picks one. ``relation`` has the forms in which
the links of a collection are stored.
"""

from infostream_dedup.links.backend import PLAIN, Backend, choose_backend
from infostream_dedup.links.chance import expected_chance_links
from infostream_dedup.links.groups import group_sizes
from infostream_dedup.links.match_input import expected_work
from infostream_dedup.links.measures import EXACT_FROM, LinkTotals, Measures
from infostream_dedup.links.plain import sweep_counts, sweep_shares
from infostream_dedup.links.recommend import Recommendation, recommend
from infostream_dedup.links.relation import LowLinks, NodeLinks, Relation, ShareLinks, StoredLinks
from infostream_dedup.links.similarity_matrix import SimilarityMatrix

__all__ = [
    "EXACT_FROM",
    "PLAIN",
    "Backend",
    "LinkTotals",
    "LowLinks",
    "Measures",
    "NodeLinks",
    "Recommendation",
    "Relation",
    "ShareLinks",
    "SimilarityMatrix",
    "StoredLinks",
    "choose_backend",
    "expected_chance_links",
    "expected_work",
    "group_sizes",
    "recommend",
    "sweep_counts",
    "sweep_shares",
]
