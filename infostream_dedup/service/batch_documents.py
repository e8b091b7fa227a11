"""Separates the documents of a batch that can be decided from those that are set aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from infostream_dedup.documents.documents import DocumentBuilder
from infostream_dedup.documents.records import Place, Record
from infostream_dedup.errors import BadDataError
from infostream_dedup.model import Document
from infostream_dedup.stream.fingerprints import content_hash
from infostream_dedup.stream.store import Store

__all__ = ["SetAside", "built_documents", "without_conflicts"]

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
