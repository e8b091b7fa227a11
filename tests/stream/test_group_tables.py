"""The tables of present groups say what the views say that follow all merges."""

import pytest

from infostream_dedup.model import Settings
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import GroupFilter, group_page, group_with_members, surviving_group
from infostream_dedup.stream.store.checking import checks

STEMS = Settings(representation="stem", df_min=0)
CHAINING = StreamSettings(
    terms=STEMS, chaining_documents=3, chaining_density=0.7, k_duplicate=4, least_shared=0.05, first_epoch=40
)

GROUPS = (
    "SELECT group_id, documents, sources, languages, strftime('%Y-%m-%dT%H:%M:%SZ', first / 1000000, 'unixepoch'),"
    " strftime('%Y-%m-%dT%H:%M:%SZ', last / 1000000, 'unixepoch'), earliest, alarm FROM grouping ORDER BY group_id"
)
VIEW = "SELECT group_id, documents, sources, languages, first, last, ordinal, alarm FROM v_groups ORDER BY group_id"
MEMBERS = "SELECT ordinal, group_id FROM membership ORDER BY ordinal"
VIEWED = "SELECT ordinal, group_id FROM v_members WHERE group_id IN (SELECT group_id FROM v_groups) ORDER BY ordinal"


def tables(store):
    return [store.connection.execute(query).fetchall() for query in (GROUPS, MEMBERS)]


def viewed(store):
    return [store.connection.execute(query).fetchall() for query in (VIEW, VIEWED)]


@pytest.fixture
def documents(made_up_stream):
    """A made-up stream in which ids come again with other content."""
    stream = list(made_up_stream())
    again = [one.__class__(id=one.id, text=f"{one.text} {one.text[:40]}", time=one.time) for one in stream[::17]]
    return stream, again


@pytest.mark.parametrize("size", [1, 60])
@pytest.mark.parametrize("settings", [CHAINING, StreamSettings(terms=STEMS, window_days=0.75)], ids=["chains", "short"])
def test_tables_say_what_the_views_say(documents, settings, size, tmp_path):
    stream, again = documents
    path = tmp_path / "s.db"
    with Deduplicator.open(path, settings, on_conflict="version") as dedup:
        for begin in range(0, len(stream), size):
            dedup.process(stream[begin : begin + size])
        dedup.process(again)
    with Store.open(path) as store:
        kinds = {event.kind for event in store.events()}
        assert len(store.connection.execute("SELECT * FROM grouping").fetchall()) > 5
        assert tables(store) == viewed(store)
        assert "merge" in kinds or settings is not CHAINING
        before = tables(store)
        store.forget(again[0].id)
        assert tables(store) == before == viewed(store)
        assert [check for check in checks(store.connection) if check.faults] == []


def test_pages_of_groups_and_a_group_with_its_members(documents, tmp_path):
    stream, _ = documents
    with Deduplicator.open(tmp_path / "s.db", CHAINING) as dedup:
        dedup.process(stream)
    with Store.open(tmp_path / "s.db") as store:
        page = group_page(store.connection, GroupFilter(), by_date=False, after=None, limit=1000)
        assert [row["group"] for row in sorted(page, key=lambda row: (-row["documents"], row["ordinal"]))] == [
            row["group"] for row in page
        ]
        largest = page[0]
        found = group_with_members(store.connection, largest["group"])
        assert len(found["members"]) == largest["documents"] == found["documents"]
        merged = next(event for event in store.events() if event.kind == "merge")
        assert surviving_group(store.connection, merged.other) != merged.other
        alone = next(one.id for one in stream if surviving_group(store.connection, one.id) == one.id)
        assert group_with_members(store.connection, alone)["documents"] >= 1
        assert group_with_members(store.connection, merged.other) is None
        assert surviving_group(store.connection, "no such document") is None


def test_a_damaged_table_is_found(documents, tmp_path):
    with Deduplicator.open(tmp_path / "s.db", CHAINING) as dedup:
        dedup.process(documents[0])
    with Store.open(tmp_path / "s.db") as store:
        store.connection.execute("UPDATE grouping SET documents = documents + 1 WHERE documents = 2")
        faults = {check.check: check.first for check in checks(store.connection) if check.faults}
    assert list(faults) == ["groups"]
