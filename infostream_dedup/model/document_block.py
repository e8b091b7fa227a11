"""Consecutive documents as columns: texts as bytes, and documents created on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from infostream_dedup.model.document import Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["NO_TIME", "DocumentBlock", "single_documents"]

NO_TIME: Final = -(2**63)
"""Marks a missing date among microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentBlock:
    """Consecutive documents.

    Attributes:
        ids: as ``Document.id``.
        languages: as ``Document.lang``.
        sources: as ``Document.source``.
        urls: as ``Document.url``.
        times: int64 (documents,), ``Document.time`` in microseconds since 1970, or ``NO_TIME``.
        data: uint8, ``full_text`` of each document in UTF-8, without surrogates, followed by 66 more readable bytes.
        offsets: int64 (documents + 1,), bounds of the documents in ``data``.
        titles: int64 (documents,), end of each title in ``data``; a title begins where its document begins.
        bodies: int64 (documents,), start of each text in ``data``.
        characters: int64 (documents, 2), length of each title and each text in characters.
        without_text: creates document i with an empty ``text``.
    """

    ids: Sequence[str]
    languages: Sequence[str | None]
    sources: Sequence[str | None]
    urls: Sequence[str | None]
    times: NDArray[np.int64]
    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    titles: NDArray[np.int64]
    bodies: NDArray[np.int64]
    characters: NDArray[np.int64]
    without_text: Callable[[int], Document]

    def __len__(self) -> int:
        return len(self.ids)

    def title(self, number: int) -> str:
        """Title of a document."""
        return self.data[self.offsets[number] : self.titles[number]].tobytes().decode()

    def text(self, number: int) -> str:
        """Text of a document."""
        return self.data[self.bodies[number] : self.offsets[number + 1]].tobytes().decode()

    def texts(self) -> list[str]:
        """Text of every document."""
        whole = self.data.data
        ends = self.offsets[1:].tolist()
        return [str(whole[begin:end], "utf-8") for begin, end in zip(self.bodies.tolist(), ends, strict=True)]

    def full_texts(self) -> list[str]:
        """``full_text`` of every document."""
        whole = self.data.data
        return [str(whole[begin:end], "utf-8") for begin, end in pairwise(self.offsets.tolist())]

    def documents(self) -> Iterator[Document]:
        """The documents, texts included."""
        for number, text in enumerate(self.texts()):
            yield replace(self.without_text(number), text=text)


def single_documents(one: Document | DocumentBlock) -> Iterable[Document]:
    """The documents of a block, or a single one."""
    return (one,) if isinstance(one, Document) else one.documents()
