"""Unfinished output files: those of killed processes go, those of living ones stay."""

import os
import signal
import subprocess
import sys

import pytest

from infostream_dedup.documents import open_output
from infostream_dedup.machine import files

KILLED = """
import os, signal, sys
from infostream_dedup.documents import open_output

with open_output(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def unfinished(folder):
    return list(folder.glob(".infostream-dedup-*.part"))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_the_next_output_removes_what_a_killed_process_left(tmp_path):
    ran = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a.jsonl")], capture_output=True, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert len(unfinished(tmp_path)) == 1
    with open_output(tmp_path / "b.jsonl") as stream:
        stream.write(b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["b.jsonl"]


@pytest.mark.skipif(os.name != "posix", reason="files cannot be locked here")
def test_an_output_that_is_being_written_is_not_taken_for_stale(tmp_path, monkeypatch):
    # In another container, the number of the process is that of no process.
    monkeypatch.setattr(files, "process_lives", lambda _: False)
    with open_output(tmp_path / "a.jsonl") as stream:
        assert files.remove_stale_parts(tmp_path) == 0
        with open_output(tmp_path / "b.jsonl"):
            stream.write(b"whole")
    assert (tmp_path / "a.jsonl").read_bytes() == b"whole"
