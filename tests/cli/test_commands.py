"""Every command as its user runs it."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from infostream_dedup.sample import documents_path, labels_path, topics_path

SAMPLE = str(documents_path())
COMMANDS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "commands.md"


def test_help_names_every_command_and_starts_without_heavy_packages(run):
    answer = run("--help")
    assert answer.returncode == 0
    for command in ("demo", "sweep", "pairs", "dedup", "evaluate", "dictionaries"):
        assert command.encode() in answer.stdout
        assert f"infostream-dedup {command}" in COMMANDS.read_text(encoding="utf-8")
    heavy = ("numpy", "scipy", "pymorphy3", "pyarrow", "matplotlib", "rich")
    code = f"import sys, infostream_dedup.cli; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"[]"


def test_every_option_of_every_command_has_a_help_text():
    from infostream_dedup.cli import cli

    for name, command in cli.commands.items():
        assert command.help, name
        for option in command.params:
            if option.param_type_name == "option" and option.name != "help":
                assert option.help, f"{name} {option.name}"


def test_sweep_as_json_has_the_promised_shape(run):
    answer = run("sweep", SAMPLE, "--format", "json")
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert set(found["recommended_k"]) == set(found["reason"]) == {"stem", "morph", "pivot", "pivot:cross"}
    assert all(4 <= k <= 9 for k in found["recommended_k"].values())
    assert list(found["rows"][0]) == [
        "representation", "block", "k", "documents", "links", "reciprocal", "paths", "closed", "symmetry",
        "transitivity", "sampled", "transitivity_error", "groups", "grouped", "largest", "symmetry_error",
        *("links_error", "transitivity_with_return", "symmetry_low", "symmetry_high", "transitivity_low"),
        *("transitivity_high", "short", "copies", "copy_precision"),
        *("copy_precision_low", "copy_precision_high"),
        *("copy_recall", "copy_recall_low", "copy_recall_high", "precision", "recall", "f1"),
        *("precision_low", "precision_high", "recall_low", "recall_high", "reliable", "reliable_code"),
    ]  # fmt: skip
    blocks = [("stem", "all"), ("morph", "all"), ("pivot", "all"), ("pivot", "mono"), ("pivot", "cross")]
    assert [(row["representation"], row["block"], row["k"]) for row in found["rows"]] == [
        (*block, k) for block in blocks for k in range(1, 13)
    ]
    assert b"read 199 = used 199 + quarantined 0" in answer.stderr


def test_sweep_of_chosen_k_as_csv(run):
    answer = run("sweep", SAMPLE, "--representation", "stem", "--k", "4-6", "--format", "csv", "--quiet")
    rows = list(csv.DictReader(io.StringIO(answer.stdout.decode())))
    assert [row["k"] for row in rows] == ["4", "5", "6"]
    assert answer.stderr == b""


def test_out_writes_all_files_twice_the_same(run, tmp_path):
    for folder, seed, zone in (("a", "0", "UTC"), ("b", "42", "Asia/Tokyo")):
        answer = run("sweep", SAMPLE, "--out", folder, PYTHONHASHSEED=seed, TZ=zone, LC_ALL="C")
        assert answer.returncode == 0, answer.stderr
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert names == {
        "sweep.json", "sweep.csv", "report.html",
        *(f"{one}.{ending}" for one in ("answer", "symmetry", "transitivity", "groups") for ending in ("svg", "png")),
    }  # fmt: skip
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_pairs_stream_as_json_lines(run):
    answer = run("pairs", SAMPLE, "--k", "8")
    rows = [json.loads(line) for line in answer.stdout.splitlines()]
    assert rows
    assert list(rows[0]) == [
        "a", "b", "forward", "backward", "n_a", "n_b", "share_forward", "share_backward", "relation", "terms",
    ]  # fmt: skip
    assert {row["relation"] for row in rows} <= {"equal", "contained", "contains"}
    bare = run("pairs", SAMPLE, "--k", "8", "--terms", "none").stdout.splitlines()
    assert [json.loads(line) for line in bare] == [{k: v for k, v in row.items() if k != "terms"} for row in rows]


def test_pairs_without_a_pair_still_have_the_columns_as_csv(run):
    one = b'{"id": "1", "text": ""}\n'
    header = b"a,b,forward,backward,n_a,n_b,share_forward,share_backward,relation"
    plain = ("--preset", "faithful", "--format", "csv")
    assert run("pairs", "-", *plain, stdin=one).stdout == header + b",terms\n"
    assert run("pairs", "-", *plain, "--terms", "none", stdin=one).stdout == header + b"\n"
    assert run("pairs", SAMPLE, *plain, "--terms", "none").stdout.startswith(header + b"\n")


def test_judged_pairs_explain_themselves(run):
    given = ("pairs", SAMPLE, "--preset", "judged", "--terms", "none", "--top", "3", "--sort", "strength", "--explain")
    rows = [json.loads(line) for line in run(*given).stdout.splitlines()]
    assert [row["kind"] for row in rows] == ["copy"] * 3
    assert list(rows[0])[8:] == ["relation", "probability", "kind", "wording_forward", "wording_backward", "reasons"]
    table = run(*given, "--format", "table").stdout.decode()
    assert "before anything is compared" in table
    assert "{" not in table


@pytest.mark.parametrize("preset", ["faithful", "best", "similar"])
def test_evaluate_on_the_sample(run, preset):
    answer = run("evaluate", SAMPLE, "--labels", str(labels_path()), "--preset", preset, "--format", "json")
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    step = "threshold" if preset == "best" else "k"
    scores = ["tp", "fp", "fn", "precision", "recall", "f1", "low", "high"]
    assert list(found["rows"][0]) == [step, *scores, "linked", "judged"]
    assert found["best"]["f1"] == max(row["f1"] for row in found["rows"] if row["f1"] is not None)
    assert found["best"]["low"] <= found["best"]["f1"] <= found["best"]["high"]
    assert found["recommended"]["f1"] > 0.7


def test_evaluate_says_that_no_label_counts_as_true(run, tmp_path):
    rows = [json.loads(line) for line in Path(labels_path()).read_text(encoding="utf-8").splitlines()]
    similar = [row | {"label": "similar"} for row in rows[:3]]
    (tmp_path / "labels.jsonl").write_text("\n".join(map(json.dumps, similar)), encoding="utf-8")
    answer = run("evaluate", SAMPLE, "--labels", "labels.jsonl")
    assert answer.returncode == 0, answer.stderr
    assert b"no pair counts as true: positive is dup, the labels are similar" in answer.stderr
    assert b"best: " not in answer.stdout


def test_dedup_reads_standard_input_and_writes_standard_output(run):
    from_pipe = run("dedup", "-", "--out", "-", stdin=Path(SAMPLE).read_bytes())
    assert from_pipe.returncode == 0, from_pipe.stderr
    run("dedup", SAMPLE, "--out", "unique.jsonl")
    assert 50 < len([json.loads(line)["id"] for line in from_pipe.stdout.splitlines()]) < 199


def test_dedup_says_what_it_did(run, tmp_path):
    answer = run("dedup", SAMPLE, "--out", "all.csv", "--annotate", "--format", "json")
    summary = json.loads(answer.stdout)[0]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "all.csv").read_text(encoding="utf-8"))))
    assert len(rows) == summary["documents"] == 199
    for status in ("new", "exact", "duplicate", "similar", "insufficient_text"):
        assert sum(row["status"] == status for row in rows) == summary[status]


def test_demo_writes_its_report(run, tmp_path):
    answer = run("demo", "--out", "here")
    assert answer.returncode == 0, answer.stderr
    assert "recommended" not in answer.stderr.decode()
    assert (tmp_path / "here" / "report.html").is_file()
    assert "morph: k =" in answer.stdout.decode()
    said = " ".join(answer.stdout.decode().split())
    assert "S between languages tells texts from topics" in said
    assert "it falls: 0.69, 0.38, 0.00" in said


def test_links_between_languages_that_join_topics_are_told(run):
    asked = ("--cross-language", "--representation", "pivot", "--format", "csv")
    topical = run("pairs", str(topics_path()), *asked)
    assert b"warning: only 38 of 100 links between languages at k = 6 are returned" in topical.stderr
    assert b"topic" not in run("pairs", SAMPLE, *asked).stderr
    assert b"topic" not in run("pairs", str(topics_path()), *asked[1:]).stderr
