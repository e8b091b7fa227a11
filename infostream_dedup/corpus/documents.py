"""One mapping to one `Document` and back: all checks of a record, whatever kind of input it came from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, tzinfo
from typing import Any, Final, Literal

from infostream_dedup.corpus.dates import utc_time
from infostream_dedup.corpus.records import Place, Record
from infostream_dedup.model import LANGUAGES, Document, Language

__all__ = ["FIELDS", "DocumentBuilder", "IdType", "OtherFields", "row_of"]

IdType = Literal["str", "int"]

FIELDS: Final = ("id", "title", "text", "lang", "published", "source", "url", "images", "links")
"""Names with a meaning of their own, in the order in which they are written for documents made in memory."""

_MAX_ID_BYTES: Final = 512
_INT64: Final = range(-(2**63), 2**63)
# Tab and line ends stay; so does everything else outside C0, DEL and C1. Surrogates can come from memory only.
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_UNWANTED: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_CONTROL_OR_SURROGATE_IN_ID: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SHOWN: Final = 60


class OtherFields(dict[str, Any]):
    """The fields of a record that have no meaning for us, and the order in which all its fields came.

    The order makes a document go out with the keys it came in with; it takes no part in comparisons.
    """

    __slots__ = ("order",)

    def __init__(self, values: Mapping[str, Any], order: tuple[str, ...]) -> None:
        super().__init__(values)
        self.order = order


class DocumentBuilder:
    """Checks mappings and turns them into documents.

    Args:
        id_type: ``str``: an id is text. ``int``: whole numbers of 64 bits are taken too, as their decimal digits.
        zone: zone of dates without one.
    """

    def __init__(self, *, id_type: IdType = "str", zone: tzinfo = UTC) -> None:
        self._id_type = id_type
        self._zone = zone
        # Records of one file share few layouts: one tuple each instead of one for every document.
        self._orders: dict[tuple[str, ...], tuple[str, ...]] = {}

    def build(self, record: Record) -> Document:
        """The document that a record describes.

        A null optional field is the same as an absent one. In the text fields every control character (C0, DEL, C1)
        except tab, newline and carriage return becomes one blank, so that offsets into the text stay true.

        Args:
            record: the values as parsed, and their place for messages. A time that it brings along goes before the
                one made of ``published``.

        Raises:
            BadDataError: a required field is missing, or a field holds what it must not; codes ``E_MISSING``,
                ``E_TYPE``, ``E_ID``, ``E_LANG``, ``E_DATE``, ``E_ENCODING``.
        """
        values, place = record.values, record.place
        other = [name for name in values if name not in _MEANT]
        for name in other:
            if not isinstance(name, str):
                raise place.error("E_TYPE", f"a field name is {_kind(name)}, expected a string")
        order = tuple(values)
        published = values.get("published")
        return Document(
            id=self._id(values, place),
            text=_required_text(values, place),
            title=_text(values, "title", place) or "",
            lang=_language(values, place),
            published=_published(published),
            time=self._time(published if record.time is None else record.time, place),
            source=_text(values, "source", place),
            url=_text(values, "url", place),
            images=values.get("images"),
            links=values.get("links"),
            extra=OtherFields({name: values[name] for name in other}, self._orders.setdefault(order, order)),
        )

    def _id(self, values: Mapping[str, Any], place: Place) -> str:
        value = values.get("id")
        if isinstance(value, str):
            return _checked_id(value, place)
        if value is None:
            raise _missing(values, "id", place)
        if isinstance(value, int) and not isinstance(value, bool) and self._id_type == "int":
            if value not in _INT64:
                raise place.error("E_TYPE", f"{_shown(value)} is outside 64 bits; give the id as a string", "id")
            return str(int(value))
        expected = "a string" if self._id_type == "str" else "a string or a whole number of 64 bits"
        # A whole number beyond 64 bits reaches us as a float: an id must not lose digits silently.
        hint = "; id_type='int' (--id-type int) takes whole numbers" if type(value) is int else ""
        raise place.error("E_TYPE", f"{_kind(value)} {_shown(value)}, expected {expected}{hint}", "id")

    def _time(self, published: object, place: Place) -> datetime | None:
        if published is None:
            return None
        try:
            return utc_time(published, self._zone)
        except TypeError as error:
            raise place.error("E_TYPE", str(error), "published") from None
        except ValueError as error:
            raise place.error("E_DATE", f"{_shown(published)}: {error}", "published") from None


_MEANT: Final = frozenset(FIELDS)


def row_of(document: Document) -> dict[str, Any]:
    """The record that a document came from, as field names to values.

    Keys come in the order in which they were read; a document made in memory gives `FIELDS` that are not empty, then
    its other fields. ``published`` is the value as given, not the time made of it.

    Example:
        >>> row_of(Document(id="a", text="слово", published=2024, extra={"topic": "x"}))
        {'id': 'a', 'text': 'слово', 'published': 2024, 'topic': 'x'}
    """
    extra = document.extra
    order = extra.order if isinstance(extra, OtherFields) else ()
    row: dict[str, Any] = {}
    for name in order:
        if name in _MEANT:
            row[name] = getattr(document, name)
        elif name in extra:
            row[name] = extra[name]
    for name in FIELDS:
        if name not in row:
            value = getattr(document, name)
            if name in _REQUIRED or (value is not None and value != ""):
                row[name] = value
    for name, value in extra.items():
        if name not in row:
            row[name] = value
    return row


_REQUIRED: Final = frozenset(("id", "text"))


def _checked_id(value: str, place: Place) -> str:
    if not value:
        raise place.error("E_MISSING", f"empty, expected 1 to {_MAX_ID_BYTES} bytes", "id")
    unwanted = _CONTROL_OR_SURROGATE_IN_ID.search(value)
    if unwanted is not None:
        character = unwanted.group()
        if "\ud800" <= character <= "\udfff":
            raise place.error("E_ENCODING", f"lone surrogate {character!a}, expected Unicode text", "id")
        raise place.error("E_ID", f"control character {character!a}, expected printable text", "id")
    if len(value) * 4 > _MAX_ID_BYTES and len(value.encode()) > _MAX_ID_BYTES:
        size = len(value.encode())
        raise place.error("E_ID", f"{size} bytes of UTF-8, expected 1 to {_MAX_ID_BYTES}", "id")
    return value


def _required_text(values: Mapping[str, Any], place: Place) -> str:
    text = _text(values, "text", place)
    if text is None:
        raise _missing(values, "text", place)
    return text


def _text(values: Mapping[str, Any], name: str, place: Place) -> str | None:
    value = values.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise place.error("E_TYPE", f"{_kind(value)}, expected a string", name)
    if _UNWANTED.search(value) is None:
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:
        surrogate = value[error.start]
        raise place.error("E_ENCODING", f"lone surrogate {surrogate!a}, expected Unicode text", name) from None
    return _CONTROL.sub(" ", value)


def _language(values: Mapping[str, Any], place: Place) -> Language | None:
    value = values.get("lang")
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise place.error("E_TYPE", f"{_kind(value)}, expected one of {', '.join(LANGUAGES)}", "lang")
    for language in LANGUAGES:
        if value == language:
            return language
    raise place.error("E_LANG", f"{_shown(value)}, expected one of {', '.join(LANGUAGES)}, or null", "lang")


def _published(value: Any) -> str | int | float | None:
    """The date as given; times of Arrow and pandas become their ISO text, blank text becomes None."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str) and not value.strip():
        return None
    kept: str | int | float | None = value
    return kept


def _missing(values: Mapping[str, Any], name: str, place: Place) -> Exception:
    came = "null" if name in values else "missing"
    return place.error("E_MISSING", f"{came}, expected a string", name)


def _kind(value: object) -> str:
    """The JSON name of a value's type."""
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, list | tuple):
        return "an array"
    if isinstance(value, Mapping):
        return "an object"
    return "null" if value is None else type(value).__name__


def _shown(value: object) -> str:
    """A value for a message: short, ASCII-safe and on one line."""
    try:
        text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    except Exception:
        # A stranger's __repr__ must not hide the real fault.
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
