"""Read documents of a store by ordinal: the fields that a search shows, and those that it compares."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.model.document import Language
from infostream_dedup.stream.store.blobs import INT32, INT64, numbers_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AT_ONCE: Final = 500
_DOCUMENT: Final = (
    "SELECT document.ordinal, id, title, document.source, published, url, document.language,"
    " coalesce(membership.group_id, document.group_id), coalesce(text_hash, x''), coalesce(signature.keys, x''),"
    " coalesce(signature.weights, x''), coalesce(targets, x''), coalesce(evidence.keys, x''),"
    " coalesce(evidence.weights, x''), coalesce(record, x'')"
    " FROM document LEFT JOIN membership ON membership.ordinal = document.ordinal"
    " LEFT JOIN signature ON signature.ordinal = document.ordinal"
    " LEFT JOIN evidence ON evidence.ordinal = document.ordinal WHERE document.ordinal IN"
)
_KEYS: Final = "SELECT ordinal, keys, weights FROM signature WHERE ordinal IN"
_NAMES: Final = "SELECT number, term FROM term WHERE number IN"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocument:
    """A document.

    Attributes:
        ordinal: its place in the stream.
        id: its id.
        title: its headline.
        source: its publisher.
        published: time of publication, UTC microseconds since 1970.
        url: its address.
        language: its language.
        group: id of its current group.
        text_hash: hash of its text; empty for an empty text, and for a document whose signature is gone.
        keys: int64, its key terms, heaviest first.
        weights: int64, their weights.
        targets: int64, its terms, ascending.
        further_keys: int64, the further key terms that evidence compares.
        further_weights: int64, their weights.
        record: its packed evidence; empty if key terms decide.
    """

    ordinal: int
    id: str
    title: str
    source: str | None
    published: int | None
    url: str | None
    language: Language
    group: str
    text_hash: bytes
    keys: NDArray[np.int64]
    weights: NDArray[np.int64]
    targets: NDArray[np.int64]
    further_keys: NDArray[np.int64]
    further_weights: NDArray[np.int64]
    record: bytes


def documents_of(connection: sqlite3.Connection, ordinals: Sequence[int]) -> dict[int, FoundDocument]:
    """Read documents, by ordinal."""
    found = {}
    for ordinal, id_, title, source, published, url, language, group, text_hash, *blobs in _rows(
        connection, _DOCUMENT, ordinals
    ):
        keys, weights, targets, further_keys, further_weights, record = blobs
        found[ordinal] = FoundDocument(
            ordinal=ordinal,
            id=id_,
            title=title,
            source=source,
            published=published,
            url=url,
            language=language,
            group=group,
            text_hash=text_hash,
            keys=numbers_of(keys, INT32),
            weights=numbers_of(weights, INT64),
            targets=numbers_of(targets, INT32),
            further_keys=numbers_of(further_keys, INT32),
            further_weights=numbers_of(further_weights, INT64),
            record=record,
        )
    return found


def key_weights_of(connection: sqlite3.Connection, ordinals: Sequence[int]) -> dict[int, tuple[bytes, bytes]]:
    """Read key terms (INT32) and weights (INT64) of documents, by ordinal."""
    return {ordinal: (keys, weights) for ordinal, keys, weights in _rows(connection, _KEYS, ordinals)}


def term_names_of(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
    """Return the terms with these numbers."""
    return dict(_rows(connection, _NAMES, numbers))


def _rows(connection: sqlite3.Connection, query: str, values: Sequence[Any]) -> Iterator[Any]:
    for begin in range(0, len(values), _AT_ONCE):
        asked = values[begin : begin + _AT_ONCE]
        yield from connection.execute(f"{query} ({', '.join('?' * len(asked))})", asked)
