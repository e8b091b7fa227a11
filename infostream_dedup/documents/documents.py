"""Documents from records, and documents with the annotations of the engine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, Literal, TypeVar

from infostream_dedup.documents.column_names import FIELDS, ColumnNames, advice_on, fields_elsewhere
from infostream_dedup.documents.dates import utc_time
from infostream_dedup.documents.records import Place, ReadingReport, Record
from infostream_dedup.errors import BadDataError, UsageError
from infostream_dedup.language.text import language
from infostream_dedup.language.text.sentences import sections
from infostream_dedup.model import OUR_LANGUAGES, Document, DocumentBlock, Language, single_documents, with_texts
from infostream_dedup.model.document import MOST_ID_BYTES

OtherLanguages = Literal["stem", "skip", "fail"]
Repair = Literal["no", "judged", "written"]
"""What happens to texts that were once decoded wrongly: nothing; judged as what they were; also written so."""

_LANGUAGE_NAMES: Final[dict[str, Language]] = {
    **dict.fromkeys(("ru", "rus", "russian", "русский", "рус", "російська", "рос"), "ru"),
    **dict.fromkeys(("uk", "ukr", "ua", "ukrainian", "українська", "украинский", "укр"), "uk"),
    **dict.fromkeys(("en", "eng", "english", "английский", "англ", "англійська"), "en"),
}
_NO_LANGUAGE: Final = frozenset(("und", "mul", "mis", "zxx", "unk", "nan", "na", "nil"))
"""ISO 639-2 codes that do not name a language, and what other programs write where they know none."""

_LANGUAGE_CODE: Final = re.compile("[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_ID_BYTES: Final = 8
INT64: Final = range(-(2**63), 2**63)
# Tab and line ends are kept, as is everything outside C0, DEL and C1. Surrogates can only come from memory.
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_INSIDE_WORD: Final = re.compile("(?<=[^\\W\\d_])[\x00-\x08\x0e-\x1b\x7f]+(?=[^\\W\\d_])")
"""Control characters that no program shows as a blank or a line end, between letters of a word."""

_UNWANTED: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_CONTROL_OR_SURROGATE_IN_ID: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_MAX_SHOWN: Final = 60
_EXPECTED_LANGUAGE: Final = f"expected one of {', '.join(OUR_LANGUAGES)}, or null"


class OtherLanguageError(Exception):
    """The document is in a language to leave out."""


class OtherFields(dict[str, Any]):
    """The fields of a record that we do not interpret, in their ``order``; ``theirs``: their names, if ours differ."""

    __slots__ = ("given", "order", "theirs")

    def __init__(
        self, values: Mapping[str, Any], order: tuple[str, ...], given: Mapping[str, Any], theirs: tuple[str, ...] = ()
    ) -> None:
        super().__init__(values)
        self.order = order
        self.theirs = theirs
        self.given = given


def sections_of(document: Document) -> list[Document]:
    """Return the sections of a document's text as documents; the document itself if it has a single one."""
    text, spans = document.text, sections(document.text)
    whole = replace(document, title="", extra=dict(document.extra))
    parts = [replace(whole, id=f"{document.id}#{start}-{end}", text=text[start:end]) for start, end in spans]
    return parts if len(parts) > 1 else [document]


