"""Columns with the user's own names, guesses about their meaning, and records of Arrow tables."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from infostream_dedup.documents.json_files import json_bytes
from infostream_dedup.documents.lines import COLLECT_ADVICE
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.errors import BadDataError, ConfigurationError

Columns: TypeAlias = Mapping[str, str] | Sequence[str] | str
"""Our names to theirs: ``{"text": "Текст"}``, ``"id=ID,text=Текст"``, or a list of such parts."""

FIELDS: Final = ("id", "title", "text", "lang", "published", "source", "url", "images", "links")
"""Names of the fields we interpret, in the order in which documents made in memory are written."""

_NAMES: Final[dict[str, str]] = {
    "id": "id _id docid guid uid uuid key ид код номер № идентификатор ідентифікатор",
    "text": "text body content fulltext article message description summary текст тело содержание содержимое контент "
    "сообщение новость пост допис зміст вміст повідомлення",
    "title": "title headline header heading subject заголовок название тема назва",
    "published": "published date pubdate published_at publish_date created created_at datetime timestamp time "
    "опубликовано опубліковано дата время час",
    "source": "source site domain publisher outlet channel канал источник издание сайт джерело видання",
    "url": "url link href permalink адрес ссылка посилання адреса",
    "lang": "lang language язык мова",
}
_PLAIN: Final = frozenset(
    "article attributes clean data doc document entry fields full item message name news page post pub raw rendered "
    "story text в и на новости новость статьи статью публикации публикацию поста пост материала сообщения "
    "документа записи создания новини новину статті статтю публікації допису допис матеріалу запису створення".split()
)
"""Words that say no more in the name of a column than that it is one of documents: ``Дата публикации``."""


class ColumnNames:
    """Renames the columns of records.

    ``columns``: our names to theirs; None for ours. ``summary.content`` is the part ``content`` of the column
    ``summary``; an empty name leaves the column with our name alone, which is then kept as ``source_``. Raises
    ``ConfigurationError``: a name is not one of ours, or is given twice.

    >>> ColumnNames("id=ID,text=Текст").renamed({"ID": "7", "Текст": "Снег", "n": 1})
    {'id': '7', 'text': 'Снег', 'n': 1}
    >>> ColumnNames("text=summary.content,source=").renamed({"source": 3, "summary": {"content": "Снег"}})
    {'source_': 3, 'summary': {'content': 'Снег'}, 'text': 'Снег'}
    """

    def __init__(self, columns: Columns | None = None) -> None:
        pairs = _pairs(columns)
        self._ours = {theirs: ours for ours, theirs in pairs if theirs}
        self._dropped = {ours for ours, theirs in pairs if not theirs}
        self.absent = sorted(self._ours)  # names that no record had so far
        self._layouts: dict[tuple[str, ...], tuple[list[str], list[tuple[str, str]]]] = {}

    def __bool__(self) -> bool:
        return bool(self._ours or self._dropped)

    def renamed(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a record under our names, see `names`; parts of objects are added to it."""
        if not self:
            return values
        names = tuple(values)
        if names not in self._layouts:
            self._layouts[names] = self.names(names), self.inside(names)
            known = {str(one).strip() for one in names}
            self.absent[:] = [one for one in self.absent if not known & {one, one.split(".")[0]}]
        ours, inside = self._layouts[names]
        return dict(zip(ours, values.values(), strict=True)) | {name: _part(values, path) for path, name in inside}

    def inside(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Dotted names of what is found inside columns, each with our name of it."""
        return [
            (theirs, ours)
            for theirs, ours in self._ours.items()
            if "." in theirs and theirs not in names and theirs.split(".")[0] in names
        ]

    def names(self, names: Sequence[str]) -> list[str]:
        """Return our names for columns."""
        # Blanks around a name are ignored if no column has exactly the name that was given. A column with our name that
        # another replaces keeps its position, with a trailing ``_``.
        found = {name: self._ours_of(name, names) for name in names}
        inside = {ours for _, ours in self.inside(names)}
        taken = {ours for ours in found.values() if ours is not None} | self._dropped | inside
        kept = {name: _free(f"{name}_", names) for name in taken}
        return [found[name] or kept.get(name, name) for name in names]

    def _ours_of(self, name: Any, names: Sequence[str]) -> str | None:
        ours = self._ours.get(name)
        if ours is None and isinstance(name, str) and name.strip() != name and name.strip() not in names:
            ours = self._ours.get(name.strip())
        return ours


def _part(values: Any, path: str) -> Any:
    """Return the part of a record that a dotted name means; None if there is none."""
    for name in path.split("."):
        if isinstance(values, Mapping):
            values = values.get(name)
        elif isinstance(values, list) and name.isdecimal() and int(name) < len(values):
            values = values[int(name)]
        else:
            return None
    return values


def _free(name: str, names: Sequence[str]) -> str:
    while name in names:
        name += "_"
    return name


def _pairs(columns: Columns | None) -> list[tuple[str, str]]:
    if columns is None:
        return []
    if isinstance(columns, Mapping):
        pairs = [(str(ours), str(theirs)) for ours, theirs in columns.items()]
    else:
        parts = [columns] if isinstance(columns, str) else columns
        pairs = [_pair(one) for part in parts for one in part.split(",") if one.strip()]
    names = [ours for ours, _ in pairs]
    for ours, theirs in pairs:
        if ours not in FIELDS:
            raise ConfigurationError(f"columns: {ours!r} is not a field of a document; expected {', '.join(FIELDS)}")
        if names.count(ours) > 1:
            raise ConfigurationError(f"columns: {ours!r} is given twice")
        if not theirs and ours == "text":
            raise ConfigurationError("columns: no column is named for 'text'; write text=NAME")
    return pairs


def _pair(part: str) -> tuple[str, str]:
    ours, equals, theirs = part.partition("=")
    if not equals:
        raise ConfigurationError(f"columns: {part!r} is not a pair; write for example id=ID,text=Body")
    return ours.strip(), theirs.strip()


def doubled_names(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, as a message shows them.

    >>> doubled_names(["id", "text", "", "text", ""])
    ['(no name)', 'text']
    """
    return sorted(name or "(no name)" for name, times in Counter(names).items() if times > 1)


def advice_on(names: Iterable[Any], missing: str = "text") -> str:
    """Advise what to do if the columns id or text are missing: a guess by their names, to end a message.

    >>> advice_on(["ID", "Заголовок", "Текст"])
    '; perhaps --columns id=ID,title=Заголовок,text=Текст'
    >>> advice_on(["body", "headline"])
    '; perhaps --columns text=body,title=headline --make-ids'
    >>> advice_on(["Doc ID", "Article Text"])
    "; perhaps --columns 'id=Doc ID,text=Article Text'"
    >>> advice_on({"id": 7, "title": {"rendered": "Снег"}, "content": {"rendered": "Снег в горах", "protected": False}})
    '; perhaps --columns title=title.rendered,text=content.rendered'
    """
    given = _names_in(names)
    found = _guessed(given)
    if "text" not in found:
        if "messages" in given:
            return f"; {COLLECT_ADVICE}"
        if len(given) == 1 and not isinstance(names, Mapping):
            return "; if this is a heading, remove it: the first line must name the columns"
        named = "text=NAME" if missing == "text" else "id=NAME,text=NAME"
        objects = isinstance(names, Mapping) and any(isinstance(one, Mapping) for one in names.values())
        inside = "; a dot leads into an object: summary.content" if objects else ""
        return f"; name the column that holds the {missing}: --columns {named}{inside}" if given else ""
    shown = [
        f"{ours}={found[ours]}"
        for ours in sorted(found, key=lambda one: given.index(found[one]))
        if ours != found[ours]
    ]
    parts = [f"--columns {_as_word(','.join(shown))}"] if shown else []
    if "id" not in found:
        parts.append("--make-ids")
    return f"; perhaps {' '.join(parts)}" if parts else ""


def fields_elsewhere(names: Iterable[Any]) -> str:
    """Columns that seem to be optional fields under other names, as ``columns`` takes them; "" without any.

    >>> fields_elsewhere(["id", "text", "date", "site", "title", "Subject"])
    'published=date,source=site'
    """
    found = _guessed(_names_in(names))
    pairs = [f"{ours}={found[ours]}" for ours in _NAMES if found.get(ours, ours) != ours and ours not in _REQUIRED]
    return _as_word(",".join(pairs))


def _guessed(given: list[str]) -> dict[str, str]:
    """Our names of the columns that seem to be fields, to theirs."""
    found: dict[str, str] = {}
    for ours, known in _NAMES.items():
        for name in sorted(given, key=lambda one: _rank(one, known)):
            if _rank(name, known) <= len(known.split()) and name not in found.values():
                found[ours] = name
                break
    return found


def _as_word(text: str) -> str:
    """Quote text that a shell would take for more than one plain word."""
    return shlex.quote(text) if re.search(r"[^\w@%+=:,./-]", text) else text


def _names_in(names: Iterable[Any]) -> list[str]:
    """Names of columns; those of the strings in a record's objects in place of the objects."""
    found: list[str] = []
    for name in names:
        inside = names[name] if isinstance(names, Mapping) else None
        parts = [one for one in inside if isinstance(inside[one], str)] if isinstance(inside, Mapping) else None
        found += [name] if parts is None else [f"{name}.{one}" for one in parts]
    return [name for name in found if isinstance(name, str) and name.isprintable()]


def _rank(name: str, known: str) -> int:
    """Place among the known names; behind them a name that has one with plain words; last, any other."""
    words = known.split()
    plain = name.strip().casefold().replace(" ", "_").replace("-", "_")
    if plain in words:
        return words.index(plain)
    parts = re.findall(r"[^\W_]+", re.sub("(?<=[a-z])(?=[A-Z])", "_", name).casefold())
    telling = [one for one in parts if one not in _PLAIN] or parts[-1:]
    return len(words) + (not telling or not all(one in words for one in telling))


# Read records of Arrow tables, for Parquet files and data frames: first the schema, then batch by batch


BATCH_ROWS: Final = 256

ReadBatch: TypeAlias = Callable[[Any, str, int], Iterator[Any]]
"""Reads a batch of rows, given the table's name and the rows that precede it: each alone, or many together."""

_REQUIRED: Final = ("id", "text")
_UNFIT: Final = (ValueError, OverflowError, KeyError)
"""Errors of Arrow for values that Python cannot hold; unknown time zones are a ``KeyError``, of zoneinfo or pytz."""
_OPTIONAL_TEXTS: Final = ("title", "lang", "source", "url")


def schema_error(
    schema: Any, source: str, names: ColumnNames | None = None, *, ids: bool = True
) -> BadDataError | None:
    """Return everything that is wrong with the columns of a table as one error, or None if nothing is."""
    given, inside = list(schema.names), list[str]()
    if names:
        inside = [ours for _, ours in names.inside(given)]
        schema = _renamed(schema, names)
    doubles = doubled_names(schema.names)
    if doubles:
        return Place(source).error("E_SCHEMA", f"duplicate columns: {', '.join(doubles)}")
    missing = [name for name in _REQUIRED if name not in (*schema.names, *inside) and (ids or name != "id")]
    wrong = [
        f"{name} is {schema.field(name).type} (expected {expected})"
        for name, allowed, expected in _list_expectations()
        if name in schema.names and not allowed(schema.field(name).type)
    ]
    parts = [f"missing columns: {', '.join(missing)}"] if missing else []
    parts += [f"columns of a wrong type: {', '.join(wrong)}"] if wrong else []
    if not parts:
        return None
    return Place(source).error(
        "E_SCHEMA",
        f"{'; '.join(parts)}; the columns are: {', '.join(given)[:200]}{advice_on(given) if missing else ''}",
    )


def _renamed(schema: Any, names: ColumnNames) -> Any:
    import pyarrow as pa

    return pa.schema([field.with_name(name) for field, name in zip(schema, names.names(schema.names), strict=True)])


def _list_expectations() -> list[tuple[str, Any, str]]:
    import pyarrow.types as types

    def is_text(kind: Any) -> bool:
        if types.is_dictionary(kind):
            kind = kind.value_type
        return bool(
            types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind) or types.is_null(kind)
        )

    def is_text_or_empty(kind: Any) -> bool:
        # pandas makes a column of numbers of one without values; its records are checked one by one.
        return is_text(kind) or bool(types.is_floating(kind))

    def is_id(kind: Any) -> bool:
        return is_text(kind) or bool(types.is_integer(kind))

    def is_date(kind: Any) -> bool:
        return is_text(kind) or bool(
            types.is_integer(kind) or types.is_floating(kind) or types.is_date(kind) or types.is_timestamp(kind)
        )

    return [
        ("id", is_id, "string or a whole number"),
        ("text", is_text, "string"),
        *((name, is_text_or_empty, "string") for name in _OPTIONAL_TEXTS),
        ("published", is_date, "string, number, date or timestamp"),
    ]


