"""Queries for people browsing a store, a page at a time: documents, verdicts, groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Final

import orjson

from infostream_dedup.stream.store.restoring import first_ordinal_needed, open_epoch

# A store in a few figures

_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


def time_text(microseconds: int | None) -> str | None:
    """Format a time of the store as ISO 8601."""
    if microseconds is None:
        return None
    # Not strftime: on Linux, it writes the year 1 with one digit.
    moment = _BEGINNING + timedelta(microseconds=microseconds)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def day_of(microseconds: int) -> str:
    """Format the UTC day of a time of the store."""
    return (_BEGINNING + timedelta(microseconds=microseconds)).date().isoformat()


def summary(connection: Connection, path: Path) -> list[dict[str, Any]]:
    """Return rows ``what, value``: sizes, and counts of documents, statuses, languages, sources, groups and so on."""
    rows: list[tuple[str, Any]] = [("store", str(path))]
    for name, table in (("batches", "batch"), ("documents", "document"), ("terms", "term")):
        rows.append((name, _one(connection, f"SELECT count(*) FROM {table}")))  # noqa: S608
    # A stream's clock is 0 until the first document with a date.
    first, last = connection.execute("SELECT min(nullif(clock, 0)), max(nullif(clock, 0)) FROM document").fetchone()
    rows += [("first", time_text(first)), ("last", time_text(last))]
    for column in ("status", "relation", "language"):
        rows += connection.execute(
            f"SELECT '{column} ' || {column}, count(*) FROM document WHERE {column} IS NOT NULL"  # noqa: S608
            f" GROUP BY {column} ORDER BY count(*) DESC, {column}"
        ).fetchall()
    rows.append(("sources", _one(connection, "SELECT count(DISTINCT source) FROM document")))
    rows.append(("groups of several", _one(connection, "SELECT count(*) FROM v_groups")))
    rows += connection.execute("SELECT 'event ' || kind, count(*) FROM event GROUP BY kind ORDER BY kind").fetchall()
    rows.append(("open epoch", open_epoch(connection)))
    rows.append(("signatures", _one(connection, "SELECT count(*) FROM signature")))
    rows.append(("signatures needed from ordinal", first_ordinal_needed(connection)))
    rows.append(("texts", _one(connection, "SELECT count(*) FROM body")))
    rows.append(("forgotten", _one(connection, "SELECT count(*) FROM document WHERE forgotten = 1")))
    rows += [("schema", _one(connection, "PRAGMA user_version")), ("bytes", path.stat().st_size)]
    log = path.with_name(path.name + "-wal")
    rows.append(("bytes in the log", log.stat().st_size if log.exists() else 0))
    return [{"what": what, "value": value} for what, value in rows]


def _one(connection: Connection, query: str) -> Any:
    return connection.execute(query).fetchone()[0]


_DOCUMENT: Final = (
    "document.ordinal, document.id, version, title, document.source, document.language, published, nullif(clock, 0),"
    " status, of_id, document.group_id, relation, forward, backward, terms, kind,"
    " coalesce(probability, (SELECT probability FROM judgement WHERE judgement.ordinal = document.ordinal)),"
    " differs_by, differing, translation_of, translation, same_story_of, story_id, document.url, forgotten"
)

_DOCUMENT_FIELDS: Final = (
    *("ordinal", "id", "version", "title", "source", "language", "published", "arrived", "status", "of", "group_then"),
    *("relation", "forward", "backward", "terms", "kind", "probability", "differs_by", "differing", "translation_of"),
    *("translation", "same_story_of", "story_then", "url", "forgotten", "group"),
)
"""What a document has, in the order of `_DOCUMENT`; the last one only with `_IN_GROUP`."""

_IN_GROUP: Final = (
    f"SELECT {_DOCUMENT}, coalesce(membership.group_id, document.group_id) FROM document"  # noqa: S608
    " LEFT JOIN membership USING (ordinal)"
)
_PUBLISHED: Final = "coalesce(published, nullif(clock, 0))"

_GROUPS: Final = (
    "SELECT grouping.group_id, document.title, documents, sources, languages,"
    " strftime('%Y-%m-%dT%H:%M:%SZ', first / 1000000, 'unixepoch'),"
    " strftime('%Y-%m-%dT%H:%M:%SZ', last / 1000000, 'unixepoch'), alarm, earliest, document.source, document.url"
    " FROM grouping JOIN document ON document.ordinal = grouping.earliest"
)

_GROUP_FIELDS: Final = (
    *("group", "title", "documents", "sources", "languages", "first", "last", "alarm", "ordinal", "source", "url"),
)

_EVENT_FIELDS: Final = ("ordinal", "kind", "group", "other", "value")

_ALONE: Final = (
    "document.id = ?1 AND document.group_id = ?1"
    " AND NOT EXISTS (SELECT 1 FROM membership WHERE membership.ordinal = document.ordinal)"
)
"""A document that forms a group alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFilter:
    """Choice of groups to list."""

    language: str | None = None  # language of at least one of their documents; None for any
    source: str | None = None  # source of at least one of their documents; None for any
    # published (or arrived, without a date) then or later, UTC microseconds since 1970; None for any
    since: int | None = None
    until: int | None = None  # published (or arrived) before then; None for any
    least: int = 2  # minimum number of documents, 2 or more
    alarm: bool = False  # only groups that stopped growing because they are chains
    words: str | None = None  # words in the headline, in any case; None for any


