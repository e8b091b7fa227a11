"""A real cluster on this machine: whatever is killed, in whatever stage, the numbers are those of one process."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_kill_in_every_stage_changes_nothing(java):
    command = [sys.executable, "-m", "benchmarks.spark_demo", "--documents", "300", "--kill-stages"]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    ended = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr[-2000:]
    rows = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    assert all(row["same"] for row in rows)
    struck = Counter(name.partition(" killed")[0] for name in {row["collection"] for row in rows if row["killed"]})
    assert min(struck[name] for name in ("Python", "executor", "worker")) >= 9
    assert struck["executors"] == 1
    assert "Lost executor" in ended.stderr
