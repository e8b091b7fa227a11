"""The public functions, one for every command, each in its own file.

``dictionaries``, ``passages`` and ``store`` are modules with a function for every subcommand. Importing this package
is cheap: each function loads what it needs when it is called.
"""

from __future__ import annotations

from infostream_dedup.api import desk, dictionaries, passages, store
from infostream_dedup.api.audit import AuditResult, audit
from infostream_dedup.api.boilerplate import boilerplate
from infostream_dedup.api.classify import Classification, classify
from infostream_dedup.api.collect import collect
from infostream_dedup.api.compare import compare
from infostream_dedup.api.dedup import dedup
from infostream_dedup.api.dedup_summary import DedupSummary
from infostream_dedup.api.evaluate import evaluate
from infostream_dedup.api.ingest import IngestedBatch, Ingestion, ingest
from infostream_dedup.api.listing import Listing
from infostream_dedup.api.pairs import PairListing, pairs
from infostream_dedup.api.provenance import Provenances, provenance
from infostream_dedup.api.search import search
from infostream_dedup.api.similarity import similarity_matrix
from infostream_dedup.api.suggest import suggest
from infostream_dedup.api.sweep import demo, moment, sweep, sweep_store
from infostream_dedup.api.term_spans import term_spans
from infostream_dedup.api.train import Training, train
from infostream_dedup.api.warm import Warmth, warm
from infostream_dedup.documents.reading import Reading

__all__ = [
    "AuditResult",
    "Classification",
    "DedupSummary",
    "IngestedBatch",
    "Ingestion",
    "Listing",
    "PairListing",
    "Provenances",
    "Reading",
    "Training",
    "Warmth",
    "audit",
    "boilerplate",
    "classify",
    "collect",
    "compare",
    "dedup",
    "demo",
    "desk",
    "dictionaries",
    "evaluate",
    "ingest",
    "moment",
    "pairs",
    "passages",
    "provenance",
    "search",
    "similarity_matrix",
    "store",
    "suggest",
    "sweep",
    "sweep_store",
    "term_spans",
    "train",
    "warm",
]
