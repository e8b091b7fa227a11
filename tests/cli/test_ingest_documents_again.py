"""``ingest``: documents that come again, conflicts set aside, names of batches, settings, columns of their own."""

import json
import os

import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.stream.deduplicator import Deduplicator
from tests.cli.following import ended, followed
from tests.cli.test_ingest import lines
from tests.conftest import failed, succeeded

A = {"id": "a", "text": "снег в киеве"}
OTHER_A = {"id": "a", "text": "дождь во львове"}
B = {"id": "b", "text": "ветер в одессе"}


@pytest.fixture
def write(tmp_path):
    """``write("d.jsonl", rows)``: rows as JSON Lines; text as it is."""

    def written(name, rows):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        texts = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return str(path)

    return written


@pytest.mark.parametrize("size", ["1", "1000"])
def test_a_conflict_names_its_place_in_the_input_and_what_to_do(run, write, size):
    one, two = write("one.jsonl", [A, B]), write("two.jsonl", [B, "", OTHER_A])
    said = "two.jsonl:3: field 'id': 'a' already exists with different content", "--on-conflict version"
    failed(run("ingest", one, two, "--store", "s.db", "--batch-size", size), 65, *said)


@pytest.mark.parametrize("named", [(), ("--batch-id", "monday")])
def test_conflicts_with_the_store_are_set_aside_and_a_replay_says_the_same(run, write, tmp_path, named):
    store = ("--store", "s.db")
    assert run("ingest", write("d.jsonl", [A]), *store).returncode == 0
    skip = ("--on-error", "skip", "--quarantine", "q.jsonl")
    command = ("ingest", write("e.jsonl", [B, OTHER_A]), *store, *skip, *named)
    done = succeeded(run(*command))
    assert [row["id"] for row in lines(done.stdout)] == ["b"]
    assert b"read 2 = used 1 + quarantined 1 (E_ID_CONFLICT 1)" in done.stderr
    (row,) = lines((tmp_path / "q.jsonl").read_bytes())
    assert (row["line"], row["code"], row["field"]) == (2, "E_ID_CONFLICT", "id")
    assert run(*command).stdout == done.stdout
    failed(run(*command, "--max-errors", "0"), 65, "E_MAX_ERRORS")


def test_the_quarantine_file_holds_the_rows_of_every_file_of_a_folder(write, tmp_path):
    write("in/1.jsonl", [A, '{"id": 1'])
    write("in/2.jsonl", [B, '{"id": 2'])
    skip = ("--on-error", "skip", "--quarantine", "q.jsonl")
    with followed("in", "--store", "s.db", *skip, cwd=tmp_path) as process:
        verdicts = [json.loads(process.stdout.readline()) for _ in range(2)]
        _, said = ended(process)
    assert [row["id"] for row in verdicts] == ["a", "b"]
    assert "read 4 = used 2 + quarantined 2 (E_JSON 2)" in said
    assert len(lines((tmp_path / "q.jsonl").read_bytes())) == 2


def test_sigterm_ends_it_well_while_the_sender_holds_standard_input_open(tmp_path):
    receiving, sending = os.pipe()
    with followed("-", "--store", "s.db", cwd=tmp_path, stdin=receiving) as process:
        os.write(sending, json.dumps(A).encode() + b"\n")
        assert json.loads(process.stdout.readline())["id"] == "a"
        _, said = ended(process)
    os.close(sending)
    os.close(receiving)
    assert said == "read 1 = used 1 + quarantined 0\n"


@pytest.mark.parametrize("named", ["", "\udcff"])
def test_a_batch_id_is_a_text(named, write, run):
    with Deduplicator.open(None) as stream, pytest.raises(ConfigurationError, match="batch id"):
        stream.process([A], batch_id=named)
    failed(run("ingest", write("d.jsonl", [A]), "--store", "s.db", "--batch-id", named), 78, "batch id")


def test_a_missing_input_makes_no_store(run, tmp_path):
    assert run("ingest", "missing.jsonl", "--store", "s.db").returncode == 66
    assert not (tmp_path / "s.db").exists()


def test_columns_of_the_input_are_not_written_over(run, write):
    path = write("d.jsonl", [{**A, "status": "draft"}, B])
    refused = failed(run("ingest", path, "--store", "s.db", "--annotate"), 65, "field 'status'", "--prefix")
    assert refused.stdout == b""
    assert b'"documents","value":0' in run("store", "stats", "s.db", "--format", "jsonl").stdout
    row = lines(succeeded(run("ingest", path, "--store", "s.db", "--annotate", "--prefix", "dedup_")).stdout)[0]
    assert (row["status"], row["dedup_status"], row["dedup_group"]) == ("draft", "new", "a")
    assert run("ingest", path, "--store", "s.db", "--prefix", "dedup_").returncode == 2


def test_one_document_may_come_for_ever(run):
    sent = (json.dumps(A, ensure_ascii=False) + "\n").encode() * 50
    done = succeeded(run("ingest", "-", "--follow", "--store", "s.db", "--batch-size", "7", stdin=sent))
    assert (len(lines(done.stdout)), len({json.dumps(row) for row in lines(done.stdout)})) == (50, 1)
