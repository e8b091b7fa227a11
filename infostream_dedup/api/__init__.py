"""The public functions: one for every command, each in a file of its own.

Importing this package is cheap: each function loads what it needs when it is called.
"""

from __future__ import annotations

from infostream_dedup.api.compare import compare
from infostream_dedup.api.dedup import DedupSummary, dedup
from infostream_dedup.api.evaluate import evaluate
from infostream_dedup.api.listing import Listing
from infostream_dedup.api.pairs import Pairs, pairs
from infostream_dedup.api.similarity import similarity_matrix
from infostream_dedup.api.sweep import demo, moment, sweep, sweep_store
from infostream_dedup.corpus.read_options import Reading

__all__ = [
    "DedupSummary",
    "Listing",
    "Pairs",
    "Reading",
    "compare",
    "dedup",
    "demo",
    "evaluate",
    "moment",
    "pairs",
    "similarity_matrix",
    "sweep",
    "sweep_store",
]
