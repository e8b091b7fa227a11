"""What is known of the documents of a batch before their words are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.model import Document, full_text
from infostream_dedup.stream.clock import NO_TIME, advanced, microseconds
from infostream_dedup.stream.fingerprints import content_hash, number_hashes, opening_hash
from infostream_dedup.stream.rows import Rows
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.text.fingerprint import text_hash

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Documents of a batch, with their hashes and times.

    Attributes:
        first: ordinal of the first one.
        documents: as given.
        versions: how often each id had come before.
        content_hashes: of all fields.
        hashes: text hash and opening hash; the latter empty where no rule asks for it.
        published: own times in UTC microseconds since 1970.
        clocks: int64, the stream's clock at each.
        times: int64, own times, else the clock.
        numbers: hashes of the numbers in title and text; empty rows where no rule asks for them.
    """

    first: int
    documents: Sequence[Document]
    versions: Sequence[int]
    content_hashes: Sequence[bytes]
    hashes: list[tuple[bytes, bytes]]
    published: list[int | None]
    clocks: NDArray[np.int64]
    times: NDArray[np.int64]
    numbers: Rows

    def __len__(self) -> int:
        return len(self.documents)


def prepare(
    documents: Sequence[Document],
    settings: StreamSettings,
    *,
    first: int,
    clock: int,
    versions: Sequence[int] | None = None,
    content_hashes: Sequence[bytes] | None = None,
) -> Prepared:
    """Take the hashes and times of a batch.

    Args:
        documents: in stream order.
        settings: of the stream.
        first: ordinal of the first one.
        clock: of the stream before them.
        versions: 0 for each by default.
        content_hashes: made here by default.
    """
    published = [microseconds(document.time) for document in documents]
    clocks: list[int] = []
    for time in published:
        clock = advanced(clock, time)
        clocks.append(clock)
    times = [clock if time is None or time <= NO_TIME else time for time, clock in zip(published, clocks, strict=True)]
    opening = settings.exact_rule == "opening"
    return Prepared(
        first,
        documents,
        versions or [0] * len(documents),
        content_hashes or [content_hash(document) for document in documents],
        [(text_hash(one.text), opening_hash(one.text) if opening else b"") for one in documents],
        published,
        np.array(clocks, dtype=np.int64),
        np.array(times, dtype=np.int64),
        _numbers(documents, wanted=settings.templates),
    )


def _numbers(documents: Sequence[Document], *, wanted: bool) -> Rows:
    rows = [number_hashes(full_text(document)) for document in documents] if wanted else []
    sizes = list(map(len, rows)) if wanted else [0] * len(documents)
    return Rows(np.cumsum([0, *sizes]), np.concatenate([np.zeros(0, dtype=np.int64), *rows]))
