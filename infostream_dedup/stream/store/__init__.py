"""The durable state of a stream: documents, signatures, frequencies, groups and verdicts in one SQLite file."""

from infostream_dedup.stream.store.document_columns import RememberedTable
from infostream_dedup.stream.store.reader import Known, StoredBatch
from infostream_dedup.stream.store.restoring import LanguageFrequencies, Loaded, Position
from infostream_dedup.stream.store.store import Store, StoreChangedError

__all__ = [
    "Known", "LanguageFrequencies", "Loaded", "Position", "RememberedTable", "Store", "StoreChangedError",
    "StoredBatch",
]  # fmt: skip
