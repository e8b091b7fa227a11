"""A store that is moved, deleted or replaced while it is open: nothing is acknowledged that nobody will find."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from infostream_dedup.errors import NoInputError, StoreMovedError
from infostream_dedup.judgements import Desk
from infostream_dedup.stream.store import Store


def deleted(store: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        Path(f"{store}{ending}").unlink(missing_ok=True)


def replaced(store: Path) -> None:
    copy = store.with_name("copy.db")
    shutil.copy(store, copy)
    copy.replace(store)


def overwritten(store: Path) -> None:
    """As by ``cp``, with an earlier state of the same length."""
    content = store.with_name("earlier.db").read_bytes()
    store.write_bytes(content + bytes(max(0, store.stat().st_size - len(content))))


def overwritten_by_a_longer_one(store: Path) -> None:
    with contextlib.closing(sqlite3.connect(store)) as source:
        source.execute("VACUUM INTO ?", (str(store.with_name("copy.db")),))
    store.write_bytes(store.with_name("copy.db").read_bytes() + bytes(4096 * 300))


def overwritten_in_part(store: Path) -> None:
    with store.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(bytes(4096))


def log_overwritten(store: Path) -> None:
    """As by ``cp`` of a log of another day, which begins like this one."""
    log = Path(f"{store}-wal")
    content = log.read_bytes()
    log.write_bytes(content[:32] + bytes(byte ^ 1 for byte in content[32:]))


WAYS = {
    "deleted": deleted, "moved": lambda store: store.rename(store.with_name("elsewhere.db")), "replaced": replaced,
    "without its log": lambda store: Path(f"{store}-wal").unlink(),
    "with its folder": lambda store: store.parent.rename(store.parent.with_name("another")),
    "without shared memory": lambda store: Path(f"{store}-shm").unlink(),
    "emptied": lambda store: os.truncate(store, 0), "log emptied": lambda store: os.truncate(f"{store}-wal", 0),
    "cut": lambda store: os.truncate(store, store.stat().st_size - 4096), "overwritten": overwritten,
    "overwritten by a longer one": overwritten_by_a_longer_one, "overwritten in part": overwritten_in_part,
    "log overwritten": log_overwritten,
}  # fmt: skip


@pytest.fixture
def place(filled: Path) -> Path:
    folder = filled.parent / "folder"
    folder.mkdir()
    shutil.copy(filled, folder / "earlier.db")
    return Path(shutil.copy(filled, folder / "news.db"))


@pytest.mark.parametrize("way", WAYS)
def test_no_batch_is_acknowledged(place, synthetic, way):
    with Store.open(place) as store:
        store.append(synthetic.batch(20))
        WAYS[way](place)
        with pytest.raises(StoreMovedError, match="moved, deleted, replaced, cut or over"):
            store.append(synthetic.batch(21))
        assert store.position.batches == 21


@pytest.mark.parametrize("way", WAYS)
def test_not_even_if_it_happens_within_the_transaction(place, synthetic, way):
    with Store.open(place) as store:
        store.append(synthetic.batch(20))
        with pytest.raises(StoreMovedError), store.transaction():  # noqa: PT012 - the end of the block fails
            store.append(synthetic.batch(21))
            WAYS[way](place)
        assert store.position.batches == 21


def test_nor_through_a_link_that_leads_elsewhere_now(place, synthetic):
    link = place.with_name("link.db")
    link.symlink_to(place)
    with Store.open(link) as store:
        store.append(synthetic.batch(20))
        other = Path(shutil.copy(place, place.with_name("other.db")))
        link.unlink()
        link.symlink_to(other)
        with pytest.raises(StoreMovedError):
            store.append(synthetic.batch(21))


def test_what_sqlite_itself_does_to_the_files_is_no_attack(place, synthetic):
    with Store.open(place) as store, Store.open(place) as other:
        for number in range(20, 28, 2):
            store.append(synthetic.batch(number))
            with contextlib.closing(sqlite3.connect(place)) as tool:
                tool.execute(f"PRAGMA wal_checkpoint({'PASSIVE' if number % 2 else 'TRUNCATE'})").fetchall()
            store.append(synthetic.batch(number + 1))
            other.load()
            other.expire()
            store.expire()
        assert store.position.batches == 28


def test_nor_if_it_happens_during_the_commit(place, synthetic, monkeypatch):
    with Store.open(place) as store:
        real = store.connection.place.check
        checks = []

        def check():
            # The third check of a transaction follows its COMMIT.
            checks.append(1)
            if len(checks) == 3:
                deleted(place)
            real()

        monkeypatch.setattr(store.connection.place, "check", check)
        with pytest.raises(StoreMovedError):
            store.append(synthetic.batch(20))
        assert len(checks) == 3


@pytest.mark.parametrize("way", [*WAYS][:6])
def test_no_judgement_is_acknowledged(tmp_path, way):
    folder = tmp_path / "folder"
    folder.mkdir()
    with Desk.open(folder / "news.db.desk") as desk:
        with desk.writing() as connection:
            connection.execute("SELECT 1")
        WAYS[way](folder / "news.db.desk")
        with pytest.raises(StoreMovedError), desk.writing():
            pass


@pytest.mark.parametrize("name", ["expire", "forget", "index"])
def test_nothing_else_is_written_either(place, name):
    with Store.open(place) as store:
        document = store.connection.execute("SELECT id FROM document LIMIT 1").fetchone()
        deleted(place)
        with pytest.raises(StoreMovedError):
            getattr(store, name)(*(document if name == "forget" else ()))


def test_the_log_of_a_store_that_was_replaced_does_not_get_into_the_other_one(place, synthetic):
    other, old = place.with_name("earlier.db"), place.with_name("old.db")
    content = other.read_bytes()
    with Store.open(place) as store, Store.open(place, read_only=True):
        store.append(synthetic.batch(20))
        place.rename(old)
        with pytest.raises(NoInputError, match=r"delete .*news\.db-wal to begin anew"):
            Store.open(place, settings_digest="x", create=True)
        other.replace(place)
        with pytest.raises(StoreMovedError):
            store.append(synthetic.batch(21))
    for path, batches in ((place, 20), (old, 21)):
        with Store.open(path) as found:
            assert found.stored_position().batches == batches
    assert place.read_bytes() == content
