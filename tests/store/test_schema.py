import sqlite3

import pytest

from infostream_dedup.stream.store import Store


@pytest.fixture
def connection(filled):
    with Store.open(filled) as store:
        yield store.connection


def row_of(connection, table):
    cursor = connection.execute(f"SELECT * FROM {table} LIMIT 1")  # noqa: S608
    return dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))


FRESH = {
    "batch": {"sequence": 900, "batch_id": "fresh"}, "document": {"ordinal": 900, "id": "fresh"},
    "body": {"ordinal": 0}, "term": {"number": 900, "term": "fresh"}, "epoch_frequency": {"epoch": 900},
    "event": {"number": 900, "kind": "merge", "other": "б"}, "state": {"name": "fresh"},
    "withheld_frequency": {"epoch": 900, "language": "ru", "terms": b"\0\0\0\0", "df": b"\1\0\0\0"},
}  # fmt: skip


def insert(connection, table, **changes):
    row = {**(row_of(connection, table) if table != "withheld_frequency" else {}), **FRESH.get(table, {}), **changes}
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))  # noqa: S608


@pytest.mark.parametrize("table", sorted(set(FRESH) - {"body"}))
def test_a_right_row_is_taken(connection, table):
    insert(connection, table)


@pytest.mark.parametrize(("table", "changes"), [
    ("store", {"id": 2}), ("batch", {"sequence": -1}), ("batch", {"sequence": 0}),
    ("batch", {"batch_id": "batch-0"}), ("batch", {"batch_id": ""}), ("batch", {"batch_id": None}),
    ("batch", {"content_hash": "text"}), ("batch", {"documents": -1}), ("batch", {"answers": b"123"}),
    ("batch", {"checksum": b"short"}), ("batch", {"oldest": -1}), ("document", {"ordinal": -1}),
    ("document", {"ordinal": 0}), ("document", {"ordinal": "first"}), ("document", {"batch": 99}),
    ("document", {"id": "документ-0"}), ("document", {"id": ""}), ("document", {"version": -1}),
    ("document", {"language": "de"}), ("document", {"clock": None}), ("document", {"epoch": -1}),
    ("document", {"length": 1.5}), ("document", {"signature_hash": b"short"}), ("document", {"title": None}),
    ("document", {"status": "copy"}), ("document", {"group_id": None}), ("document", {"relation": "alike"}),
    ("document", {"forward": 256}), ("document", {"backward": -1}), ("document", {"terms": "[open"}),
    ("document", {"forgotten": 2}), ("signature", {"ordinal": 0}), ("signature", {"ordinal": 900}),
    ("signature", {"ordinal": 900, "keys": b"123"}), ("signature", {"ordinal": 900, "weights": b""}),
    ("body", {"ordinal": 900}), ("body", {"packed": "text"}), ("term", {"number": 0}), ("term", {"number": -1}),
    ("term", {"number": 2**31}), ("epoch_frequency", {"epoch": 0}), ("epoch_frequency", {"language": "de"}),
    ("epoch_frequency", {"df": b""}), ("epoch_frequency", {"batch": 99}), ("withheld_frequency", {"df": b""}),
    ("event", {"number": 0}), ("event", {"kind": "birth"}), ("event", {"kind": "merge", "other": None}),
    ("event", {"kind": "alarm", "other": "б"}), ("event", {"batch": 99}), ("event", {"value": "high"}),
    ("state", {"name": "half"}), ("state", {"value": "{open"}), ("octet", {"octet": b"ab"}),
])  # fmt: skip
def test_a_wrong_row_is_refused(connection, table, changes):
    with pytest.raises(sqlite3.IntegrityError):
        insert(connection, table, **changes)


@pytest.mark.parametrize("statement", [
    "DELETE FROM batch WHERE sequence = 0", "DELETE FROM document WHERE ordinal = 0",
    "UPDATE document SET ordinal = 900 WHERE ordinal = 0",
])  # fmt: skip
def test_what_others_refer_to_stays(connection, statement):
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)


def test_every_table_is_strict(connection):
    tables = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table'")
    assert [sql for (sql,) in tables if ") STRICT" not in sql] == []


def rows(connection, query):
    cursor = connection.execute(query)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def test_key_terms_are_read_from_blobs(connection, synthetic):
    one = synthetic.document(99)
    found = rows(connection, f"SELECT * FROM v_terms WHERE id = '{one.id}' ORDER BY rank")  # noqa: S608
    assert [(row["rank"], row["term"], row["weight"]) for row in found] == [
        (rank, f"термин-{key}", weight / 1e9)
        for rank, (key, weight) in enumerate(zip(one.keys.tolist(), one.weights.tolist(), strict=True), start=1)
    ]
    assert {row["ordinal"] for row in found} == {99}
    assert max(one.keys) > 255, "more than one byte of a number counts"


def test_duplicates_are_shown_with_what_they_repeat(connection):
    found = {row["ordinal"]: row for row in rows(connection, "SELECT * FROM v_duplicates")}
    # Of every eight documents two are duplicates and one is similar.
    assert sorted(found) == [number for number in range(100) if number % 4 == 3 or number % 8 == 4]
    assert found[7] == {
        "ordinal": 7, "id": "документ-7", "status": "duplicate", "relation": "equal", "of_id": "документ-6",
        "forward": 9, "backward": 8, "terms": '["слово","кав\\"ычка"]', "group_id": "документ-6", "source": "site-1",
        "of_source": "site-0", "published": "1970-01-01T07:00:00Z", "of_published": "1970-01-01T06:00:00Z",
        "title": "Заголовок 7", "of_title": "Заголовок 6",
    }  # fmt: skip


def test_groups_have_two_documents_or_more(connection, synthetic):
    found = {row["group_id"]: row for row in rows(connection, "SELECT * FROM v_groups")}
    # Batches 7 and 14 merge the groups of documents 30 and 65 into those of 25 and 60.
    groups = {}
    for ordinal in range(100):
        group = synthetic.verdict(ordinal).group
        group = {"документ-30": "документ-25", "документ-65": "документ-60"}.get(group, group)
        groups.setdefault(group, []).append(ordinal)
    assert {group: row["documents"] for group, row in found.items()} == {
        group: len(members) for group, members in groups.items() if len(members) > 1
    }
    assert found["документ-25"] == {
        "group_id": "документ-25", "documents": 3, "sources": 3 - 1, "languages": 2, "first": "1970-01-02T01:00:00Z",
        "last": "1970-01-02T07:00:00Z", "title": "Заголовок 25", "ordinal": 25, "alarm": 1,
    }  # fmt: skip
    assert found["документ-2"]["alarm"] == 0


def test_a_group_without_dates_has_none(synthetic, new_store):
    new_store.append(synthetic.batch(0))
    new_store.append(synthetic.batch(1))
    connection = new_store.connection
    connection.execute("UPDATE document SET published = NULL, clock = 0")
    (first, last), *_ = connection.execute("SELECT first, last FROM v_groups").fetchall()
    assert (first, last) == (None, None)
    connection.execute("UPDATE document SET clock = 86400000000 WHERE ordinal = (SELECT max(ordinal) FROM document)")
    assert {row[0] for row in connection.execute("SELECT last FROM v_groups")} <= {None, "1970-01-02T00:00:00Z"}