class DocumentBuilder:
    """Checks mappings and builds documents from them; ``sections``: to be cut."""

    sections = False

    def __init__(
        self,
        *,
        zone: tzinfo = UTC,
        columns: ColumnNames | None = None,
        make_ids: bool = False,
        other_languages: OtherLanguages = "stem",
        repair: Repair = "judged",
        report: ReadingReport | None = None,
        plain: bool = False,
    ) -> None:
        self._zone = zone
        self._plain = plain  # the text, its encoding and its language are known to be what they seem
        self.columns = columns
        self._other_languages = other_languages
        self._repair = repair
        self._report = report
        self._made: Counter[bytes] | None = Counter() if make_ids else None
        # Records of one file share a few layouts: keep one tuple per layout, not one per document.
        self._orders: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._letters: dict[str, language.LetterCounts] = {}

    def build(self, record: Record) -> Document:
        """Build the document that a record describes."""
        values, place = record.values, record.place
        theirs: tuple[str, ...] = ()
        if self.columns:
            theirs = tuple(values)
            values = self.columns.renamed(values)
        other = [name for name in values if name not in _INTERPRETED]
        for name in other:
            if not isinstance(name, str):
                raise place.error("E_TYPE", f"a field name is {_type_name(name)}, expected a string")
        order = tuple(values)
        published = _unwrapped(values.get("published"))
        own_id = self._read_id(values, place)
        values, broken = self._repaired(values)
        if "text" not in values:
            raise self._missing_error(values, "text", place)
        text, title = (_read_text(values, "text", place) or ""), _read_text(values, "title", place) or ""
        fields: dict[str, Any] = {
            "id": own_id, "text": text, "title": title, "lang": self._read_language(values, title, text, place),
            "published": _read_published(published), "source": _read_text(values, "source", place),
            "url": _read_text(values, "url", place),
        }  # fmt: skip
        given = {name: values[name] for name, own in fields.items() if name in values and _differs(values, name, own)}
        if self._repair != "written":
            given |= broken
        return Document(
            **fields,
            time=self.time_of(published if record.time is None else record.time, place),
            images=values.get("images"),
            links=values.get("links"),
            extra=OtherFields(
                {name: values[name] for name in other},
                self.layout(order),
                given or _NOTHING,
                self._orders.setdefault(theirs, theirs),
            ),
        )

    def layout(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The same tuple for all records of one layout; the report says which fields a new one seems to have."""
        if names not in self._orders and self._report is not None:
            self._report.unread = self._report.unread or fields_elsewhere(names)
        return self._orders.setdefault(names, names)

    def plainly(self, values: Mapping[str, Any], time: datetime | None) -> Document:
        """Build a document of fields as it takes them; the id may be a whole number, address and date be anything."""
        published, order, own_id = values.get("published"), tuple(values), values["id"]
        if published is not None and (time is None or not isinstance(published, str)):
            return self.build(Record(values, Place("<block>")))
        given = {name: no for name, no in (("title", None), ("lang", "")) if values.get(name, 0) == no}
        if not isinstance(own_id, str):
            given["id"] = own_id
        other = {name: values[name] for name in order if name not in _INTERPRETED}
        extra = OtherFields(other, self.layout(order), given or _NOTHING)
        return Document(
            id=str(own_id), text="", title=values.get("title") or "", lang=values.get("lang") or None, time=time,
            published=published, source=values.get("source"), url=_read_text(values, "url", Place("<block>")),
            images=values.get("images"), links=values.get("links"), extra=extra,
        )  # fmt: skip

    def _repaired(self, values: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Undo wrong encodings of title and text; return the values, and as given those that were changed."""
        broken: dict[str, str] = {}
        better: dict[str, str] = {}
        self._letters.clear()
        for name in ("title", "text"):
            given = values.get(name)
            if not self._plain and self._repair != "no" and isinstance(given, str) and not given.isascii():
                self._letters[name] = letters = language.letter_counts(given)
                found = language.repaired(given, letters)
                if found is not None:
                    broken[name], better[name] = given, found
                    del self._letters[name]
        if not broken:
            return values, _NOTHING
        if self._report is not None:
            self._report.repaired += 1
        return {**values, **better}, broken

    def _contradicted(self, known: Language, title: str, text: str) -> bool:
        """Whether the letters of a document contradict its label; they may have been counted for ``_repaired``."""
        counted = self._letters.get("text") or language.letter_counts(text)
        if title and not text.startswith(title):
            counted = counted.with_those(self._letters.get("title") or language.letter_counts(title))
        return language.is_contradicted(known, counted)

    def _read_id(self, values: Mapping[str, Any], place: Place) -> str:
        value = _unwrapped(values.get("id"))
        if isinstance(value, str):
            return _check_id(value, place)
        if value is None and self._made is not None:
            return self.make_id(values)
        if value is None:
            raise self._missing_error(values, "id", place)
        if isinstance(value, int) and not isinstance(value, bool):
            if value not in INT64:
                raise place.error("E_TYPE", f"{_format_value(value)} is outside 64 bits; give the id as a string", "id")
            return str(int(value))
        # An integer beyond 64 bits arrives as a float, and an id must not lose digits silently.
        expected = "a string or a whole number of 64 bits"
        raise place.error("E_TYPE", f"{_type_name(value)} {_format_value(value)}, expected {expected}", "id")

    def _missing_error(self, values: Mapping[str, Any], name: str, place: Place) -> Exception:
        if name in values:
            return place.error("E_MISSING", "null, expected a string", name)
        # Where columns cannot be named, nobody is told to.
        advice = "" if self.columns is None else advice_on(values, missing=name)
        return place.error("E_MISSING", f"missing, expected a string{advice}", name)

    def make_id(self, values: Mapping[str, Any]) -> str:
        """Return a digest of title, text, date and address; the second of equal documents in a reading gets ``-2``."""
        digest = blake2b(digest_size=_ID_BYTES)
        for name in ("title", "text", "published", "url"):
            # Formats differ in what an empty field is, and libraries in the repr() of a time zone.
            digest.update(repr(_read_published(values.get(name))).encode("utf-8", "backslashreplace") + b"\0")
        assert self._made is not None  # noqa: S101 - the caller has looked
        self._made[digest.digest()] += 1
        times = self._made[digest.digest()]
        return digest.hexdigest() + (f"-{times}" if times > 1 else "")

    def _read_language(self, values: Mapping[str, Any], title: str, text: str, place: Place) -> str | None:
        value = values.get("lang")
        if value is None or is_nan(value):
            return self._recognised(values, place)
        if not isinstance(value, str):
            raise place.error("E_TYPE", f"{_type_name(value)}, {_EXPECTED_LANGUAGE}", "lang")
        code = _language_code(value)
        if code is None:
            return self._recognised(values, place)
        known = code if code in OUR_LANGUAGES else None
        if known is None and (another := language.language_as_labelled(code, text or title)):
            return self._other(another, _format_value(value), place)
        if known is None or (not self._plain and self._contradicted(known, title, text)):
            if self._report is not None:
                self._report.corrected_languages += 1
            return self._recognised(values, place)
        return known

    def _recognised(self, values: Mapping[str, Any], place: Place) -> str | None:
        """Detect the language of a record that does not state it, if it is plainly not one of ours."""
        text = values.get("text")
        code = language.language_beyond_ours(text) if isinstance(text, str) and not self._plain else None
        return None if code is None else self._other(code, f"not given, and the text is in {code!r}", place)

    def _other(self, code: str, found: str, place: Place) -> str:
        if self._other_languages == "fail":
            raise place.error("E_LANG", f"{found}, {_EXPECTED_LANGUAGE}; see --other-languages", "lang")
        if self._report is not None:
            self._report.count_other_language(code)
        if self._other_languages == "skip":
            raise OtherLanguageError
        return code

    def time_of(self, published: object, place: Place) -> datetime | None:
        """Return the moment that a value of ``published`` names."""
        if published is None:
            return None
        try:
            return utc_time(published, self._zone)
        except TypeError as error:
            raise place.error("E_TYPE", str(error), "published") from None
        except ValueError as error:
            raise place.error("E_DATE", f"{_format_value(published)}: {error}", "published") from None


_INTERPRETED: Final = frozenset(FIELDS)


def _language_code(label: str) -> str | None:
    """The language that a label names, as its code; None if it names none."""
    code = label.strip().lower().replace("_", "-").split("-")[0]
    if code in _LANGUAGE_NAMES:
        return _LANGUAGE_NAMES[code]
    return None if code in _NO_LANGUAGE or not _LANGUAGE_CODE.fullmatch(label) else code


@lru_cache(256)
def language_number(label: str | None) -> int:
    """Place of a labelled language among ours; the number after them if none is named, -1 for another language."""
    code = None if label is None else _language_code(label)
    return (*OUR_LANGUAGES, None).index(code) if code in (*OUR_LANGUAGES, None) else -1


def row_of(document: Document) -> dict[str, Any]:
    """Return the record that a document came from, as a mapping of field names to values."""
    extra = document.extra
    order = extra.order if isinstance(extra, OtherFields) else ()
    given = extra.given if isinstance(extra, OtherFields) else _NOTHING
    row: dict[str, Any] = {}
    # If no field states a language other than ours, it was detected in the text.
    found = {"lang"} if isinstance(extra, OtherFields) and document.lang not in OUR_LANGUAGES else set()
    for name in order:
        if name in _INTERPRETED:
            row[name] = given[name] if name in given else getattr(document, name)
        elif name in extra:
            row[name] = extra[name]
    for name in FIELDS:
        if name not in row and name not in found:
            value = getattr(document, name)
            if name in _REQUIRED or (value is not None and value != ""):
                row[name] = value
    row.update((name, value) for name, value in extra.items() if name not in row)
    return row


def with_read_date(record: Mapping[str, Any], own_id: str) -> dict[str, Any]:
    """Return a record as ``row_of`` its document does, but for the form of ``id``."""
    date_read = {"published": _read_published(record["published"])} if "published" in record else {}
    return {**record, "id": own_id, **date_read}


def texts_as_given(document: Document) -> tuple[str, str]:
    """Title and text before a wrong encoding of theirs was undone."""
    given = document.extra.given if isinstance(document.extra, OtherFields) else _NOTHING
    title, text = given.get("title"), given.get("text")
    return title if isinstance(title, str) else document.title, text if isinstance(text, str) else document.text


def as_compared(document: Document) -> Document:
    """A document kept as given, with a wrong encoding of title or text undone."""
    title, text = language.repaired(document.title), language.repaired(document.text)
    if title is None and text is None:
        return document
    return with_texts(document, document.title if title is None else title, document.text if text is None else text)


def row_as_given(document: Document) -> dict[str, Any]:
    """Return a document's record under the names that its user gave; a made id comes last, as ``id_`` beside theirs."""
    row, extra = row_of(document), document.extra
    if not isinstance(extra, OtherFields) or not extra.theirs:
        return row
    back = dict(zip(extra.order, extra.theirs, strict=False))
    # What was found inside a column is in it already.
    parts = set(extra.order[len(extra.theirs) :])
    return {
        back.get(name, "id_" if name in extra.theirs else name): value
        for name, value in row.items()
        if name not in parts and (name in back or name == "id" or name not in extra.theirs)
    }


_REQUIRED: Final = frozenset(("id", "text"))
_NOTHING: Final[Mapping[str, Any]] = {}


def _differs(values: Mapping[str, Any], name: str, own: Any) -> bool:
    """Whether a document has a field in a form that would not be written back as it was given."""
    given = values[name]
    if given is own or (isinstance(given, str) and name in ("text", "title")):
        # Texts lose their control characters, which no output can take.
        return False
    if name == "published":
        return isinstance(given, Mapping)
    return given != own and not is_nan(given)


def _unwrapped(value: Any) -> Any:
    """Return the value that MongoDB wraps in its type, such as ``{"$oid": "5f..."}``."""
    while isinstance(value, Mapping) and len(value) == 1:
        name, inner = next(iter(value.items()))
        if not (isinstance(name, str) and name.startswith("$")):
            break
        value = inner
    return value


def _check_id(value: str, place: Place) -> str:
    if not value:
        raise place.error("E_MISSING", f"empty, expected 1 to {MOST_ID_BYTES} bytes", "id")
    unwanted = _CONTROL_OR_SURROGATE_IN_ID.search(value)
    if unwanted is not None:
        character = unwanted.group()
        if "\ud800" <= character <= "\udfff":
            raise place.error("E_ENCODING", f"lone surrogate {character!a}, expected Unicode text", "id")
        raise place.error("E_ID", f"control character {character!a}, expected printable text", "id")
    if len(value) * 4 > MOST_ID_BYTES and len(value.encode()) > MOST_ID_BYTES:
        size = len(value.encode())
        raise place.error("E_ID", f"{size} bytes of UTF-8, expected 1 to {MOST_ID_BYTES}", "id")
    return value


def plain_ids(values: Sequence[str | None]) -> list[bool]:
    """Which strings are ids."""
    given = [value for value in values if value]
    usual = len(given) == len(values) and 4 * max(map(len, given), default=0) <= MOST_ID_BYTES
    if usual and _CONTROL_OR_SURROGATE_IN_ID.search("".join(given)) is None:
        return [True] * len(values)
    return [value is not None and _is_plain_id(value) for value in values]


def _is_plain_id(value: str) -> bool:
    try:
        _check_id(value, Place("<id>"))
    except BadDataError:
        return False
    return True


def plain_fields(values: Sequence[str | None]) -> list[bool]:
    """Which strings a document takes as they are."""
    if _UNWANTED.search("".join(filter(None, values))) is None:
        return [True] * len(values)
    return [value is None or _UNWANTED.search(value) is None for value in values]


def _read_text(values: Mapping[str, Any], name: str, place: Place) -> str | None:
    value = values.get(name)
    if isinstance(value, str):
        return _checked_text(value, name, place)
    value = _unwrapped(value)
    if value is None or is_nan(value):
        return None
    if isinstance(value, list | tuple) and all(map(_is_part, value)) and not all(isinstance(one, str) for one in value):
        # Telegram writes a text with formats in pieces; a list of plain strings may be one of paragraphs or of tags.
        return _checked_text("".join(one if isinstance(one, str) else one["text"] for one in value), name, place)
    if isinstance(value, Mapping) and name == "source" and isinstance(value.get("name"), str):
        # An outlet with its name and more.
        return _checked_text(value["name"], name, place)
    if isinstance(value, int | float) and not isinstance(value, bool) and name in ("source", "title"):
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    if not isinstance(value, str):
        raise place.error("E_TYPE", f"{_type_name(value)}, expected a string{_advice_inside(value, name)}", name)
    return _checked_text(value, name, place)


def _is_part(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, Mapping) and isinstance(value.get("text"), str))


