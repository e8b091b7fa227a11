"""``sweep --store`` and ``pairs --statistics``."""

import json

import pytest

from infostream_dedup import Deduplicator, StreamSettings
from infostream_dedup.documents import read_documents
from infostream_dedup.sample import documents_path


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("sweep") / "s.db"
    with Deduplicator.open(path) as stream:
        stream.process(read_documents(documents_path()))
    return path


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
        done = run("sweep", "--store", str(store), "--k", "6", "--format", "csv", *options)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode().splitlines()[0].split(",")

    assert "copies" in columns()
    assert "copies" in columns("--estimate")
    assert "copies" not in columns("--no-estimate")
    faithful = tmp_path / "faithful.db"
    with Deduplicator.open(faithful, StreamSettings(preset="faithful")) as stream:
        stream.process([{"id": "1", "text": "Мост через реку открыли после ремонта."}])
    done = run("sweep", "--store", str(faithful), "--estimate")
    assert done.returncode == 2
    assert b"the store keeps no evidence of these documents" in done.stderr


def test_pairs_by_the_statistics_of_a_stream(run, store):
    sample = str(documents_path())
    done = run("pairs", sample, "--statistics", f"{store}:0", "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    own = run("pairs", sample, "--format", "jsonl", "--terms", "none").stdout
    assert len(rows) > 20
    assert len(own.splitlines()) != len(rows)
    for arguments, code in [
        (("--statistics", f"{store}:9"), 78), (("--statistics", str(store)), 78),
        (("--statistics", f"{store}:0", "--representation", "pivot"), 78),
        (("--statistics", f"{store}:0", "--preset", "best"), 2), (("--statistics", "none.db:0"), 66),
    ]:  # fmt: skip
        assert run("pairs", sample, *arguments).returncode == code, arguments
