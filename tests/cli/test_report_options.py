"""What the command line says about a report: parts, day, language, workbook."""

import re

from infostream_dedup.sample import documents_path


def text_of(page):
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_the_command_is_printed_without_folders_and_parts_are_first_in_tables(run, tmp_path):
    source = tmp_path / "feed.jsonl"
    source.write_bytes(documents_path().read_bytes())
    options = (
        "--representation",
        "stem",
        "--by",
        "month",
        "--k",
        "5",
        "--no-estimate",
        f"--out={tmp_path / 'out'}",
        "--xlsx",
    )
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
