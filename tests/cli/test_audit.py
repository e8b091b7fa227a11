"""``audit`` as a person uses it: pairs go to a file, are judged there, and come back."""

import csv
import io
import json
from pathlib import Path

import pytest

from infostream_dedup.sample import documents_path

from .conftest import Run

ASK = ("audit", str(documents_path()), "--representation", "stem", "--pairs", "20")


def judged(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [row | {"label": "Dup" if float(row["wording"].replace(",", ".")) > 0.3 else "different"} for row in rows]


@pytest.mark.parametrize("way", [["--format", "csv"], ["--out", "ask.csv"]])
def test_a_spreadsheet_of_pairs_comes_back(run: Run, tmp_path: Path, way: list[str]) -> None:
    asked = run(*ASK, *way, "--csv-dialect", "excel")
    assert asked.returncode == 0, asked.stderr.decode()
    content = asked.stdout if "--format" in way else (tmp_path / "ask.csv").read_bytes()
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=";"))
    assert len(rows) == 20
    assert all(row["text_a"] and row["text_b"] for row in rows)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
    writer.writeheader()
    writer.writerows(judged(rows))
    (tmp_path / "ask.csv").write_text(out.getvalue(), encoding="utf-8-sig", newline="")
    found = run(*ASK[:4], "--judged", "ask.csv", "--format", "json")
    assert found.returncode == 0, found.stderr.decode()
    assert json.loads(found.stdout)["rows"][-1]["pairs"] == 20


def test_pairs_show_the_beginnings_of_texts(run: Run) -> None:
    texts = {}
    for line in documents_path().read_text("utf-8").splitlines():
        document = json.loads(line)
        texts[document["id"]] = " ".join(document["text"].split())
    rows = [json.loads(line) for line in run(*ASK).stdout.splitlines()]
    for row in rows:
        assert 50 < len(row["text_a"]) <= 300
        assert texts[row["a"]].startswith(row["text_a"])
        assert texts[row["b"]].startswith(row["text_b"])


def test_judgements_for_other_settings_are_doubted(run: Run, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in run(*ASK).stdout.splitlines()]
    labelled = [row | {"label": "dup"} for row in rows]

    def said(rows: list[dict[str, str]], *options: str) -> tuple[str, str]:
        (tmp_path / "ask.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        found = run(*ASK[:4], "--judged", "ask.jsonl", "--format", "json", *options)
        return json.loads(found.stdout)["rows"][-1]["note"], found.stderr.decode()

    assert not any("may be wrong" in text for text in said(labelled))
    assert all(
        "20 of the judged pairs were chosen for other documents or" in text for text in said(labelled, "--k", "9")
    )
    unknown = [{name: row[name] for name in ("a", "b", "label")} for row in labelled]
    assert all("20 of the judged pairs were not chosen by an audit" in text for text in said(unknown))
    assert not any("may be wrong" in text for text in said([row | {"asked": True} for row in unknown]))


def test_a_table_is_not_written_to_a_file(run: Run, tmp_path: Path) -> None:
    assert run(*ASK, "--out", "ask.txt", "--format", "table").returncode == 2
    assert not (tmp_path / "ask.txt").exists()


def test_a_desk_takes_a_spreadsheet_and_gives_one(run: Run, tmp_path: Path) -> None:
    run("ingest", str(documents_path()), "--store", "news.db", "--quiet")
    asked = run(*ASK, "--out", "ask.csv")
    assert asked.returncode == 0, asked.stderr.decode()
    taken = run("desk", "import", "news.db", "ask.csv", "--person", "oksana")
    assert taken.returncode == 0, taken.stderr.decode()
    rows = list(csv.DictReader(io.StringIO((tmp_path / "ask.csv").read_text("utf-8"), newline="")))
    others = {"a": rows[0]["a"], "b": "not asked for", "label": "different"}
    with (tmp_path / "judged.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, ["a", "b", "label"])
        writer.writeheader()
        writer.writerows([{name: row[name] for name in others} | {"label": "dup"} for row in rows] + [others])
    assert run("desk", "import", "news.db", "judged.csv", "--person", "oksana").returncode == 0
    run("desk", "export", "news.db", "--out", "labels.csv")
    exported = (tmp_path / "labels.csv").read_text("utf-8").splitlines()
    assert exported[0] == "a,b,label,judges,repeats,asked"
    assert len(exported) == 22
    found = run(*ASK[:4], "--judged", "labels.csv", "--format", "json")
    assert json.loads(found.stdout)["rows"][-1]["pairs"] == 20
    assert "1 judged pairs were not chosen by an audit" in found.stderr.decode()
