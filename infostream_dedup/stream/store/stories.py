"""Coverage of stories: their documents, the origins that these go back to, who was first, what others print.

Copies, parts, later versions and translations of a text have one origin; retellings and next steps have their own.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import heappop, heappush, merge
from operator import itemgetter
from typing import Any, Final

import orjson

from infostream_dedup.language.lexicon.tables import dictionaries_folder, read_table
from infostream_dedup.model.document import outlet_of
from infostream_dedup.stream.store.browsing import time_text
from infostream_dedup.stream.store.reader import StoreReader

ORDERS: Final = ("size", "outlets", "origins", "spread")
"""Orders of ``story_rows``; ``spread`` counts the outlets of the first 24 hours."""

_HOUR: Final = 3_600_000_000
_DAY: Final = 24 * _HOUR
_MEETINGS: Final = 20
_ONE_ORIGIN: Final = ("copy", "contained", "contains", "updated")
_ROLES: Final = {
    "copy": "copy",
    "contained": "part",
    "contains": "extension",
    "retold": "retelling",
    **dict.fromkeys(("updated", "follow-up"), "next step"),
}
_TURNED: Final = {"part": "extension", "extension": "part"}

_FIELDS: Final = (
    *("story", "group", "ordinal", "id", "source", "url", "language", "time", "title", "status", "of", "kind"),
    "translation_of",
)
_COLUMNS: Final = (
    " document.ordinal, document.id, document.source, document.url, document.language,"
    " coalesce(document.published, nullif(document.clock, 0)), document.title, document.status, document.of_id,"
    " document.kind, document.translation_of FROM "
)
_OF_GROUPS: Final = (
    f"SELECT v_stories.story_id, v_stories.group_id, {_COLUMNS} v_stories"
    " JOIN membership USING (group_id) JOIN document USING (ordinal) WHERE forgotten = 0 AND v_stories.story_id"
)
_ALONE: Final = (
    f"SELECT v_stories.story_id, v_stories.group_id, {_COLUMNS} v_stories JOIN document"  # noqa: S608
    " ON document.id = v_stories.group_id AND document.group_id = v_stories.group_id AND version = 0"
    " WHERE forgotten = 0 AND NOT EXISTS (SELECT 1 FROM membership WHERE membership.ordinal = document.ordinal)"
    " AND v_stories.story_id"
)
_SINGLE: Final = (
    f"SELECT id, group_id, {_COLUMNS} document WHERE forgotten = 0 AND id = ?1 AND group_id = ?1"  # noqa: S608
    " AND NOT EXISTS (SELECT 1 FROM v_stories WHERE v_stories.group_id = ?1) ORDER BY version DESC LIMIT 1"
)

_ALONE_GROUPS: Final = "grouping WHERE NOT EXISTS (SELECT 1 FROM telling WHERE telling.group_id = grouping.group_id)"
_BEGUN: Final = (
    f"SELECT story_id, begun AS earliest FROM story UNION ALL SELECT group_id, earliest FROM {_ALONE_GROUPS}"  # noqa: S608
)
_TOLD: Final = (
    "SELECT count(*) AS groups, sum(coalesce(documents, 1)) AS size, -story.begun AS earliest, story_id FROM telling"
    " JOIN story USING (story_id) LEFT JOIN grouping USING (group_id) GROUP BY story_id"
    " HAVING size > 1 AND max(coalesce(last, ?1)) >= ?1 ORDER BY"
)
_SIZED: Final = (
    f"SELECT 1, documents, -earliest, group_id FROM {_ALONE_GROUPS} AND coalesce(last, ?1) >= ?1"  # noqa: S608
    " ORDER BY documents DESC, grouping.earliest"
)


def story_named(connection: sqlite3.Connection, name: str) -> str | None:
    """Return the present story of a story, group or document, by its id; None if the store has none of this id."""
    # A document that nothing repeats or continues is a story of its own.
    found = connection.execute(
        "SELECT coalesce((SELECT story_id FROM telling WHERE telling.group_id = own), own) FROM (SELECT"
        " coalesce(membership.group_id, document.group_id) AS own FROM document LEFT JOIN membership USING (ordinal)"
        " WHERE document.id = ? ORDER BY version DESC LIMIT 1)",
        (name,),
    ).fetchone()
    return None if found is None else str(found[0])


def documents_of(connection: sqlite3.Connection, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the documents of stories by time; ``names``: ids of stories, past ones too, of groups or documents."""
    stories = dict.fromkeys(filter(None, (story_named(connection, name) for name in names)))
    documents = _with_origins([row for story in stories for row in _rows_of_story(connection, story)])
    firsts: dict[int, int | None] = {}
    for one, (one["role"], one["repeats"]) in zip(documents, _roles(documents), strict=True):
        begun = firsts.setdefault(one["origin"], one["time"])
        dated = one["time"] is not None and begun is not None
        one["lag_hours"] = round((one["time"] - begun) / _HOUR, 3) if dated else None
        one["published"] = time_text(one["time"])
    return documents


