"""The period and the sources of a collection, for the first lines of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from infostream_dedup.model import Document, fields_of, moment_of

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
    def of(cls, documents: Sequence[Document]) -> CollectionSummary:
        """Summarise the documents of a collection in one pass."""
        fields = fields_of(documents)
        sources = Counter(source for source in fields.sources if source)
        times = [time for time in fields.times if time is not None]
        first, last = (moment_of(min(times)), moment_of(max(times))) if times else (None, None)
        by_size = dict(sorted(sources.items(), key=lambda item: (-item[1], item[0])))
        return cls(documents=len(documents), dated=len(times), first=first, last=last, sources=by_size)
