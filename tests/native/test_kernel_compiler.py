"""What the kernel compiler understands and refuses; kernels beside numba, and under bounds checks."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# What the kernel compiler understands, computed by the machine code, and what it refuses.
ROOT = Path(__file__).resolve().parents[2]

HEAD = """
from __future__ import annotations
from typing import TYPE_CHECKING, NamedTuple
import numpy as np
from infostream_dedup.machine.compiling import compiled, inlined, prefetch, signed
from infostream_dedup.machine.arrays import Floats, Ints, Table, Uint64s, Vector, Whole

FOLD = np.uint64(32)

"""

PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, {native!r})
import kernel_compiler as k
try:
    k.build(Path({root!r}), ["{level}"])
except k.RefusedError as refusal:
    sys.exit(str(refusal))
"""

Build = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Translate and compile a package with one file of kernels."""
    package = tmp_path / "infostream_dedup"
    for folder in (package, package / "machine", package / "toys", package / "toys" / "kernels"):
        folder.mkdir()
        (folder / "__init__.py").touch()
    (package / "machine" / "arrays.py").write_text((ROOT / "infostream_dedup/machine/arrays.py").read_text())

    def run(source: str) -> subprocess.CompletedProcess[str]:
        (package / "toys" / "kernels" / "toy.py").write_text(HEAD + source)
        names = [line.split("(")[0][4:] for line in source.splitlines() if line.startswith("def ")]
        (package / "toys" / "use.py").write_text(f"from infostream_dedup.toys.kernels.toy import {', '.join(names)}\n")
        program = PROGRAM.format(native=str(ROOT / "native"), root=str(tmp_path), level="portable")
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    return run


def loaded(folder: Path) -> Any:
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    path = folder / "infostream_dedup" / "machine" / "_kernels_portable.abi3.so"
    spec = spec_from_loader("_kernels_portable", ExtensionFileLoader("_kernels_portable", str(path)))
    assert spec is not None
    return module_from_spec(spec)


MEANINGS = """
@compiled
def whole(a: int, b: int, found: Ints) -> None:
    found[0], found[1] = a // b, a % b
    found[2], found[3] = a << 3, a >> 2
    found[4], found[5] = a * 0x7FFFFFFFFFFFFFFF, abs(a)
    found[6] = min(a, b) + max(a, b, 5)
    found[7] = -a & 0xFF | ~b ^ 3
    found[8] = a < b <= 7
    found[9] = (a == b) + (a != b) + 1


@compiled
def word(a: np.uint64, b: np.uint64, found: Uint64s) -> int:
    found[0], found[1], found[2] = a * b, a - b, a + b
    found[3], found[4], found[5] = a >> FOLD, a << FOLD, ~a
    found[6], found[7] = a // b, a % b
    return signed(a)


@compiled
def real(a: float, b: int, found: Floats) -> tuple[int, bool]:
    found[0], found[1] = a / b, a * b - 1
    found[2], found[3] = np.ceil(a), np.rint(a)
    found[4] = a if b > 100 else b
    return int(a), a < b


@compiled
def cells(bytes: Vector[np.uint8], shorts: Vector[np.int16], table: Table[np.uint32]) -> int:
    total = 0
    for byte in bytes:
        total += byte * 1000
    for place in range(shorts.size - 1, -1, -1):
        shorts[place] += 40000
        total -= shorts[place]
    table[0, 1], table[1] = -1, 7
    bytes[0] = bytes[-1] = total
    one, other = bytes[0], bytes[1]
    bytes[0], bytes[1] = bytes[1], bytes[0]
    return total + table[0, 1] + one - other


@compiled
def twice(values: Vector[Whole]) -> None:
    for place in range(values.size):
        values[place] += values[place]


@compiled
def loops(n: int) -> int:
    found = 0
    for a in range(n):
        if a == 3:
            continue
        while True:
            found += 1
            if found % 3 == 0 and not (found > 100 or a in (1, 2)):
                break
            if found > 50:
                return found
    return -found