@dataclass(frozen=True, slots=True)
class GroupPlace:
    """Where a page of groups ended."""

    value: int | str  # number of documents, or last date, of the last group
    ordinal: int  # ordinal of its earliest document


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """Choice of documents to list; None for any."""

    language: str | None = None
    source: str | None = None
    status: str | None = None
    # published (or arrived, without a date) then or later, and before, UTC microseconds since 1970
    since: int | None = None
    until: int | None = None


def document_page(connection: Connection, chosen: DocumentFilter, after: int, limit: int) -> list[dict[str, Any]]:
    """Return the latest versions of chosen documents after an ordinal, in the order of the stream."""
    given = (
        ("document.language = ?", chosen.language),
        ("document.source = ?", chosen.source),
        ("status = ?", chosen.status),
        (f"{_PUBLISHED} >= ?", chosen.since),
        (f"{_PUBLISHED} < ?", chosen.until),
    )
    held = "".join(f" AND {condition}" for condition, value in given if value is not None)
    rows = connection.execute(
        f"{_IN_GROUP} WHERE document.ordinal > ? AND forgotten = 0{held}"  # noqa: S608
        " AND NOT EXISTS (SELECT 1 FROM document AS later"
        " WHERE later.id = document.id AND later.version > document.version) ORDER BY document.ordinal LIMIT ?",
        (after, *(value for _, value in given if value is not None), limit),
    )
    return [_document(row) for row in rows]


def document_versions(connection: Connection, id: str) -> list[dict[str, Any]]:  # noqa: A002 - the name of the field
    """Return all versions of a document, the oldest first: its stored fields, verdict and current group."""
    rows = connection.execute(f"{_IN_GROUP} WHERE document.id = ? ORDER BY version", (id,))
    return [_document(row) for row in rows]


def key_terms_of(connection: Connection, ordinal: int) -> list[dict[str, Any]]:
    """Return rows ``term, weight`` of a document, heaviest first; empty once its signature has expired."""
    query = "SELECT term, weight FROM v_terms WHERE ordinal = ? ORDER BY rank"
    return [{"term": term, "weight": weight} for term, weight in connection.execute(query, (ordinal,))]


def verdict_log(connection: Connection, after: int, limit: int) -> list[dict[str, Any]]:
    """Return the verdicts on the documents after an ordinal, in the order of the stream."""
    rows = connection.execute(
        f"SELECT {_DOCUMENT} FROM document WHERE ordinal > ? ORDER BY ordinal LIMIT ?",  # noqa: S608
        (after, limit),
    )
    return [_document(row) for row in rows]


def group_events(connection: Connection, first: int, last: int) -> list[dict[str, Any]]:
    """Return what happened to groups and sources through the documents from ``first`` to ``last``, in order."""
    # Rows are ``ordinal, kind, group, other, value`` (see ``GroupEvent``).
    rows = connection.execute(
        "SELECT ordinal, kind, group_id, other, value FROM event"
        " WHERE batch BETWEEN (SELECT batch FROM document WHERE ordinal = ?1)"
        " AND (SELECT batch FROM document WHERE ordinal = ?2) AND ordinal BETWEEN ?1 AND ?2 ORDER BY number",
        (first, last),
    )
    return [dict(zip(_EVENT_FIELDS, row, strict=True)) for row in rows]


