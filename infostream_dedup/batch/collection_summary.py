"""What a collection is, for the first lines of a report: its period and its sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from infostream_dedup.model import Document

__all__ = ["CollectionSummary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSummary:
    """Dates and sources of a collection.

    Attributes:
        documents: number of documents.
        dated: number of documents with a date.
        first: earliest date in UTC; ``None`` without dates.
        last: latest date in UTC; ``None`` without dates.
        sources: number of documents by source, largest first, then by name; documents without a source are left out.

    Example:
        >>> CollectionSummary.of([Document(id="1", text="", source="a"), Document(id="2", text="")]).sources
        {'a': 1}
    """

    documents: int
    dated: int
    first: datetime | None
    last: datetime | None
    sources: dict[str, int]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> CollectionSummary:
        """Look through the documents of a collection once."""
        number, dated, sources = 0, 0, Counter[str]()
        first: datetime | None = None
        last: datetime | None = None
        for document in documents:
            number += 1
            if document.source:
                sources[document.source] += 1
            time = document.time
            if time is not None:
                dated += 1
                first = time if first is None or time < first else first
                last = time if last is None or time > last else last
        by_size = dict(sorted(sources.items(), key=lambda item: (-item[1], item[0])))
        return cls(documents=number, dated=dated, first=first, last=last, sources=by_size)
