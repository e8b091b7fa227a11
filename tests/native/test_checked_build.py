"""The kernels under bounds checks and the sanitizer of undefined behaviour."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUITES = ("test_results_are_pinned.py", "links", "evidence", "stream", "text", "corpus", "terms", "sharded", "window")


@pytest.mark.slow
def test_no_kernel_leaves_its_arrays_or_overflows(tmp_path: Path) -> None:
    """A checked build ends the process at the first index out of bounds, so the suites cannot pass beside one."""
    for name in ("infostream_dedup", "native", "dictionaries", "tests", "benchmarks", "reports"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "_kernels_*"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    build = [sys.executable, "native/kernel_compiler.py", "--checked"]
    subprocess.run(build, cwd=tmp_path, env=environment, check=True)
    suites = [f"tests/{one}" for one in SUITES]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow and not translate", *suites]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