def _advice_inside(value: object, name: str) -> str:
    """Advise how to name a part of an object, to end a message."""
    inner = [one for one, part in value.items() if isinstance(part, str)] if isinstance(value, Mapping) else []
    if inner:
        return f"; its parts are named as in --columns {name}=NAME.{inner[0]}"
    return "" if name in _REQUIRED else f"; --columns {name}= leaves the column out"


def _checked_text(value: str, name: str, place: Place) -> str:
    if _UNWANTED.search(value) is None:
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:
        surrogate = value[error.start]
        raise place.error("E_ENCODING", f"lone surrogate {surrogate!a}, expected Unicode text", name) from None
    return _CONTROL.sub(" ", _INSIDE_WORD.sub("", value))


def is_nan(value: object) -> bool:
    """Whether a value is not-a-number, with which pandas marks an empty cell."""
    return isinstance(value, float) and value != value


def _read_published(value: Any) -> str | int | float | None:
    """Return the date as given, except that times of Arrow and pandas become ISO text and blank text becomes None."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str) and not value.strip():
        return None
    kept: str | int | float | None = value
    return kept


def _type_name(value: object) -> str:
    """Return the JSON name of a value's type, with its article."""
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


def _format_value(value: object) -> str:
    try:
        text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    except Exception:
        # A failing __repr__ of foreign code must not hide the real fault.
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "..."


