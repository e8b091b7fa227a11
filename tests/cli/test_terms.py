"""``terms`` on the command line: tables of key terms and vocabularies."""

import json

import pyarrow.parquet as pq

from infostream_dedup.sample import documents_path

SAMPLE = str(documents_path())


def test_the_command_writes_tables(run, tmp_path):
    answer = run("terms", SAMPLE, "--out", "k.parquet")
    assert answer.returncode == 0, answer.stderr
    table = pq.read_table(tmp_path / "k.parquet").to_pylist()
    listed = [json.loads(line) for line in run("terms", SAMPLE, "--format", "jsonl").stdout.splitlines()]
    assert [row["term"] for row in table] == [row["term"] for row in listed]
    assert table[0]["places"] == listed[0]["places"]
    assert b"id,language,rank,term,number,kind" in run("terms", SAMPLE, "--format", "csv").stdout
    assert run("terms", SAMPLE, "--vocabulary", "--out", "v.csv").returncode == 0
