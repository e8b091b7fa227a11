"""The durable state of a stream: documents, signatures, frequencies, groups and verdicts in one SQLite file."""

from infostream_dedup.store.blobs import Ragged
from infostream_dedup.store.reader import Known, StoredBatch
from infostream_dedup.store.remembered_table import RememberedTable
from infostream_dedup.store.restoring import LanguageFrequencies, Loaded, Position
from infostream_dedup.store.store import Store, StoreChangedError

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
]
