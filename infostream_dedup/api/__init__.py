"""The public functions, one for every command, each in its own file.

``dictionaries``, ``passages`` and ``store`` are modules with a function for every subcommand. Importing this package
is cheap: each function loads what it needs when it is called. Any of them raises ``TypeError`` for an unknown keyword.
"""

from __future__ import annotations

from infostream_dedup.api import desk, dictionaries, passages, store, watch
from infostream_dedup.api.collect import collect
from infostream_dedup.api.dedup import DedupSummary, dedup, drop_near_duplicates
from infostream_dedup.api.dictionaries import Warmth, warm
from infostream_dedup.api.evaluate import AuditResult, audit, compare, evaluate
from infostream_dedup.api.ingest import IngestedBatch, Ingestion, ingest
from infostream_dedup.api.learning import Classification, Training, classify, suggest, train
from infostream_dedup.api.pairs import PairListing, pairs
from infostream_dedup.api.provenance import Provenances, boilerplate, provenance
from infostream_dedup.api.search import key_terms, search, similarity_matrix, term_spans
from infostream_dedup.api.sources import Listing
from infostream_dedup.api.store import coverage
from infostream_dedup.api.sweep import demo, moment, sweep, sweep_store
from infostream_dedup.documents.reading import Reading

__all__ = [
    "AuditResult", "Classification", "DedupSummary", "IngestedBatch", "Ingestion", "Listing", "PairListing",
    "Provenances", "Reading", "Training", "Warmth", "audit", "boilerplate", "classify", "collect", "compare",
    "coverage", "dedup", "demo", "desk", "dictionaries", "drop_near_duplicates", "evaluate", "ingest", "key_terms",
    "moment", "pairs", "passages", "provenance", "search", "similarity_matrix", "store", "suggest", "sweep",
    "sweep_store", "term_spans", "train", "warm", "watch",
]  # fmt: skip
