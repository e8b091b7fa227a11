"""``ingest --model``: templates are no duplicates, whatever the batches; stored answers; refusals."""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[1] / "criteria"
COLUMNS = ["id", "status", "of", "group", "relation", "forward", "backward", "terms"]


def lines(output):
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def halves(tmp_path):
    """Every other story to learn from, the rest to judge; and the judged pairs of the rest."""
    documents = lines((HERE / "templates.jsonl").read_bytes())
    labels = lines((HERE / "template_labels.jsonl").read_bytes())
    stories = list(dict.fromkeys("-".join(row["id"].split("-")[:2]) for row in documents))

    def half(id_):
        return stories.index("-".join(id_.split("-")[:2])) % 2

    def write(name, rows):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    learned = [row for row in labels if half(row["a"]) == half(row["b"]) == 0]
    write("learned.jsonl", [row for row in documents if half(row["id"]) == 0])
    write("labels.jsonl", [row | {"label": "dup" if row["label"] == "dup" else "similar"} for row in learned])
    write("rest.jsonl", [row for row in documents if half(row["id"]) == 1])
    return [row for row in labels if half(row["a"]) == half(row["b"]) == 1]


def trained(run, name, *options):
    answer = run("train", "learned.jsonl", "--labels", "labels.jsonl", "--model", name, *options)
    assert answer.returncode == 0, answer.stderr.decode()


def test_templates_of_other_stories_are_not_duplicates(run, tmp_path, halves):
    trained(run, "m.json", "--statistics", "background")
    command = ("ingest", "rest.jsonl", "--model", "m.json")
    outputs = set()
    for size in ("1", "7", "1000"):
        done = run(*command, "--store", f"{size}.db", "--keep-text", "--batch-size", size)
        assert done.returncode == 0, done.stderr.decode()
        outputs.add(done.stdout)
        assert run(*command, "--store", f"{size}.db").stdout == done.stdout
    assert len(outputs) == 1
    rows = {row["id"]: row for row in lines(outputs.pop())}
    assert all(list(row) == [*COLUMNS, "probability", "criteria"] for row in rows.values())
    for row in rows.values():
        if row["status"] == "duplicate":
            assert row["probability"] > 0.5
            assert "number_order" in row["criteria"]
    together = {
        kind: [rows[p["a"]]["group"] == rows[p["b"]]["group"] for p in halves if p["label"] == kind]
        for kind in ("template", "dup")
    }
    assert len(together["template"]) >= 30
    assert not any(together["template"])
    assert sum(together["dup"]) >= 0.89 * len(together["dup"]) > 10
    verified = run("store", "verify", "7.db", "--format", "jsonl")
    assert verified.returncode == 0
    assert not any(row["faults"] for row in lines(verified.stdout))
