import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from infostream_dedup.api.store import restore
from infostream_dedup.errors import BadDataError, CannotCreateError, CannotWriteError
from infostream_dedup.machine.progress import restoring_advice
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.opening import copy_store


def test_a_copy_is_the_store(filled, synthetic, tmp_path, faults):
    copy = tmp_path / "копия.db"
    with Store.open(filled) as store:
        store.append(synthetic.batch(20))
        store.backup(copy)
        whole = synthetic.content(store)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stream.db", "копия.db"]
    with Store.open(copy) as opened:
        assert (synthetic.content(opened), faults(opened)) == (whole, [])
        opened.append(synthetic.batch(21))


def test_going_back_to_a_copy_after_a_kill_as_advised(filled, synthetic, tmp_path, faults):
    copy = tmp_path / "copy.db"
    killed = tmp_path / "killed.db"
    with Store.open(filled) as store:
        store.backup(copy)
        whole = synthetic.content(store)
        store.append(synthetic.batch(20))
        for ending in ("", "-wal", "-shm"):
            shutil.copy(f"{filled}{ending}", f"{killed}{ending}")
    shutil.copy(copy, killed)
    with Store.open(shutil.copytree(tmp_path, tmp_path / "not advised") / "killed.db") as opened:
        # What came after the copy is back, or a mixture of both.
        assert synthetic.content(opened) != whole
    assert "infostream-dedup store restore killed.db BACKUP" in restoring_advice(killed)
    restore(killed, copy, discard_newer=True)
    with Store.open(killed) as opened:
        assert ({**synthetic.content(opened), "state": whole["state"]}, faults(opened)) == (whole, [])


def test_an_older_copy_is_replaced(filled, synthetic, tmp_path):
    copy = tmp_path / "copy.db"
    with Store.open(filled) as store:
        store.backup(copy)
        store.append(synthetic.batch(20))
        store.backup(copy)
    with Store.open(copy, read_only=True) as opened:
        assert opened.position.batches == 21


def test_nothing_else_is_replaced(filled, tmp_path):
    notes, foreign, link = tmp_path / "notes.txt", tmp_path / "foreign.db", tmp_path / "link.db"
    notes.write_text("precious")
    with closing(sqlite3.connect(foreign)) as other:
        other.execute("CREATE TABLE mine (a)")
    link.symlink_to(filled)
    with Store.open(filled) as store:
        for target in (filled, link, tmp_path, notes, foreign, tmp_path / "no" / "copy.db"):
            with pytest.raises(CannotCreateError):
                store.backup(target)
        (tmp_path / "empty.db").touch()
        store.backup(tmp_path / "empty.db")
    assert notes.read_text() == "precious"


def test_a_copy_taken_while_another_writes_is_whole(synthetic, writer_script, tmp_path, faults):
    path, copy = tmp_path / "stream.db", tmp_path / "copy.db"
    synthetic.write(path, 2, lambda number: None)
    with subprocess.Popen([sys.executable, writer_script, path, "150"], stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline()
        sizes = []
        while writer.poll() is None:
            with Store.open(path, read_only=True) as store:
                store.backup(copy)
            with Store.open(copy, read_only=True) as opened:
                assert faults(opened) == []
                sizes.append(opened.position.batches)
            if len(sizes) >= 10:
                writer.stdout.read()
    assert sizes == sorted(sizes)
    assert len(sizes) > 1


def test_a_damaged_store_is_not_copied(filled, tmp_path):
    whole = bytearray(filled.read_bytes())
    whole[20 << 14 : 24 << 14] = bytes(4 << 14)  # four pages
    # Settings are checked when a store is opened, so the damage comes afterwards.
    with Store.open(filled) as store:
        filled.write_bytes(whole)
        with pytest.raises(BadDataError, match=r"is inconsistent|is damaged"):
            store.backup(tmp_path / "copy.db")
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name or ".part" in path.name] == []


FULL = """
import resource, sys
from infostream_dedup.errors import CannotWriteError
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.opening import copy_store
with Store.open(sys.argv[1], read_only=True) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    try:
        store.backup(sys.argv[2])
    except CannotWriteError as error:
        sys.exit(error.exit_code)
"""


class FullDisk(sqlite3.Connection):
    def backup(self, *_: object, **__: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_FULL, "SQLITE_FULL"
        raise error


def test_a_copy_without_room_names_its_own_place(filled, tmp_path):
    store = sqlite3.connect(filled, factory=FullDisk)
    with closing(store), pytest.raises(CannotCreateError, match=r"copy\.db: No space left"):
        copy_store(store, filled, tmp_path / "copy.db")


def test_a_copy_without_room_leaves_nothing(filled, tmp_path):
    copy = tmp_path / "copy.db"
    assert subprocess.run([sys.executable, "-c", FULL, filled, copy]).returncode == CannotWriteError.exit_code
    assert [path.name for path in tmp_path.iterdir()] == ["stream.db"]