_Read = TypeVar("_Read", bound=Document | DocumentBlock)


class Annotation:
    """Adds columns under names that the documents do not use, so that none of their fields is overwritten."""

    def __init__(self, names: Sequence[str], *, prefix: str = "") -> None:
        self._columns = {name: prefix + name for name in names}

    def checked(self, documents: Iterable[_Read]) -> Iterator[_Read]:
        """Yield the documents unchanged, refusing any that already has one of the columns."""
        for one in documents:
            for document in single_documents(one):
                known = document.extra.keys() | getattr(document.extra, "theirs", ())
                taken = next((column for column in self._columns.values() if column in known), None)
                if taken is not None:
                    raise BadDataError(
                        f"the document {document.id!r} has a field of this name, which --annotate would overwrite; "
                        "give the new columns other names, for example with --prefix dedup_",
                        code="E_FIELD_TAKEN",
                        source="--annotate",
                        field=taken,
                    )
            yield one

    def row(self, document: Document, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row of a document with its added columns."""
        return row_as_given(document) | {
            column: values[name] for name, column in self._columns.items() if name in values
        }


def refuse_idle_prefix(prefix: str, *, annotate: bool) -> None:
    """Refuse a prefix of columns that are not added."""
    if prefix and not annotate:
        raise UsageError("prefix (--prefix) needs annotate (--annotate)")
