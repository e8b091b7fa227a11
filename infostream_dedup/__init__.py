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
        compare,
        dedup,
        evaluate,
        pairs,
        similarity_matrix,
        sweep,
        write_comparison,
        write_report,
    )
    from infostream_dedup.corpus import read_documents
    from infostream_dedup.model import Document, Settings
    from infostream_dedup.stream.deduplicator import Deduplicator
    from infostream_dedup.stream.settings import StreamSettings

__all__ = [
    "Deduplicator",
    "Document",
    "Settings",
    "StreamSettings",
    "__version__",
    "compare",
    "dedup",
    "evaluate",
    "methods",
    "pairs",
    "read_documents",
    "similarity_matrix",
    "sweep",
    "write_comparison",
    "write_report",
]

__version__ = VERSION

_HOME = {
    "Deduplicator": "stream.deduplicator",
    "StreamSettings": "stream.settings",
    "Document": "model",
    "Settings": "model",
    "compare": "api",
    "dedup": "api",
    "evaluate": "api",
    "pairs": "api",
    "read_documents": "corpus",
    "similarity_matrix": "api",
    "sweep": "api",
    "write_comparison": "api",
    "write_report": "api",
}


def __getattr__(name: str) -> Any:
    if name == "methods":
        return import_module(f"{__name__}.methods")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
