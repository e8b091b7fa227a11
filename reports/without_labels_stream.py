"""A real stream, ingested: what its days show, and which of them would raise an alarm."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

from without_labels_sets import CORPORA

from infostream_dedup import Deduplicator, read_documents
from infostream_dedup.lab.estimation.stream_copies import copies_by_day, drifts
from infostream_dedup.stream.store import Store

__all__ = ["CHANCES", "measure_stream"]

CHANCES: Final = (1e-1, 1e-2, 1e-3, 1e-4)
_AT_ONCE: Final = 1000


def measure_stream() -> dict[str, Any]:
    """Ingest the dated documents of ``mdnews`` by date; count copies and drifts in each half of its documents."""
    dated = [one for one in read_documents(CORPORA / "mdnews.docs.jsonl.gz") if one.time is not None]
    documents = sorted(dated, key=lambda one: (one.published or "", one.id))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.db"
        with Deduplicator.open(path) as stream:
            for begin in range(0, len(documents), _AT_ONCE):
                stream.process(documents[begin : begin + _AT_ONCE])
        with Store.open(path, read_only=True) as store:
            rows = copies_by_day(store)
    halves: tuple[list[Any], list[Any]] = ([], [])
    seen = 0
    middle = None
    for row in rows:
        halves[int(2 * seen >= len(documents))].append(row)
        if middle is None and 2 * seen >= len(documents):
            middle = row.day
        seen += row.documents
    begun = [[drift.first >= (middle or 0) for drift in drifts(rows, largest=chance)] for chance in CHANCES]
    return {
        "documents": [sum(row.documents for row in half) for half in halves],
        "links": [sum(row.links for row in half) for half in halves],
        "copies": [sum(row.copies for row in half) for half in halves],
        "linked_copies": [sum(row.linked_copies for row in half) for half in halves],
        "drifts": [[len(late) - sum(late), sum(late)] for late in begun],
    }
