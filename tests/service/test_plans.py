"""No page and no list makes SQLite walk through all documents of a store."""

import sqlite3
from typing import Any

import pytest

from infostream_dedup.stream.store import Store

from .conftest import ServiceClient

ALLOWED = ("INDEX document_forgotten",)  # an index of the forgotten documents only


def asked(client: ServiceClient, monkeypatch: pytest.MonkeyPatch, paths: list[str]) -> set[str]:
    said: set[str] = set()
    opened = Store.open

    def listened(*given: Any, **named: Any) -> Store:
        store = opened(*given, **named)
        store.connection.set_trace_callback(said.add)
        return store

    monkeypatch.setattr(Store, "open", listened)
    client.running.readers.close()
    client.running.readers = type(client.running.readers)(client.settings.store, 2, 5.0, 64)
    for path in paths:
        assert client("GET", path).status_code in (200, 204), path
    return {one for one in said if one.lstrip().upper().startswith(("SELECT", "WITH"))}


def scans(connection: sqlite3.Connection, query: str) -> list[str]:
    """Lines of the plan that walk through the documents."""
    plan = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {query}")]
    names = {"document", "latest", "earlier", "named", "first"}
    return [
        line
        for line in plan
        if line.startswith("SCAN ") and line.split()[1] in names and not any(one in line for one in ALLOWED)
    ]


def test_a_scan_would_be_noticed(filled: ServiceClient) -> None:
    with Store.open(filled.settings.store, read_only=True) as store:
        assert scans(store.connection, "SELECT source, count(*) FROM document GROUP BY source")
        assert not scans(store.connection, "SELECT title FROM document WHERE ordinal > 7")


def test_no_page_walks_through_the_documents(filled: ServiceClient, monkeypatch: pytest.MonkeyPatch) -> None:
    group = filled("GET", "/v1/groups?limit=1").json()["items"][0]["group"]
    story = filled("GET", "/v1/stories?limit=1").json()["items"][0]["story"]
    first, second, *_ = (one["id"] for one in filled("GET", f"/v1/groups/{group}").json()["members"])
    paths = [
        *("/", "/groups", "/groups?order=last", "/groups?lang=uk", "/groups?q=мост", f"/groups?id={group}"),
        *(f"/groups/{group}/provenance", "/stories", f"/stories/{story}", f"/compare?a={first}&b={second}"),
        *("/judge", "/judge?queue=random", "/judge?queue=translation", f"/judge?queue=group:{group}", "/labels"),
        *("/model", "/explore", "/methods", "/templates", "/sources", "/alarms", "/settings"),
        *(f"/v1/documents/{first}", "/v1/verdicts", "/v1/groups", "/v1/groups?order=last", "/v1/stats", "/v1/sources"),
        *("/v1/stories", "/v1/templates", "/v1/alarms", "/v1/export/groups.csv", "/v1/export/verdicts.csv"),
    ]
    queries = asked(filled, monkeypatch, paths)
    assert len(queries) > 40
    with Store.open(filled.settings.store, read_only=True) as store:
        store.connection.create_function("folded", 1, str.casefold, deterministic=True)
        found = {query: walked for query in sorted(queries) if (walked := scans(store.connection, query))}
    assert found == {}
