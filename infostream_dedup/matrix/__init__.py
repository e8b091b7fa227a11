"""Similarity matrices and what their links say: numbers only, no text."""

from infostream_dedup.matrix.chance import expected_chance_links
from infostream_dedup.matrix.groups import group_leaders, group_sizes
from infostream_dedup.matrix.recommend import Recommendation, recommend
from infostream_dedup.matrix.similarity_matrix import SimilarityMatrix
from infostream_dedup.matrix.sweep import Measures, sweep_counts, sweep_shares

__all__ = [
    "Measures",
    "Recommendation",
    "SimilarityMatrix",
    "expected_chance_links",
    "group_leaders",
    "group_sizes",
    "recommend",
    "sweep_counts",
    "sweep_shares",
]
