"""Gather single documents into blocks, so that each text is encoded once for everything that reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from infostream_dedup.language.text.utf8 import texts_of_bytes
from infostream_dedup.model import NO_TIME, Document, DocumentBlock, full_text, microseconds_of, without_text

__all__ = ["block_of", "in_blocks"]

_CHUNK: Final = 1 << 20
"""Characters of a block, as many as the compiled reader of texts scans at a time."""


def in_blocks(
    documents: Iterable[Document | DocumentBlock], wanted: Callable[[], bool], *, chunk: int = _CHUNK
) -> Iterator[Document | DocumentBlock]:
    """Yield the same documents in the same order, consecutive single ones as blocks.

    Args:
        documents: single or in blocks.
        wanted: whether the caller takes blocks; once it does, it always will.
        chunk: characters of a block, at least 1.
    """
    waiting: list[Document] = []
    characters = 0
    for one in documents:
        if isinstance(one, DocumentBlock) or not wanted():
            yield from _gathered(waiting)
            waiting, characters = [], 0
            yield one
            continue
        waiting.append(one)
        characters += len(one.title) + len(one.text)
        if characters >= chunk:
            yield from _gathered(waiting)
            waiting, characters = [], 0
    yield from _gathered(waiting)


def _gathered(documents: Sequence[Document]) -> Iterable[Document | DocumentBlock]:
    """One block; the documents themselves if UTF-8 cannot encode them."""
    if not documents:
        return ()
    block = block_of(documents)
    return documents if block is None else (block,)


def block_of(documents: Sequence[Document]) -> DocumentBlock | None:
    """Return documents as columns; ``None`` if a text or title has a lone surrogate, which UTF-8 cannot encode."""
    whole = [full_text(one) for one in documents]
    try:
        texts = texts_of_bytes([text.encode() for text in whole])
        titles = np.array([len(one.title.encode()) for one in documents], dtype=np.int64)
    except UnicodeEncodeError:
        return None
    begins = texts.offsets[:-1]
    # A title that is not part of the text is followed by a line break.
    apart = np.array([text is not one.text for text, one in zip(whole, documents, strict=True)], dtype=np.bool_)
    times = [NO_TIME if one.time is None else microseconds_of(one.time) for one in documents]
    bare = [without_text(one) for one in documents]
    return DocumentBlock(
        ids=[one.id for one in documents],
        languages=[one.lang for one in documents],
        sources=[one.source for one in documents],
        urls=[one.url for one in documents],
        times=np.array(times, dtype=np.int64),
        data=texts.data,
        offsets=texts.offsets,
        titles=begins + titles,
        bodies=begins + np.where(apart, titles + 1, 0),
        characters=np.array([(len(one.title), len(one.text)) for one in documents], dtype=np.int64),
        without_text=bare.__getitem__,
    )
