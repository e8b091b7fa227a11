"""Checks, decides and answers a batch received over HTTP or from a queue."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from infostream_dedup.documents.documents import DocumentBuilder
from infostream_dedup.documents.records import Place, Record
from infostream_dedup.errors import BadDataError
from infostream_dedup.model import Document
from infostream_dedup.model.stream_records import Verdict
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.stream.deduplicator import Deduplicator, OnConflict
from infostream_dedup.stream.fingerprints import content_hash
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.restoring import position_of

_SOURCE: Final = "<batch>"


@dataclass(frozen=True, slots=True)
class SetAside:
    """A document that could not be decided.

    Attributes:
        index: its position in the batch, from 0.
        reason: code of the fault, such as ``E_TYPE``.
        field: the faulty field; None if the whole document is faulty.
        detail: what was expected.
    """

    index: int
    reason: str
    field: str | None
    detail: str

    def as_dict(self) -> dict[str, Any]:
        """Convert to a row of the answer."""
        return {"index": self.index, "code": self.reason, "field": self.field, "detail": self.detail}


def built_documents(items: Sequence[Any], *, skip: bool) -> tuple[list[tuple[int, Document]], list[SetAside]]:
    """Check the documents of a batch.

    Args:
        items: the documents as received.
        skip: whether to set bad ones aside.

    Returns:
        The good ones with their positions, and those set aside.

    Raises:
        BadDataError: a document is bad, and ``skip`` is off.
    """
    builder = DocumentBuilder()
    good: list[tuple[int, Document]] = []
    bad: list[SetAside] = []
    for index, item in enumerate(items):
        try:
            good.append((index, _built(builder, item, Place(_SOURCE, index + 1))))
        except BadDataError as error:
            if not skip:
                raise
            bad.append(SetAside(index, error.code, error.field, _detail(error)))
    return good, bad


def without_conflicts(
    documents: Sequence[tuple[int, Document]], store: Store
) -> tuple[list[tuple[int, Document]], list[SetAside]]:
    """Set aside the documents whose id exists with different content, in the store or earlier in the batch."""
    known = store.known_of(list({document.id: None for _, document in documents}))
    contents = {name: {one.content_hash for one in versions} for name, versions in known.items()}
    good: list[tuple[int, Document]] = []
    bad: list[SetAside] = []
    for index, document in documents:
        content = content_hash(document)
        if content in contents.setdefault(document.id, {content}):
            good.append((index, document))
        else:
            bad.append(SetAside(index, "E_ID_CONFLICT", "id", "the id already exists with different content"))
    return good, bad


def _built(builder: DocumentBuilder, item: Any, place: Place) -> Document:
    if not isinstance(item, dict):
        raise place.error("E_TYPE", "expected an object")
    return builder.build(Record(item, place))


def _detail(error: BadDataError) -> str:
    """Say what was expected, without quoting what was sent, and without advice about options of the command line."""
    _, separator, expected = error.message.partition("expected ")
    return f"expected {expected.partition(';')[0]}" if separator else "see the field"


BATCH_MEMBERS: Final = ("batch_id", "on_error", "on_conflict", "documents")
_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class GivenBatch:
    """A batch as it was sent.

    Attributes:
        name: its id; None if its content identifies it.
        skip: whether to set bad documents aside.
        on_conflict: what to do with a known id and other content (see ``Deduplicator``).
        items: its documents, not yet checked.
    """

    name: str | None
    skip: bool
    on_conflict: OnConflict
    items: Sequence[Any]


def checked_batch(body: dict[str, Any], most: int) -> GivenBatch:
    """Read a batch.

    Args:
        body: members as in ``BATCH_MEMBERS``.
        most: maximum number of documents.

    Raises:
        ProblemError: ``invalid`` or ``too-large``.
    """
    name, on_error, items = body.get("batch_id"), body.get("on_error", "fail"), body.get("documents")
    if name is not None and (not isinstance(name, str) or not 1 <= len(name.encode()) <= _LONGEST_NAME):
        raise ProblemError(422, "invalid", "a batch id is a string of 1 to 200 bytes", field="batch_id")
    if on_error not in ("fail", "skip"):
        raise ProblemError(422, "invalid", "expected fail or skip", field="on_error")
    if not isinstance(items, list):
        raise ProblemError(422, "invalid", "expected an array of documents", field="documents")
    if len(items) > most:
        raise ProblemError(413, "too-large", "send fewer documents at once", field="documents", limit=most)
    return GivenBatch(name, on_error == "skip", checked_conflict(body), items)


def checked_conflict(body: dict[str, Any]) -> OnConflict:
    """Read what to do with a known id and other content: ``error`` unless said otherwise.

    Raises:
        ProblemError: ``invalid``.
    """
    given = body.get("on_conflict", "error")
    if given not in ("error", "version"):
        raise ProblemError(422, "invalid", "expected error or version", field="on_conflict")
    return cast("OnConflict", given)


def decided_batch(stream: Deduplicator, batch: GivenBatch) -> dict[str, Any]:
    """Decide a batch in the writer's thread; it is on disk when this returns.

    Returns:
        The answer to the client, with ``seconds``.

    Raises:
        BadDataError, StoreBusyError, CannotWriteError: nothing was stored.
    """
    begin = time.perf_counter()
    store = cast("Store", stream.store)
    placed, aside = built_documents(batch.items, skip=batch.skip)
    if batch.skip and batch.on_conflict == "error":
        placed, conflicts = without_conflicts(placed, store)
        aside = sorted([*aside, *conflicts], key=lambda one: one.index)
    before = position_of(store.connection).batches
    verdicts = _processed(stream, batch, placed)
    position = store.position
    return {
        "batch_id": batch.name,
        "replayed": position.batches == before,
        "position": {"batches": position.batches, "documents": position.documents},
        "verdicts": [verdict.as_dict(stream.settings.verdict_fields) for verdict in verdicts],
        "quarantined": [one.as_dict() for one in aside],
        "seconds": time.perf_counter() - begin,
    }


def _processed(stream: Deduplicator, batch: GivenBatch, placed: Sequence[tuple[int, Document]]) -> Sequence[Verdict]:
    documents = [document for _, document in placed]
    try:
        return stream.process(documents, batch_id=batch.name, on_conflict=batch.on_conflict)
    except BadDataError as error:
        if error.line is not None:
            error.line = placed[error.line - 1][0] + 1
        raise
