"""Loops as plain Python give the bytes of compiled ones, and small work starts no compiler."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.text.kernels.surface_table import hash_bytes
from infostream_dedup.machine import compiling
from infostream_dedup.machine.compiling import Kernel, compiled, popcount, signed
from infostream_dedup.machine.interpreting import from_cells, to_cells, to_signed
from infostream_dedup.machine.kernels.byte_blocks import between, eight_bytes, equal, lowest_bit
from infostream_dedup.machine.plain_work import NotOnDiskError
from infostream_dedup.sample import documents_path

COMMANDS = """
import hashlib, io, json, sys, tempfile
from pathlib import Path
import infostream_dedup as package

documents = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()][::5]
text = documents[4]["text"]
found = {}
with tempfile.TemporaryDirectory() as folder:
    store, out = Path(folder) / "stream.db", Path(folder) / "out.jsonl"
    found["ingest"] = [str(verdict) for verdict in package.ingest(documents, store)]
    found["search"] = [str(hit.as_dict()) for hit in package.search(store, text, k_min=1)]
    found["passages compare"] = str(package.passages.compare(text, text[40:] + " Мэр открыл мост через реку."))
    found["passages find"] = [str(passage) for passage in package.passages.find(documents)]
    found["pairs"] = [str(row.as_dict()) for row in package.pairs(documents, preset="judged", min_probability=0)]
    package.dedup(documents, out, engine="compiled", annotate=True)
    found["dedup"] = out.read_text(encoding="utf-8")
