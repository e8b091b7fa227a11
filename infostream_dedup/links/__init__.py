"""Compute a similarity matrix from key terms and targets, and measure its links: numbers only, no text.

``plain`` and ``compiled`` implement the same stages; ``choose_backend`` picks one. ``relation`` defines the forms in
which the links of a collection are stored.
"""

from infostream_dedup.links.backend import PLAIN, Backend, choose_backend
from infostream_dedup.links.measures import EXACT_FROM, LinkTotals, Measures
from infostream_dedup.links.plain import sweep_counts, sweep_shares
from infostream_dedup.links.recommendation import Recommendation, default_recommendation
from infostream_dedup.links.relation import (
    GroupCounts,
    LowLinks,
    NodeLinks,
    Relation,
    ShareLinks,
    StoredLinks,
    Survey,
    group_counts,
    group_sizes,
    survey,
)
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, expected_work

__all__ = [
    "EXACT_FROM",
    "PLAIN",
    "Backend",
    "GroupCounts",
    "LinkTotals",
    "LowLinks",
    "Measures",
    "NodeLinks",
    "Recommendation",
    "Relation",
    "ShareLinks",
    "SimilarityMatrix",
    "StoredLinks",
    "Survey",
    "choose_backend",
    "default_recommendation",
    "expected_work",
    "group_counts",
    "group_sizes",
    "survey",
    "sweep_counts",
    "sweep_shares",
]
