"""Near-duplicate engine for Russian, Ukrainian and English news streams.

The names below load on first use, so that importing the package, or asking the command line for help, costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from infostream_dedup.model.version import VERSION

if TYPE_CHECKING:
    from infostream_dedup import methods
    from infostream_dedup.api import (
        Reading,
        compare,
        dedup,
        demo,
        evaluate,
        pairs,
        similarity_matrix,
        sweep,
        sweep_store,
    )
    from infostream_dedup.corpus import read_documents
    from infostream_dedup.model import Document, Settings
    from infostream_dedup.report import write_comparison, write_report
    from infostream_dedup.stream.deduplicator import Deduplicator
    from infostream_dedup.stream.settings import StreamSettings

__all__ = [
    "Deduplicator",
    "Document",
    "Reading",
    "Settings",
    "StreamSettings",
    "__version__",
    "compare",
    "dedup",
    "demo",
    "evaluate",
    "methods",
    "pairs",
    "read_documents",
    "similarity_matrix",
    "sweep",
    "sweep_store",
    "write_comparison",
    "write_report",
]

__version__ = VERSION

_HOME = {
    "Deduplicator": "stream.deduplicator",
    "StreamSettings": "stream.settings",
    "Document": "model",
    "Settings": "model",
    "read_documents": "corpus",
    **dict.fromkeys(
        ("Reading", "compare", "dedup", "demo", "evaluate", "pairs", "similarity_matrix", "sweep", "sweep_store"), "api"
    ),
    "write_comparison": "report",
    "write_report": "report",
}


def __getattr__(name: str) -> Any:
    if name == "methods":
        return import_module(f"{__name__}.methods")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
