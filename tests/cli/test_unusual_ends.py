"""Closed streams, requests to end, killed copies, and who may read what is left."""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import pytest

from tests.cli.following import ended, followed
from tests.conftest import failed

pytestmark = pytest.mark.slow
DOCS = "".join(json.dumps({"id": str(n), "text": f"Мост через реку открыл министр {n}"}) + "\n" for n in range(5))
COMMAND = f"{sys.executable} -m infostream_dedup"
# A copy that is nearly done says so and waits to be ended.
WAITING = """
import sys, time
from infostream_dedup.stream.store import opening
from infostream_dedup.cli import main
def wait(path):
    print("waiting", flush=True)
    time.sleep(60)
opening.sync_path = wait
main()
"""

# A request to end arrives while the command imports a module.
IMPORTING = """
import sys, time
from infostream_dedup.cli.run_log import exit_code_of
def run():
    import slow
    print("imported", flush=True)
    time.sleep(60)
sys.exit(exit_code_of(run))
"""


@pytest.fixture
def docs(tmp_path):
    (tmp_path / "d.jsonl").write_text(DOCS, encoding="utf-8")
    return "d.jsonl"


@pytest.fixture
def store(run, docs, tmp_path):
    assert run("ingest", docs, "--store", "s.db").returncode == 0
    return tmp_path / "s.db"


def shell(command, folder):
    return subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, timeout=300)


def interrupted(folder, number, *arguments):
    """Exit code of a command that is sent a signal while it waits with a copy that is nearly done."""
    asked = [sys.executable, "-c", WAITING, *arguments]
    with subprocess.Popen(asked, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        assert job.stdout.readline() == "waiting\n"
        job.send_signal(number)
        _, said = job.communicate(timeout=60)
    return job.returncode, said


def parts(folder):
    return sorted(path.name for path in folder.iterdir() if ".part" in path.name)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.smoke
def test_a_closed_output_is_refused_and_leaves_nothing(docs, tmp_path):
    failed(shell(f"{COMMAND} ingest {docs} --store s.db >&-", tmp_path), 74, "standard output is closed")
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize("closed", ["2>&-", "2>&- <&-"])
def test_closed_errors_and_input_are_not_failures(run, docs, tmp_path, closed):
    expected = run("ingest", docs, "--store", "expected.db").stdout
    done = shell(f"{COMMAND} ingest {docs} --store s.db {closed}", tmp_path)
    assert (done.returncode, done.stdout) == (0, expected)
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.smoke
def test_a_request_to_end_is_an_orderly_end(store, tmp_path):
    code, said = interrupted(tmp_path, signal.SIGTERM, "store", "backup", "s.db", "copy.db")
    assert code == 143
    assert said == "infostream-dedup: terminated\n"
    assert parts(tmp_path) == []
    assert not (tmp_path / "copy.db").exists()


def test_ctrl_c_at_the_end_of_a_with_block_waits_for_it(tmp_path):
    run = "exec(compile('signal.raise_signal(signal.SIGINT)', contextlib.__file__, 'exec')); print('ended', flush=True)"
    code = IMPORTING.replace("import slow", run).replace("import sys", "import contextlib, signal, sys")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, timeout=60, text=True)
    assert (done.returncode, done.stdout[:5], done.stderr) == (130, "ended", "infostream-dedup: interrupted\n")


