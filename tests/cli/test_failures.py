"""What goes wrong is said in one line with the right exit code, never with a traceback."""

import subprocess
import sys
import tempfile
from unittest.mock import Mock

import pytest

from infostream_dedup.cli.run_log import _with_command, exit_code_of
from infostream_dedup.errors import BadDataError
from tests.conftest import failed, succeeded

GOOD = '{"id": "1", "text": "Снег идёт"}\n'.encode()


@pytest.mark.parametrize(("arguments", "stdin", "code", "message"), [
    (["sweep"], b"", 2, "give either DOCS or --store"), (["sweep", "-", "--k", "0"], b"", 2, "not a number or a range"),
    (["sweep", "-", "--k", "8-4"], b"", 2, "not a number or a range"), (["swep", "-"], b"", 2, "No such command"),
    (["sweep", "-", "--k", "4-13"], GOOD, 2, "13 is more than the 12 key terms"),
    (["sweep", "-", "--k", "4", "--score", "share"], GOOD, 2, "the share score has thresholds"),
    (["pairs", "-", "--k-min", "13"], GOOD, 2, "no pair can have 13 of 12 terms"),
    (["pairs", "-", "-"], GOOD, 78, "standard input can be read only once"),
    (["sweep", "no.jsonl"], b"", 66, "no.jsonl does not exist"),
    (["sweep", "no.xlsx"], b"", 66, "no.xlsx does not exist"), (["sweep", "-"], GOOD + b"{]\n", 65, "-:2:"),
    (["pairs", "-"], b'{"id": 1.5, "text": ""}\n', 65, "-:1: field 'id'"),
    (["dedup", "-", "--out", "no/such/folder/out.jsonl"], GOOD, 73, "cannot create no/such/folder/out.jsonl"),
    (["dedup", "-", "--out", "out.doc"], GOOD, 78, "out.doc"),
    (["sweep", "-", "--quarantine", "q.jsonl"], GOOD, 78, "--quarantine needs --on-error skip"),
    (["sweep", "-", "--target", "top:x"], GOOD, 78, "expected text, signature or top:M"),
    (["sweep", "-", "--df-min", "-1"], GOOD, 78, "df_min is -1"), (["pairs", "-", "--k", "13"], GOOD, 78, "k is 13"),
    (["sweep", "-", "--tz", "Kyiv"], GOOD, 78, "Kyiv"),
    (["evaluate", "-", "--labels", "no.jsonl"], GOOD, 66, "no.jsonl"),
    (["sweep", "-", "--config", "no.toml"], GOOD, 66, "no.toml"),
    (["ingest", "-", "--store", "\udcff.db"], GOOD, 2, "is not UTF-8 text"),
])  # fmt: skip
def test_exit_code_and_message(run, arguments, stdin, code, message):
    answer = run(*arguments, stdin=stdin)
    error = answer.stderr.decode()
    assert (answer.returncode, message in error) == (code, True), error
    assert "Traceback" not in error


def test_skipped_records_are_counted_and_kept(run, tmp_path):
    answer = run("pairs", "-", "--on-error", "skip", "--quarantine", "bad.jsonl", stdin=GOOD + b"{]\n" + b"[]\n")
    assert answer.returncode == 0
    assert b"read 3 = used 1 + quarantined 2" in answer.stderr
    assert len((tmp_path / "bad.jsonl").read_bytes().splitlines()) == 2
    skip = ("pairs", "-", "--on-error", "skip")
    failed(run(*skip, "--quarantine", "bad.jsonl", "--max-errors", "1", stdin=b"{]\n[]\n"), 65)
    said = run(*skip, stdin=GOOD + b"{]\n" * 5).stderr
    assert said.count(b"quarantined: -:") == 3
    assert b"-:4: " in said
    assert b"quarantined: 2 more (--quarantine FILE keeps them all)\n" in said


def test_nothing_is_left_behind_when_reading_fails(run, tmp_path):
    assert run("dedup", "-", "--out", "out.jsonl", stdin=GOOD + b"{]\n").returncode == 65
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_is_not_an_error(tmp_path):
    from infostream_dedup.sample import documents_path

    command = f"{sys.executable} -m infostream_dedup pairs {documents_path()} --k-min 1 --quiet | head -c 100"
    answer = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, b"")


def test_standard_input_that_is_closed_is_not_a_bug():
    command = f"{sys.executable} -m infostream_dedup pairs - <&-"
    answer = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert (answer.returncode, b"standard input is closed" in answer.stderr) == (66, True), answer.stderr


