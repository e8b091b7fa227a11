"""Computes hashes and times of a batch before its words are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.language.text.fingerprint import text_hashes
from infostream_dedup.model import Document
from infostream_dedup.stream.clock import NO_CLOCK, StreamClock, microseconds
from infostream_dedup.stream.fingerprints import content_hash, number_rows, opening_hash
from infostream_dedup.stream.full_texts import full_texts
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
        documents: as given.
        versions: number of earlier documents with each id.
        texts: titles and texts in UTF-8.
        content_hashes: checksum of all fields of each document.
        hashes: text hash and opening hash of each document; the latter is empty if no rule needs it.
        published: publication times in UTC microseconds since 1970.
        clocks: int64, the stream's clock at each document.
        times: int64, publication times, or the clock if there is none.
        numbers: hashes of the numbers in title and text; empty rows if no rule needs them.
    """

    first: int
    documents: Sequence[Document]
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
    documents: Sequence[Document],
    settings: StreamSettings,
    *,
    first: int,
    clock: StreamClock,
    versions: Sequence[int] | None = None,
    content_hashes: Sequence[bytes] | None = None,
) -> Prepared:
    """Compute the hashes and times of a batch."""
    published = [microseconds(document.time) for document in documents]
    clocks = [clock.advance(time) for time in published]
    times = [clock if time is None or time <= NO_CLOCK else time for time, clock in zip(published, clocks, strict=True)]
    content_hashes = content_hashes or [content_hash(document) for document in documents]
    full, bodies = full_texts(documents), [document.text for document in documents]
    hashes = text_hashes(bodies.__getitem__, full.texts, full.bodies)
    return Prepared(
        first=first,
        documents=documents,
        texts=full.texts,
        versions=versions or [0] * len(documents),
        content_hashes=content_hashes,
        hashes=[(own, opening_hash(body, settings.exact_rule)) for own, body in zip(hashes, bodies, strict=True)],
        published=published,
        clocks=np.array(clocks, dtype=np.int64),
        times=np.array(times, dtype=np.int64),
        numbers=number_rows(documents, full.texts) if settings.compares_numbers else _nothing(len(documents)),
    )


def _nothing(documents: int) -> Ragged:
    return Ragged(np.zeros(documents + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