@pytest.mark.parametrize(("name", "code", "word"), [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated")])
def test_a_request_to_end_waits_for_the_end_of_an_import(tmp_path, name, code, word):
    (tmp_path / "slow.py").write_text(f"import signal\nsignal.raise_signal(signal.{name})\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", IMPORTING], cwd=tmp_path, capture_output=True, timeout=60, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (code, "imported\n", f"infostream-dedup: {word}\n")


@pytest.mark.smoke
def test_ctrl_c_while_the_command_line_is_loaded_shows_no_traceback(tmp_path):
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n", encoding="utf-8")
    done = shell(f"{COMMAND} --version", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"infostream-dedup: interrupted\n")


def test_the_next_copy_removes_what_a_killed_one_left(run, store, tmp_path):
    assert interrupted(tmp_path, signal.SIGKILL, "store", "backup", "s.db", "copy.db")[0] == -signal.SIGKILL
    (left,) = parts(tmp_path)
    assert mode(tmp_path / left) == 0o600
    (tmp_path / f"{left}-journal").write_bytes(b"pages")
    # The part of a process that lives, as far as anybody can tell.
    alive = tmp_path / f".infostream-dedup-{os.getpid()}-1.part"
    alive.write_bytes(b"")
    assert run("store", "backup", "s.db", "copy.db", anew=True).returncode == 0
    assert parts(tmp_path) == [alive.name]


def test_forget_removes_what_killed_copies_left_and_names_running_ones(run, store, tmp_path):
    interrupted(tmp_path, signal.SIGKILL, "store", "backup", "s.db", "copy.db")
    alive = tmp_path / f".infostream-dedup-{os.getpid()}-1.part"
    alive.write_bytes(store.read_bytes())
    done = run("store", "forget", "s.db", "3")
    assert parts(tmp_path) == [alive.name]
    assert "1 unfinished copies left by killed processes were removed" in done.stderr.decode()
    assert f"{alive.name}: an earlier copy that still contains what was forgotten" in done.stderr.decode()


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_nobody_else_can_read_a_store_or_its_copies(run, docs, tmp_path, umask):
    before = os.umask(umask)
    try:
        with followed("-", "--store", "s.db", cwd=tmp_path, stdin=subprocess.PIPE) as job:
            job.stdin.write(DOCS.encode())
            job.stdin.flush()
            assert job.stdout.readline()
            assert {path.name: mode(path) for path in tmp_path.glob("s.db*")} == dict.fromkeys(
                ("s.db", "s.db-wal", "s.db-shm"), 0o600
            )
            ended(job)
        assert run("store", "backup", "s.db", "copy.db").returncode == 0
        assert mode(tmp_path / "copy.db") == 0o600
        # Results that were asked for follow the umask.
        run("dedup", docs, "--out", "out.jsonl")
        assert mode(tmp_path / "out.jsonl") == 0o666 & ~umask
    finally:
        os.umask(before)


def test_a_group_may_be_let_in(run, docs, tmp_path):
    assert run("ingest", docs, "--store", "s.db", "--mode", "660").returncode == 0
    assert mode(tmp_path / "s.db") == 0o660
    assert run("store", "backup", "s.db", "copy.db", "--mode", "640").returncode == 0
    assert mode(tmp_path / "copy.db") == 0o640
    assert run("store", "backup", "s.db", "copy.db").returncode == 0
    assert mode(tmp_path / "copy.db") == 0o640
    assert run("ingest", docs, "--store", "s.db", "--mode", "222").returncode == 2


def test_sigterm_while_a_stream_is_ingested_loses_nothing_that_was_reported(run, tmp_path):
    lines = [json.dumps({"id": str(n), "text": f"Мост {n} через реку открыл министр {n * 7}"}) for n in range(4000)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    asked = [sys.executable, "-m", "infostream_dedup", "ingest", "many.jsonl", "--store", "s.db", "--batch-size", "20"]
    with subprocess.Popen(asked, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
        told = [job.stdout.readline() for _ in range(100)]
        job.send_signal(signal.SIGTERM)
        more, said = job.communicate(timeout=120)
    assert job.returncode == 143
    assert said == b"infostream-dedup: terminated\n"
    told += more.splitlines(keepends=True)
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        assert connection.execute("SELECT count(*) FROM document").fetchone()[0] >= len(told)
    assert sorted(path.name for path in tmp_path.glob("s.db*")) == ["s.db"]
    assert run("ingest", "many.jsonl", "--store", "s.db").stdout.startswith(b"".join(told[:-1]))
