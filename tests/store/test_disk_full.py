"""No room: a clear error, nothing of the batch, nothing lost, and the same command goes on once there is room."""

import resource
import sqlite3
import subprocess
import sys

import pytest

from infostream_dedup.errors import CannotWriteError
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.connection import naming_failures

BATCHES = 30

LIMITED = """
import resource, runpy, sys
script, path, batches, limit = sys.argv[1:]
from infostream_dedup.errors import CannotWriteError
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
sys.argv = [script, path, batches]
try:
    runpy.run_path(script, run_name="__main__")
except CannotWriteError as error:
    sys.exit(f"{error.exit_code} {error}")
"""


@pytest.mark.parametrize("limit", [60_000, *range(150_000, 480_000, 110_000)])
def test_files_may_grow_no_further(synthetic, writer_script, tmp_path, faults, limit):
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    path = tmp_path / "stream.db"
    command = [sys.executable, "-c", LIMITED, writer_script, path, str(BATCHES), str(limit)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 1, "the limit was never met"
    assert ran.stderr.startswith("74 ")
    assert str(path) in ran.stderr
    assert "run the same command again" in ran.stderr
    acknowledged = len(ran.stdout.split())
    with Store.open(path, settings_digest=synthetic.DIGEST) as store:
        assert (store.position.batches, faults(store)) == (acknowledged, [])
    synthetic.write(path, BATCHES, lambda number: None)
    with Store.open(path) as store:
        assert (store.position.batches, faults(store)) == (BATCHES, [])


def fill(store, synthetic, acknowledged):
    while True:
        store.append(synthetic.batch(len(acknowledged)))
        acknowledged.append(None)


@pytest.mark.parametrize(
    "pages", [pytest.param(range(40, 240, 40)), pytest.param(range(30, 280, 5), marks=pytest.mark.slow)]
)
def test_the_database_may_grow_no_further(synthetic, tmp_path, faults, pages):
    for limit in pages:
        path = tmp_path / f"{limit}.db"
        with Store.open(path, settings_digest=synthetic.DIGEST) as store:
            granted = store.connection.execute(f"PRAGMA max_page_count = {limit}").fetchone()[0]
            acknowledged = []
            with pytest.raises(CannotWriteError, match="no space left"):
                fill(store, synthetic, acknowledged)
            assert not store.connection.in_transaction
            assert (store.position.batches, faults(store)) == (len(acknowledged), [])
            # Room again, in the same process.
            store.connection.execute(f"PRAGMA max_page_count = {granted + 1000}")
            for number in range(len(acknowledged), len(acknowledged) + 3):
                store.append(synthetic.batch(number))
            assert faults(store) == []


def test_a_machine_without_a_temporary_folder_is_told_to_name_one(tmp_path):
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_IOERR_GETTEMPPATH, "SQLITE_IOERR_GETTEMPPATH"
    with pytest.raises(CannotWriteError, match="name one in TMPDIR"), naming_failures(tmp_path / "stream.db"):
        raise error
