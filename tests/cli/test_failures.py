"""What goes wrong is said in one line with the right exit code, never with a traceback."""

import subprocess
import sys

import pytest

GOOD = '{"id": "1", "text": "Снег идёт"}\n'.encode()


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "message"),
    [
        (["sweep"], b"", 2, "Missing argument"),
        (["sweep", "-", "--k", "0"], b"", 2, "not a number or a range"),
        (["sweep", "-", "--k", "8-4"], b"", 2, "not a number or a range"),
        (["swep", "-"], b"", 2, "No such command"),
        (["sweep", "no.jsonl"], b"", 66, "no.jsonl does not exist"),
        (["sweep", "no.xlsx"], b"", 78, "no.xlsx"),
        (["sweep", "-"], GOOD + b"{]\n", 65, "-:2:"),
        (["pairs", "-"], b'{"id": 1, "text": ""}\n', 65, "-:1: field 'id'"),
        (["dedup", "-", "--out", "no/such/folder/out.jsonl"], GOOD, 73, "cannot create no/such/folder/out.jsonl"),
        (["dedup", "-", "--out", "out.doc"], GOOD, 78, "out.doc"),
        (["sweep", "-", "--on-error", "skip"], GOOD, 78, "quarantine"),
        (["sweep", "-", "--target", "top:x"], GOOD, 78, "expected text, signature or top:M"),
        (["sweep", "-", "--df-min", "-1"], GOOD, 78, "df_min is -1"),
        (["pairs", "-", "--k", "13"], GOOD, 78, "k is 13"),
        (["sweep", "-", "--tz", "Kyiv"], GOOD, 78, "Kyiv"),
        (["evaluate", "-", "--labels", "no.jsonl"], GOOD, 66, "no.jsonl"),
        (["sweep", "-", "--config", "no.toml"], GOOD, 66, "no.toml"),
    ],
)
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
    answer = run(
        "pairs", "-", "--on-error", "skip", "--quarantine", "bad.jsonl", "--max-errors", "1", stdin=b"{]\n[]\n"
    )
    assert answer.returncode == 65


def test_nothing_is_left_behind_when_reading_fails(run, tmp_path):
    answer = run("dedup", "-", "--out", "out.jsonl", stdin=GOOD + b"{]\n")
    assert answer.returncode == 65
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    from infostream_dedup.sample import documents_path

    command = f"{sys.executable} -m infostream_dedup pairs {documents_path()} --k-min 1 --quiet | head -c 100"
    answer = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)
    assert answer.stderr == b""


def test_configuration_file_is_overridden_by_flags(run, tmp_path):
    (tmp_path / "c.toml").write_text('k = "2-3"\nrepresentation = ["stem"]\nformat = "jsonl"\n', encoding="utf-8")
    assert len(run("sweep", "-", "--config", "c.toml", stdin=GOOD).stdout.splitlines()) == 2
    assert len(run("sweep", "-", "--config", "c.toml", "--k", "5", stdin=GOOD).stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [("df-mim = 3", "did you mean 'df-min'"), ("= 3", "not a TOML file"), ("zzzzzz = 1", "unknown key 'zzzzzz'")],
)
def test_a_wrong_configuration_file_is_named(run, tmp_path, text, message):
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    answer = run("sweep", "-", "--config", "c.toml", stdin=GOOD)
    assert answer.returncode == 78
    assert message in answer.stderr.decode()


def test_interruption_says_so():
    from infostream_dedup.cli.failures import exit_code_of

    def interrupted():
        raise KeyboardInterrupt

    assert exit_code_of(interrupted) == 130


def test_a_bug_is_called_a_bug(capsys, monkeypatch):
    from infostream_dedup.cli.failures import exit_code_of

    monkeypatch.delenv("INFOSTREAM_DEDUP_DEBUG", raising=False)

    def broken():
        raise ZeroDivisionError("x")

    assert exit_code_of(broken) == 70
    assert "a bug of infostream-dedup: ZeroDivisionError: x" in capsys.readouterr().err