def _rows_of_story(connection: sqlite3.Connection, story: str) -> list[dict[str, Any]]:
    told = [row for query in (_OF_GROUPS, _ALONE) for row in connection.execute(f"{query} = ?", (story,))]
    rows = told or connection.execute(_SINGLE, (story,)).fetchall()
    return [dict(zip(_FIELDS, row, strict=True)) for row in rows]


def coverage_of(store: StoreReader, documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Count who covers a story (of ``documents_of``), and its origins; kept texts tell the agencies named."""
    has_texts = store.keeps_texts()
    shown = ("origin", "role", "id", "outlet", "language", "published", "lag_hours", "title", "of", "url")
    rows = []
    for one in documents:
        own = _agencies()[2].get(one["outlet"])
        wire = own or (agency_named(store.text(one["ordinal"]) or "") if has_texts else None)
        rows.append({name: one[name] for name in shown} | {"of": one["repeats"], "wire": wire})
    counted = story_row(documents)
    counts = {name: counted[name] for name in ("story", "outlets", "origins", "first", "echo_share")}
    return counts | {"first": documents[0]["id"], "wires_read": has_texts, "documents": rows}


def story_row(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Sum up a story, given by its documents."""
    times = [one["time"] for one in documents if one["time"] is not None]
    origins = len({one["origin"] for one in documents})
    begun = min(times, default=0)
    day = {one["outlet"] for one in documents if one["time"] is not None and one["time"] <= begun + _DAY}
    return {
        "story": documents[0]["story"],
        "documents": len(documents),
        "outlets": len({one["outlet"] for one in documents} - {None}),
        "origins": origins,
        "echo_share": round(1 - origins / len(documents), 6),
        "spread": len(day - {None}),
        "languages": sorted({one["language"] for one in documents}),
        "first": time_text(min(times, default=None)),
        "last": time_text(max(times, default=None)),
        "title": documents[0]["title"],
        "begun": min(one["ordinal"] for one in documents),
    }


def story_rows(connection: sqlite3.Connection, *, by: str, since: int | None, top: int | None) -> list[dict[str, Any]]:
    """List stories of two or more documents, the greatest by one of ``ORDERS`` first."""
    # ``since``: only stories with a document of then or later, UTC microseconds since 1970.
    measure = "documents" if by == "size" else by
    by_groups = by == "origins"
    # No story has more outlets than documents, nor more origins than groups: those that cannot be among top are not
    # read. Forgotten documents and corrections are counted in sizes.
    told = f"{_TOLD} {'groups DESC, ' * by_groups}size DESC, story.begun"
    found: list[tuple[int, int, int, dict[str, Any]]] = []  # the least comes first
    listed = (connection.execute(query, (-(1 << 63) if since is None else since,)) for query in (told, _SIZED))
    for groups, size, begun, story in merge(*listed, key=lambda row: (row[0] * by_groups, *row[1:3]), reverse=True):
        if len(found) == top and (groups if by_groups else size, size, begun) <= found[0][:3]:
            break
        documents = _with_origins(_rows_of_story(connection, story))
        if len(documents) > 1 and (since is None or any((one["time"] or 0) >= since for one in documents)):
            row = story_row(documents)
            heappush(found, (row[measure], row["documents"], -row["begun"], row))
            if len(found) - 1 == top:
                heappop(found)
    return [row for *_, row in sorted(found, key=itemgetter(0, 1, 2), reverse=True)]


def story_page(connection: sqlite3.Connection, *, before: int | None, limit: int) -> list[dict[str, Any]]:
    """List a page of the stories, the latest begun first; ``before``: the one with which the last page ended."""
    heads = connection.execute(
        f"SELECT * FROM ({_BEGUN}) WHERE ?1 IS NULL OR earliest < ?1 ORDER BY earliest DESC LIMIT ?2",  # noqa: S608
        (before, limit),
    ).fetchall()
    found = ((begun, documents_of(connection, [story])) for story, begun in heads)
    return [story_row(documents) | {"begun": begun} for begun, documents in found if documents]


def story_shown(connection: sqlite3.Connection, story: str) -> dict[str, Any] | None:
    """Return a story with its documents by language, in the order of publication, and the words that matched."""
    members = documents_of(connection, [story])
    if not members:
        return None
    languages, row = dict.fromkeys(member["language"] for member in members), story_row(members)
    for member in members:
        del member["time"], member["repeats"]
    return row | {
        "columns": [
            {"language": language, "documents": [one for one in members if one["language"] == language]}
            for language in languages
        ],
        "meetings": _meetings(connection, [member["ordinal"] for member in members]),
    }


def _meetings(connection: sqlite3.Connection, ordinals: list[int]) -> list[dict[str, Any]]:
    rows = []
    for ordinal in ordinals:
        name, of, translation = connection.execute(
            "SELECT id, translation_of, translation FROM document WHERE ordinal = ?", (ordinal,)
        ).fetchone()
        if of is not None and translation is not None:
            rows.append({"id": name, "of": of, **orjson.loads(translation)})
    rows.sort(key=lambda row: (-min(row["share_forward"], row["share_backward"]), row["id"]))
    return rows[:_MEETINGS]


def _with_origins(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    # A correction counts once, as the version that came first.
    documents = list({one["id"]: one for one in sorted(documents, key=itemgetter("ordinal"), reverse=True)}.values())
    documents.sort(key=lambda one: (one["time"] is None, one["time"] or 0, one["ordinal"]))
    joined = _Joined(one["group"] for one in documents)
    group_of = {one["id"]: one["group"] for one in documents}
    for one in documents:
        same = one["status"] in ("exact", "duplicate") or one["kind"] in _ONE_ORIGIN
        for other in (one["of"] if same else None, one["translation_of"]):
            if other in group_of:
                joined.join(one["group"], group_of[other])
    numbers: dict[str, int] = {}
    for one in documents:
        one["origin"] = numbers.setdefault(joined.root(one["group"]), len(numbers) + 1)
        one["outlet"] = outlet_of(one["source"], one["url"])
    return documents


def _roles(documents: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str | None]]:
    """What each of some documents, by time, is to which; a link to a later one, which arrived earlier, is turned."""
    place_of = {one["id"]: place for place, one in enumerate(documents)}
    turned: dict[int, tuple[str, str | None]] = {}
    for place, one in enumerate(documents):
        role, of = _ROLES.get(one["kind"], "report"), one["of"]
        if one["status"] in ("exact", "duplicate"):
            role = "copy"
        elif one["translation_of"] is not None:
            role, of = "translation", one["translation_of"]
        if (later := place_of.get(of, -1)) > place:
            first = turned.setdefault(later, (_TURNED.get(role, role), one["id"]))[1]
            role, of = ("report", None) if first == one["id"] else (role, first)
        role, of = turned.get(place, (role, of))
        yield role if place else "first", of


class _Joined:
    def __init__(self, names: Iterable[str]) -> None:
        self._parent = {name: name for name in names}

    def root(self, name: str) -> str:
        while self._parent[name] != name:
            self._parent[name] = name = self._parent[self._parent[name]]
        return name

    def join(self, one: str, other: str) -> None:
        self._parent[self.root(one)] = self.root(other)


@cache
def _agencies() -> tuple[re.Pattern[str], dict[str, str], dict[str, str]]:
    by_name: dict[str, str] = {}
    by_host: dict[str, str] = {}
    for row in read_table(dictionaries_folder() / "agencies.tsv", ("names", "hosts")):
        names = row.cells["names"].split("|")
        by_name |= dict.fromkeys(names, names[0])
        by_host |= dict.fromkeys(filter(None, row.cells["hosts"].split("|")), names[0])
    # Names of Cyrillic letters are declined, but for abbreviations: Укринформу, Интерфаксом.
    ending = "(?:а|у|ом|е|і|ові|ем|ю|я)?"
    written = [
        re.escape(name) + (ending if name[-1].islower() and not name.isascii() else "")
        for name in sorted(by_name, key=len, reverse=True)
    ]
    return re.compile(rf"(?<!\w)({'|'.join(written)})(?!\w)"), by_name, by_host


def agency_named(text: str) -> str | None:
    """Return the news agency that a text names first; None if it names none."""
    pattern, by_name, _ = _agencies()
    found = pattern.search(text)
    if found is None:
        return None
    name = found[1]
    return next(by_name[name[:end]] for end in range(len(name), 0, -1) if name[:end] in by_name)
