"""What a run leaves besides its rows: a summary, log lines; and rows for spreadsheet programs."""

import csv
import io
import json
import re
import subprocess
import sys
from datetime import datetime

import pytest
from click.testing import CliRunner

from infostream_dedup import report
from infostream_dedup.cli import cli
from infostream_dedup.cli.run_log import RunLog
from infostream_dedup.errors import MissingExtraError
from infostream_dedup.sample import documents_path
from tests.conftest import failed, succeeded

TEXT = "Верховная Рада приняла закон о пенсиях голосами коалиции. Оппозиция пообещала подать жалобу в суд."
ROWS = [
    {"id": "1", "text": TEXT, "source": "a.ua", "lang": "ru"},
    {"id": "2", "text": f"{TEXT} Правительство согласно.", "source": "b.ua", "lang": "ru"},
    {"id": "3", "text": "Rain is expected over the southern islands on Sunday.", "lang": "en", "title": "=1+1;2"},
]


@pytest.fixture
def folder(tmp_path):
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    (tmp_path / "a.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def test_a_summary_counts_what_was_read_and_decided(run_command, folder) -> None:
    answer = succeeded(run_command(folder, "ingest", "a.jsonl", "--store", "s.db", "--summary", "run.json"))
    found = json.loads((folder / "run.json").read_text())
    assert (found["command"], found["status"], found["error"]) == ("ingest", "done", None)
    assert (found["read"], found["used"], found["quarantined"]) == (3, 3, {})
    verdicts = [json.loads(line)["status"] for line in answer.stdout.splitlines()]
    assert found["statuses"] == {name: verdicts.count(name) for name in sorted(set(verdicts))}
    assert (found["sources"], found["languages"]) == ({"": 1, "a.ua": 1, "b.ua": 1}, {"en": 1, "ru": 2})
    assert found["cpu_seconds"] > 0
    assert found["peak_memory_bytes"] > 10_000_000
    assert {"infostream-dedup", "python", "numpy", "PyStemmer"} <= set(found["versions"])
    assert datetime.fromisoformat(found["started"]).tzinfo is not None


def test_a_stage_goes_on_after_the_compiler(monkeypatch) -> None:
    """Worked by hand: reading from 0 to 2 and 7 to 8, compiling from 2 to 7, matching from 8 to 11."""
    clock = iter([0.0, 0.0, 0.0, 2.0, 2.0, 7.0, 7.0, 8.0, 8.0, 11.0, 11.0])
    monkeypatch.setattr("infostream_dedup.cli.run_log.time.monotonic", lambda: next(clock))
    log = RunLog()
    log.stage("reading")
    log.stage("compiling")
    log.stage("compiling", ended=True)
    log.stage("matching")
    names = ("starting", "reading", "compiling", "matching", "other")
    assert log.summary("sweep", None)["stages"] == dict(zip(names, (0, 3, 5, 3, 0), strict=True))


def test_a_run_that_fails_leaves_a_summary_too(run_command, folder) -> None:
    assert run_command(folder, "dedup", "none.jsonl", "--out", "b.jsonl", "--summary", "run.json").returncode == 66
    found = json.loads((folder / "run.json").read_text())
    assert (found["status"], found["error"]["kind"]) == ("failed", "NoInputError")
    assert "none.jsonl" in found["error"]["message"]


def test_a_run_that_fails_midway_counts_what_it_read(run_command, folder) -> None:
    (folder / "b.jsonl").write_text('{"id": "4"}\n', encoding="utf-8")
    given = ("a.jsonl", "b.jsonl", "--store", "s.db", "--batch-size", "1", "--summary", "run.json")
    answer = failed(run_command(folder, "ingest", *given), 65)
    found = json.loads((folder / "run.json").read_text())
    assert (found["status"], found["read"], found["used"]) == ("failed", 3, 3)
    assert sum(found["statuses"].values()) == len(answer.stdout.splitlines()) == 3


def test_collect_sums_up_items_and_their_sources(run_command, folder) -> None:
    items = "".join(
        f"<item><guid>tag:{number}</guid><link>https://{host}/1</link><description>{text}</description></item>"
        for number, host, text in ((1, "a.ua", TEXT), (2, "b.ua", TEXT), (2, "b.ua", TEXT), (3, "b.ua", ""))
    )
    (folder / "feed.xml").write_text(f"<rss><channel>{items}</channel></rss>", encoding="utf-8")
    succeeded(run_command(folder, "collect", "feed.xml", "--summary", "run.json"))
    found = json.loads((folder / "run.json").read_text())
    assert (found["read"], found["used"], found["quarantined"]) == (4, 2, {"again": 1, "empty": 1})
    assert found["sources"] == {"a.ua": 1, "b.ua": 1}
    post = {"id": 1, "type": "message", "date_unixtime": "1714550400", "forwarded_from": "Маяк", "text": TEXT}
    (folder / "result.json").write_text(json.dumps({"id": 7, "name": "Вести", "messages": [post]}), encoding="utf-8")
    assert b"forwarded_by" in run_command(folder, "collect", "result.json", "--format", "csv").stdout


def test_every_command_that_reads_documents_sums_them_up(run_command, folder) -> None:
    rows = [{"id": f"{n}{m}", "text": f"{text} {m}."} for n, text in enumerate((TEXT, ROWS[2]["text"])) for m in "xy"]
    (folder / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    labels = [("0x", "0y", "dup"), ("1x", "1y", "dup"), ("0x", "1x", "different"), ("0y", "1y", "different")]
    lines = (json.dumps({"a": a, "b": b, "label": label}) + "\n" for a, b, label in labels)
    (folder / "labels.jsonl").write_text("".join(lines), encoding="utf-8")
    for given in (
        "train d.jsonl --labels labels.jsonl --model model.json", "classify d.jsonl --model model.json",
        "passages provenance d.jsonl --group 0x,0y", "passages provenance d.jsonl --group 0x,0y --original",
    ):  # fmt: skip
        succeeded(run_command(folder, *given.split(), "--summary", "run.json"))
        found = json.loads((folder / "run.json").read_text())
        assert (given, found["read"], found["used"]) == (given, 4, 4)


def test_log_lines_are_objects_and_have_levels(run_command, folder) -> None:
    answer = run_command(folder, "pairs", "a.jsonl", "--log-format", "json")
    lines = [json.loads(line) for line in answer.stderr.splitlines()]
    assert lines[-1]["message"].startswith("read 3 = used 3")
    assert {line["level"] for line in lines} == {"info"}
    assert datetime.fromisoformat(lines[0]["time"])
    answer = run_command(folder, "pairs", "a.jsonl", "--log-format", "json", "--log-level", "error")
    assert answer.stderr == b""
    answer = run_command(folder, "pairs", "none.jsonl", "--log-level", "error", "--log-format", "json")
    assert json.loads(answer.stderr)["level"] == "error"


def test_warnings_are_lines_of_the_log(run_command, folder) -> None:
    (folder / "old.jsonl").write_bytes((folder / "a.jsonl").read_text(encoding="utf-8").encode("cp1251", "replace"))
    answer = run_command(folder, "pairs", "old.jsonl", "--log-format", "json")
    first, last = (json.loads(line) for line in answer.stderr.splitlines())
    assert first["message"].startswith("old.jsonl: the text is cp1251")
    assert (first["level"], last["level"]) == ("warning", "info")
    answer = run_command(folder, "pairs", "old.jsonl", "--log-level", "warning", anew=True)
    assert answer.stderr.decode().splitlines() == [first["message"]]
    answer = run_command(folder, "pairs", "old.jsonl", "--log-level", "error")
    assert (answer.stderr, answer.returncode) == (b"", 0)


@pytest.mark.parametrize("disk", [(), ("--workdir", "work")], ids=["memory", "disk"])
def test_a_file_for_a_double_click(run_command, folder, disk) -> None:
    given = ("dedup", "a.jsonl", "--annotate", "--out", "b.csv", "--csv-dialect", "excel", *disk)
    succeeded(run_command(folder, *given))
    written = (folder / "b.csv").read_bytes()
    assert written.startswith(b"\xef\xbb\xbfid;text;")
    assert written.count(b"\r\n") == len(ROWS) + 1
    _, second, third = csv.DictReader(io.StringIO(written.decode("utf-8-sig"), newline=""), delimiter=";")
    assert second["status"] == "duplicate"
    assert float(second["probability"].replace(",", ".")) > 0.5
    assert "." not in second["probability"]
    # The first row has no title; a title with a semicolon is quoted.
    assert third["title"] == "'=1+1;2"


def test_a_workbook_holds_the_same_rows_and_the_same_bytes(run_command, folder) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("xlsxwriter")
    first, again = (run_command(folder, "pairs", "a.jsonl", "--format", "xlsx").stdout for _ in range(2))
    assert first == again
    (folder / "a.xlsx").write_bytes(first)
    header, row = openpyxl.load_workbook(folder / "a.xlsx").active.values
    plain = json.loads(run_command(folder, "pairs", "a.jsonl", "--format", "json").stdout)[0]
    cells = dict(zip(header, row, strict=True))
    assert (cells["probability"], json.loads(cells["terms"])) == (plain["probability"], plain["terms"])


def test_a_followed_folder_takes_every_known_ending(tmp_path) -> None:
    import threading

    from infostream_dedup.documents import Reading
    from infostream_dedup.stream.intake import _from_folder

    (tmp_path / "a.json").write_text(json.dumps(ROWS[:1]), encoding="utf-8")
    (tmp_path / "b.tsv").write_text("id\ttext\n2\tСнег\n", encoding="utf-8")
    (tmp_path / "c.txt").write_text("Дождь", encoding="utf-8")
    (tmp_path / "d.pdf").write_text("?")
    stop, notes, found = threading.Event(), [], []
    reading = Reading(make_ids=True)
    with reading.bad_records() as bad:
        for batch in _from_folder(tmp_path, bad, reading, stop, notes.append):
            found += [document.text for document, _ in batch]
            if len(found) == 3:
                stop.set()
    assert found == [TEXT, "Снег", "Дождь"]
    assert len(notes) == 1
    assert "d.pdf: not read" in notes[0]


# What the command line says about a report: parts, day, language, workbook.
def test_the_command_is_printed_without_folders_and_parts_are_first_in_tables(run, tmp_path):
    source = tmp_path / "feed.jsonl"
    source.write_bytes(documents_path().read_bytes())
    options = "--representation stem --by month --k 5 --no-estimate --xlsx".split()
    options.append(f"--out={tmp_path / 'out'}")
    answer = run("sweep", str(source), *options, "--format", "table", "--made", "2026-11-22", "--ui-language", "uk")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.decode().split()[:2] == ["part", "representation"]
    text = " ".join(re.sub(r"<[^>]+>", " ", (tmp_path / "out" / "report.html").read_text("utf-8")).split())
    assert (
        "Команда infostream-dedup sweep feed.jsonl --representation stem --by month --k 5 --no-estimate --xlsx" in text
    )
    assert (tmp_path / "out" / "report.xlsx").is_file()
    assert run("sweep", str(source), "--made", "2026-11-22").returncode == 2
    assert run("sweep", str(source), "--out", str(tmp_path / "out"), "--made", "22.11.2026").returncode == 2


@pytest.mark.parametrize("by", ["day", "month", "source", "file"])
def test_a_collection_without_dates_or_documents_has_a_report_by_parts(run, tmp_path, by):
    """There is no part to draw on an axis of time; the table names the part without a date."""
    undated = [f'{{"id": "{number}", "lang": "ru", "text": "Снег выпал в Киеве {number} раз"}}' for number in range(3)]
    for name, lines in (("undated", undated), ("empty", [])):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        options = ["--by", by, "--representation", "stem", "--no-estimate", f"--out={tmp_path / name}"]
        succeeded(run("sweep", str(tmp_path / f"{name}.jsonl"), *options))
        page = (tmp_path / name / "report.html").read_text("utf-8")
        assert (tmp_path / name / "parts.svg").exists() == (name == "undated" and by in ("source", "file"))
        if name == "undated" and by in ("day", "month"):
            assert re.search(r"<t[dh][^>]*>no date<", page)


@pytest.mark.parametrize(("command", "package"), [
    ("sweep missing.jsonl --out report", "jinja2"), ("sweep missing.jsonl --out report --xlsx", "xlsxwriter"),
    ("compare missing.jsonl --out report", "jinja2"),
    ("train missing.jsonl --labels missing.jsonl --curve report", "jinja2"),
    ("passages provenance missing.jsonl --html report", "jinja2"),
])  # fmt: skip
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_read(monkeypatch, tmp_path, command, package):
    """Hours of work would be lost: the rows are printed after the report."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(report, "find_spec", lambda name: None if name == package else report)
    if package == "xlsxwriter":
        monkeypatch.setitem(sys.modules, package, None)
    error = CliRunner().invoke(cli, command.split()).exception
    assert isinstance(error, MissingExtraError)
    assert f"needs the package {package}" in str(error)


@pytest.mark.parametrize("command", [
    "sweep {} --representation stem --no-estimate --out report",
    "compare {} --methods md5,key-terms-stem --sample-disagreements 1 --out report",
])  # fmt: skip
def test_the_report_is_written_even_if_nobody_reads_the_numbers(tmp_path, command):
    """Their reader may have stopped at the first lines, or before."""
    line = f"{sys.executable} -m infostream_dedup {command.format(documents_path())} | true"
    subprocess.run(["bash", "-c", line], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "report" / "report.html").is_file()
    assert (tmp_path / "report" / "disagreements.jsonl").is_file() == command.startswith("compare")