digests = {name: hashlib.sha256(str(value).encode()).hexdigest() for name, value in found.items()}
print(json.dumps([digests, {name: len(value) for name, value in found.items()}, "numba" in sys.modules]))
"""


def run(loops: str, tmp_path, program: str = COMMANDS, **environment: str):
    own = {"INFOSTREAM_DEDUP_LOOPS": loops, "INFOSTREAM_DEDUP_CACHE": str(tmp_path), **environment}
    done = subprocess.run(
        [sys.executable, "-c", program, str(documents_path())],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_all_commands_give_equal_results_and_plain_loops_never_import_the_compiler(tmp_path):
    (plain, sizes, compiler), said = run("plain", tmp_path)
    assert not compiler
    assert "compiling" not in said
    assert all(sizes.values()), sizes
    (compiled_code, _, compiler), _ = run("compiled", tmp_path)
    assert compiler
    assert plain == compiled_code


def test_the_work_decides(tmp_path):
    program = (
        "import json, sys\n"
        "from infostream_dedup.machine import plain_work as work\n"
        "before = work.is_plain()\n"
        "work.count_work(work.PLAIN_DOCUMENTS, 1000)\n"
        "at_most = work.is_plain()\n"
        "work.count_work(1)\n"
        "print(json.dumps([before, at_most, work.is_plain()]))\n"
    )
    assert run("auto", tmp_path, program)[0] == [True, True, False]
    assert run("compiled", tmp_path, program)[0] == [False, False, False]
    assert run("plain", tmp_path, program)[0] == [True, True, True]
    long = program.replace("work.PLAIN_DOCUMENTS, 1000", "3, work.PLAIN_CHARACTERS")
    assert run("auto", tmp_path, long)[0] == [True, True, True]
    longer = program.replace("work.PLAIN_DOCUMENTS, 1000", "3, work.PLAIN_CHARACTERS + 1")
    assert run("auto", tmp_path, longer)[0] == [True, False, False]


@pytest.mark.slow
def test_little_work_loads_nothing_but_gives_the_same(tmp_path):
    (usual, sizes, _), _ = run("compiled", tmp_path)
    (auto, auto_sizes, _), _ = run("auto", tmp_path)
    assert (auto, auto_sizes) == (usual, sizes)


def test_one_comparison_never_loads_machine_code_that_is_on_disk(tmp_path):
    program = (
        "import json, sys\n"
        "import infostream_dedup as package\n"
        "text = 'Мэр открыл новый мост через реку утром. Потом пошёл снег, и движение остановили до вечера.'\n"
        "found = package.passages.compare(text, 'Вчера было тихо. ' + text)\n"
        "print(json.dumps([found.coverage_b, 'numba' in sys.modules]))\n"
    )
    (covered, compiler), _ = run("compiled", tmp_path, program)
    assert compiler
    assert run("auto", tmp_path, program)[0] == [covered, False]


def test_a_question_to_a_store_loads_neither_the_compiler_nor_scipy(tmp_path):
    lines = documents_path().read_text(encoding="utf-8").splitlines()[:120]
    (tmp_path / "some.jsonl").write_text("\n".join(lines), encoding="utf-8")
    some, store = str(tmp_path / "some.jsonl"), str(tmp_path / "s.db")
    ingest = f"import infostream_dedup as package\nprint(len(list(package.ingest({some!r}, {store!r}))))\n"
    assert run("compiled", tmp_path, ingest)[0] == len(lines)
    ask = (
        "import json, sys\n"
        "import infostream_dedup as package\n"
        f"text = json.loads({lines[7]!r})['text']\n"
        f"found = package.search({store!r}, text, everything=True)\n"
        "hits = [str(hit.as_dict()) for hit in found]\n"
        "print(json.dumps([hits, [one for one in ('numba', 'scipy') if one in sys.modules]]))\n"
    )
    (hits, loaded), _ = run("compiled", tmp_path, ask)
    assert hits
    assert "numba" in loaded
    assert run("auto", tmp_path, ask)[0] == [hits, []]


def test_what_is_worth_its_preparation(tmp_path):
    program = (
        "import json\n"
        "from infostream_dedup.machine import plain_work as work\n"
        "found = [work.is_worth_loading(), work.is_worth_tables(work._TABLE_BYTES), work.is_worth_tables(1)]\n"
        "work.expect_little()\n"
        "found.append(work.is_worth_loading())\n"
        "work.count_work(work._LITTLE_DOCUMENTS, work._LITTLE_CHARACTERS)\n"
        "found.append(work.is_worth_loading())\n"
        "work.count_work(0, 1)\n"
        "found.append(work.is_worth_loading())\n"
        "work._work.characters = 0\n"
        "work._work.seconds = 2 * work._LOADING_SECONDS\n"
        "print(json.dumps([*found, work.is_worth_loading()]))\n"
    )
    assert run("auto", tmp_path, program)[0] == [True, False, True, False, False, True, True]
    assert run("compiled", tmp_path, program)[0] == [True] * 7


def test_a_wrong_choice_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "infostream_dedup", "passages", "compare", os.devnull, os.devnull],
        env={**os.environ, "INFOSTREAM_DEDUP_LOOPS": "quick"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 78
    assert "'quick'; expected one of auto, plain, compiled" in done.stderr


@pytest.mark.parametrize(
    ("value", "bits", "number"),
    [(2**64 - 1, 64, -1), (2**63, 64, -(2**63)), (300, 8, 44), (200, 8, -56), (-1, 64, -1), (7.9, 64, 7)],
)
def test_numbers_wrap_as_in_compiled_code(value, bits, number):
    assert to_signed(value, bits) == number


def both(kernel, *arguments):
    """Results of a kernel as machine code and as plain Python, each on copies of its arguments."""
    assert isinstance(kernel, Kernel)
    copies = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    return kernel.dispatcher(*arguments), kernel._run_plain(tuple(copies), {}), arguments, copies


@compiled
def _arithmetic(small, words, numbers, truths, table):
    """What differs between numpy's numbers and machine words, in one loop."""
    total, spread = 0, np.uint64(14695981039346656037)
    for place in range(small.size):
        total += signed(small[place]) * 1000 - (small[place] + small[place])
        spread = (spread ^ np.uint64(small[place])) * np.uint64(1099511628211)
        spread ^= words[place] >> np.uint64(7)
        total += popcount(words[place]) + signed(words[place]) // 3 % 1000
        truths[place] = small[place] > 100
        numbers[place] = total
        table[place, 1] = np.int32(spread)
        total += table[place][1] % 7
    row = table[small.size // 2]
    row[0] = 5
    numbers[:2] = 9
    return total, signed(spread), np.floor(total / 7), np.sqrt(float(small.size)), np.sort(numbers[1:])


@given(
    st.lists(st.tuples(st.integers(0, 255), st.integers(0, 2**64 - 1)), min_size=3, max_size=40),
)
def test_arithmetic_is_that_of_machine_words(pairs):
    small = np.array([one for one, _ in pairs], dtype=np.uint8)
    words = np.array([word for _, word in pairs], dtype=np.uint64)
    room = [np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.bool_), np.zeros((len(pairs), 2), np.int32)]
    compiled_code, plain, left, right = both(_arithmetic, small, words, *room)
    for one, other in zip((*compiled_code, *left), (*plain, *right), strict=True):
        assert np.array_equal(one, other)
        assert type(one) is type(other)


