"""Several processes write to one store and read from it at once."""

import subprocess
import sys

import pytest

from infostream_dedup.stream.store import Store

pytestmark = pytest.mark.slow

READER = """
import sys
from infostream_dedup.stream.store import Store
path, batches = sys.argv[1:]
seen = reads = 0
while seen < int(batches):
    with Store.open(path, read_only=True) as store, store.reading() as connection:
        documents = connection.execute("SELECT count(*) FROM document").fetchone()[0]
        noted = connection.execute("SELECT coalesce(sum(documents), 0), count(*) FROM batch").fetchone()
        assert documents == noted[0], "half a batch"
        assert noted[1] >= seen, "a batch went away"
        seen = noted[1]
        reads += 1
print(reads)
"""


@pytest.mark.parametrize("batches", [80, 400])
def test_four_writers_and_four_readers(synthetic, writer_script, tmp_path, faults, batches):
    path = tmp_path / "stream.db"
    Store.open(path, settings_digest=synthetic.DIGEST, settings={"n": 12}).close()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    writers = [subprocess.Popen([sys.executable, writer_script, path, str(batches)], **pipes) for _ in range(4)]
    readers = [subprocess.Popen([sys.executable, "-c", READER, path, str(batches)], **pipes) for _ in range(4)]
    outputs = [process.communicate(timeout=300) for process in writers + readers]
    assert [errors for _, errors in outputs] == [""] * 8
    assert sorted(int(line) for output, _ in outputs[:4] for line in output.split()) == list(range(batches))
    assert all(int(output) > 0 for output, _ in outputs[4:])
    synthetic.write(tmp_path / "alone.db", batches, lambda number: None)
    with Store.open(path) as store, Store.open(tmp_path / "alone.db") as alone:
        assert (faults(store), synthetic.content(store)) == ([], synthetic.content(alone))


@pytest.mark.smoke
def test_a_store_that_many_make_at_once_is_made_once(writer_script, synthetic, tmp_path):
    path = tmp_path / "stream.db"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    makers = [subprocess.Popen([sys.executable, writer_script, path, "1"], **pipes) for _ in range(4)]
    outputs = [process.communicate(timeout=300) for process in makers]
    assert ([errors for _, errors in outputs], "".join(output for output, _ in outputs)) == ([""] * 4, "0\n")
