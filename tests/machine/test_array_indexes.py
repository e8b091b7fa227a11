"""Loops of this package index arrays without numba's test for negative indexes, and do not need it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from infostream_dedup.machine.array_indexes import is_possible
from infostream_dedup.sample import documents_path

LOOPS = """
import sys
import types

import numpy as np

LOOPS = '''
from infostream_dedup.machine.compiling import compiled


@compiled
def at(array, place):
    return array[place]


@compiled
def last(array):
    return array[-1]


@compiled
def put(array, place):
    array[place] = 7
    return array[2]
'''


def made(name):
    module = sys.modules[name] = types.ModuleType(name)
    exec(LOOPS, vars(module))
    return module


ours, theirs, numbers = made("infostream_dedup.made"), made("made"), np.arange(3)
assert ours.at(numbers, 1) == theirs.at(numbers, 1) == 1
assert ours.last(numbers) == theirs.at(numbers, -1) == 2
assert ours.put(numbers, np.uint64(2)) == 7
assert theirs.put(numbers, -1) == 7
for loop in (ours.at, ours.put):
    try:
        loop(numbers, -1)
    except IndexError:
        print("refused")
"""


def run(tmp_path, *arguments):
    """Output of a Python process whose loops check every index."""
    own = {
        "INFOSTREAM_DEDUP_CACHE": str(tmp_path / "cache"),
        "INFOSTREAM_DEDUP_LOOPS": "compiled",
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(tmp_path / "loops"),
    }
    done = subprocess.run(
        [sys.executable, *arguments], env={**os.environ, **own}, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_numba_has_what_is_replaced():
    assert is_possible()


def test_only_our_loops_take_an_index_as_it_is(tmp_path):
    assert run(tmp_path, "-c", LOOPS) == "refused\nrefused\n"


@pytest.mark.slow
def test_no_command_uses_a_negative_index(tmp_path):
    sample, store = str(documents_path()), str(tmp_path / "stream.db")
    commands = [
        ["sweep", sample, "--confirmed", "--planted", "--out", str(tmp_path / "sweep")],
        ["sweep", sample, "--workdir", str(tmp_path / "work")],
        ["pairs", sample, "--cross-language"],
        ["dedup", sample, "--out", str(tmp_path / "dedup.jsonl")],
        ["compare", sample, "--out", str(tmp_path / "compare")],
        ["passages", "find", sample, "--out", str(tmp_path / "passages")],
        ["ingest", sample, "--store", store],
        ["search", "--store", store, "--text", "выборы президента"],
    ]
    for command in commands:
        run(tmp_path, "-m", "infostream_dedup", *command)
