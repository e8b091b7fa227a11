"""A writer that is killed, and whose store is deleted or replaced: what it acknowledged is there, or it has said so."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from infostream_dedup.api.store import restore
from infostream_dedup.stream.store import Store

SCALE = int(os.environ.get("ATTACK_SCALE", "1"))
WRITER = """
import importlib.util, sys, time
from infostream_dedup.errors import StoreMovedError
from infostream_dedup.stream.store import Store
spec = importlib.util.spec_from_file_location("synthetic_stream", sys.argv[1])
synthetic = importlib.util.module_from_spec(spec)
spec.loader.exec_module(synthetic)
try:
    with Store.open(sys.argv[2]) as store:
        number = store.position.batches
        while True:
            begun = time.monotonic()
            store.append(synthetic.batch(number))
            print(number, begun, flush=True)
            number += 1
except StoreMovedError:
    sys.exit(75)
"""


def test_nothing_acknowledged_is_lost_without_a_word(filled, writer_script, tmp_path, faults, record_property):
    draw, backup = random.Random(9), tmp_path / "backup.db"  # noqa: S311
    counts = dict.fromkeys(("kills", "deleted", "replaced", "acknowledged", "lost", "acknowledged_of_a_lost_file"), 0)
    for _ in range(150 * SCALE if SCALE > 1 else 9):
        with Store.open(filled) as store:
            store.backup(backup)
            begun = store.position.batches
        command = [sys.executable, "-c", WRITER, str(writer_script), str(filled)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            lines = [process.stdout.readline()]
            time.sleep(draw.uniform(0, 0.05))
            way = draw.choice(("kills", "deleted", "replaced"))
            counts[way] += 1
            if way == "kills":
                process.kill()
            elif way == "deleted":
                for ending in draw.sample(("", "-wal", "-shm"), 3):
                    Path(f"{filled}{ending}").unlink(missing_ok=True)
            else:
                shutil.copy(backup, tmp_path / "copy.db")
                (tmp_path / "copy.db").replace(filled)
            gone = time.monotonic()
            lines += process.stdout
            lines = [line for line in lines if line.endswith("\n")]  # a kill may cut the last one
            assert process.wait(60) == (-signal.SIGKILL if way == "kills" else 75)
        acknowledged, times = [int(line.split()[0]) for line in lines], [float(line.split()[1]) for line in lines]
        assert acknowledged == list(range(begun, begun + len(acknowledged)))
        counts["acknowledged"] += len(acknowledged)
        if way == "kills":
            with Store.open(filled) as store:
                counts["lost"] += sum(number >= store.position.batches for number in acknowledged)
                assert faults(store) == []
        else:
            counts["acknowledged_of_a_lost_file"] += sum(one > gone for one in times)
            restore(filled, backup, discard_newer=True)
    for name, count in counts.items():
        record_property(name, count)
    assert counts["lost"] == counts["acknowledged_of_a_lost_file"] == 0
