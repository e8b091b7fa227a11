"""Every command as its user runs it."""

import csv
import gzip
import io
import json
import os
import pty
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.cli.dictionaries import install_model
from infostream_dedup.cli.output import Column, cell_width, print_table, table_lines
from infostream_dedup.sample import documents_path, labels_path, topics_path
from tests.conftest import failed, rows_of, succeeded

SAMPLE = str(documents_path())
COMMANDS = Path(__file__).resolve().parents[2] / "docs" / "reference" / "commands.md"


def test_help_names_every_command_and_starts_without_heavy_packages(run):
    answer = succeeded(run("--help"))
    for command in ("demo", "sweep", "pairs", "dedup", "evaluate", "dictionaries"):
        assert command.encode() in answer.stdout
        assert f"infostream-dedup {command}" in COMMANDS.read_text(encoding="utf-8")
    heavy = ("numpy", "scipy", "pymorphy3", "pyarrow", "matplotlib", "rich")
    others = ("stream.deduplicator", heavy[1:]), ("service.agents", ("granian",))
    for loaded, never in (("cli; from infostream_dedup import api, sweep", heavy), *others):
        code = f"import sys, infostream_dedup.{loaded}; print([name for name in {never} if name in sys.modules])"
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"[]"


def test_sweep_as_json_has_the_promised_shape(run):
    answer = succeeded(run("sweep", SAMPLE, "--format", "json"))
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


def test_out_writes_all_files_twice_the_same(run, tmp_path):
    for folder, seed, tz in (("a", "0", "UTC"), ("b", "42", "Asia/Tokyo")):
        answer = run("sweep", SAMPLE, "--representation=stem", "--out", folder, PYTHONHASHSEED=seed, TZ=tz, LC_ALL="C")
        assert answer.returncode == 0, answer.stderr
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert names == {
        "sweep.json", "sweep.csv", "report.html",
        *(f"{one}.{ending}" for one in ("answer", "symmetry", "transitivity", "groups") for ending in ("svg", "png")),
    }  # fmt: skip
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_pairs_stream_as_json_lines(run):
    rows = rows_of(run("pairs", SAMPLE, "--k", "8"))
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


def test_pairs_are_written_to_a_file_as_they_are_printed(run, tmp_path):
    for ending in ("csv", "json", "jsonl", "parquet", "xlsx"):
        out = tmp_path / f"pairs.{ending}"
        assert b"344 pairs: " in run("pairs", SAMPLE, "--out", str(out)).stderr
        assert out.read_bytes() == run("pairs", SAMPLE, "--format", ending).stdout
    header = (tmp_path / "pairs.csv").read_text().partition("\n")[0].split(",")
    assert header == pq.read_table(tmp_path / "pairs.parquet").column_names
    run("pairs", SAMPLE, "--out", str(tmp_path / "pairs.tsv.gz"))
    assert gzip.decompress((tmp_path / "pairs.tsv.gz").read_bytes()).startswith(b"a\tb\tforward\t")
    refused = (("pairs.xls",), ("pairs.csv", "--format", "table"), (SAMPLE,))
    assert [run("pairs", SAMPLE, "--out", tmp_path / name, *more).returncode for name, *more in refused] == [78, 2, 73]


def test_judged_pairs_explain_themselves(run):
    given = ("pairs", SAMPLE, "--preset", "judged", "--terms", "none", "--top", "3", "--sort", "strength", "--explain")
    rows = rows_of(run(*given))
    assert [row["kind"] for row in rows] == ["copy"] * 3
    assert list(rows[0])[8:] == ["relation", "probability", "kind", "wording_forward", "wording_backward", "reasons"]
    table = run(*given, "--format", "table").stdout.decode()
    assert "before anything is compared" in table
    assert "{" not in table


@pytest.mark.parametrize("preset", ["faithful", "best", "similar"])
def test_evaluate_on_the_sample(run, preset):
    answer = succeeded(run("evaluate", SAMPLE, "--labels", str(labels_path()), "--preset", preset, "--format", "json"))
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
    answer = succeeded(run("evaluate", SAMPLE, "--labels", "labels.jsonl"))
    assert b"no pair counts as true: positive is dup, the labels are similar" in answer.stderr
    assert b"best: " not in answer.stdout


def test_dedup_reads_standard_input_and_writes_standard_output(run):
    from_pipe = succeeded(run("dedup", "-", "--out", "-", stdin=Path(SAMPLE).read_bytes()))
    run("dedup", SAMPLE, "--out", "unique.jsonl")
    assert 50 < len([json.loads(line)["id"] for line in from_pipe.stdout.splitlines()]) < 199


