"""The power fails: what was not synced is lost, torn or there, in any mixture; what was acknowledged is there."""

import os
import random
import shutil
import struct
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from infostream_dedup.stream.store import Store

SHIM = Path(__file__).with_name("unsynced.c")
HEAD = struct.Struct("=4q")
SECTOR = 512
# A log that goes back into the database often: most of what can go wrong is there.
WRITER = """
import runpy, sqlite3, sys
real = sqlite3.connect
def connect(*places, **options):
    connection = real(*places, **options)
    connection.execute("PRAGMA wal_autocheckpoint = 20")
    return connection
sqlite3.connect = connect
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Step(NamedTuple):
    kind: str
    path: str
    offset: int
    data: bytes


def steps_of(log):
    content, place, found = log.read_bytes(), 0, []
    while place < len(content):
        kind, name, offset, length = HEAD.unpack_from(content, place)
        place += HEAD.size
        path = content[place : place + name].decode()
        place += name
        data = content[place : place + length] if chr(kind) in "wa" else b""
        place += len(data)
        found.append(Step(chr(kind), path, offset, data))
    return found


def applied(content, step):
    if step.kind == "t":
        del content[step.offset :]
        content.extend(bytes(step.offset - len(content)))
        return
    content.extend(bytes(max(0, step.offset - len(content))))
    content[step.offset : step.offset + len(step.data)] = step.data


def kept(step, draw):
    """What a disk has kept of a step that was not synced: all, nothing, or some sectors of a write."""
    chance = draw.random()
    if chance < 0.4:
        yield step
    if not 0.4 <= chance < 0.6 or step.kind != "w":
        return
    for begin in range(0, len(step.data), SECTOR):
        if draw.random() < 0.5:
            yield Step("w", step.path, step.offset + begin, step.data[begin : begin + SECTOR])


def after_a_cut(steps, draw):
    """Files as a power cut behind the steps may leave them."""
    files, open_steps = defaultdict(bytearray), defaultdict(list)
    for step in steps:
        if step.kind == "s":
            for one in open_steps.pop(step.path, ()):
                applied(files[step.path], one)
        elif step.kind in "wt":
            open_steps[step.path].append(step)
        elif step.kind == "u":
            # File systems keep the order of removals and later syncs.
            files.pop(step.path, None)
            open_steps.pop(step.path, None)
    for path, unsynced in open_steps.items():
        for step in unsynced:
            for part in kept(step, draw):
                applied(files[path], part)
    return {path: bytes(content) for path, content in files.items() if not path.endswith("-shm")}


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("the shim that notes writes needs Linux and a C compiler")
    made = tmp_path_factory.mktemp("shim") / "unsynced.so"
    done = subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", made, SHIM, "-ldl"], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"the shim cannot be compiled: {done.stderr[-300:]}")
    return made


def test_what_was_acknowledged_outlives_the_power(
    shim, synthetic, writer_script, tmp_path, faults, record_figures, scale
):
    folder, batches = tmp_path / "watched", 12
    folder.mkdir()
    log = tmp_path / "steps"
    done = subprocess.run(
        [sys.executable, "-c", WRITER, writer_script, folder / "s.db", str(batches)],
        env={**os.environ, "LD_PRELOAD": str(shim), "UNSYNCED_FOLDER": str(folder), "UNSYNCED_LOG": str(log)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    steps = steps_of(log)
    assert sum(step.kind == "s" for step in steps) >= batches
    unharmed = [[]]
    synthetic.write(tmp_path / "u.db", 0, lambda number: None)
    with Store.open(tmp_path / "u.db", settings_digest=synthetic.DIGEST) as store:
        unharmed[0] = synthetic.content(store)
        for number in range(batches):
            store.append(synthetic.batch(number))
            unharmed.append(synthetic.content(store))
    draw, lost, ahead, cuts = random.Random(1929), 0, 0, 60 * scale  # noqa: S311
    # The first steps make the file itself: nothing has been promised yet.
    first = next(number for number, step in enumerate(steps) if step.kind == "a")
    for number in range(cuts):
        end = draw.randrange(first, len(steps) + 1)
        acknowledged = sum(step.data.count(b"\n") for step in steps[:end] if step.kind == "a")
        place = tmp_path / f"cut{number}"
        place.mkdir()
        for path, content in after_a_cut(steps[:end], draw).items():
            (place / Path(path).name).write_bytes(content)
        with Store.open(place / "s.db", settings_digest=synthetic.DIGEST) as store:
            found = store.position.batches
            assert faults(store) == []
            assert synthetic.content(store) == unharmed[found]
        lost += found < acknowledged
        ahead += found > acknowledged
        shutil.rmtree(place)
    record_figures(cuts=cuts, steps=len(steps), acknowledged_lost=lost, on_disk_before_acknowledged=ahead)
    assert lost == 0
