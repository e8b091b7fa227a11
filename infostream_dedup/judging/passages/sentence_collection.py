"""Documents with their sentences, the input of everything about passages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.passages.sentence_table import SentenceTable, TableBuilder
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import NO_TIME, Document, microseconds_of
from infostream_dedup.model.document import without_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SentenceCollection", "read_collection"]


_REPORTED: Final = 1000


@dataclass(frozen=True, slots=True, eq=False)
class SentenceCollection:
    """Documents and the spans of their sentences; the texts themselves are not kept.

    Attributes:
        documents: documents in input order, without their bodies.
        sentences: sentences of the bodies; document d of the table is ``documents[d]``.
    """

    documents: tuple[Document, ...]
    sentences: SentenceTable

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all documents."""
        return tuple(document.id for document in self.documents)

    @property
    def times(self) -> NDArray[np.int64]:
        """Times of all documents: int64 (documents,), microseconds since 1970, ``NO_TIME`` if unknown."""
        return times_of(document.time for document in self.documents)


def read_collection(documents: Iterable[Document], *, progress: Progress | None = None) -> SentenceCollection:
    """Cut the bodies of documents into sentences and words, one document at a time.

    Titles are ignored: spans refer to ``Document.text``.

    Args:
        documents: documents in any order.
        progress: called with the number of documents read.
    """
    builder = TableBuilder()
    kept: list[Document] = []
    for document in documents:
        builder.add(document.text, document.lang)
        kept.append(without_text(document))
        if progress is not None and len(kept) % _REPORTED == 0:
            progress("sentences", len(kept), None)
    return SentenceCollection(tuple(kept), builder.table())


def times_of(times: Iterable[datetime | None]) -> NDArray[np.int64]:
    """Convert times to microseconds since 1970: int64, ``NO_TIME`` if unknown."""
    return np.array([NO_TIME if time is None else microseconds_of(time) for time in times], dtype=np.int64)