def test_dedup_says_what_it_did(run, tmp_path):
    summary = json.loads(run("dedup", SAMPLE, "--out", "all.csv", "--annotate", "--format", "json").stdout)[0]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "all.csv").read_text(encoding="utf-8"))))
    assert len(rows) == summary["documents"] == 199
    for status in ("new", "exact", "duplicate", "similar", "insufficient_text"):
        assert sum(row["status"] == status for row in rows) == summary[status]


def test_demo_writes_its_report(run, tmp_path):
    answer = succeeded(run("demo", "--out", "here"))
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


def test_a_table_is_for_reading(run):
    asked = ("--representation", "pivot", "--cross-language", "--quiet", "--format", "table")
    shown = run("pairs", SAMPLE, *asked).stdout.decode()
    head = shown.partition("\n")[0].split()
    assert (head[-1], "terms" in head) == ("met", False)
    assert "(dictionary)" in shown
    assert "{" not in shown


def test_the_command_writes_tables(run, tmp_path):
    succeeded(run("terms", SAMPLE, "--out", "k.parquet"))
    table = pq.read_table(tmp_path / "k.parquet").to_pylist()
    listed = rows_of(run("terms", SAMPLE, "--format", "jsonl"))
    assert [row["term"] for row in table] == [row["term"] for row in listed]
    assert table[0]["places"] == listed[0]["places"]
    assert b"id,language,rank,term,number,kind" in run("terms", SAMPLE, "--format", "csv").stdout
    assert run("terms", SAMPLE, "--vocabulary", "--out", "v.csv").returncode == 0


WORDS = st.text(st.sampled_from("aбї漢 —é01-"), max_size=14)
CELLS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join) | st.lists(WORDS, min_size=1, max_size=3).map("\n".join)


def with_rich(columns: list[Column], rows: list[list[str]], width: int, *, even: bool) -> list[str]:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1), expand=even)
    for one in columns:
        ratio, overflow = (1, "fold") if even else (None, "ellipsis")
        justify = "right" if one.numeric else "left"
        table.add_column(one.header, justify=justify, no_wrap=one.numeric, ratio=ratio, overflow=overflow)
    for row in rows:
        table.add_row(*row)
    file = io.StringIO()
    Console(file=file, width=width, markup=False, highlight=False, emoji=False).print(table)
    return file.getvalue().split("\n")[:-1]


@given(st.data(), st.integers(1, 5), st.integers(40, 120), st.booleans())
def test_a_table_is_the_one_of_rich(data, count, width, even):
    numeric = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    columns = [Column(f"name {number}", one and not even) for number, one in enumerate(numeric)]
    numbers = st.integers(0, 10**9).map(str)
    rows = data.draw(st.lists(st.tuples(*(numbers if one.numeric else CELLS for one in columns)), max_size=5))
    found = table_lines(columns, rows, width, even=even)
    assert found == with_rich(columns, rows, width, even=even)
    assert all(cell_width(line) <= width for line in found)


def test_a_table_by_hand():
    columns = [Column("слово"), Column("n", numeric=True)]
    rows = [("длинное название", "7"), ("ї", "1234")]
    assert table_lines(columns, rows, 40) == [
        "слово                n", "длинное название     7", "ї                 1234",
    ]  # fmt: skip
    assert table_lines(columns, rows, 16) == [
        "слово          n", "длинное        7", "название        ", "ї           1234",
    ]  # fmt: skip
    assert table_lines([], [], 40) == [""]


BAR = """
import sys
from infostream_dedup.cli.output import progress_bar
with progress_bar() as show:
    for done in range(3 if show else 0):
        show("reading", done, 2)
"""


