"""The durable state of a stream: documents, signatures, frequencies, groups and verdicts in one SQLite file.

The command ``store`` has the same name, so this package also re-exports its public functions (``api.store``).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from infostream_dedup.store.blobs import Ragged
from infostream_dedup.store.reader import Known, StoredBatch
from infostream_dedup.store.remembered_table import RememberedTable
from infostream_dedup.store.restoring import LanguageFrequencies, Loaded, Position
from infostream_dedup.store.store import Store, StoreChangedError

if TYPE_CHECKING:
    from infostream_dedup.api.store import (
        backup,
        copies_of,
        drifts_of,
        events_of,
        expire,
        forget,
        groups,
        index,
        migrate,
        representatives_of,
        republications_of,
        show,
        stats,
        templates_of,
        verify,
    )

__all__ = [
    "Known",
    "LanguageFrequencies",
    "Loaded",
    "Position",
    "Ragged",
    "RememberedTable",
    "Store",
    "StoreChangedError",
    "StoredBatch",
    "backup",
    "copies_of",
    "drifts_of",
    "events_of",
    "expire",
    "forget",
    "groups",
    "index",
    "migrate",
    "representatives_of",
    "republications_of",
    "show",
    "stats",
    "templates_of",
    "verify",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("infostream_dedup.api.store"), name)
