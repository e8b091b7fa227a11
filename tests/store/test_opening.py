import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from infostream_dedup.errors import BadDataError, CannotCreateError, CannotWriteError, ConfigurationError, NoInputError
from infostream_dedup.judgements import Desk, desk_path
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.opening import APPLICATION_ID, settings_at


def refused(path, error, **options):
    with pytest.raises(error) as caught:
        Store.open(path, **options).close()
    return caught.value


def test_a_missing_store_is_made_only_when_asked(tmp_path):
    assert "there is no store" in str(refused(tmp_path / "a.db", NoInputError, create=False))
    assert "there is no store" in str(refused(tmp_path / "a.db", NoInputError, read_only=True))
    assert list(tmp_path.iterdir()) == []
    Store.open(tmp_path / "a.db", settings_digest="x").close()
    Store.open(tmp_path / "a.db", create=False).close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


def test_a_new_store_carries_our_mark(tmp_path):
    Store.open(tmp_path / "a.db", settings_digest="x").close()
    assert (tmp_path / "a.db").read_bytes()[68:72] == b"ISDD" == APPLICATION_ID.to_bytes(4, "big")


def test_a_new_store_needs_a_digest(tmp_path):
    with pytest.raises(ValueError, match="digest"):
        Store.open(tmp_path / "a.db")


def test_a_folder_must_be_there(tmp_path):
    assert "no directory" in str(refused(tmp_path / "no" / "a.db", CannotCreateError, settings_digest="x"))
    assert "is a directory" in str(refused(tmp_path, CannotCreateError, settings_digest="x"))


def test_a_name_has_room_for_those_of_the_files_beside_it(tmp_path):
    # Cyrillic letters have two bytes.
    assert str(refused(tmp_path / f"{'п' * 120}.db", CannotCreateError, settings_digest="x")).endswith(
        "the name has 243 bytes, and with 242 at most there is room for the endings of the files beside it; "
        "give a shorter name"
    )
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / f"{'a' * 239}.db"
    Store.open(path, settings_digest="x").close()
    with Desk.open(desk_path(path)) as desk, desk.writing():
        assert len(list(tmp_path.iterdir())) > 1


def test_an_empty_file_becomes_a_store(tmp_path):
    path = tmp_path / "a.db"
    path.touch()
    assert refused(path, BadDataError, create=False).code == "E_STORE_FOREIGN"
    assert refused(path, BadDataError, read_only=True).code == "E_STORE_FOREIGN"
    Store.open(path, settings_digest="x").close()
    Store.open(path, create=False).close()


@pytest.mark.parametrize("content", [b"{}\n", b"id,text\n" * 100, b"\0" * 5000, b"SQLite format 3\0"])
def test_what_is_not_a_database_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    for options in ({"settings_digest": "x"}, {"read_only": True}):
        error = refused(path, BadDataError, **options)
        assert (error.code, error.exit_code) == ("E_STORE_FOREIGN", 65)
        assert str(path) in str(error)
    assert path.read_bytes() == content


@pytest.mark.parametrize("application", [0, 0x12345678])
def test_another_programs_database_is_refused_and_left_alone(tmp_path, application):
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as foreign:
        foreign.execute("CREATE TABLE mine (a)")
        foreign.execute(f"PRAGMA application_id = {application}")
    before = path.read_bytes()
    assert refused(path, BadDataError, settings_digest="x").code == "E_STORE_FOREIGN"
    assert (refused(path, BadDataError, read_only=True).code, path.read_bytes()) == ("E_STORE_FOREIGN", before)


@pytest.mark.parametrize("version", [0, 2, 1000])
def test_a_store_with_another_schema_is_refused_and_left_alone(filled, version):
    with closing(sqlite3.connect(filled)) as other:
        other.execute(f"PRAGMA user_version = {version}")
    before = filled.read_bytes()
    for options in ({}, {"read_only": True}):
        error = refused(filled, BadDataError, **options)
        assert error.code == "E_STORE_NEWER"
        assert f"has schema {version}, this program reads schema 1;" in str(error)
        assert "into a new store: infostream-dedup ingest DOCS --store NEW" in str(error)
    assert filled.read_bytes() == before


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.999])
def test_a_store_cut_short_is_refused(filled, share):
    whole = filled.read_bytes()
    filled.write_bytes(whole[: int(len(whole) * share)])
    error = refused(filled, BadDataError)
    assert error.code == "E_STORE_DAMAGED" if share > 0.01 else "E_STORE_FOREIGN"
    if share > 0.01:
        assert "cut short" in str(error)
        assert "go back to a backup: infostream-dedup store restore stream.db BACKUP" in str(error)


def test_settings_are_for_life(tmp_path):
    path = tmp_path / "a.db"
    with Store.open(path, settings_digest="x", settings={"n": 12, "window": {"days": 7}}) as store:
        assert store.settings == {"n": 12, "window": {"days": 7}}
    error = refused(path, ConfigurationError, settings_digest="y", settings={"n": 30, "window": {"days": 7}})
    assert "n 12, now 30;" in str(error).replace(")", ";")
    assert "window" not in str(error)
    assert "dictionaries or version" in str(
        refused(path, ConfigurationError, settings_digest="y", settings={"n": 12, "window": {"days": 7}})
    )
    Store.open(path, settings_digest="x").close()
    Store.open(path).close()


