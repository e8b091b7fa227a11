"""What a desk quotes of a document goes when the document is forgotten; judgements stay."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from infostream_dedup import desk as public
from infostream_dedup.cli.store import desk as command
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judgements import Desk, desk_path
from infostream_dedup.judgements.candidates import label_rows
from infostream_dedup.judgements.desk import add_job, end_job, last_result
from infostream_dedup.judgements.judgements import Judgement, add_judgement, forget_in_desk
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

RESULT = {
    "rows": [{"k": 1, "links": 3}],
    "examples": {"1": [{"a": "x", "b": "y", "title_a": "Тайна"}, {"a": "y", "b": "z", "title_a": "Мост"}]},
    "teach": [["x", "z"], ["y", "z"]],
}
LEFT = {
    "rows": [{"k": 1, "links": 3}],
    "examples": {"1": [{"a": "y", "b": "z", "title_a": "Мост"}]},
    "teach": [["y", "z"]],
}


def filled(folder: Path) -> Path:
    store = folder / "news.db"
    with Deduplicator.open(store, StreamSettings.of({})) as stream:
        stream.process([{"id": name, "text": f"Слово {name} и дело."} for name in "xyz"])
    with Desk.open(desk_path(store)) as desk, desk.writing() as connection:
        end_job(connection, add_job(connection, "sweep", {}, position="1-3-0", person="local"), "done", result=RESULT)
        add_judgement(connection, Judgement(a="x", b="y", label="dup", person="oksana", key="1"))
        connection.execute("INSERT INTO asked (queue, a, b) VALUES ('audit', 'x', 'z'), ('audit', 'y', 'z')")
    return store


def check(store: Path) -> None:
    # Opening compares the checksums of all rows.
    with Desk.open(desk_path(store), create=False) as desk, desk.reading() as connection:
        found = last_result(connection, "sweep")
        assert found is not None
        assert found["result"] == LEFT
        assert connection.execute("SELECT a, b FROM asked").fetchall() == [("y", "z")]
        assert [row["label"] for row in label_rows(connection)] == ["dup"]
    data = desk_path(store).read_bytes()
    assert "Тайна".encode() not in data
    assert "Мост".encode() in data


def test_forgetting_in_the_store_forgets_in_the_desk(tmp_path: Path) -> None:
    store = filled(tmp_path)
    from infostream_dedup.api.store import forget

    forget(store, "x")
    check(store)
    with Store.open(store, read_only=True) as opened:
        assert opened.text(0) is None


def test_nothing_is_left_in_the_log_of_a_desk_that_a_service_has_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from infostream_dedup.api.desk import forget_and_wipe
    from infostream_dedup.api.store import forget

    store = filled(tmp_path)
    with Desk.open(desk_path(store)) as service:
        with service.writing() as connection:
            number = add_job(connection, "sweep", {}, position="1-3-0", person="local")
            end_job(connection, number, "done", result=RESULT)
        files = [desk_path(store), Path(f"{desk_path(store)}-wal")]
        assert any("Тайна".encode() in file.read_bytes() for file in files)
        assert forget(store, "x").clean
        assert not any("Тайна".encode() in file.read_bytes() for file in files)
        with service.reading() as connection:
            assert connection.execute("SELECT count(*) FROM job").fetchone() == (2,)
            # Whoever reads keeps the log; the caller is told so.
            monkeypatch.setattr("infostream_dedup.judgements.desk._BUSY_SECONDS", 0.1)
            assert forget_and_wipe(store, "y") == (3, False)


def test_what_is_deleted_is_overwritten_even_where_the_file_is_not_rewritten(tmp_path: Path) -> None:
    store = filled(tmp_path)
    with Desk.open(desk_path(store)) as desk:
        with desk.writing() as connection:
            number = add_job(connection, "audit", {}, position="1-3-0", person="local")
            # Longer than a page, so that whole pages are freed.
            end_job(connection, number, "done", result={"examples": {"1": [{"a": "x", "title_a": "Тайна" * 2000}]}})
        with desk.writing() as connection:
            # SQLite may be built with either default.
            connection.execute("PRAGMA secure_delete = OFF")
            assert forget_in_desk(connection, {"x"}) == 3
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    check(store)


def test_forgetting_in_the_desk_alone(tmp_path: Path) -> None:
    store = filled(tmp_path)
    assert public.forget_in_desk(store, "x") == 2
    assert public.forget_in_desk(store, ["x", "none"]) == 0
    check(store)


def test_the_command_says_what_it_did(tmp_path: Path) -> None:
    store = filled(tmp_path)
    done = CliRunner().invoke(command, ["forget", str(store), "x", "y"])
    assert (done.exit_code, done.stderr) == (0, "3 rows changed or removed\n")


def test_the_command_says_that_remnants_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled(tmp_path)
    monkeypatch.setattr("infostream_dedup.judgements.desk._BUSY_SECONDS", 0.1)
    with Desk.open(desk_path(store)) as service, service.reading():
        done = CliRunner().invoke(command, ["forget", str(store), "x"])
    assert done.exit_code == 0
    assert "remnants stay in the log until it ends" in done.stderr


def test_a_running_process_does_not_use_a_desk_that_a_newer_program_changed(tmp_path: Path) -> None:
    with Desk.open(tmp_path / "news.desk") as desk:
        with closing(sqlite3.connect(desk.path)) as other, other:
            other.execute("CREATE TABLE later (x)")
            other.execute("PRAGMA user_version = 99")
        for use in (desk.reading, desk.writing):
            with pytest.raises(ConfigurationError, match="schema 99, this program reads schema 1;"), use():
                pass
