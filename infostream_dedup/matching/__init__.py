"""From key terms and targets to a similarity matrix: one engine per file behind one protocol."""

from infostream_dedup.matching.choice import ENGINES, EngineName, engine_for
from infostream_dedup.matching.engine import Engine, Progress, expected_work
from infostream_dedup.matching.scipy_engine import SCIPY_ENGINE, ScipyEngine

__all__ = ["ENGINES", "SCIPY_ENGINE", "Engine", "EngineName", "Progress", "ScipyEngine", "engine_for", "expected_work"]