def test_configuration_file_is_overridden_by_flags(run, tmp_path):
    (tmp_path / "c.toml").write_text('\ufeffk = "2-3"\nrepresentation = ["stem"]\nformat = "jsonl"\n', encoding="utf-8")
    assert len(run("sweep", "-", "--config", "c.toml", stdin=GOOD).stdout.splitlines()) == 2
    assert len(run("sweep", "-", "--config", "c.toml", "--k", "5", stdin=GOOD).stdout.splitlines()) == 1


def test_one_configuration_file_serves_commands_of_one_and_of_several_representations(run, tmp_path):
    text = 'representation = "stem"\nn = 5\ndf-min = 3\nbackground = false\n'
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    for command in ("sweep", "pairs"):
        succeeded(run(command, "-", "--config", "c.toml", "--format", "jsonl", stdin=GOOD))
    assert len(run("sweep", "-", "--config", "c.toml", "--format", "jsonl", stdin=GOOD).stdout.splitlines()) == 5


@pytest.mark.parametrize(("text", "message"), [
    ("df-mim = 3", "did you mean 'df-min'"), ("= 3", "not a TOML file"), ("zzzzzz = 1", "unknown key 'zzzzzz'"),
    ('n = "abc"', "c.toml: n: 'abc' is not a valid integer"),
    ("n = true", "c.toml: n is True; expected a string or a number"),
    ("n = [3, 4]", "c.toml: n is [3, 4]; expected one value"),
    ("quiet = 3", "c.toml: quiet is 3; expected true or false"),
    ('score = "fast"', "c.toml: score: 'fast' is not one of"), ("[sweep]\nn = 3", "unknown key 'sweep'"),
    ("[n]\nn = 3", "c.toml: n is {'n': 3}; expected"),
])  # fmt: skip
def test_a_wrong_configuration_file_is_named(run, tmp_path, text, message):
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    assert message in failed(run("sweep", "-", "--config", "c.toml", stdin=GOOD), 78).stderr.decode()


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_tables_are_utf_8_in_every_locale(run):
    documents = "".join(f'{{"id": "№{n}", "text": "Старий міст через річку знову відкрили"}}\n' for n in (1, 2))
    command = ("pairs", "-", "--format", "table")
    answer = succeeded(run(*command, stdin=documents.encode(), **ASCII))
    assert answer.stdout == run(*command, stdin=documents.encode()).stdout
    assert "№2" in answer.stdout.decode()


def test_arguments_that_python_misreads_are_refused(run, tmp_path):
    (tmp_path / "a.csv").write_text("id,Текст\n1,Снег идёт\n", encoding="utf-8")
    answer = failed(run("dedup", "a.csv", "--columns", "text=Текст", "--out", "b.csv", **ASCII), 2)
    assert "'text=Текст' is UTF-8; set PYTHONUTF8=1" in answer.stderr.decode()


@pytest.mark.parametrize(
    ("raised", "code"), [(KeyboardInterrupt, 130), (ZeroDivisionError("x"), 70), (MemoryError, 70)]
)
def test_an_interruption_and_a_bug_are_told_apart(capsys, monkeypatch, raised, code):
    monkeypatch.delenv("INFOSTREAM_DEDUP_DEBUG", raising=False)
    assert exit_code_of(Mock(side_effect=raised)) == code
    told = capsys.readouterr().err
    assert ("a bug of infostream-dedup: ZeroDivisionError: x" in told) == isinstance(raised, ZeroDivisionError)
    assert ("memory does not suffice" in told) == (raised is MemoryError)


def test_a_machine_without_a_temporary_folder_is_told_to_name_one(capsys, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/nowhere/at/all"])
    assert exit_code_of(tempfile.gettempdir) == 74
    assert "name one in TMPDIR" in capsys.readouterr().err


@pytest.mark.parametrize(("message", "code", "said"), [
    ("no text; perhaps --columns text=Текст", "E_SCHEMA", "no text [E_SCHEMA]\ntry: x --columns text=Текст"),
    ("no id; perhaps --make-ids", "E_MISSING", "no id [E_MISSING]\ntry: x --make-ids"),
    ("one column", "E_BOILERPLATE", "one column [E_BOILERPLATE]"),
    ("not a date", "E_DATE", "not a date [E_DATE]\ntry: x --on-error skip --quarantine bad.jsonl"),
])  # fmt: skip
def test_what_a_message_proposes_is_a_command_to_copy(monkeypatch, message, code, said):
    error = BadDataError(message, code=code, source="a.csv", line=2)
    monkeypatch.setattr(sys, "argv", ["x", "dedup", "a.csv"])
    assert _with_command(error) == error.for_command_line
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert _with_command(error) == "a.csv:2: " + said.replace(": x", ": infostream-dedup dedup a.csv")
