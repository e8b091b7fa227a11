"""Measurements of speed and memory, compared with a baseline in the same run."""

import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def write_figures(path: Path | None, **figures: Any) -> None:
    """Write figures to a file, if one is named, with the machine that they were measured on."""
    if path is not None:
        machine = {"python": platform.python_version(), "cores": os.cpu_count(), "system": platform.platform()}
        path.write_text(json.dumps({"machine": machine, **figures}, indent=1) + "\n")


def timed(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """Do some work; return its result, and its seconds by the clock and of CPU time."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
