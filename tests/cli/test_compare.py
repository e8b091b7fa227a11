"""``compare`` as its user runs it."""

import json

from infostream_dedup.lab.evaluation.labels import read_labels
from infostream_dedup.lab.methods import methods
from infostream_dedup.lab.methods.method import method_class
from infostream_dedup.sample import documents_path, labels_path

SAMPLE = str(documents_path())
LABELS = str(labels_path())
FEW = "md5,long-sent,three-plus-two:n=3,key-terms-stem"


def test_all_methods_against_labels_as_json(run):
    answer = run("compare", SAMPLE, "--labels", LABELS)
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    asked = [name for name in methods() if not method_class(name).only_when_named]
    assert [row["method"] for row in found["rows"]] == [name for name in asked if name not in found["missing"]]
    assert list(found["rows"][0])[:9] == [
        "method", "pairs", "precision", "recall", "f1", "symmetry", "transitivity", "cpu_seconds",
        "bytes_per_document",
    ]  # fmt: skip
    assert found["protocol"] == "labels"
    assert len(found["dice"]["values"]) == len(found["rows"])
    assert b"reading, shared by all" in answer.stderr
    assert b"read 199 = used 199" in answer.stderr


def test_a_table_with_the_dice_matrix(run):
    answer = run("compare", SAMPLE, "--methods", FEW, "--format", "table")
    assert answer.returncode == 0, answer.stderr
    text = answer.stdout.decode()
    assert "three-plus-two:n=3" in text
    assert "Dice, %" in text
    assert "growth" not in text
    assert b"pool: " in answer.stderr


def test_a_report_and_pairs_for_an_expert(run, tmp_path):
    out = tmp_path / "report"
    answer = run("compare", SAMPLE, "--methods", FEW, "--sample-disagreements", "6", "--out", str(out))
    assert answer.returncode == 0, answer.stderr
    assert {"report.html", "comparison.json", "comparison.csv", "dice.svg", "times.csv", "disagreements.jsonl"} <= {
        path.name for path in out.iterdir()
    }
    rows = [json.loads(line) for line in (out / "disagreements.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 6
    assert all(row["label"] is None and row["found_by"] for row in rows)
    assert "times" not in json.loads((out / "comparison.json").read_bytes())


def test_what_the_expert_filled_in_is_read_by_compare_and_evaluate(run, tmp_path):
    run("compare", SAMPLE, "--methods", FEW, "--sample-disagreements", "6", "--out-labels", "ask.jsonl")
    path = tmp_path / "ask.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row, label in zip(rows, ("dup", "different", "dup"), strict=False):
        row["label"] = label
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert [label.label for label in read_labels(path)] == ["dup", "different", "dup"]
    for command in (("compare", "--methods", FEW), ("evaluate", "--representation", "stem")):
        answer = run(command[0], SAMPLE, "--labels", "ask.jsonl", *command[1:])
        assert answer.returncode == 0, answer.stderr
        first = json.loads(answer.stdout)["rows"][0]
        assert first["tp"] + first["fn"] == 2


def test_growth_and_the_whole_pool(run):
    answer = run("compare", SAMPLE, "--methods", "tf,key-terms-stem", "--pool", "ALL", "--growth")
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert found["pool"]["methods"] == ["tf", "key-terms-stem"]
    assert all("growth" in row for row in found["rows"])


def test_wrong_options(run):
    answer = run("compare", SAMPLE, "--methods", "md6")
    assert answer.returncode == 78
    assert b"method is 'md6'" in answer.stderr
    answer = run("compare", SAMPLE, "--protocol", "labels")
    assert answer.returncode == 78
    assert b"needs labels" in answer.stderr
    answer = run("compare", SAMPLE, "--out-labels", "x.jsonl")
    assert answer.returncode == 2
    answer = run("compare", SAMPLE, "--methods", "md5", "--sample-disagreements", "3", "--out-labels", SAMPLE)
    assert answer.returncode == 73
    answer = run("compare", SAMPLE, "--labels", "nowhere.jsonl")
    assert answer.returncode == 66
    assert b"Traceback" not in answer.stderr
