"""A store's process dies at any moment: no acknowledged batch is lost, none is counted twice."""

import random
import subprocess
import sys
import time

import pytest

from infostream_dedup.stream.store import Store

pytestmark = pytest.mark.slow
BATCHES = 60


def run_and_kill(script, path, randomness):
    """Let the writer go on, kill it a moment after some batch; give the batches it acknowledged."""
    process = subprocess.Popen(
        [sys.executable, script, path, str(BATCHES)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        acknowledged = []
        wanted = randomness.randrange(8)
        for line in process.stdout:
            acknowledged.append(int(line))
            if len(acknowledged) > wanted:
                break
        time.sleep(randomness.random() * 0.01)
        process.kill()
        # Not communicate(): it would miss the lines that were read ahead.
        acknowledged += map(int, process.stdout)
        errors = process.stderr.read()
    assert errors == ""
    return acknowledged


@pytest.mark.parametrize("kills", [pytest.param(20, marks=pytest.mark.smoke), 480])
def test_killed_at_any_moment(synthetic, writer_script, tmp_path, faults, kills, record_property):
    randomness = random.Random(1997)  # noqa: S311
    runs = 0
    while runs < kills:
        path = tmp_path / f"{runs}.db"
        acknowledged = []
        while runs < kills and len(acknowledged) < BATCHES:
            acknowledged += run_and_kill(writer_script, path, randomness)
            runs += 1
            with Store.open(path, settings_digest=synthetic.DIGEST) as store:
                batches = store.position.batches
                assert faults(store) == []
                # A batch may be on disk and its acknowledgement not: it is answered when it comes again.
                assert len(acknowledged) <= batches <= len(acknowledged) + 1
            acknowledged = list(range(batches))
        with Store.open(path, settings_digest=synthetic.DIGEST) as store:
            found, batches = synthetic.content(store), store.position.batches
        synthetic.write(tmp_path / "unharmed.db", batches, lambda number: None)
        with Store.open(tmp_path / "unharmed.db") as unharmed:
            assert found == synthetic.content(unharmed)
        (tmp_path / "unharmed.db").unlink()
    record_property("kills", runs)


CRASH = """
import os, runpy, signal, sqlite3, sys

script, path, batches, place, when = sys.argv[1:]
real, seen = sqlite3.connect, {}


class Crashing(sqlite3.Connection):
    def execute(self, sql, *values):
        found = super().execute(sql, *values) if not before else None
        crash(sql)
        return super().execute(sql, *values) if before else found

    def executemany(self, sql, rows):
        found = super().executemany(sql, rows) if not before else None
        crash(sql)
        return super().executemany(sql, rows) if before else found


def crash(sql):
    if sql.startswith(place):
        seen[place] = seen.get(place, 0) + 1
        if seen[place] == 4:
            os.kill(os.getpid(), signal.SIGKILL)


before = when == "before"
sqlite3.connect = lambda *places, **options: real(*places, **{**options, "factory": Crashing})
sys.argv = [script, path, batches]
runpy.run_path(script, run_name="__main__")
"""

STEPS = (
    "BEGIN IMMEDIATE", "INSERT INTO batch", "INSERT INTO term", "INSERT INTO document", "INSERT INTO signature",
    "INSERT INTO body", "INSERT INTO event ", "INSERT INTO evidence ", "INSERT INTO wording",
    "INSERT INTO evidence_frequency", "INSERT INTO epoch_frequency", "DELETE FROM withheld_frequency",
    "REPLACE INTO state", "COMMIT",
)  # fmt: skip


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_every_step(synthetic, writer_script, tmp_path, faults, step, when):
    path = tmp_path / "stream.db"
    command = [sys.executable, "-c", CRASH, writer_script, path, str(BATCHES), step, when]
    killed = subprocess.run(command, capture_output=True, text=True)
    assert (killed.returncode, killed.stderr) == (-9, "")
    acknowledged = len(killed.stdout.split())
    with Store.open(path, settings_digest=synthetic.DIGEST) as store:
        assert (faults(store), store.position.batches) == ([], acknowledged + ((step, when) == ("COMMIT", "after")))
    synthetic.write(path, BATCHES, lambda number: None)
    synthetic.write(tmp_path / "unharmed.db", BATCHES, lambda number: None)
    with Store.open(path) as store, Store.open(tmp_path / "unharmed.db") as unharmed:
        assert synthetic.content(store) == synthetic.content(unharmed)
