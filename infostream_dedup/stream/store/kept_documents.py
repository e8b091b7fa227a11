"""Documents rebuilt from a store: only the fields that every store keeps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from infostream_dedup.model.document import Document, Language
from infostream_dedup.model.stream_records import Remembered

__all__ = ["kept_document", "kept_of"]

_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


def kept_document(
    id: str,  # noqa: A002 - the name of the field
    text: str,
    *,
    title: str,
    language: Language,
    published: int | None,
    source: str | None,
    url: str | None = None,
) -> Document:
    """Make a document from what a store keeps; pictures, links and other fields are missing.

    Args:
        id: as given.
        text: the body.
        title: the headline.
        language: given or detected.
        published: UTC microseconds since 1970.
        source: site or agency.
        url: address.
    """
    time = None if published is None else _BEGINNING + timedelta(microseconds=published)
    return Document(id=id, text=text, title=title, lang=language, time=time, source=source, url=url)


def kept_of(remembered: Remembered) -> Document:
    """Reduce a document that is about to be stored, with its text, to what a store keeps."""
    return kept_document(
        remembered.id,
        remembered.text or "",
        title=remembered.title,
        language=remembered.language,
        published=remembered.published,
        source=remembered.source,
        url=remembered.url,
    )