def events_after(connection: Connection, after: int, limit: int) -> tuple[list[dict[str, Any]], int]:
    """Events after one of them but expiries, each with the document that caused it, and the number of the last one."""
    rows = connection.execute(
        "SELECT event.number, event.ordinal, event.kind, event.group_id, event.other, event.value,"
        " document.id, title, source, language, url FROM event LEFT JOIN document USING (ordinal)"
        " WHERE number > ? AND event.kind != 'expiry' ORDER BY number LIMIT ?",
        (after, limit),
    ).fetchall()
    names = (*_EVENT_FIELDS, *(f"document_{name}" for name in ("id", "title", "source", "language", "url")))
    found = [dict(zip(names, row[1:], strict=True)) for row in rows]
    if len(rows) < limit:
        last = connection.execute("SELECT coalesce(max(number), -1) FROM event").fetchone()[0]
    else:
        last = rows[-1][0]
    return found, last


def group_page(
    connection: Connection, chosen: GroupFilter, *, by_date: bool, after: GroupPlace | None, limit: int
) -> list[dict[str, Any]]:
    """Return a page of the current groups of two or more documents."""
    # SQLite's own lower() only knows ASCII.
    connection.create_function("folded", 1, str.casefold, deterministic=True)
    conditions, values = _conditions(chosen)
    found: list[tuple[Any, ...]] = []
    # Each part is one range of an index, so a page far down takes as long as the first.
    for part, further in _parts(connection, after, by_date=by_date):
        rows = connection.execute(
            f"{_GROUPS} WHERE {' AND '.join([*conditions, part])}"
            f" ORDER BY {'last' if by_date else 'documents'} DESC, earliest LIMIT ?",
            (*values, *further, limit if limit < 0 else limit - len(found)),
        )
        found += rows.fetchall()
    groups = [dict(zip(_GROUP_FIELDS, row, strict=True)) | {"alarm": bool(row[7])} for row in found]
    for group in groups:
        if str(group["first"]).endswith("T00:00:00Z"):
            # A member dated "2026" does not let the group begin on 1 January.
            of_earliest = f"SELECT {_PUBLISHED} FROM document WHERE ordinal = ?"  # noqa: S608 - our own words
            group["first"] = time_text(connection.execute(of_earliest, (group["ordinal"],)).fetchone()[0])
    return groups


SLOTS: Final = 24  # parts of the time from the first to the last document of a group, in which ``spread_of`` counts


def spread_of(connection: Connection, groups: Sequence[str]) -> dict[str, list[int]]:
    """Count the documents of each group in equal parts of its time; groups without dates are left out."""
    rows = connection.execute(
        f"SELECT grouping.group_id, CASE WHEN last > first THEN ({_PUBLISHED} - first) * {SLOTS - 1} / (last - first)"  # noqa: S608
        " ELSE 0 END AS slot, count(*) FROM grouping JOIN membership USING (group_id)"
        " JOIN document ON document.ordinal = membership.ordinal"
        " WHERE grouping.group_id IN (SELECT value FROM json_each(?)) GROUP BY 1, 2 HAVING slot IS NOT NULL",
        (orjson.dumps(list(groups)).decode(),),
    )
    found: dict[str, list[int]] = {}
    for group, slot, count in rows:
        found.setdefault(group, [0] * SLOTS)[slot] += count
    return found


def group_with_members(connection: Connection, group: str) -> dict[str, Any] | None:
    """Return a present group with its members in the order of publication, and its events; None if there is none."""
    # A member's ``joined`` says how it joined: ``verdict``, or ``merge`` if its group was joined later.
    several = connection.execute("SELECT 1 FROM grouping WHERE group_id = ?", (group,)).fetchone()
    held = "document.ordinal IN (SELECT ordinal FROM membership WHERE group_id = ?)" if several else _ALONE
    rows = connection.execute(
        f"SELECT {_DOCUMENT} FROM document WHERE {held}"  # noqa: S608
        " ORDER BY coalesce(published, nullif(clock, 0)), ordinal",
        (group,),
    )
    members = [_document(row) for row in rows]
    if not members:
        return None
    for member in members:
        member["joined"] = "verdict" if member.pop("group_then") == group else "merge"
        del member["story_then"]
    events = connection.execute(
        "SELECT ordinal, kind, group_id, other, value FROM event"
        " WHERE kind NOT IN ('limit', 'watch') AND (group_id = ? OR other = ?) ORDER BY number",
        (group, group),
    )
    return {
        "group": group,
        "documents": len(members),
        "members": members,
        "events": [dict(zip(_EVENT_FIELDS, event, strict=True)) for event in events],
    }


