"""``watch``: standing searches of a stream, which later verdicts name. Every function takes the path of a store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.errors import NoInputError, UsageError
from infostream_dedup.language.text.language import detect
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Document, names_in
from infostream_dedup.model.limits import OneOf, Range

if TYPE_CHECKING:
    from sqlite3 import Connection

    from infostream_dedup.stream.settings import StreamSettings
    from infostream_dedup.stream.store.store import Store

__all__ = ["add", "hits", "listed", "remove"]
_NAME: Final = re.compile(r"[\w.-]{1,64}")
TermSets = list[list[str]]  # for each term of a search, the terms of documents that match it


def add(
    path: str | Path,
    name: str,
    *,
    text: str | None = None,
    terms: Sequence[str] | str | None = None,
    languages: Sequence[str] | str | None = None,
    lang: str | None = None,
    k: int | None = None,
) -> dict[str, Any]:
    """Add a standing search to a store: from the next document on, verdicts name it in ``watches``.

    A document answers it if it has at least k of its terms, one of them among its own key terms. Terms are looked up in
    every language in which the dictionaries know all of them.

    Args:
        path: the store, from ``ingest``; a running ``ingest`` or ``serve`` takes the search up with its next batch.
        name: 1 to 64 letters, digits, dots or hyphens.
        text: a text; its key terms are watched.
        terms: words or names instead, such as ``"мост,Харьков"``.
        languages: watch only documents in these languages; ``ru,uk,en`` by default.
        lang: language of the text or terms, as detected by default.
        k: how many terms a document must have; by default all of ``terms``, or the stream's ``k_similar`` of a text.

    Returns:
        ``name, first`` (ordinal of the first document that is watched), ``languages, k, terms``.

    Raises:
        UsageError: not exactly one of text and terms; the name is taken; nothing in them is a term.
        ConfigurationError: there is no such language; k is greater than the number of terms.
        NoInputError, BadDataError, StoreBusyError: see ``store``.
    """
    from infostream_dedup.stream.settings import StreamSettings

    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a watch; use 1 to 64 letters, digits, dots or hyphens")
    if (text is None) == (terms is None):
        raise UsageError("give either a text (--text) or terms (--terms)")
    wanted: Sequence[str] = OUR_LANGUAGES if languages is None else names_in(languages)
    for one in (*wanted, *([] if lang is None else [lang])):
        OneOf(*LANGUAGES).check("language", one)
    items = [text or ""] if terms is None else names_in(terms)
    with _changed(path, name) as (store, known, change):
        if name in known:
            raise UsageError(f"{path} has a watch {name!r}; remove it first ('watch remove'), or choose another name")
        settings = StreamSettings.of(store.settings)
        own = lang or detect(" ".join(items))
        sets = _sets_of(store.connection, settings, items, wanted, own, named=terms is not None)
        most = max((len(one) for one in sets.values()), default=0)
        if not most:
            none = "the text has no key terms" if terms is None else f"{', '.join(map(repr, items))} are no terms"
            raise UsageError(f"{none} in {', '.join(wanted)}; stop words and numbers alone cannot be watched")
        least = min(settings.k_similar, most) if terms is None else most
        words = [one[0] for one in sets.get(own) or next(iter(sets.values()))] if terms is None else items
        search: dict[str, Any] = {"text": text, "terms": words, "languages": list(sets)}
        search |= {"k": least if k is None else Range(1, most).check("k", k), "sets": sets}
        change["search"] = search
    return watch_row(name, {**change, **search})


@contextmanager
def _changed(path: str | Path, name: str) -> Iterator[tuple[Store, dict[str, Any], dict[str, Any]]]:
    """A store, its standing searches, and a change of one of them that is written in the end; it ends the search."""
    from infostream_dedup.stream.retuning import searches_in_force
    from infostream_dedup.stream.store.opening import (
        WATCHES,
        add_change,
        changes_of,
        check_settings,
        write_settings_checksum,
    )
    from infostream_dedup.stream.store.store import Store

    with Store.open(path, create=False) as store, store.transaction():
        connection = store.connection
        check_settings(connection, store.path)
        changes, documents = changes_of(connection, WATCHES), store.stored_position().documents
        change: dict[str, Any] = {"first": documents, "name": name, "search": None}
        yield store, searches_in_force(changes, documents), change
        add_change(connection, WATCHES, change)
        write_settings_checksum(connection)


def _sets_of(
    connection: Connection,
    settings: StreamSettings,
    items: Sequence[str],
    languages: Sequence[str],
    own: str,
    *,
    named: bool,
) -> dict[str, TermSets]:
    """The terms of all items in each language; a language in which one of them has no term is left out."""
    from infostream_dedup.stream.question import QuestionReader

    reader = QuestionReader(settings)
    reader.refresh(connection)
    into = [LANGUAGES.index(one) for one in OUR_LANGUAGES]
    # In the middle of a sentence a capital letter marks a name.
    before = "the " if "".join(items).isascii() else "а "
    found = [
        reader.written(Document(id="", text=f"{before * named}{item}", lang=own), into, every=named) for item in items
    ]
    common: dict[str, TermSets] = {}
    for language in languages:
        sets = [one.get(language, []) for one in found]
        if all(terms for one in sets for terms in one or [[]]):
            common[language] = [terms for one in sets for terms in one]
    return common


def remove(path: str | Path, name: str) -> None:
    """End a standing search with the next document; its hits remain.

    Args:
        name: name of the search.

    Raises:
        NoInputError: there is no such search, or no store.
        BadDataError, StoreBusyError: see ``store``.
    """
    with _changed(path, name) as (_, known, _):
        if name not in known:
            told = f"it has {', '.join(known)}" if known else "it has none"
            raise NoInputError(f"{path} has no watch {name!r}; {told}")


def listed(path: str | Path) -> list[dict[str, Any]]:
    """List the standing searches of a store.

    Returns:
        Rows ``name, first, languages, k, terms`` (see ``add``), ``hits`` (number of documents) and ``last`` (ordinal of
        the last one).

    Raises:
        NoInputError, BadDataError: see ``store``.
    """
    from infostream_dedup.stream.store.store import Store

    with Store.open(path, create=False, read_only=True) as store, store.reading():
        return watch_rows(store)


def hits(path: str | Path, name: str, *, top: int = 20) -> list[dict[str, Any]]:
    """List the documents that a standing search has found, the latest first.

    Args:
        name: name of the search, which may have ended.
        top: maximum number; 0 for all.

    Returns:
        Rows ``ordinal, id, title, source, language, published, url, status, of``.

    Raises:
        NoInputError, BadDataError: see ``store``.
    """
    from infostream_dedup.stream.store.store import Store

    with Store.open(path, create=False, read_only=True) as store, store.reading() as connection:
        found = hit_rows(connection, name, top=Range(0).check("top", top) or -1)
    if found is None:
        raise NoInputError(f"{path} never had a watch {name!r}")
    return found


def watch_rows(store: Store) -> list[dict[str, Any]]:
    """The searches of a store, with the number of their hits and the last one."""
    from infostream_dedup.stream.retuning import searches_in_force
    from infostream_dedup.stream.store.opening import WATCHES, changes_of

    connection = store.connection
    found = {
        name: (count, last)
        for name, count, last in connection.execute(
            "SELECT group_id, count(*), max(ordinal) FROM event WHERE kind = 'watch' GROUP BY group_id"
        )
    }
    known = searches_in_force(changes_of(connection, WATCHES), store.stored_position().documents)
    rows = []
    for name, search in known.items():
        count, last = found.get(name, (0, None))
        rows.append(watch_row(name, search) | {"hits": count, "last": last})
    return rows


def watch_row(name: str, search: Mapping[str, Any]) -> dict[str, Any]:
    """A search as people see it; a text by its terms."""
    return {"name": name} | {field: search[field] for field in ("first", "languages", "k", "terms")}


def hit_rows(connection: Connection, name: str, *, after: int = -1, top: int = -1) -> list[dict[str, Any]] | None:
    """What a search has found, the latest first, or after an ordinal in the stream's order; None: there was none."""
    from infostream_dedup.stream.store.browsing import time_text
    from infostream_dedup.stream.store.opening import WATCHES, changes_of

    if all(one["name"] != name for one in changes_of(connection, WATCHES)):
        return None
    order = "DESC" if after < 0 else "ASC"
    rows = connection.execute(
        "SELECT document.ordinal, id, title, document.source, language, published, url, status, of_id FROM event"  # noqa: S608
        " JOIN document ON document.ordinal = event.ordinal WHERE event.kind = ? AND event.group_id = ?"
        f" AND forgotten = 0 AND event.ordinal > ? ORDER BY event.ordinal {order} LIMIT ?",
        ("watch", name, after, top),
    )
    columns = ("ordinal", "id", "title", "source", "language", "published", "url", "status", "of")
    return [(row := dict(zip(columns, one, strict=True))) | {"published": time_text(row["published"])} for one in rows]
