"""Kernels give what numba makes of the same source, in real runs."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_every_kernel_of_real_runs_gives_what_numba_gives() -> None:
    script = Path(__file__).with_name("replay.py")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 50
