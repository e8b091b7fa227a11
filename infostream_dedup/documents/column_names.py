"""Columns with the user's own names, and guesses about their meaning."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from infostream_dedup.errors import ConfigurationError

Columns: TypeAlias = Mapping[str, str] | Sequence[str] | str
"""Our names to theirs: ``{"text": "Текст"}``, ``"id=ID,text=Текст"``, or a list of such parts."""

FIELDS: Final = ("id", "title", "text", "lang", "published", "source", "url", "images", "links")
"""Names of the fields we interpret, in the order in which documents made in memory are written."""

_NAMES: Final[dict[str, str]] = {
    "id": "id _id doc_id docid document_id news_id article_id guid uid uuid key ид код номер № идентификатор "
    "ідентифікатор",
    "text": "text body content content_text full_text fulltext article_text article message description summary "
    "текст тело содержание содержимое контент сообщение новость зміст "
    "вміст повідомлення",
    "title": "title headline header heading subject заголовок название тема назва",
    "published": "published date pubdate pub_date published_at publish_date created created_at datetime timestamp time "
    "опубликовано опубліковано дата время час",
    "source": "source site domain publisher outlet источник издание сайт джерело видання",
    "url": "url link href permalink адрес ссылка посилання адреса",
    "lang": "lang language язык мова",
}


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

    def __bool__(self) -> bool:
        return bool(self._ours or self._dropped)

    def renamed(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a record under our names, see `names`; parts of objects are added to it."""
        if not self:
            return values
        names = list(values)
        parts = {ours: _part(values, theirs) for theirs, ours in self._inside(names)}
        return dict(zip(self.names(names), values.values(), strict=True)) | parts

    def _inside(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """What a dotted name finds inside a column."""
        return [
            (theirs, ours)
            for theirs, ours in self._ours.items()
            if "." in theirs and theirs not in names and theirs.split(".")[0] in names
        ]

    def inside(self, names: Sequence[str]) -> list[str]:
        """Our names of what is found inside columns."""
        return [ours for _, ours in self._inside(names)]

    def names(self, names: Sequence[str]) -> list[str]:
        """Return our names for columns.

        Blanks around a name are ignored if no column has exactly the name that was given. A column with our name that
        another replaces keeps its position, with a trailing ``_``.
        """
        found = {name: self._ours_of(name, names) for name in names}
        taken = {ours for ours in found.values() if ours is not None} | self._dropped | set(self.inside(names))
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
        if not theirs and ours in ("id", "text"):
            raise ConfigurationError(f"columns: no column is named for {ours!r}; write {ours}=NAME")
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
    """
    given = [name for name in names if isinstance(name, str) and name.isprintable()]
    found: dict[str, str] = {}
    for ours, known in _NAMES.items():
        for name in sorted(given, key=lambda one: _rank(one, known)):
            if _rank(name, known) < len(known.split()) and name not in found.values():
                found[ours] = name
                break
    if "text" not in found:
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


def _as_word(text: str) -> str:
    """Quote text that a shell would take for more than one plain word."""
    return shlex.quote(text) if re.search(r"[^\w@%+=:,./-]", text) else text


def _rank(name: str, known: str) -> int:
    words = known.split()
    plain = name.strip().casefold().replace(" ", "_").replace("-", "_")
    return words.index(plain) if plain in words else len(words)
