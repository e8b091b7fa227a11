"""``dictionaries check``, ``import``, ``list``, ``remove`` and ``show --to`` as their user runs them."""

import json
import re
from pathlib import Path


def test_check_names_defects_and_leaves_with_65(run, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    header = "ru\tuk\ten\tpos\tsource\n"
    (folder / "translations.tsv").write_text(f"{header}дом\tдымище\thouse\tnoun\town\n", encoding="utf-8")
    answer = run("dictionaries", "check", "--folder", str(folder), "--format", "table")
    assert answer.returncode == 65
    assert answer.stdout.decode().startswith("translations.tsv:2:uk: 'дымище' has 'ы'")
    assert "correct the word" in answer.stdout.decode()
    said = answer.stderr.decode()
    assert "1 files, 1 rows: " in said
    assert "round trips were not tried" in said
    assert "E_DICTIONARY" in said


def test_import_list_show_remove(run, tmp_path: Path) -> None:
    data = {"INFOSTREAM_DEDUP_DATA": str(tmp_path / "data")}
    (tmp_path / "t.tsv").write_text("source\ttarget\nшмурдяк\tшмурдяка\nдом\n", encoding="utf-8")
    words = ("--from", "ru", "--to", "uk", "--format", "tsv")
    broken = run("dictionaries", "import", "t.tsv", *words, **data)
    assert broken.returncode == 65
    assert b"t.tsv:3: 1 cells; expected 2" in broken.stderr
    assert not (tmp_path / "data").exists()
    done = run("dictionaries", "import", "t.tsv", *words, "--skip", "--name", "mine", **data)
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert (row["name"], row["pairs"], row["replaced"], row["broken"]) == ("mine", 1, False, 1)
    assert b"skipped: t.tsv:3: 1 cells" in done.stderr
    assert json.loads(run("dictionaries", "list", **data).stdout)["name"] == "mine"
    shown = run("dictionaries", "show", "шмурдяка", "--to", "ru", "--from", "uk", **data)
    steps = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [(step["rung"], step["answer"]) for step in steps if step["wins"]] == [("dictionary", "шмурдяк")]
    assert run("dictionaries", "remove", "mine", **data).returncode == 0
    assert run("dictionaries", "remove", "mine", **data).returncode == 66
    assert b"no imported tables" in run("dictionaries", "list", **data).stderr


def test_the_example_of_remove_removes_what_the_example_of_import_imports(run, tmp_path: Path) -> None:
    data = {"INFOSTREAM_DEDUP_DATA": str(tmp_path / "data")}
    (tmp_path / "pairs.tsv").write_text("source\ttarget\nfrobnicator\tфробнікатор\n", encoding="utf-8")
    for name in ("import", "remove"):
        shown = run("dictionaries", name, "--help").stdout.decode()
        example, *_ = re.findall("^ +infostream-dedup (.*)", shown, re.MULTILINE)
        answer = run(*example.split(), **data)
        assert answer.returncode == 0, answer.stderr


def test_import_asks_for_languages_and_format(run) -> None:
    answer = run("dictionaries", "import", "t.tsv", "--from", "de", "--to", "uk", "--format", "tsv")
    assert answer.returncode == 2
    assert b"'de' is not one of 'ru', 'uk', 'en'" in answer.stderr


def test_build_prints_a_row_for_each_table(run, tmp_path: Path) -> None:
    answer = run("dictionaries", "build", "--lang", "uk", "--most", "200", "--out", str(tmp_path / "out"))
    assert answer.returncode == 0, answer.stderr
    row = json.loads(answer.stdout)
    assert list(row) == "language terms in_use nouns surnames organisations places other_names file".split()
    assert (row["language"], row["file"]) == ("uk", str(tmp_path / "out" / "uk.tsv"))
    assert len((tmp_path / "out" / "uk.tsv").read_text(encoding="utf-8").splitlines()) == row["terms"] + 1
    refused = run("dictionaries", "build", "--lang", "uk,pl", "--out", str(tmp_path / "pl"))
    assert refused.returncode == 78
    assert b"language is 'pl'; expected one of ru, uk, en" in refused.stderr
    assert not (tmp_path / "pl").exists()
