"""From key terms and targets to a similarity matrix, and what its links say: numbers only, no text."""

from infostream_dedup.links.chance import expected_chance_links
from infostream_dedup.links.choice import ENGINES, EngineName, engine_for
from infostream_dedup.links.engine import Engine, expected_work
from infostream_dedup.links.groups import group_leaders, group_sizes
from infostream_dedup.links.recommend import Recommendation, recommend
from infostream_dedup.links.scipy_engine import SCIPY_ENGINE, ScipyEngine
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.links.sweep import Measures, sweep_counts, sweep_shares

__all__ = [
    "ENGINES",
    "SCIPY_ENGINE",
    "Engine",
    "EngineName",
    "Measures",
    "Recommendation",
    "ScipyEngine",
    "SimilarityMatrix",
    "engine_for",
    "expected_chance_links",
    "expected_work",
    "group_leaders",
    "group_sizes",
    "recommend",
    "sweep_counts",
    "sweep_shares",
]
