from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress

import pytest

from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.stream.store import Store, migrations
from infostream_dedup.stream.store.opening import migrate_store


def second_step(connection):
    connection.execute("ALTER TABLE document ADD COLUMN page TEXT")
    connection.execute("UPDATE document SET page = 'https://example.org/' || ordinal")


@pytest.fixture
def newer_program(monkeypatch):
    """As if the next version had one more step."""
    monkeypatch.setattr(migrations, "STEPS", [*migrations.STEPS, ("second_step", second_step)])


def schema_of(path):
    return int.from_bytes(path.read_bytes()[60:64], "big")


def test_a_new_store_has_the_newest_schema(tmp_path, newer_program):
    Store.open(tmp_path / "a.db", settings_digest="x").close()
    assert schema_of(tmp_path / "a.db") == 13
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


def test_an_older_store_is_copied_and_then_brought_forward(filled, newer_program, synthetic, faults):
    before = filled.read_bytes()
    with Store.open(filled, settings_digest=synthetic.DIGEST) as store:
        urls = store.connection.execute("SELECT page FROM document ORDER BY ordinal LIMIT 2").fetchall()
        assert urls == [("https://example.org/0",), ("https://example.org/1",)]
        assert faults(store) == []
        store.append(synthetic.batch(20))
        names = store.connection.execute("SELECT name FROM _sqlite_migrations ORDER BY id").fetchall()
        assert names == [
            ("first_schema",),
            ("judgements",),
            ("dated_groups",),
            ("repeats",),
            ("evidence",),
            ("other_languages",),
            ("across",),
            ("groups",),
            ("search_index",),
            ("settings_checksum",),
            ("compared_checks",),
            ("term_index",),
            ("second_step",),
        ]
    assert schema_of(filled) == 13
    copy = filled.with_name("stream.db.schema-12")
    assert schema_of(copy) == 12
    assert len(copy.read_bytes()) == len(before)


def test_the_copy_of_the_old_store_is_a_store_of_the_old_program(filled, newer_program, monkeypatch, faults):
    migrate_store(filled)
    monkeypatch.undo()
    with Store.open(filled.with_name("stream.db.schema-12")) as old:
        assert old.load().position.batches == 20
        assert faults(old) == []
    with pytest.raises(BadDataError, match="has schema 13, this program knows up to 12"):
        Store.open(filled)