def test_links_are_followed(filled, tmp_path, synthetic):
    link = tmp_path / "link.db"
    link.symlink_to(filled)
    with Store.open(link) as store:
        store.append(synthetic.batch(20))
        # The log lies beside the file, not beside the link: so all names of a store share it.
        assert not (tmp_path / "link.db-wal").exists()
    assert link.is_symlink()
    with Store.open(filled) as store:
        assert store.batch("batch-20") is not None


def test_a_dangling_link_becomes_a_store_where_it_leads(tmp_path):
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "real.db")
    refused(link, NoInputError, create=False)
    Store.open(link, settings_digest="x").close()
    assert link.is_symlink()
    assert (tmp_path / "real.db").is_file()


@pytest.mark.parametrize("name", ["a b.db", "a%20b.db", "a?b#c.db", "новости.db", "-a.db"])
def test_any_name_will_do(tmp_path, name):
    Store.open(tmp_path / name, settings_digest="x").close()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_old_sqlite_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    assert "need 3.37.0" in str(refused(tmp_path / "a.db", ConfigurationError, settings_digest="x"))


def test_a_half_made_store_is_made_again(tmp_path, monkeypatch):
    def dies(connection):
        connection.execute("CREATE TABLE half (a)")
        raise KeyboardInterrupt

    monkeypatch.setattr("infostream_dedup.stream.store.opening.create_tables", dies)
    with pytest.raises(KeyboardInterrupt):
        Store.open(tmp_path / "a.db", settings_digest="x")
    monkeypatch.undo()
    with Store.open(tmp_path / "a.db", settings_digest="x") as store:
        assert set(store.position) == {0}


# The permissions of files do not hold root back, so these run as somebody else.
READ_ONLY = """
import os, sys
from infostream_dedup.errors import InfostreamError
from infostream_dedup.model.stream_records import Batch, Decided
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.checking import checks
path, how = sys.argv[1:]
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    with Store.open(path, settings_digest="synthetic", read_only=how == "read") as store:
        if how == "write":
            store.append(Batch("new", b"", Decided()))
        print("faults", sum(check.faults for check in checks(store.connection)), store.load().position.batches)
except InfostreamError as error:
    print(type(error).__name__)
"""


def as_nobody(path, how):
    ran = subprocess.run([sys.executable, "-c", READ_ONLY, path, how], capture_output=True, text=True)
    assert ran.stderr == ""
    return ran.stdout.strip()


@pytest.fixture
def read_only_folder(filled):
    # Not pytest's folder, which others may not enter.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(filled, folder / "stream.db")
        (folder / "stream.db").chmod(0o444)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def test_a_read_only_folder_can_be_read(read_only_folder):
    path = read_only_folder / "stream.db"
    assert (as_nobody(path, "read"), as_nobody(path, "write")) == ("faults 0 20", CannotWriteError.__name__)
    assert as_nobody(read_only_folder / "new.db", "write") == CannotCreateError.__name__
    assert sorted(one.name for one in read_only_folder.iterdir()) == ["stream.db"]


def test_a_read_only_folder_with_a_log_is_not_read_by_half(read_only_folder):
    read_only_folder.chmod(0o755)
    (read_only_folder / "stream.db-wal").write_bytes(b"\0" * 40)
    read_only_folder.chmod(0o555)
    assert as_nobody(read_only_folder / "stream.db", "read") == CannotCreateError.__name__


def test_damage_that_is_not_text_is_damage_not_a_bug(filled):
    content = filled.read_bytes()
    place = content.index(b"CREATE TABLE document")
    for offset in (0, 8, 14, 40):
        filled.write_bytes(content[: place + offset] + b"\xc5" + content[place + offset + 1 :])
        with pytest.raises(BadDataError):
            Store.open(filled, read_only=True).load()


BESIDE = "import sys; from infostream_dedup.stream.store import Store; Store.open(sys.argv[1]).close()"


@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_opened_twice_keeps_its_log_when_another_process_closes_it(filled, synthetic, read_only):
    log = filled.with_name(f"{filled.name}-wal")
    with Store.open(filled) as store:
        Store.open(filled, read_only=read_only).close()
        settings_at(filled)
        before = log.stat().st_ino
        subprocess.run([sys.executable, "-c", BESIDE, filled], check=True)
        assert log.stat().st_ino == before
        store.append(synthetic.batch(20))
        script = "import sys; from infostream_dedup.stream.store import Store\n"
        script += "print(Store.open(sys.argv[1]).position.batches)"
        seen = subprocess.run([sys.executable, "-c", script, filled], check=True, capture_output=True)
        assert int(seen.stdout) == 21


def test_a_full_disk_leaves_no_empty_store(tmp_path, monkeypatch):
    monkeypatch.setattr("infostream_dedup.stream.store.opening.create_tables", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Store.open(tmp_path / "s.db", settings_digest="d")
    assert not list(tmp_path.iterdir())
