"""Measurements of speed and memory, compared with a baseline in the same run."""

import gzip
import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

Result = TypeVar("Result")


def write_figures(path: Path | None, **figures: Any) -> None:
    """Write figures to a file, if one is named, with the machine that they were measured on."""
    if path is not None:
        machine = {"python": platform.python_version(), "cores": os.cpu_count(), "system": platform.platform()}
        path.write_text(json.dumps({"machine": machine, **figures}, indent=1) + "\n")


def timed(work: Callable[[], Result]) -> tuple[Result, dict[str, float]]:
    """Do some work; return its result, and its seconds by the clock and of CPU time."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}


def in_own_process(work: Callable[..., Result], *given: Any) -> Result:
    """Do some work in a new process, which imports everything anew; return its result."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(work, *given).result()


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON Lines, packed or not."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def read_texts(path: Path) -> list[str]:
    """Title and text of each document of such a file."""
    return [f"{one.get('title') or ''}\n{one['text']}" for one in read_rows(path)]


def save_texts(texts: Iterable[str], folder: Path) -> float:
    """Write texts one after another to ``texts.bin``, and their ends to ``offsets.npy``; return the size in MB."""
    sizes = [0]
    with (folder / "texts.bin").open("wb") as file:
        sizes.extend(file.write(text.encode()) for text in texts)
    np.save(folder / "offsets.npy", np.cumsum(sizes, dtype=np.int64))
    return round(sum(sizes) / 1e6, 1)
