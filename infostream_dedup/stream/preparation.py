"""Computes hashes and times of a batch before its words are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.repeated.equality import equality_hashes
from infostream_dedup.model import Document
from infostream_dedup.stream.clock import NO_TIME, StreamClock, microseconds
from infostream_dedup.stream.compared_texts import Compared
from infostream_dedup.stream.fingerprints import content_hash, number_rows, opening_hash
from infostream_dedup.stream.settings import StreamSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.language.text.utf8 import Utf8Texts


# Not frozen, like ``Remembered``.
@dataclass(slots=True, kw_only=True)
class Prepared:
    """Documents of a batch, with their hashes and times.

    Attributes:
        first: ordinal of the first document.
        given: the documents as given.
        documents: the documents as they are compared.
        lines: what a store keeps of the fragments of each; ``None`` if repeated lines are kept.
        versions: number of earlier documents with each id.
        texts: titles and texts in UTF-8.
        content_hashes: checksum of all fields of each document.
        hashes: equality hash and opening hash of each document; the latter is empty if no rule needs it.
        published: publication times in UTC microseconds since 1970.
        clocks: int64, the stream's clock at each document.
        times: int64, publication times, or the clock if there is none.
        numbers: hashes of the numbers in title and text; empty rows if no rule needs them.
    """

    first: int
    given: Sequence[Document]
    documents: Sequence[Document]
    lines: list[bytes] | None
    texts: Utf8Texts
    versions: Sequence[int]
    content_hashes: Sequence[bytes]
    hashes: list[tuple[bytes, bytes]]
    published: list[int | None]
    clocks: NDArray[np.int64]
    times: NDArray[np.int64]
    numbers: Ragged

    def __len__(self) -> int:
        return len(self.documents)


def prepare(
    given: Sequence[Document],
    compared: Compared,
    settings: StreamSettings,
    *,
    first: int,
    clock: StreamClock,
    versions: Sequence[int] | None = None,
    content_hashes: Sequence[bytes] | None = None,
) -> Prepared:
    """Compute the hashes and times of a batch."""
    documents, full = compared.documents, compared.full
    published = [microseconds(document.time) for document in documents]
    clocks = [clock.advance(time) for time in published]
    times = [clock if time is None or time <= NO_TIME else time for time, clock in zip(published, clocks, strict=True)]
    content_hashes = content_hashes or [content_hash(document) for document in given]
    bodies = [document.text for document in documents]
    hashes = equality_hashes(bodies.__getitem__, full.texts, full.bodies)
    return Prepared(
        first=first,
        given=given,
        documents=documents,
        lines=compared.lines,
        texts=full.texts,
        versions=versions or [0] * len(documents),
        content_hashes=content_hashes,
        hashes=list(zip(hashes, _openings(bodies, compared, settings), strict=True)),
        published=published,
        clocks=np.array(clocks, dtype=np.int64),
        times=np.array(times, dtype=np.int64),
        numbers=number_rows(documents, full.texts) if settings.compares_numbers else _nothing(len(documents)),
    )


def _openings(bodies: Sequence[str], compared: Compared, settings: StreamSettings) -> list[bytes]:
    if settings.compares_openings:
        return [b"" if one < 0 else one.to_bytes(8, "little") for one in compared.openings.tolist()]
    return [opening_hash(body, settings.exact_rule) for body in bodies]


def _nothing(documents: int) -> Ragged:
    return Ragged(np.zeros(documents + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
