"""One item of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

Language = Literal["ru", "uk", "en", "other"]

OUR_LANGUAGES: Final[tuple[Language, ...]] = ("ru", "uk", "en")
"""Languages with their own dictionaries."""

LANGUAGES: Final[tuple[Language, ...]] = (*OUR_LANGUAGES, "other")
"""Languages with their own statistics; all further languages share ``other``."""


def language_number(code: str) -> int:
    """Return the index into ``LANGUAGES`` of a language.

    Example:
        >>> language_number("uk"), language_number("de")
        (1, 3)
    """
    return _NUMBERS.get(code, len(OUR_LANGUAGES))


MOST_ID_BYTES: Final = 2048
"""Maximum length of an id in UTF-8; addresses with Cyrillic words in percent signs have a thousand."""

_NUMBERS: Final[dict[str, int]] = {code: number for number, code in enumerate(LANGUAGES)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One item of a stream, as given.

    Attributes:
        id: unique within one collection, 1 to 2,048 bytes of UTF-8, no control characters.
        text: body; may be empty.
        title: headline; empty if missing.
        lang: ``ru``, ``uk``, ``en``, or the code of another language (``de``), whose words are stemmed by Snowball;
            ``None`` to let the engine distinguish the first three.
        published: date as given (ISO 8601 text or a number); ``None`` if missing.
        time: ``published`` as an aware UTC time; ``None`` if missing.
        source: site or agency; ``None`` if missing.
        url: address of the item; ``None`` if missing.
        images: addresses of the images, or their number, as given.
        links: addresses of the links, or their number, as given.
        extra: all other fields, passed through unchanged.
    """

    id: str
    text: str
    title: str = ""
    lang: str | None = None
    published: str | int | float | None = None
    time: datetime | None = None
    source: str | None = None
    url: str | None = None
    images: Any = None
    links: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def full_text(document: Document) -> str:
    """Return title and text on separate lines; the text alone if it starts with the title or there is no title."""
    return joined_text(document.title, document.text)


def joined_text(title: str, text: str) -> str:
    """Join a title and a text, see ``full_text``."""
    return text if not title or text.startswith(title) else f"{title}\n{text}"


def without_text(document: Document) -> Document:
    """Return a copy of the document with an empty body, for callers that keep many documents."""
    return with_texts(document, document.title, "")


def filled(document: Document, text: str) -> Document:
    """Put the body into a document that was just made without one: sooner done than a copy."""
    object.__setattr__(document, "text", text)
    return document


def with_texts(document: Document, title: str, text: str) -> Document:
    """Return a copy of the document with another title and body.

    Equivalent to ``dataclasses.replace``, which would take longer than reading the text.
    """
    return Document(
        id=document.id,
        text=text,
        title=title,
        lang=document.lang,
        published=document.published,
        time=document.time,
        source=document.source,
        url=document.url,
        images=document.images,
        links=document.links,
        extra=document.extra,
    )
