"""A process dies at every statement of every command that changes a store; the next one finds it before or after."""

import shutil
import subprocess
import sys

import pytest

from infostream_dedup.stream.store import Store

# Kills itself at the statement of a given number; prints how many there are when it comes through.
PROGRAM = """
import os, signal, sqlite3, sys
path, target, command, place = sys.argv[1:]
real, count = sqlite3.connect, 0


class Crashing(sqlite3.Connection):
    def _passed(self):
        global count
        count += 1
        if count == int(place):
            os.kill(os.getpid(), signal.SIGKILL)

    def execute(self, sql, *values):
        self._passed()
        return super().execute(sql, *values)

    def executemany(self, sql, rows):
        self._passed()
        return super().executemany(sql, rows)

    def executescript(self, sql):
        self._passed()
        return super().executescript(sql)

    def backup(self, *values, **options):
        self._passed()
        super().backup(*values, **options)
        self._passed()


sqlite3.connect = lambda *places, **options: real(*places, **{**options, "factory": Crashing})
from infostream_dedup.stream.store import Store, removal

removal._ORDINALS_AT_ONCE = 16
with Store.open(path) as store:
    if command == "expire":
        store.expire()
    elif command == "forget":
        store.forget("документ-97")
        store.wipe()
    else:
        store.backup(target)
print(count)
"""


def run(path, command, place):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, path, path.with_name("copy.db"), command, str(place)], capture_output=True,
        text=True, timeout=120,
    )  # fmt: skip


def state(path, synthetic):
    """All that a store says, and whether the command has had its effect."""
    with Store.open(path) as store, store.reading() as connection:
        signatures = connection.execute("SELECT count(*) FROM signature").fetchone()[0]
        forgotten = connection.execute("SELECT count(*) FROM document WHERE forgotten = 1").fetchone()[0]
        verdicts = [store.batch(synthetic.batch_id(number)) for number in range(20)]
    return verdicts, signatures, forgotten


SLOW = [pytest.param(command, marks=pytest.mark.slow) for command in ("forget", "backup")]


@pytest.mark.parametrize("command", ["expire", *SLOW])
def test_killed_at_every_statement(command, synthetic, tmp_path, faults, record_figures, scale):
    whole = tmp_path / "whole.db"
    synthetic.write(whole, 20, lambda number: None)
    path = tmp_path / "s.db"
    shutil.copy(whole, path)
    done = run(path, command, 0)
    assert done.returncode == 0, done.stderr
    statements = int(done.stdout)
    before = state(whole, synthetic)
    after = state(path, synthetic)
    places = range(1, statements + 1, max(1, statements // (3 * scale)))
    resumed = 0
    for place in places:
        for left in tmp_path.glob("*"):
            if left != whole:
                left.unlink()
        shutil.copy(whole, path)
        assert run(path, command, place).returncode == -9
        with Store.open(path) as store:
            assert faults(store) == []
        assert state(path, synthetic)[0] in (before[0], after[0])
        copy = path.with_name("copy.db")
        if copy.exists():
            with Store.open(copy) as opened:
                assert faults(opened) == []
        assert run(path, command, 0).returncode == 0
        assert state(path, synthetic) == after
        assert not list(tmp_path.glob(".infostream-dedup-*"))
        resumed += 1
    record_figures(statements=statements, killed_at=len(places), resumed=resumed)
    assert resumed == len(places)
