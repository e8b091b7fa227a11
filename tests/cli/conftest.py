"""Runs the command line as a user does: in a process of its own."""

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def run(tmp_path: Path, run_command: Run) -> Run:
    """``run("sweep", "a.jsonl", stdin=b"", TZ="...")`` in the test's folder; see ``run_command``."""
    return partial(run_command, tmp_path)