def test_a_bar_is_only_on_a_terminal_and_is_gone_at_the_end():
    ours, theirs = pty.openpty()
    told = subprocess.run([sys.executable, "-c", BAR], stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert told.returncode == 0
    assert "reading" in shown
    assert "2/2" in shown
    assert shown.endswith(f"\r{' ' * 79}\r")
    assert subprocess.run([sys.executable, "-c", BAR], capture_output=True, check=True).stderr == b""


def test_a_pipe_gets_every_column_whole(capsys):
    rows = [{f"quantity_{number}": number / 7 for number in range(40)} | {"title": "слово " * 60}]
    rows[0] |= {"terms": ("a", "b"), "spans": [{"span": [0, 1], "text": "один"}, {"at": 2}]}
    print_table(rows)
    header, line = capsys.readouterr().out.splitlines()
    assert header.split() == list(rows[0])
    assert "…" not in line
    assert re.search(r" a b +один · at 2 *$", line)
    assert rows[0]["title"].strip() in line


def test_a_schema_and_a_file_say_what_a_configuration_may(run, tmp_path):
    schema = json.loads(run("config", "show", "ingest").stdout)
    assert schema["properties"]["batch-size"]["type"] == "integer"
    assert schema["properties"]["preset"]["enum"] == ["judged", "faithful"]
    assert schema["additionalProperties"] is False
    keys = {
        line[2:].split(" = ")[0]
        for line in run("config", "show", "ingest", "--toml").stdout.decode().splitlines()[1::2]
    }
    assert keys == schema["properties"].keys()
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text('preset = "faithful"\nbatch-size = 5\n', encoding="utf-8")
    bad.write_text('presett = "faithful"\n', encoding="utf-8")
    assert set(tomllib.loads(good.read_text(encoding="utf-8"))) <= schema["properties"].keys()
    assert run("config", "check", str(good), "--command", "ingest").returncode == 0
    failed(run("config", "check", str(bad), "--command", "ingest"), 78, "did you mean 'preset'")
    assert run("config", "show", "nothing").returncode == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(run, shell):
    assert b"_INFOSTREAM_DEDUP_COMPLETE" in run("config", "completion", shell).stdout


def test_each_command_has_a_manual_page(run, tmp_path):
    assert run("config", "man", str(tmp_path)).returncode == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert {"infostream-dedup.1", "infostream-dedup-dedup.1", "infostream-dedup-watch-add.1"} <= names
    page = (tmp_path / "infostream-dedup-watch-add.1").read_text(encoding="utf-8")
    assert page.startswith('.TH "INFOSTREAM-DEDUP-WATCH-ADD" 1')
    assert "\\-\\-terms" in page


def test_stages_add_up_and_counts_are_an_object(run, tmp_path):
    summary, store = tmp_path / "run.json", str(tmp_path / "news.db")
    run("ingest", str(documents_path()), "--store", store, "--summary", str(summary))
    told = json.loads(summary.read_text(encoding="utf-8"))
    assert sum(told["stages"].values()) == pytest.approx(told["seconds"], abs=0.01)
    assert told["stages"]["judging"] > told["stages"]["printing"]
    counts = json.loads(run("store", "stats", store, "--format", "json").stdout)
    assert counts["documents"] == sum(counts["status"].values()) == sum(counts["language"].values()) == 199


def test_check_names_defects_and_leaves_with_65(run, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    header = "ru\tuk\ten\tpos\tsource\n"
    (folder / "translations.tsv").write_text(f"{header}дом\tдымище\thouse\tnoun\town\n", encoding="utf-8")
    answer = failed(run("dictionaries", "check", "--folder", str(folder), "--format", "table"), 65)
    assert answer.stdout.decode().startswith("translations.tsv:2:uk: 'дымище' has 'ы'")
    assert "correct the word" in answer.stdout.decode()
    said = answer.stderr.decode()
    for words in ("1 files, 1 rows: ", "round trips were not tried", "E_DICTIONARY"):
        assert words in said


def test_import_list_show_remove(run, tmp_path: Path) -> None:
    data = {"INFOSTREAM_DEDUP_DATA": str(tmp_path / "data")}
    (tmp_path / "t.tsv").write_text("source\ttarget\nшмурдяк\tшмурдяка\nдом\n", encoding="utf-8")
    words = ("--from", "ru", "--to", "uk", "--format", "tsv")
    failed(run("dictionaries", "import", "t.tsv", *words, **data), 65, "t.tsv:3: 1 cells; expected 2")
    assert not (tmp_path / "data").exists()
    done = succeeded(run("dictionaries", "import", "t.tsv", *words, "--skip", "--name", "mine", **data))
    row = json.loads(done.stdout)
    assert (row["name"], row["pairs"], row["replaced"], row["broken"]) == ("mine", 1, False, 1)
    assert b"skipped: t.tsv:3: 1 cells" in done.stderr
    assert json.loads(run("dictionaries", "list", **data).stdout)["name"] == "mine"
    steps = rows_of(run("dictionaries", "show", "шмурдяка", "--to", "ru", "--from", "uk", **data))
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
        succeeded(run(*example.split(), **data))


MODEL = Path(__file__).parents[1] / "translation" / "fixtures" / "tiny_uk_ru.argosmodel"


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    # Not through argostranslate, which reads the environment only once.
    monkeypatch.setitem(sys.modules, "argostranslate", None)
    monkeypatch.setenv("ARGOS_PACKAGES_DIR", str(tmp_path / "packages"))
    return lambda *arguments: CliRunner().invoke(install_model, arguments)


def test_it_says_what_was_installed_where(invoke, tmp_path):
    first, again = invoke(str(MODEL)), invoke(str(MODEL))
    assert json.loads(first.stdout) == {
        "file": str(MODEL), "source": "uk", "target": "ru", "version": "1.0",
        "folder": str(tmp_path / "packages" / "translate-uk_ru-1_0"), "replaced": False, "tried": True,
    }  # fmt: skip
    assert json.loads(again.stdout)["replaced"] is True
    assert (tmp_path / "packages" / "translate-uk_ru-1_0" / "model" / "model.bin").is_file()
    assert not first.stderr


TEXT = "Верховная Рада приняла закон о пенсиях голосами коалиции."
FILES = {
    "a.jsonl": json.dumps({"id": "1", "text": TEXT}) + "\n" + json.dumps({"id": "2", "text": TEXT}) + "\n",
    "labels.jsonl": json.dumps({"a": "1", "b": "2", "label": "dup"}) + "\n",
    "list.jsonl": json.dumps({"sentence": "Подписывайтесь на наш канал."}) + "\n", "settings.toml": "quiet = true\n",
}  # fmt: skip
SKIP = "--on-error skip --quarantine"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def test_the_missing_extra_is_said(invoke, monkeypatch):
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    result = invoke(str(MODEL))
    assert json.loads(result.stdout)["tried"] is False
    assert re.search(r"pip install .*\[translate\]", result.stderr)
    assert not invoke(str(MODEL), "--quiet").stderr


@pytest.mark.parametrize(("command", "code"), [
    ("dedup a.jsonl --out - --summary a.jsonl", 73), ("dedup --summary a.jsonl a.jsonl --out -", 73),
    ("pairs a.* --summary ./a.jsonl", 73), ("pairs . --summary a.jsonl", 73),
    ("evaluate a.jsonl --labels labels.jsonl --summary labels.jsonl", 73),
    ("pairs a.jsonl --config settings.toml --summary settings.toml", 73),
    ("passages find a.jsonl --boilerplate list.jsonl --out list.jsonl", 73),
    ("dedup a.jsonl --out b.jsonl --summary b.jsonl", 73), ("dedup a.jsonl --out a.jsonl", 73),
    ("train a.jsonl --labels labels.jsonl --model labels.jsonl", 73),
    (f"dedup a.jsonl --out b.jsonl {SKIP} b.jsonl", 73), ("sweep a.jsonl --write-config a.jsonl", 73),
    (f"pairs a.jsonl --boilerplate list.jsonl {SKIP} list.jsonl", 78),
    (f"audit a.jsonl --judged labels.jsonl {SKIP} labels.jsonl", 78),
    (f"train a.jsonl --labels labels.jsonl {SKIP} labels.jsonl", 78),
    (f"pairs a.jsonl --summary b.jsonl {SKIP} b.jsonl", 73), (f"pairs a.jsonl {SKIP} -", 78),
])  # fmt: skip
def test_nothing_is_overwritten(run_command, folder: Path, command: str, code: int) -> None:
    answer = run_command(folder, *command.split())
    assert answer.returncode == code, answer.stderr
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} == FILES


def test_devices_may_be_shared(run_command, folder: Path) -> None:
    assert run_command(folder, *f"pairs a.jsonl --summary /dev/null {SKIP} /dev/null".split()).returncode == 0


def test_the_result_may_replace_an_earlier_one(run_command, folder: Path) -> None:
    for _ in range(2):
        given = f"dedup a.jsonl --out b.jsonl --summary run.json {SKIP} bad.jsonl"
        assert run_command(folder, *given.split()).returncode == 0
    assert json.loads((folder / "run.json").read_text())["read"] == 2


@pytest.mark.parametrize(("command", "said"), [
    ("sweep bad.jsonl --out a.jsonl/report", "cannot create the folder a.jsonl/report: "),
    ("compare bad.jsonl --out a.jsonl/report", "cannot create the folder a.jsonl/report: "),
    ("train bad.jsonl --labels labels.jsonl --curve a.jsonl/curve", "cannot create the folder a.jsonl/curve: "),
    ("compare bad.jsonl --sample-disagreements 3 --out-labels no/l.jsonl", "cannot create no/l.jsonl: No such"),
    ("audit bad.jsonl --out no/pairs.jsonl", "cannot create no/pairs.jsonl: No such file"),
    ("sweep bad.jsonl --write-config no/k.toml", "cannot create no/k.toml: No such file"),
])  # fmt: skip
def test_an_output_is_refused_before_the_documents_are_read(run_command, folder: Path, command: str, said: str) -> None:
    (folder / "bad.jsonl").write_text("not JSON\n", encoding="utf-8")
    answer = failed(run_command(folder, *command.split()), 73)
    assert answer.stderr.decode().startswith(f"infostream-dedup: {said}")
    assert not (folder / "report").exists()


def test_a_summary_that_cannot_be_written_is_refused_before_the_work(run_command, folder: Path) -> None:
    answer = run_command(folder, "pairs", "a.jsonl", "--summary", "no/run.json")
    assert (answer.returncode, answer.stdout) == (73, b"")
    assert answer.stderr.decode() == "infostream-dedup: cannot create no/run.json: No such file or directory\n"
