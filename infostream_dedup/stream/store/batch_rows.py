"""A batch as rows of the store's tables, and checksums over them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import orjson

from infostream_dedup.model.stream_records import (
    EpochFrequencies,
    GroupEvent,
    Remembered,
    StoryEvent,
    TranslatedFrom,
    Verdict,
)
from infostream_dedup.stream.store.blobs import INT32, INT64, blobs_of

__all__ = [
    "COUNT_COLUMNS",
    "DOCUMENT_COLUMNS",
    "EPOCH_COLUMNS",
    "EVENT_COLUMNS",
    "EVIDENCE_COLUMNS",
    "JUDGEMENT_COLUMNS",
    "PIVOT_COLUMNS",
    "SIGNATURE_COLUMNS",
    "STORY_COLUMNS",
    "VERDICT_COLUMNS",
    "WORDING_COLUMNS",
    "BatchContent",
    "BatchHead",
    "Row",
    "batch_checksum",
    "body_rows",
    "count_checksum",
    "document_rows",
    "epoch_rows",
    "event_rows",
    "evidence_rows",
    "insertion",
    "judgement_rows",
    "pivot_rows",
    "signature_hash",
    "signature_rows",
    "story_rows",
    "verdict_of_row",
    "wording_rows",
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
    "kind",
    "probability",
    "url",
    "translation_of",
    "translation",
    "story_id",
)
SIGNATURE_COLUMNS: Final = ("ordinal", "text_hash", "opening_hash", "keys", "weights", "targets", "numbers")
EVENT_COLUMNS: Final = ("number", "ordinal", "kind", "group_id", "other", "value")
JUDGEMENT_COLUMNS: Final = ("ordinal", "probability", "criteria")
EVIDENCE_COLUMNS: Final = ("ordinal", "keys", "weights", "record")
WORDING_COLUMNS: Final = ("ordinal", "triples")
PIVOT_COLUMNS: Final = ("ordinal", "keys", "weights", "members", "canonical", "further", "links")
STORY_COLUMNS: Final = ("number", "ordinal", "story_id", "other", "begun")
COUNT_COLUMNS: Final = ("epoch", "part", "counts", "checksum")
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
    """Everything a batch adds to the tables.

    Attributes:
        head: row of table ``batch``.
        documents: in the order of `DOCUMENT_COLUMNS`.
        terms: new terms.
        events: in the order of `EVENT_COLUMNS`.
        epochs: in the order of `EPOCH_COLUMNS`, by epoch and language.
        judgements: in the order of `JUDGEMENT_COLUMNS`, by ordinal.
        repeats: rows of table ``repeat_frequency``, in the order of `EPOCH_COLUMNS`, by epoch and language.
        pivot: rows of table ``pivot_frequency``, likewise.
        stories: in the order of `STORY_COLUMNS`.
    """

    head: BatchHead
    documents: list[Row]
    terms: list[str]
    events: list[Row]
    epochs: list[Row]
    judgements: list[Row]
    repeats: list[Row]
    pivot: list[Row]
    stories: list[Row]


def insertion(table: str, columns: Sequence[str]) -> str:
    """Return an INSERT statement with bound values; names come from this file only."""
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608


def signature_rows(remembered: Sequence[Remembered]) -> list[Row]:
    """Make rows of table ``signature``, in the order of `SIGNATURE_COLUMNS`.

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
    """Make rows of table ``body``, ordinal and compressed text, for documents that have a text."""
    return [
        (one.ordinal, zlib.compress(one.text.encode("utf-8", "surrogatepass")))
        for one in remembered
        if one.text is not None
    ]


def evidence_rows(remembered: Iterable[Remembered]) -> list[Row]:
    """Make rows of table ``evidence``, in the order of `EVIDENCE_COLUMNS`, for documents whose evidence is kept."""
    return [
        (one.ordinal, kept.keys, kept.weights, kept.record) for one in remembered if (kept := one.evidence) is not None
    ]


def wording_rows(remembered: Iterable[Remembered]) -> list[Row]:
    """Make rows of table ``wording``, in the order of `WORDING_COLUMNS`, for documents whose evidence is kept."""
    return [(one.ordinal, one.evidence.triples) for one in remembered if one.evidence is not None]


def pivot_rows(remembered: Iterable[Remembered]) -> list[Row]:
    """Make rows of table ``pivot``, in the order of `PIVOT_COLUMNS`, for documents of streams across languages."""
    return [
        (one.ordinal, kept.keys, kept.weights, kept.members, kept.canonical, kept.further, kept.links)
        for one in remembered
        if (kept := one.pivot) is not None
    ]


