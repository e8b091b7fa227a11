"""Near-duplicate engine for Russian, Ukrainian and English news streams.

The names below load on first use, so that importing the package, or asking the command line for help, costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from infostream_dedup.model.version import VERSION

if TYPE_CHECKING:
    from infostream_dedup.api import (
        Reading,
        audit,
        boilerplate,
        classify,
        collect,
        compare,
        coverage,
        dedup,
        demo,
        desk,
        dictionaries,
        drop_near_duplicates,
        evaluate,
        ingest,
        key_terms,
        pairs,
        passages,
        provenance,
        search,
        similarity_matrix,
        store,
        suggest,
        sweep,
        sweep_store,
        term_spans,
        train,
        warm,
        watch,
    )
    from infostream_dedup.documents import read_documents
    from infostream_dedup.lab import methods
    from infostream_dedup.model import Document, Settings
    from infostream_dedup.report.comparison import write_comparison
    from infostream_dedup.report.files import write_report
    from infostream_dedup.runs import spark
    from infostream_dedup.stream.deduplicator import Deduplicator
    from infostream_dedup.stream.settings import StreamSettings

__all__ = [
    "Deduplicator", "Document", "Reading", "Settings", "StreamSettings", "__version__", "audit", "boilerplate",
    "classify", "collect", "compare", "coverage", "dedup", "demo", "desk", "dictionaries", "drop_near_duplicates",
    "duckdb", "estimators", "evaluate", "ingest", "key_terms", "methods", "pairs", "passages", "provenance",
    "read_documents", "search", "similarity_matrix", "spark", "store", "suggest", "sweep", "sweep_store",
    "term_spans", "train", "warm", "watch", "write_comparison", "write_report",
]  # fmt: skip

__version__ = VERSION

_MODULES = {
    "desk": "api.desk", "duckdb": "duckdb", "estimators": "estimators", "methods": "lab.methods",
    "passages": "api.passages", "spark": "runs.spark", "store": "api.store", "watch": "api.watch",
}  # fmt: skip
"""Public modules and where they are defined."""

_HOME = {
    "Deduplicator": "stream.deduplicator", "StreamSettings": "stream.settings", "Document": "model",
    "Settings": "model", "read_documents": "documents", "write_comparison": "report.comparison",
    "write_report": "report.files",
}  # fmt: skip
"""Public names defined outside ``api``, with their modules."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{_MODULES[name]}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'api')}"), name)


def __dir__() -> list[str]:
    return __all__
