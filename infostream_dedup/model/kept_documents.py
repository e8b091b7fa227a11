"""The documents of a whole collection, mostly as columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple, overload

from infostream_dedup.model.document import Document
from infostream_dedup.model.document_block import NO_TIME, DocumentBlock

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DocumentFields", "KeptDocuments", "fields_of", "microseconds_of", "moment_of"]

_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class DocumentFields(NamedTuple):
    """Fields that are read for whole collections; entry i belongs to document i.

    Attributes:
        ids: as ``Document.id``.
        sources: as ``Document.source``.
        times: ``Document.time`` in microseconds since 1970; None without a date.
        urls: as ``Document.url``.
    """

    ids: list[str]
    sources: list[str | None]
    times: list[int | None]
    urls: list[str | None]


def moment_of(time: int) -> datetime:
    """Convert microseconds since 1970 to a moment.

    Example:
        >>> moment_of(1_500_000).isoformat()
        '1970-01-01T00:00:01.500000+00:00'
    """
    return _START + timedelta(microseconds=time)


def microseconds_of(moment: datetime) -> int:
    """Convert a moment to microseconds since 1970, the inverse of ``moment_of``."""
    return (moment - _START) // _MICROSECOND


class _KeptBlock(NamedTuple):
    """What is kept of a block, as there."""

    ids: Sequence[str]
    sources: Sequence[str | None]
    urls: Sequence[str | None]
    times: NDArray[np.int64]
    without_text: Callable[[int], Document]


class KeptDocuments(Sequence[Document]):
    """Documents without texts. Documents of blocks are created on demand and then kept."""

    def __init__(self) -> None:
        self._made: list[Document | None] = []
        self._blocks: list[_KeptBlock] = []
        self._begins: list[int] = []

    def append(self, document: Document) -> None:
        """Add a document."""
        self._made.append(document)

    def extend(self, block: DocumentBlock) -> None:
        """Add the documents of a block, without their texts."""
        self._begins.append(len(self._made))
        self._blocks.append(_KeptBlock(block.ids, block.sources, block.urls, block.times.copy(), block.without_text))
        self._made.extend([None] * len(block))

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, number: int) -> Document: ...
    @overload
    def __getitem__(self, number: slice) -> list[Document]: ...
    def __getitem__(self, number: int | slice) -> Document | list[Document]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        made = self._made[number]
        if made is None:
            number = range(len(self))[number]
            which = bisect_right(self._begins, number) - 1
            made = self._made[number] = self._blocks[which].without_text(number - self._begins[which])
        return made

    def fields(self) -> DocumentFields:
        """Return the fields of all documents, without creating documents."""
        found, done = DocumentFields([], [], [], []), 0
        for begin, block in zip(self._begins, self._blocks, strict=True):
            _add(found, self[done:begin])
            found.ids.extend(block.ids)
            found.sources.extend(block.sources)
            found.times.extend(None if time == NO_TIME else time for time in block.times.tolist())
            found.urls.extend(block.urls)
            done = begin + len(block.ids)
        _add(found, self[done:])
        return found


def fields_of(documents: Sequence[Document]) -> DocumentFields:
    """Fields of a collection's documents."""
    if isinstance(documents, KeptDocuments):
        return documents.fields()
    found = DocumentFields([], [], [], [])
    _add(found, documents)
    return found


def _add(found: DocumentFields, documents: Sequence[Document]) -> None:
    found.ids.extend(one.id for one in documents)
    found.sources.extend(one.source for one in documents)
    found.times.extend(None if one.time is None else microseconds_of(one.time) for one in documents)
    found.urls.extend(one.url for one in documents)
