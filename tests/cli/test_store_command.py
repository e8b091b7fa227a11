import csv
import io
import json
import sqlite3
from contextlib import closing

import pytest

from infostream_dedup import Deduplicator, StreamSettings
from infostream_dedup.sample import documents_path
from tests.conftest import failed, rows_of, succeeded


@pytest.fixture
def filled(synthetic, tmp_path):
    synthetic.write(tmp_path / "stream.db", 20, lambda number: None)
    return tmp_path / "stream.db"


def lines(done):
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_stats(run, filled):
    found = {row["what"]: row["value"] for row in lines(run("store", "stats", "stream.db"))}
    assert (found["documents"], found["status new"], found["groups of several"]) == (100, 63, 26)
    assert "groups of several" in run("store", "stats", "stream.db", "--format", "table").stdout.decode()


def test_stats_of_templates_republications_events(run, filled):
    assert all(row["times"] >= 1 for row in lines(run("store", "templates", "stream.db")))
    republished = run("store", "republications", "stream.db", "--top", "2", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(republished.stdout.decode())))
    assert {row["group"] for row in rows} == {"документ-25", "документ-2"}
    assert [event["kind"] for event in lines(run("store", "events", "stream.db"))] == ["merge", "alarm"] * 2


def test_verify(run, filled):
    assert sum(row["faults"] for row in lines(run("store", "verify", "stream.db"))) == 0
    with closing(sqlite3.connect(filled)) as meddler:
        meddler.execute("UPDATE document SET title = 'other' WHERE ordinal = 42")
        meddler.commit()
    damaged = failed(run("store", "verify", "stream.db"), 65)
    assert b"1 fault; go back to a backup: infostream-dedup store restore stream.db BACKUP" in damaged.stderr
    assert "batch 'batch-8' does not match its checksum" in damaged.stdout.decode()
    assert run("store", "verify", "stream.db", "--quiet").stderr == b""


def test_faults_of_indexes_alone_are_no_loss(run, filled):
    with closing(sqlite3.connect(filled)) as meddler:
        meddler.execute("INSERT INTO term_index VALUES (3, x'', zeroblob(16))")
        meddler.commit()
    failed(run("store", "verify", "stream.db"), 65, "1 fault; nothing is lost; 'store index' rebuilds the indexes")
    run("store", "index", "stream.db")
    assert run("store", "verify", "stream.db").returncode == 0


def test_backup(run, filled, tmp_path):
    (row,) = lines(run("store", "backup", "stream.db", "copy.db"))
    assert row == {"store": "stream.db", "copy": "copy.db", "bytes": (tmp_path / "copy.db").stat().st_size}
    assert sum(row["faults"] for row in lines(run("store", "verify", "copy.db"))) == 0
    assert run("store", "backup", "stream.db", "stream.db").returncode == 73


def test_forget(run, filled):
    rows = lines(run("store", "forget", "stream.db", "документ-3", "документ-4"))
    assert rows == [{"id": "документ-3", "versions": 1}, {"id": "документ-4", "versions": 1}]
    failed(run("store", "forget", "stream.db", "nobody"), 65, "the store has no document 'nobody' [E_ID_UNKNOWN]")


def test_forget_all_documents_of_a_source(run, filled):
    with closing(sqlite3.connect(filled)) as store:
        own = [row[0] for row in store.execute("SELECT id FROM document WHERE source = 'site-1' ORDER BY ordinal")]
    rows = lines(run("store", "forget", "stream.db", own[1], "--source", "site-1"))
    assert len(own) == 25
    assert (sorted(row["id"] for row in rows), {row["versions"] for row in rows}) == (sorted(own), {1})
    with closing(sqlite3.connect(filled)) as store:
        assert store.execute("SELECT DISTINCT source FROM document WHERE forgotten").fetchall() == [("site-1",)]
    assert run("store", "verify", "stream.db").returncode == 0
    again = lines(run("store", "forget", "stream.db", "--source", "site-1"))
    assert [row["id"] for row in again] == own, "repeated after an interruption, it wipes again"
    assert {row["versions"] for row in again} == {0}


def test_forget_removes_nothing_if_something_is_unknown(run, filled):
    with closing(sqlite3.connect(filled)) as store:
        before = store.execute("SELECT id FROM document WHERE source = 'site-2'").fetchone()[0]
    for unknown, code in ((["nobody"], b"E_ID_UNKNOWN"), (["--source", "nowhere"], b"no document of source 'nowhere'")):
        assert code in failed(run("store", "forget", "stream.db", before, *unknown), 65).stderr
    with closing(sqlite3.connect(filled)) as store:
        assert store.execute("SELECT count(*) FROM document WHERE forgotten").fetchone() == (0,)
    assert run("store", "forget", "stream.db").returncode == 2


def test_all_outputs_of_the_command(run, store, tmp_path):
    done = run("sweep", "--store", str(store), "--k", "4-8", "--out", "out", "--since", "2001", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().count("\n") == 6
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"sweep.json", "sweep.csv", "report.html"}
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "weighed when they came in by the statistics of epochs 0 to 0" in page
    found = json.loads((tmp_path / "out" / "sweep.json").read_text(encoding="utf-8"))
    assert [row["k"] for row in found["rows"]] == [4, 5, 6, 7, 8]
    table = run("sweep", "--store", str(store), "--format", "table").stdout.decode()
    assert "weighed when they came in" in table
    assert "\nmorph: " in table


def test_a_store_is_estimated_if_it_can_be_and_nobody_declines(run, store, tmp_path):
    def columns(*options):
        done = succeeded(run("sweep", "--store", str(store), "--k", "6", "--format", "csv", *options))
        return done.stdout.decode().splitlines()[0].split(",")

    assert "copies" in columns()
    assert "copies" in columns("--estimate")
    assert "copies" not in columns("--no-estimate")
    faithful = tmp_path / "faithful.db"
    with Deduplicator.open(faithful, StreamSettings(preset="faithful")) as stream:
        stream.process([{"id": "1", "text": "Мост через реку открыли после ремонта."}])
    failed(run("sweep", "--store", str(faithful), "--estimate"), 2, "the store keeps no evidence of these documents")


def test_pairs_by_the_statistics_of_a_stream(run, store):
    sample = str(documents_path())
    rows = rows_of(run("pairs", sample, "--statistics", f"{store}:0", "--format", "jsonl"))
    own = run("pairs", sample, "--format", "jsonl", "--terms", "none").stdout
    assert len(rows) > 20
    assert len(own.splitlines()) != len(rows)
    for arguments, code in [
        (("--statistics", f"{store}:9"), 78), (("--statistics", str(store)), 78),
        (("--statistics", f"{store}:0", "--representation", "pivot"), 78),
        (("--statistics", f"{store}:0", "--preset", "best"), 2), (("--statistics", "none.db:0"), 66),
    ]:  # fmt: skip
        assert run("pairs", sample, *arguments).returncode == code, arguments
