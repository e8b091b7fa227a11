"""`ingest` dies at any moment and is begun again, elsewhere each time: its verdicts are those of one run."""

import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from infostream_dedup.sample import documents_path

BATCH = 4
PATIENCE = 600.0


def ingest(store, way, *, size=BATCH, out=subprocess.PIPE, **environment):
    preset, across = way
    command = [sys.executable, "-m", "infostream_dedup", "ingest", str(documents_path()), "--store", str(store)]
    command += ["--across", across, "--preset", preset, "--batch-size", str(size), "--format", "jsonl", "--quiet"]
    return subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, **environment})


def batches(store):
    """Number of batches in a store that somebody else writes; 0 if it is not there yet."""
    if not store.exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT count(*) FROM batch").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def verdicts(store, way, **given):
    process = ingest(store, way, **given)
    found, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    return found


def kill_after_next_batch(store, way, draw):
    """Kill a process a moment after it has stored another batch; return whether it was still running."""
    before, end = batches(store), time.monotonic() + PATIENCE
    # Nobody reads its rows, and a full pipe would stop it.
    with ingest(store, way, out=subprocess.DEVNULL, PYTHONHASHSEED=str(draw.randrange(1000))) as process:
        while process.poll() is None and batches(store) == before:
            assert time.monotonic() < end, "no batch was stored"
            time.sleep(0.002)
        time.sleep(draw.random() * 0.02)
        running = process.poll() is None
        process.kill()
    return running


@pytest.mark.parametrize(("way", "kills"), [
    pytest.param(("judged", "none"), 2, marks=pytest.mark.slow),
    pytest.param(("judged", "none"), 25, marks=pytest.mark.slow),
    pytest.param(("judged", "pivot"), 25, marks=pytest.mark.slow),
    pytest.param(("faithful", "none"), 25, marks=pytest.mark.slow),
])  # fmt: skip
def test_a_killed_stream_says_what_an_unbroken_one_says(tmp_path, way, kills):
    draw = random.Random(17)  # noqa: S311
    whole = verdicts(tmp_path / "whole.db", way, size=1000)
    store, died = tmp_path / "killed.db", 0
    for _ in range(kills):
        died += kill_after_next_batch(store, way, draw)
    assert died
    assert batches(store) >= min(died, 2)
    assert verdicts(store, way, PYTHONHASHSEED="3") == whole
    checked = subprocess.run(
        [sys.executable, "-m", "infostream_dedup", "store", "verify", str(store)], capture_output=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