@compiled
def _instructions(data, other, at, there, low, high):
    return (
        signed(between(data, at, low, high)),
        signed(equal(data, at, other, there)),
        signed(eight_bytes(data, at)),
        lowest_bit(between(data, at, low, high)),
        signed(hash_bytes(data, at, there + 1, True)),
    )


@given(
    st.binary(min_size=140, max_size=140),
    st.integers(0, 60),
    st.integers(0, 60),
    st.integers(0, 255),
    st.integers(0, 255),
)
def test_instructions_do_the_same(raw, at, there, low, high):
    data = np.frombuffer(raw, dtype=np.uint8).copy()
    other = np.where(np.arange(140) % 5, data, 0).astype(np.uint8)
    low, high = min(low, high), max(low, high)
    compiled_code, plain, _, _ = both(_instructions, data, other, at, there, low, high)
    assert compiled_code == plain


def test_arrays_become_memory_and_come_back():
    numbers, words = np.arange(4, dtype=np.int32), np.arange(4, dtype=np.uint64)
    cells, same = to_cells((numbers, words))
    assert isinstance(cells, memoryview)
    assert same is words
    cells[1] = 7
    assert from_cells((cells,))[0].tolist() == [0, 7, 2, 3]
    assert numbers.tolist() == [0, 7, 2, 3]


SETPRIV = shutil.which("setpriv")
NOBODY = 65534


@pytest.fixture
def folder_of_everybody():
    """Not below the folder of pytest, which every run of pytest closes to other users."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.mark.skipif(SETPRIV is None or os.getuid() != 0, reason="needs root and setpriv to become another user")
@pytest.mark.parametrize("command", ["ingest", pytest.param("rest", marks=pytest.mark.slow)])
def test_another_user_without_a_home_starts_at_once(command, folder_of_everybody):
    folder = folder_of_everybody
    store, source = str(folder / "stream.db"), str(documents_path())
    text = ["search", "--store", store, "--text", "Мэр открыл мост"]
    ingest = ["ingest", source, "--store", store]
    rest = [
        ["demo", "--out", str(folder / "out")],
        ingest,
        text,
        ["dedup", source, "--out", str(folder / "kept.jsonl")],
    ]
    become = [str(SETPRIV), "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
    # The package may lie under the home of root: this user reads everything, but writes nothing.
    become += ["--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"]
    for one in [ingest] if command == "ingest" else rest:
        done = subprocess.run(
            [*become, sys.executable, "-m", "infostream_dedup", *one],
            env={"HOME": "/nonexistent", "TMPDIR": str(folder), "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        assert "compiling" not in done.stderr
        assert "bug" not in done.stderr


def test_machine_code_on_disk_is_used_for_the_types_it_knows(monkeypatch):
    def doubled(number):
        raise AssertionError(number)

    def on_disk(number):
        if isinstance(number, float):
            raise NotOnDiskError
        return f"machine code {2 * number}"

    asked = []
    monkeypatch.setattr(compiling, "is_plain", lambda **_: asked.append(1) or True)
    monkeypatch.setattr(compiling, "may_be_on_disk", lambda _: True)
    kernel = Kernel(doubled, {})
    kernel.__dict__ |= {"dispatcher": on_disk, "plain": lambda number: f"plain {2 * number}", "_on_disk": True}
    assert [kernel(1), kernel(2), kernel(3)] == ["machine code 2", "machine code 4", "machine code 6"]
    assert len(asked) == 1
    assert [kernel(0.5), kernel(4)] == ["plain 1.0", "plain 8"]
