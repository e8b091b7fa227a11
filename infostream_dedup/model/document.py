"""One item of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

__all__ = ["LANGUAGES", "Document", "Language", "full_text", "without_text"]

Language = Literal["ru", "uk", "en"]
LANGUAGES: Final[tuple[Language, ...]] = ("ru", "uk", "en")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One item of a stream, as it came.

    Attributes:
        id: unique within one collection, 1 to 512 bytes of UTF-8, no control characters.
        text: the body; may be empty.
        title: the headline; empty where there is none.
        lang: language as given, ``None`` where the engine is to detect it.
        published: the date as given (ISO 8601 text or a number); ``None`` where missing.
        time: ``published`` as an aware UTC time; ``None`` where missing.
        source: site or agency.
        url: address.
        images: as given: a list of addresses or a count.
        links: as given: a list of addresses or a count.
        extra: every other field, passed through untouched.
    """

    id: str
    text: str
    title: str = ""
    lang: Language | None = None
    published: str | int | float | None = None
    time: datetime | None = None
    source: str | None = None
    url: str | None = None
    images: Any = None
    links: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def full_text(document: Document) -> str:
    """Title and text; the title is not doubled when the text begins with it."""
    if not document.title or document.text.startswith(document.title):
        return document.text
    return f"{document.title}\n{document.text}"


def without_text(document: Document) -> Document:
    """The same document with an empty body, for those who keep many of them.

    It says what ``dataclasses.replace`` would, which takes longer than reading the text.
    """
    return Document(
        id=document.id,
        text="",
        title=document.title,
        lang=document.lang,
        published=document.published,
        time=document.time,
        source=document.source,
        url=document.url,
        images=document.images,
        links=document.links,
        extra=document.extra,
    )
