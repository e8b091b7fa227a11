"""What a batch brings as rows of the store's tables, and checksums over them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import orjson

from infostream_dedup.model.stream_records import EpochFrequencies, GroupEvent, Remembered, Verdict
from infostream_dedup.store.blobs import INT32, INT64, blobs_of

__all__ = [
    "DOCUMENT_COLUMNS",
    "EPOCH_COLUMNS",
    "EVENT_COLUMNS",
    "JUDGEMENT_COLUMNS",
    "SIGNATURE_COLUMNS",
    "VERDICT_COLUMNS",
    "BatchContent",
    "BatchHead",
    "batch_checksum",
    "body_rows",
    "document_rows",
    "epoch_rows",
    "event_rows",
    "insertion",
    "judgement_rows",
    "signature_hash",
    "signature_rows",
    "verdict_of_row",
]

Row = tuple[Any, ...]

VERDICT_COLUMNS: Final = ("id", "status", "of_id", "group_id", "relation", "forward", "backward", "terms")
DOCUMENT_COLUMNS: Final = (
    "ordinal",
    "version",
    "source",
    "language",
    "clock",
    "published",
    "epoch",
    "length",
    "content_hash",
    "signature_hash",
    "title",
    *VERDICT_COLUMNS,
    "forgotten",
)
SIGNATURE_COLUMNS: Final = ("ordinal", "text_hash", "opening_hash", "keys", "weights", "targets", "numbers")
EVENT_COLUMNS: Final = ("number", "ordinal", "kind", "group_id", "other", "value")
JUDGEMENT_COLUMNS: Final = ("ordinal", "probability", "criteria")
EPOCH_COLUMNS: Final = ("epoch", "language", "documents", "length", "terms", "df")

_SIGNATURE_HASH_BYTES: Final = 8
_CHECKSUM_BYTES: Final = 16


class BatchHead(NamedTuple):
    """A row of table ``batch`` without its checksum."""

    sequence: int
    batch_id: str
    content_hash: bytes
    first_ordinal: int
    documents: int
    answers: bytes | None
    first_term: int
    terms: int
    oldest: int


class BatchContent(NamedTuple):
    """All that a batch brought, as it lies in the tables.

    Attributes:
        head: the batch itself.
        documents: in the order of `DOCUMENT_COLUMNS`.
        terms: new ones.
        events: in the order of `EVENT_COLUMNS`.
        epochs: in the order of `EPOCH_COLUMNS`, by epoch and language.
        judgements: in the order of `JUDGEMENT_COLUMNS`, by ordinal.
    """

    head: BatchHead
    documents: list[Row]
    terms: list[str]
    events: list[Row]
    epochs: list[Row]
    judgements: list[Row]


def insertion(table: str, columns: Sequence[str]) -> str:
    """An INSERT of bound values; names come from this file only."""
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608


def signature_rows(remembered: Sequence[Remembered]) -> list[Row]:
    """Rows of table ``signature``, in the order of `SIGNATURE_COLUMNS`.

    Raises:
        ValueError: the number of a term does not fit 31 bits.
    """
    return list(
        zip(
            (one.ordinal for one in remembered),
            (one.text_hash for one in remembered),
            (one.opening_hash for one in remembered),
            blobs_of([one.keys for one in remembered], INT32),
            blobs_of([one.weights for one in remembered], INT64),
            blobs_of([one.targets for one in remembered], INT32),
            blobs_of([one.numbers for one in remembered], INT64),
            strict=True,
        )
    )


def body_rows(remembered: Iterable[Remembered]) -> list[Row]:
    """Rows of table ``body``: ordinal and compressed text, for documents that brought one."""
    return [
        (one.ordinal, zlib.compress(one.text.encode("utf-8", "surrogatepass")))
        for one in remembered
        if one.text is not None
    ]


def signature_hash(signature: Row, packed: bytes | None) -> bytes:
    """Checksum of a row of ``signature`` and of the compressed text that belongs to it."""
    parts = (*signature[1:], packed or b"")
    sizes = orjson.dumps([signature[0], *map(len, parts)])
    return blake2b(sizes + b"".join(parts), digest_size=_SIGNATURE_HASH_BYTES).digest()


def document_rows(remembered: Sequence[Remembered], verdicts: Sequence[Verdict], hashes: Sequence[bytes]) -> list[Row]:
    """Rows of table ``document``, in the order of `DOCUMENT_COLUMNS`."""
    return [
        (
            one.ordinal,
            one.version,
            one.source,
            one.language,
            one.clock,
            one.published,
            one.epoch,
            one.length,
            one.content_hash,
            checksum,
            one.title,
            verdict.id,
            verdict.status,
            verdict.of,
            verdict.group,
            verdict.relation,
            verdict.forward,
            verdict.backward,
            None if verdict.terms is None else orjson.dumps(verdict.terms).decode(),
            0,
        )
        for one, verdict, checksum in zip(remembered, verdicts, hashes, strict=True)
    ]


def verdict_of_row(row: Row) -> Verdict:
    """A verdict from the values of `VERDICT_COLUMNS`, then probability and criteria of its judgement, if any."""
    id_, status, of, group, relation, forward, backward, met, probability, differences = row
    terms = None if met is None else tuple(orjson.loads(met))
    criteria = None if differences is None else tuple(orjson.loads(differences).items())
    return Verdict(
        id=id_,
        status=status,
        of=of,
        group=group,
        relation=relation,
        forward=forward,
        backward=backward,
        terms=terms,
        probability=probability,
        criteria=criteria,
    )


def judgement_rows(remembered: Sequence[Remembered], verdicts: Sequence[Verdict]) -> list[Row]:
    """Rows of table ``judgement``, in the order of `JUDGEMENT_COLUMNS`, for verdicts that a model made."""
    return [
        (one.ordinal, verdict.probability, orjson.dumps(dict(verdict.criteria)).decode())
        for one, verdict in zip(remembered, verdicts, strict=True)
        if verdict.probability is not None and verdict.criteria is not None
    ]


def event_rows(events: Iterable[GroupEvent], first: int) -> list[Row]:
    """Rows of table ``event``, numbered from `first`, in the order of `EVENT_COLUMNS`."""
    return [
        (number, event.ordinal, event.kind, event.group, event.other, event.value)
        for number, event in enumerate(events, start=first)
    ]


def epoch_rows(closed: Iterable[EpochFrequencies]) -> list[Row]:
    """Rows of table ``epoch_frequency``, in the order of `EPOCH_COLUMNS`."""
    return [
        (one.epoch, one.language, one.documents, one.length, *blobs_of([one.terms, one.df], INT32)) for one in closed
    ]


def batch_checksum(content: BatchContent) -> bytes:
    """Checksum over all that a batch brought, as it lies in the tables.

    SQLite keeps no checksums of its own: a flipped bit inside a value would go unseen. Blobs of signatures are covered
    by the checksum in each document's row, because they are deleted earlier than the rows.
    """
    # A batch that no model judged has the checksum it had before there were judgements.
    judged = (content.judgements,) if content.judgements else ()
    written = orjson.dumps((tuple(content.head), *content[1:-1], *judged), default=bytes.hex)
    return blake2b(written, digest_size=_CHECKSUM_BYTES).digest()