def batch_records(batch: Any, source: str, rows_before: int) -> Iterator[Item]:
    """Yield the records of one batch, and an error for each row with a cell that cannot be read."""
    batch = without_nanoseconds(batch)
    try:
        rows = batch.to_pylist()
    except _UNFIT:
        yield from _read_row_by_row(batch, source, rows_before)
        return
    for number, values in enumerate(rows, rows_before + 1):
        yield Record(values, Place(source, number))


def without_nanoseconds(batch: Any) -> Any:
    """Cut times to microseconds, the precision of Python's ``datetime``."""
    import pyarrow as pa

    for position, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            times = batch.column(position).cast(pa.timestamp("us", field.type.tz), safe=False)
            batch = batch.set_column(position, field.name, times)
    return batch


def _read_row_by_row(batch: Any, source: str, rows_before: int) -> Iterator[Item]:
    for position in range(batch.num_rows):
        place = Place(source, rows_before + position + 1)
        values: dict[str, Any] = {}
        fault: BadDataError | None = None
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            try:
                values[name] = column[position].as_py()
            except UnicodeDecodeError as error:
                fault = fault or place.error("E_ENCODING", f"{error.reason} at byte {error.start}, not UTF-8", name)
            except _UNFIT as error:
                code = "E_DATE" if name == "published" else "E_TYPE"
                why = f"a time zone that Python does not know: {error}" if isinstance(error, KeyError) else str(error)
                fault = fault or place.error(code, f"a value that Python cannot hold ({why})", name)
        if fault is None:
            yield Record(values, place)
        else:
            fault.raw = json_bytes(values)
            yield fault