def document_shown(connection: Connection, id: str) -> dict[str, Any] | None:  # noqa: A002 - the name of the field
    """Return the latest version of a document; None if the store does not have it."""
    # The result has the document, its verdict, its current group and story, and its key terms, heaviest first.
    found = document_versions(connection, id)
    if not found:
        return None
    shown = found[-1]
    story = connection.execute("SELECT story_id FROM v_stories WHERE group_id = ?", (shown["group"],)).fetchone()
    shown["story"] = None if story is None else story[0]
    return shown | {"versions": len(found), "key_terms": key_terms_of(connection, shown["ordinal"])}


def document_named(connection: Connection, name: str) -> str | None:
    """Return the id of the document with an id or address; None if there is none."""
    for column in ("id", "url"):
        found = connection.execute(
            f"SELECT id FROM document WHERE {column} = ? AND forgotten = 0 ORDER BY ordinal DESC LIMIT 1",  # noqa: S608
            (name,),
        ).fetchone()
        if found is not None:
            return str(found[0])
    return None


def documents_titled(connection: Connection, words: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """Return rows ``id, title, source, published`` of the latest documents with all words in their headline."""
    connection.create_function("folded", 1, str.casefold, deterministic=True)
    held = " AND ".join(["instr(folded(title), ?) > 0"] * len(words))
    rows = connection.execute(
        f"SELECT id, title, source, published FROM document WHERE forgotten = 0 AND {held}"  # noqa: S608
        " AND ordinal > (SELECT max(ordinal) FROM document) - ? ORDER BY ordinal DESC LIMIT ?",
        (*(word.casefold() for word in words), _LOOKED_THROUGH, limit),
    )
    return [
        {"id": id, "title": title, "source": source, "published": time_text(published)}
        for id, title, source, published in rows  # noqa: A001
    ]


def surviving_group(connection: Connection, group: str) -> str | None:
    """Return the group that the document with this id belongs to now; None if no document has the id."""
    found = connection.execute(
        "SELECT coalesce(membership.group_id, document.group_id) FROM document LEFT JOIN membership USING (ordinal)"
        " WHERE id = ? ORDER BY ordinal LIMIT 1",
        (group,),
    ).fetchone()
    return None if found is None else str(found[0])


def _parts(connection: Connection, after: GroupPlace | None, *, by_date: bool) -> list[tuple[str, tuple[Any, ...]]]:
    if not by_date:
        if after is None:
            return [("documents >= 2", ())]
        return [("documents = ? AND earliest > ?", (after.value, after.ordinal)), ("documents < ?", (after.value,))]
    undated = ("last IS NULL AND earliest > ?", (-1 if after is None or after.value else after.ordinal,))
    if after is None:
        return [("last IS NOT NULL", ()), undated]
    if not after.value:
        return [undated]
    last = _last_of(connection, after)
    return [("last = ? AND earliest > ?", (last, after.ordinal)), ("last < ?", (last,)), undated]


def _last_of(connection: Connection, place: GroupPlace) -> int:
    found = connection.execute(
        "SELECT last FROM membership JOIN grouping USING (group_id) WHERE ordinal = ?", (place.ordinal,)
    ).fetchone()
    if found is not None and time_text(found[0]) == place.value:
        return int(found[0])
    # It has grown since: continue from the end of the second in which it was, so that no group is left out.
    return (int(datetime.fromisoformat(str(place.value)).timestamp()) + 1) * 1_000_000


def _conditions(chosen: GroupFilter) -> tuple[list[str], list[Any]]:
    conditions: list[str] = ["documents >= ?"]
    values: list[Any] = [chosen.least]
    if chosen.alarm:
        conditions.append("alarm")
    if chosen.words is not None:
        conditions.append("instr(folded(title), ?) > 0")
        values.append(chosen.words.casefold())
    for time, comparison in ((chosen.since, "last >= ?"), (chosen.until, "first < ?")):
        if time is not None:
            conditions.append(comparison)
            values.append(time)
    for column, value in (("language", chosen.language), ("source", chosen.source)):
        if value is not None:
            conditions.append(
                "EXISTS (SELECT 1 FROM membership WHERE membership.group_id = grouping.group_id"  # noqa: S608
                f" AND membership.{column} = ?)"
            )
            values.append(value)
    return conditions, values


def _document(row: Sequence[Any]) -> dict[str, Any]:
    found = dict(zip(_DOCUMENT_FIELDS, row, strict=False))
    found |= {name: time_text(found[name]) for name in ("published", "arrived")}
    packed = ("terms", "differing", "translation")
    found |= {name: orjson.loads(found[name]) for name in packed if found[name] is not None}
    return found | {"forgotten": bool(found["forgotten"])}


_LOOKED_THROUGH: Final = 200_000  # the latest documents whose headlines are looked through for words
