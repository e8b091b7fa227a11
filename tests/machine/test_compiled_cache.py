"""Compiled code on disk: who may have written it, and whether it is what was written."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from infostream_dedup.machine import compiled_cache
from infostream_dedup.machine.private_files import is_private, make_private_folder

LOOP = """
from infostream_dedup.machine.compiling import compiled


@compiled
def times_three(number):
    return 3 * number
"""
PROGRAM = """
import loop
assert loop.times_three(14) == 42
(signature,) = loop.times_three.dispatcher.signatures
print(sum(loop.times_three.dispatcher.stats.cache_hits.values()), loop.times_three.dispatcher.stats.cache_path)
"""


LOOP_OF_RECORD = """
from typing import NamedTuple

from infostream_dedup.machine.compiling import compiled


class Scale(NamedTuple):
    factor: int


@compiled
def times(scale, number):
    return scale.factor * number
"""
PROGRAM_OF_RECORD = """
import loop
assert loop.times(loop.Scale(3), 14) == 42
print(sum(loop.times.dispatcher.stats.cache_hits.values()), loop.times.dispatcher.stats.cache_path)
"""


@pytest.fixture
def folder(tmp_path):
    code = tmp_path / "code"
    code.mkdir(mode=0o755)
    (code / "loop.py").write_text(LOOP, encoding="utf-8")
    return code


def run(folder, tmp_path, program=PROGRAM, **environment):
    """Cache hits and folder of one process that calls the loop, and what it said."""
    paths = os.pathsep.join([str(folder), *sys.path])
    own = {"PYTHONPATH": paths, "INFOSTREAM_DEDUP_CACHE": str(tmp_path / "cache"), **environment}
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **own}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    hits, place = done.stdout.split(maxsplit=1)
    return int(hits), place.strip(), done.stderr


def files(folder):
    return sorted(folder.glob("loop.*.nb?"))


def test_the_next_process_finds_the_code_beside_the_source(folder, tmp_path):
    assert run(folder, tmp_path)[:2] == (0, str(folder / "__pycache__"))
    assert [stat.S_IMODE(path.stat().st_mode) for path in files(folder / "__pycache__")] == [0o600, 0o600]
    assert run(folder, tmp_path)[0] == 1


def test_a_folder_that_others_can_write_is_never_read(folder, tmp_path):
    run(folder, tmp_path)
    beside = folder / "__pycache__"
    for mode in (0o775, 0o757, 0o777):
        beside.chmod(mode)
        assert not is_private(beside)
    hits, place, _ = run(folder, tmp_path)
    assert hits == 0
    assert place.startswith(str(tmp_path / "cache" / "compiled"))
    for made in (tmp_path / "cache", tmp_path / "cache" / "compiled", Path(place)):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert run(folder, tmp_path)[0] == 1


def test_a_file_that_others_can_write_is_never_read(folder, tmp_path):
    run(folder, tmp_path)
    for path in files(folder / "__pycache__"):
        path.chmod(0o666)
    assert run(folder, tmp_path)[0] == 0
    assert run(folder, tmp_path)[0] == 1


def test_without_any_safe_folder_a_private_temporary_one_serves_the_process(folder, tmp_path):
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__").chmod(0o777)
    (tmp_path / "cache").write_text("a file, no folder", encoding="utf-8")
    (tmp_path / "tmp").mkdir()
    places = []
    for _ in range(2):
        hits, place, said = run(folder, tmp_path, TMPDIR=str(tmp_path / "tmp"))
        assert hits == 0
        assert "for this process only" in said
        assert "mode 0700" in said
        places.append(Path(place).parent)
    assert [place.parent for place in places] == [tmp_path / "tmp"] * 2
    assert places[0] != places[1], "the name can be foreseen"
    assert not any(place.exists() for place in places), "left behind"


def test_without_any_folder_at_all_code_is_not_kept(folder, tmp_path):
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__").chmod(0o777)
    (tmp_path / "cache").write_text("a file, no folder", encoding="utf-8")
    program = "import tempfile\ntempfile.mkdtemp = lambda **_: exec('raise OSError(28, \"full\")')\n" + PROGRAM
    hits, place, said = run(folder, tmp_path, program)
    assert (hits, place) == (0, "None")
    assert "for this process only" in said


def test_damaged_code_is_compiled_again_with_a_word(folder, tmp_path):
    run(folder, tmp_path)
    for path in files(folder / "__pycache__"):
        good = path.read_bytes()
        path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        hits, _, said = run(folder, tmp_path)
        assert hits == 0
        assert f"{path}: compiled code is damaged; compiling again" in said
        assert run(folder, tmp_path)[0] == 1


def test_code_for_a_class_that_was_renamed_since_is_compiled_again(folder, tmp_path):
    source = folder / "loop.py"
    source.write_text(LOOP_OF_RECORD, encoding="utf-8")
    assert run(folder, tmp_path, PROGRAM_OF_RECORD)[0] == 0
    assert run(folder, tmp_path, PROGRAM_OF_RECORD)[0] == 1
    source.write_text(LOOP_OF_RECORD.replace("Scale", "Factor"), encoding="utf-8")
    renamed = PROGRAM_OF_RECORD.replace("Scale", "Factor")
    assert run(folder, tmp_path, renamed)[0] == 0
    assert run(folder, tmp_path, renamed)[0] == 1


def test_no_flipped_bit_and_no_cut_gets_through(folder, tmp_path):
    run(folder, tmp_path)
    draw = random.Random(11)  # noqa: S311
    for path in files(folder / "__pycache__"):
        good = path.read_bytes()
        assert compiled_cache._read(str(path)) is not None
        for _ in range(200):
            bad = bytearray(good)
            bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
            path.write_bytes(bad)
            assert compiled_cache._read(str(path)) is None
        for end in (0, 3, 20, len(good) - 1):
            path.write_bytes(good[:end])
            assert compiled_cache._read(str(path)) is None


def test_loops_that_numba_may_not_compile_are_refused_not_a_bug(tmp_path):
    (tmp_path / "text.txt").write_text("Мэр открыл мост.", encoding="utf-8")
    compare = [sys.executable, "-m", "infostream_dedup", "passages", "compare", *[str(tmp_path / "text.txt")] * 2]
    for loops, code in (("compiled", 78), ("plain", 0)):
        done = subprocess.run(
            compare,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1", "INFOSTREAM_DEDUP_LOOPS": loops},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == code
        assert ("NUMBA_DISABLE_JIT is set" in done.stderr) == (loops == "compiled")
        assert "bug" not in done.stderr


def test_private_folders(tmp_path):
    made = tmp_path / "a" / "b" / "c"
    before = os.umask(0)
    try:
        make_private_folder(made)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(one.stat().st_mode) for one in (made, made.parent, made.parent.parent)] == [0o700] * 3
    make_private_folder(made)
    made.chmod(0o755)
    make_private_folder(made)
    assert stat.S_IMODE(made.stat().st_mode) == 0o755
    assert not is_private(tmp_path / "nothing")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        make_private_folder(tmp_path / "file")
