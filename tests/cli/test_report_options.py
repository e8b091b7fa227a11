"""What the command line says about a report: parts, day, language, workbook."""

import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from infostream_dedup.cli import cli
from infostream_dedup.errors import MissingExtraError
from infostream_dedup.report import needed
from infostream_dedup.sample import documents_path


def text_of(page):
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_command_is_printed_without_folders_and_parts_are_first_in_tables(run, tmp_path):
    source = tmp_path / "feed.jsonl"
    source.write_bytes(documents_path().read_bytes())
    options = "--representation stem --by month --k 5 --no-estimate --xlsx".split()
    options.append(f"--out={tmp_path / 'out'}")
    answer = run("sweep", str(source), *options, "--format", "table", "--made", "2026-11-22", "--ui-language", "uk")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.decode().split()[:2] == ["part", "representation"]
    text = text_of((tmp_path / "out" / "report.html").read_text("utf-8"))
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
        answer = run("sweep", str(tmp_path / f"{name}.jsonl"), *options)
        assert answer.returncode == 0, answer.stderr
        page = (tmp_path / name / "report.html").read_text("utf-8")
        assert (tmp_path / name / "parts.svg").exists() == (name == "undated" and by in ("source", "file"))
        if name == "undated" and by in ("day", "month"):
            assert re.search(r"<t[dh][^>]*>no date<", page)


@pytest.mark.parametrize(
    ("command", "package"),
    [
        ("sweep missing.jsonl --out report", "jinja2"),
        ("sweep missing.jsonl --out report --xlsx", "xlsxwriter"),
        ("compare missing.jsonl --out report", "jinja2"),
        ("train missing.jsonl --labels missing.jsonl --curve report", "jinja2"),
        ("passages provenance missing.jsonl --html report", "jinja2"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_read(monkeypatch, tmp_path, command, package):
    """Hours of work would be lost: the rows are printed after the report."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(needed, "find_spec", lambda name: None if name == package else needed)
    if package == "xlsxwriter":
        monkeypatch.setitem(sys.modules, package, None)
    error = CliRunner().invoke(cli, command.split()).exception
    assert isinstance(error, MissingExtraError)
    assert f"needs the package {package}" in str(error)


@pytest.mark.parametrize(
    "command",
    [
        "sweep {} --representation stem --no-estimate --out report",
        "compare {} --methods md5,key-terms-stem --sample-disagreements 1 --out report",
    ],
)
def test_the_report_is_written_even_if_nobody_reads_the_numbers(tmp_path, command):
    """Their reader may have stopped at the first lines, or before."""
    line = f"{sys.executable} -m infostream_dedup {command.format(documents_path())} | true"
    subprocess.run(["bash", "-c", line], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "report" / "report.html").is_file()
    assert (tmp_path / "report" / "disagreements.jsonl").is_file() == command.startswith("compare")
