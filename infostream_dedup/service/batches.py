"""Checks, decides and answers a batch received over HTTP or from a queue."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, cast

from pydantic import Field, WithJsonSchema, field_validator

from infostream_dedup.documents.column_names import FIELDS
from infostream_dedup.documents.documents import DocumentBuilder
from infostream_dedup.documents.records import Place, Record
from infostream_dedup.errors import BadDataError
from infostream_dedup.model import Document
from infostream_dedup.model.stream_records import Verdict
from infostream_dedup.service.problems import ProblemError, detail_of
from infostream_dedup.service.values import Body
from infostream_dedup.stream.deduplicator import Deduplicator, OnConflict, takes_versions
from infostream_dedup.stream.preparation import batch_hash, content_hash
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.restoring import position_of

_SOURCE: Final = "<batch>"


@dataclass(frozen=True, slots=True)
class SetAside:
    """A document that could not be decided."""

    index: int
    reason: str
    field: str | None
    detail: str

    def as_dict(self) -> dict[str, Any]:
        """Convert to a row of the answer."""
        return {"index": self.index, "code": self.reason, "field": self.field, "detail": self.detail}


def built_documents(items: Sequence[Any], *, skip: bool) -> tuple[list[tuple[int, Document]], list[SetAside]]:
    """Check the documents of a batch."""
    builder = DocumentBuilder()
    good: list[tuple[int, Document]] = []
    bad: list[SetAside] = []
    for index, item in enumerate(items):
        try:
            good.append((index, _built(builder, item, Place(_SOURCE, index + 1))))
        except BadDataError as error:
            if not skip:
                raise
            bad.append(SetAside(index, error.code, error.field, detail_of(error)))
    return good, bad


def without_conflicts(
    documents: Sequence[tuple[int, Document]], store: Store, on_conflict: OnConflict
) -> tuple[list[tuple[int, Document]], list[SetAside]]:
    """Set aside the documents whose id exists with different content, in the store or earlier in the batch."""
    known = store.known_of(list({document.id: None for _, document in documents}))
    contents = {name: {one.content_hash for one in versions} for name, versions in known.items()}
    good: list[tuple[int, Document]] = []
    bad: list[SetAside] = []
    for index, document in documents:
        content = content_hash(document)
        if content in contents.setdefault(document.id, {content}) or takes_versions(document, on_conflict):
            good.append((index, document))
        else:
            bad.append(SetAside(index, "E_ID_CONFLICT", "id", "the id already exists with different content"))
    return good, bad


def _built(builder: DocumentBuilder, item: Any, place: Place) -> Document:
    if not isinstance(item, dict):
        raise place.error("E_TYPE", "expected an object")
    return builder.build(Record(item, place))


_LONGEST_NAME: Final = 200
_NAMED: Final = 20
_USED: Final = frozenset((*FIELDS, "item", "extra"))
"""Members of documents; of the others, the answer says that they are not used."""

_DOCUMENT: Final = {
    "type": "object",
    "required": ["id", "text"],
    "properties": {
        "id": {"type": ["string", "integer"], "description": "a number stands for its digits"},
        **{name: {"type": "string"} for name in ("text", "title", "source", "url")},
        "lang": {"type": "string", "description": "any code of ISO 639; found in the text if missing"},
        "published": {"type": "string", "description": "ISO 8601; a day, month or year is enough"},
        "item": {"type": "string", "description": "the item of which this is a version"},
        "extra": {"description": "anything; comes back in the document's verdict and is not stored"},
    },
}
"""Described here, and checked by ``DocumentBuilder`` like the records of a file."""

_FIRST: Final = {
    "id": 4711,
    "title": "Port of Odesa reopens",
    "text": "The port of Odesa reopened on Tuesday after a storm.",
    "source": "example.org",
    "published": "2026-03-01T10:30:00Z",
    "extra": {"desk": "economy"},
}
DOCUMENTS_EXAMPLE: Final = {"documents": [_FIRST]}
BATCH_EXAMPLE: Final = {"batch_id": "2026-03-01/1", **DOCUMENTS_EXAMPLE}


class GivenDocuments(Body):
    """Documents as they were sent, not yet checked, and what to do with a known id and other content."""

    on_conflict: OnConflict = "item"
    documents: Annotated[list[Any], WithJsonSchema({"type": "array", "items": _DOCUMENT})]


class GivenThresholds(Body):
    """The tables of a file of thresholds, and the first document that is judged by them."""

    thresholds: dict[str, Any]
    judged: dict[str, Any] = Field(default_factory=dict)
    measured: dict[str, Any]
    first: Annotated[int, Field(ge=0)] | None = None


class GivenBatch(GivenDocuments):
    """A batch as it was sent; without an id, its content identifies it."""

    batch_id: Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME)] | None = None
    on_error: Literal["fail", "skip"] = "fail"

    @field_validator("batch_id")
    @classmethod
    def _is_short(cls, name: str | None) -> str | None:
        if name is not None and len(name.encode()) > _LONGEST_NAME:
            raise ValueError("a batch id is a string of 1 to 200 bytes")
        if any(unicodedata.category(one) == "Cc" for one in name or ""):
            raise ValueError("a batch id has no control characters")
        return name


def ignored_members(documents: Sequence[Any]) -> list[str]:
    """The names of members that no document needs; the answer tells them, so that a misspelt one is noticed."""
    return sorted({name for one in documents if isinstance(one, dict) for name in one} - _USED)[:_NAMED]


def with_extra(verdicts: Sequence[dict[str, Any]], documents: Sequence[Any]) -> list[dict[str, Any]]:
    """Give back what a client attached to its documents, in the same order."""
    return [
        verdict | {"extra": one["extra"]} if isinstance(one, dict) and "extra" in one else verdict
        for verdict, one in zip(verdicts, documents, strict=True)
    ]


def refuse_many(documents: Sequence[Any], most: int) -> None:
    """Refuse more documents than a request may have; ProblemError ``too-large``."""
    if len(documents) > most:
        raise ProblemError(413, "too-large", "send fewer documents at once", field="documents", limit=most)


def name_of(batch: GivenBatch) -> tuple[str, bytes]:
    """The id of a batch, by default that of its content, and a digest of its content; BadDataError as on deciding."""
    placed, _ = built_documents(batch.documents, skip=batch.on_error == "skip")
    digest = batch_hash([content_hash(document) for _, document in placed])
    return batch.batch_id or digest.hex(), digest


def decided_batch(stream: Deduplicator, batch: GivenBatch) -> dict[str, Any]:
    """Decide a batch in the writer's thread; it is on disk when this returns."""
    begin, skip = time.perf_counter(), batch.on_error == "skip"
    store = cast("Store", stream.store)
    placed, aside = built_documents(batch.documents, skip=skip)
    if skip and batch.on_conflict != "version":
        placed, conflicts = without_conflicts(placed, store, batch.on_conflict)
        aside = sorted([*aside, *conflicts], key=lambda one: one.index)
    before = position_of(store.connection).batches
    verdicts = _processed(stream, batch, placed)
    position = store.position
    return {
        "batch_id": batch.batch_id or batch_hash([content_hash(document) for _, document in placed]).hex(),
        "replayed": position.batches == before,
        "position": {"batches": position.batches, "documents": position.documents},
        "verdicts": with_extra(
            [verdict.as_dict(stream.settings.verdict_fields) for verdict in verdicts],
            [batch.documents[index] for index, _ in placed],
        ),
        "quarantined": [one.as_dict() for one in aside],
        "ignored": ignored_members(batch.documents),
        "seconds": time.perf_counter() - begin,
    }


def _processed(stream: Deduplicator, batch: GivenBatch, placed: Sequence[tuple[int, Document]]) -> Sequence[Verdict]:
    documents = [document for _, document in placed]
    try:
        return stream.process(documents, batch_id=batch.batch_id, on_conflict=batch.on_conflict)
    except BadDataError as error:
        if error.line is not None:
            error.line = placed[error.line - 1][0] + 1
        raise
