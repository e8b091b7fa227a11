"""Checks, decides and answers a batch received over HTTP or from a queue."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final, cast

from infostream_dedup.errors import BadDataError
from infostream_dedup.model import Document
from infostream_dedup.model.stream_records import Verdict
from infostream_dedup.service.batch_documents import built_documents, without_conflicts
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.store import Store
from infostream_dedup.store.restoring import position_of
from infostream_dedup.stream.deduplicator import Deduplicator

__all__ = ["BATCH_MEMBERS", "checked_batch", "decided_batch"]

BATCH_MEMBERS: Final = ("batch_id", "on_error", "documents")
_LONGEST_NAME: Final = 200


def checked_batch(body: dict[str, Any], most: int) -> tuple[str | None, bool, list[Any]]:
    """Read a batch.

    Args:
        body: ``batch_id``, ``on_error`` and ``documents``.
        most: maximum number of documents.

    Returns:
        The batch id, whether to set bad documents aside, and the documents as received.

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
    return name, on_error == "skip", items


def decided_batch(stream: Deduplicator, name: str | None, items: Sequence[Any], *, skip: bool) -> dict[str, Any]:
    """Decide a batch in the writer's thread; it is on disk when this returns.

    Returns:
        The answer to the client, with ``seconds``.

    Raises:
        BadDataError, StoreBusyError, CannotWriteError: nothing was stored.
    """
    begin = time.perf_counter()
    store = cast("Store", stream.store)
    placed, aside = built_documents(items, skip=skip)
    if skip:
        placed, conflicts = without_conflicts(placed, store)
        aside = sorted([*aside, *conflicts], key=lambda one: one.index)
    before = position_of(store.connection).batches
    verdicts = _processed(stream, [document for _, document in placed], [index for index, _ in placed], name)
    position = store.position
    return {
        "batch_id": name,
        "replayed": position.batches == before,
        "position": {"batches": position.batches, "documents": position.documents},
        "verdicts": [verdict.as_dict(stream.settings.verdict_fields) for verdict in verdicts],
        "quarantined": [one.as_dict() for one in aside],
        "seconds": time.perf_counter() - begin,
    }


def _processed(
    stream: Deduplicator, documents: list[Document], places: list[int], name: str | None
) -> Sequence[Verdict]:
    try:
        return stream.process(documents, batch_id=name)
    except BadDataError as error:
        if error.line is not None:
            error.line = places[error.line - 1] + 1
        raise