def count_checksum(epoch: int, counts: bytes) -> bytes:
    """Return the checksum of a row of ``evidence_frequency``."""
    return blake2b(epoch.to_bytes(8, "little") + counts, digest_size=_CHECKSUM_BYTES).digest()


def signature_hash(signature: Row, packed: bytes | None, *evidence: bytes | None) -> bytes:
    """Return the checksum of a row of ``signature`` and of everything else that is kept about its document.

    Args:
        signature: the row.
        packed: compressed text, if it is kept.
        evidence: further key terms, their weights, record and triples, if they are kept; then the columns of table
            ``pivot``, if they are.
    """
    parts = (*signature[1:], packed or b"", *(part for part in evidence if part is not None))
    sizes = orjson.dumps([signature[0], *map(len, parts)])
    return blake2b(sizes + b"".join(parts), digest_size=_SIGNATURE_HASH_BYTES).digest()


def document_rows(remembered: Sequence[Remembered], verdicts: Sequence[Verdict], hashes: Sequence[bytes]) -> list[Row]:
    """Make rows of table ``document``, in the order of `DOCUMENT_COLUMNS`."""
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
            verdict.kind,
            # A classifier's probability is in table ``judgement``.
            None if verdict.kind is None else verdict.probability,
            one.url,
            verdict.translation_of,
            None if verdict.translation is None else orjson.dumps(verdict.translation.as_dict()).decode(),
            verdict.story,
        )
        for one, verdict, checksum in zip(remembered, verdicts, hashes, strict=True)
    ]


def verdict_of_row(row: Row) -> Verdict:
    """Make a verdict from a stored row.

    Args:
        row: values of `VERDICT_COLUMNS`, kind, probability, criteria, translation_of, translation and story, ``None``
            where missing.
    """
    id_, status, of, group, relation, forward, backward, met, kind, probability, differences, *across = row
    translation_of, translation, story = across
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
        kind=kind,
        probability=probability,
        criteria=criteria,
        translation_of=translation_of,
        translation=None if translation is None else _translation(orjson.loads(translation)),
        story=story,
    )


def _translation(stored: dict[str, Any]) -> TranslatedFrom:
    met = tuple((one["word"], one["pivot"], one["their_word"], one["rung"]) for one in stored["met"])
    return TranslatedFrom(stored["share_forward"], stored["share_backward"], met)


def judgement_rows(remembered: Sequence[Remembered], verdicts: Sequence[Verdict]) -> list[Row]:
    """Make rows of table ``judgement``, in the order of `JUDGEMENT_COLUMNS`, for verdicts that a classifier made."""
    return [
        (one.ordinal, verdict.probability, orjson.dumps(dict(verdict.criteria)).decode())
        for one, verdict in zip(remembered, verdicts, strict=True)
        if verdict.probability is not None and verdict.criteria is not None
    ]


def event_rows(events: Iterable[GroupEvent], first: int) -> list[Row]:
    """Make rows of table ``event``, numbered from `first`, in the order of `EVENT_COLUMNS`."""
    return [
        (number, event.ordinal, event.kind, event.group, event.other, event.value)
        for number, event in enumerate(events, start=first)
    ]


def story_rows(events: Iterable[StoryEvent], first: int) -> list[Row]:
    """Make rows of table ``story_event``, numbered from `first`, in the order of `STORY_COLUMNS`."""
    return [
        (number, event.ordinal, event.story, event.other, event.begun)
        for number, event in enumerate(events, start=first)
    ]


def epoch_rows(closed: Iterable[EpochFrequencies]) -> list[Row]:
    """Make rows of table ``epoch_frequency`` or ``repeat_frequency``, in the order of `EPOCH_COLUMNS`."""
    return [
        (one.epoch, one.language, one.documents, one.length, *blobs_of([one.terms, one.df], INT32)) for one in closed
    ]


def batch_checksum(content: BatchContent) -> bytes:
    """Return the checksum of everything a batch adds to the tables.

    SQLite keeps no checksums, so a flipped bit inside a value would go unnoticed. The checksum in each document's row
    covers the blobs of its signature, because they are deleted earlier than the row.
    """
    written = orjson.dumps((tuple(content.head), *content[1:]), default=bytes.hex)
    return blake2b(written, digest_size=_CHECKSUM_BYTES).digest()