def test_a_store_made_before_takes_documents_of_other_languages(tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    with monkeypatch.context() as earlier:
        later = ("other_languages", "compared_checks")
        earlier.setattr(migrations, "STEPS", [one for one in migrations.STEPS if one[0] not in later])
        Store.open(path, settings_digest="x").close()
    insert = "INSERT INTO epoch_frequency VALUES (0, 'other', 0, 1, 1, x'', x'')"
    with closing(sqlite3.connect(path)) as connection, connection, pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        connection.execute(insert)
    connection.close()
    migrate_store(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(insert)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            connection.execute(insert.replace("other", "de"))
    connection.close()


def test_the_words_that_checks_allow_stay_the_same(tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    with monkeypatch.context() as earlier:
        earlier.setattr(migrations, "STEPS", [one for one in migrations.STEPS if one[0] != "compared_checks"])
        Store.open(path, settings_digest="x").close()
    insert = "INSERT INTO event (batch, ordinal, kind, group_id, other) VALUES (0, 0, ?, 'a', ?)"
    words = [("merge", "b"), ("expiry", None), ("alarm", None), ("limit", None), ("merger", None), ("", None)]

    def allowed():
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            found = []
            for row in words:
                with suppress(sqlite3.IntegrityError):
                    connection.execute(insert, row)
                    found.append(row[0])
            return found

    before = allowed()
    migrate_store(path)
    assert allowed() == before == ["merge", "expiry", "alarm", "limit"]
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE sql LIKE '% IN (''%' AND type = 'table'")
        assert tables.fetchone() == (0,)


@pytest.mark.parametrize("write", ["append", "expire", "forget", "index"])
def test_a_running_process_does_not_write_to_a_store_that_a_newer_program_migrated(filled, synthetic, write, faults):
    with Store.open(filled, settings_digest=synthetic.DIGEST) as store:
        works = {
            "append": lambda: store.append(synthetic.batch(20)),
            "forget": lambda: store.forget(synthetic.batch(0).decided.verdicts[0].id),
            "expire": store.expire,
            "index": store.index,
        }
        count = "SELECT count(*), max(ordinal) FROM document"
        before = store.connection.execute(count).fetchone()
        with pytest.MonkeyPatch.context() as newer:
            newer.setattr(migrations, "STEPS", [*migrations.STEPS, ("second_step", second_step)])
            assert migrate_store(filled)[0] == 13
        with pytest.raises(
            BadDataError, match="schema 13, this program knows up to 12; use a newer version"
        ) as refused:
            works[write]()
        assert refused.value.code == "E_STORE_NEWER"
        assert not store.connection.in_transaction
        assert store.connection.execute(count).fetchone() == before


def test_a_running_process_does_not_read_a_store_that_a_newer_program_migrated(filled, synthetic):
    with Store.open(filled, read_only=True) as store:
        assert store.span() == (0, 100)
        with pytest.MonkeyPatch.context() as newer:
            newer.setattr(migrations, "STEPS", [*migrations.STEPS, ("second_step", second_step)])
            assert migrate_store(filled)[0] == 13
        with pytest.raises(BadDataError, match="schema 13, this program knows up to 12; use a newer") as refused:
            store.span()
        assert refused.value.code == "E_STORE_NEWER"


def test_migrating_twice_does_nothing(filled, newer_program):
    assert migrate_store(filled) == (13, filled.with_name("stream.db.schema-12"))
    assert migrate_store(filled) == (13, None)


def test_an_older_store_is_not_read_without_migration(filled, newer_program):
    with pytest.raises(ConfigurationError, match="store migrate"):
        Store.open(filled, read_only=True)
    assert schema_of(filled) == 12


def test_a_failing_step_leaves_the_store_as_it_was(filled, monkeypatch, faults):
    def fails(connection):
        second_step(connection)
        raise ZeroDivisionError

    monkeypatch.setattr(migrations, "STEPS", [*migrations.STEPS, ("second_step", fails)])
    with pytest.raises(ZeroDivisionError):
        migrate_store(filled)
    monkeypatch.undo()
    assert schema_of(filled) == 12
    with Store.open(filled) as store:
        assert faults(store) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from infostream_dedup.stream.store import copying, migrations, opening

def step(connection):
    connection.execute("ALTER TABLE document ADD COLUMN page TEXT")
    connection.execute("UPDATE document SET page = 'x'")
    die("step")

def die(place):
    if place == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

steps = copying._sync

def sync(path):
    steps(path)
    die("copy")

copying._sync = sync
migrations.STEPS.append(("second_step", step))
opening.migrate_store(Path(sys.argv[1]))
die("done")
"""


@pytest.mark.parametrize(("place", "schema"), [("copy", 12), ("step", 12), ("done", 13)])
def test_a_kill_while_migrating_leaves_the_old_or_the_new(filled, newer_program, faults, place, schema):
    ran = subprocess.run([sys.executable, "-c", KILLED, filled, place], capture_output=True)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert schema_of(filled) == schema
    assert migrate_store(filled)[0] == 13
    with Store.open(filled) as store:
        assert faults(store) == []
        assert store.load().position.batches == 20


def test_a_process_that_migrates_first_keeps_its_copy(filled, newer_program, monkeypatch):
    asked, others = migrations.version_of, [migrate_store]

    def overtaken(connection, path):
        found = asked(connection, path)
        while others:
            others.pop()(path)
        return found

    monkeypatch.setattr(migrations, "version_of", overtaken)
    assert migrate_store(filled) == (13, None)
    assert schema_of(filled.with_name("stream.db.schema-12")) == 12


def test_nobody_writes_between_the_copy_and_the_steps(filled, newer_program, monkeypatch):
    copied = migrations.copy_store

    def while_copying(connection, path, target):
        copied(connection, path, target)
        with closing(sqlite3.connect(path, timeout=0)) as writer, pytest.raises(sqlite3.OperationalError, match="lock"):
            writer.execute("DELETE FROM state")

    monkeypatch.setattr(migrations, "copy_store", while_copying)
    assert migrate_store(filled) == (13, filled.with_name("stream.db.schema-12"))


def test_only_stores_are_migrated(tmp_path, newer_program):
    with pytest.raises(NoInputError):
        migrate_store(tmp_path / "a.db")
    (tmp_path / "b.db").touch()
    with pytest.raises(BadDataError):
        migrate_store(tmp_path / "b.db")
    assert [path.name for path in tmp_path.iterdir()] == ["b.db"]