"""


def test_numbers_mean_what_they_mean_in_python(build: Build, tmp_path: Path) -> None:
    done = build(MEANINGS)
    assert done.returncode == 0, done.stderr
    made = loaded(tmp_path)
    for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2), (-(2**62), 3), (0, 5), (6, 6)):
        found = np.zeros(10, np.int64)
        made.toys_toy__whole(a, b, found)
        wrapped = ((a * (2**63 - 1) + 2**63) % 2**64 - 2**63, ((a << 3) + 2**63) % 2**64 - 2**63)
        assert found.tolist() == [
            *(a // b, a % b, wrapped[1], a >> 2, wrapped[0], abs(a)),
            *(min(a, b) + max(a, b, 5), -a & 0xFF | ~b ^ 3, a < b <= 7, 2),
        ]
    for a, b in ((2**64 - 1, 3), (5, 2**63 + 1), (0, 1)):
        found = np.zeros(8, np.uint64)
        assert made.toys_toy__word(a, b, found=found) == (a + 2**63) % 2**64 - 2**63
        expected = [a * b, a - b, a + b, a >> 32, a << 32, ~a, a // b, a % b]
        assert found.tolist() == [one % 2**64 for one in expected]
    reals = np.zeros(5)
    assert made.toys_toy__real(-2.5, 3, reals) == (-2, True)
    assert reals.tolist() == [-2.5 / 3, -8.5, -2.0, -2.0, 3.0]
    for dtype in (np.int32, np.int64, np.uint32, np.uint64):
        values = np.array([1, 2, 3], dtype)
        made.toys_toy__twice(values=values)
        assert values.tolist() == [2, 4, 6]
    cells, shorts, table = np.array([200, 100, 3], np.uint8), np.array([1, 2], np.int16), np.zeros((2, 2), np.uint32)
    total = 303_000 - (1 + 40000 - 65536) - (2 + 40000 - 65536)
    assert made.toys_toy__cells(cells, shorts, table) == total + 2**32 - 1 + total % 256 - 100
    assert (cells.tolist(), table.tolist()) == ([100, total % 256, total % 256], [[0, 2**32 - 1], [7, 7]])
    assert made.toys_toy__loops(4) == 51


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="looks for an instruction of x86-64")
def test_functions_that_only_prefetch_are_not_dropped(build: Build, tmp_path: Path) -> None:
    loop = "    for i in range(n):\n" + "        prefetch(values, values[i])\n" * 2
    only = f"def only(values: Vector[np.int64], n: int) -> None:\n{loop}{loop}"
    use = "def toy(values: Vector[np.int64], n: int) -> None:\n    only(values, n)\n    only(values, n + 1)\n"
    assert build(f"@compiled\n{only}\n\n@compiled\n{use}").returncode == 0
    code = (tmp_path / "infostream_dedup/machine/_kernels_portable.abi3.so").read_bytes()
    assert re.search(rb"\x0f\x18[\x08-\x0f\x48-\x4f\x88-\x8f]", code), "no prefetcht0"


def test_arguments_of_another_type_are_refused(build: Build, tmp_path: Path) -> None:
    assert build(MEANINGS).returncode == 0
    made, words = loaded(tmp_path), np.zeros(9, np.uint64)
    for given in (
        (1, 2, np.zeros(9, np.int64)), (1, 2, words[::2]), (1, 2, words.reshape(3, 3)), (1, 2), (-1, 2, words),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="word"):
            made.toys_toy__word(*given)


@pytest.mark.parametrize(("line", "why"), [
    ("return a or b", "booleans"), ("return sum([a, b])", "not known"), ("return a ** b", "not known"),
    ("return (lambda: a)()", "not known"), ("return [a][0]", "not known"),
    ("return values[np.uint64(a)] + np.uint64(b)", "np.uint64 with int"),
    ("return values[a:b, 0]", "several dimensions"), ("return other(a, b=b)", "by name"),
    ("return f'{a}'", "not known"), ("a = 1.5", "not an int"), ("return a / b", "not an int"),
    ("return 0 < other(a, b) < 5", "twice"), ("with a: pass", "not known"), ("return values.mean()", "not known"),
])  # fmt: skip
def test_what_is_not_understood_is_refused_with_its_place(build: Build, line: str, why: str) -> None:
    body = "@compiled\ndef other(a: int, b: int) -> int:\n    return a + b\n\n\n@compiled\n"
    done = build(f"{body}def toy(a: int, b: int, values: Vector[np.int64]) -> int:\n    {line}\n    return 0\n")
    assert done.returncode != 0
    assert why in done.stderr
    assert f"toy.py:{(HEAD + body).count(chr(10)) + 2}:" in done.stderr


@pytest.mark.parametrize("kind", ["NDArray[np.int64]", "Any", "list[int]", "Vector[np.str_]", "np.ndarray"])
def test_types_must_be_exact(build: Build, kind: str) -> None:
    done = build(f"@compiled\ndef toy(values: {kind}) -> None:\n    pass\n")
    assert done.returncode != 0
    assert "no type of a kernel" in done.stderr


ALONE = """
import sys
from importlib.metadata import packages_distributions
absent = set(packages_distributions()) - {"numpy", "infostream_dedup"}
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"the build has no {name}", name=name)
sys.meta_path.insert(0, Absent())
sys.path[:0] = ["native", "."]
from pathlib import Path
import kernel_compiler
kernel_compiler.import_without_package(Path.cwd())
print(len(kernel_compiler.Program(Path.cwd()).modules))
"""


def test_a_build_needs_numpy_alone():
    done = subprocess.run([sys.executable, "-c", ALONE], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20


def test_windows_is_told_every_name_that_kernels_use():
    sys.path.insert(0, str(ROOT / "native"))
    import kernel_compiler

    header = (ROOT / "native" / "abi3.h").read_text(encoding="utf-8")
    names = kernel_compiler.imported_names(header).splitlines()
    assert names[0] == "EXPORTS"
    assert {"PyErr_Format", "Py_IncRef", "PyExc_TypeError DATA", "_Py_NoneStruct DATA"} <= set(names)
    used = set(re.findall(r"\b(Py[A-Z][a-zA-Z]+_\w+)\(", (ROOT / "native" / "arrays.hpp").read_text(encoding="utf-8")))
    assert used - {one.removesuffix(" DATA") for one in names} == set()


# Kernels give what numba makes of the same source, in real runs.
@pytest.mark.slow
def test_every_kernel_of_real_runs_gives_what_numba_gives() -> None:
    script = Path(__file__).with_name("replay.py")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 50


# The kernels under bounds checks and the sanitizer of undefined behaviour.
SUITES = ("test_results_are_pinned.py", "links", "evidence", "stream", "text", "corpus", "terms", "sharded", "window")


@pytest.mark.slow
def test_no_kernel_leaves_its_arrays_or_overflows(tmp_path: Path) -> None:
    """A checked build ends the process at the first index out of bounds, so the suites cannot pass beside one."""
    for name in ("infostream_dedup", "native", "dictionaries", "tests", "tools", "benchmarks", "reports"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "_kernels_*"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    build = [sys.executable, "native/kernel_compiler.py", "--checked"]
    subprocess.run(build, cwd=tmp_path, env=environment, check=True)
    suites = [f"tests/{one}" for one in SUITES]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow and not translate", *suites]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
