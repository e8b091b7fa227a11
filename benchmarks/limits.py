"""How far each stage of the main job is from what the machine can do at most.

    python -m benchmarks.limits --documents 100000 --out limits.json

First it measures the machine: bytes read from a file in the page cache, bytes read from memory, independent random
reads from a table as large as the vocabulary's (each a cache miss, with as many under way as the processor allows),
increments of bytes that stay in the cache, and pages of memory touched for the first time. Then it runs the job of
``benchmarks.month`` and counts what each stage cannot avoid: bytes read and written, words looked up, postings counted,
paths followed 64 at a time. Work divided by rate gives the least CPU seconds of one core; the ratio shows how far from
it the stage ends.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks import month
from benchmarks.generator import MONTH, generate, write_texts
from infostream_dedup.links.similarity_matrix import column_counts
from infostream_dedup.model import Settings

LARGE = 1 << 29
CACHED = 1 << 18
RECORD = 64
COUNT = 20_000_000
PATHS_AT_ONCE = 64


def main() -> None:
    """Measure the machine and the job; print and store the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000, help=f"a month is {MONTH}")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        texts = write_texts(generate(given.documents, seed=11))
        np.save(Path(folder) / "offsets.npy", texts.offsets)
        texts.data.tofile(Path(folder) / "texts.bin")
        work, spent, vocabulary = _run(Path(folder), len(texts.data))
        rates = _rates(Path(folder) / "texts.bin", vocabulary)
    rows = [_row(stage, counts, spent[stage], rates) for stage, counts in work.items()]
    print(json.dumps(rates))
    for row in rows:
        print(f"{row['stage']:12} {row['cpu_seconds']:7.2f} CPU s, at least {row['least_seconds']:6.2f}", end=": ")
        print(f"{row['times']:.1f} times;", ", ".join(f"{name} {number:,}" for name, number in row["work"].items()))
    if given.out:
        machine = {"python": platform.python_version(), "cores": os.cpu_count(), "system": platform.platform()}
        report = {"machine": machine, "documents": given.documents, "rates": rates, "rows": rows}
        given.out.write_text(json.dumps(report, indent=1) + "\n")


def _run(folder: Path, size: int) -> tuple[dict[str, dict[str, int]], dict[str, float], int]:
    """Run the job; return the work and the CPU seconds of each stage, and the bytes of the vocabulary's table."""
    # Nothing here counts documents, so small loops would run as plain Python.
    settings = Settings(representation="stem")
    _job(folder, settings)  # Compiles, or loads compiled code.
    spent, collection, terms, relation, measures = _job(folder, settings)
    tokens = sum(len(chunk.tokens) for chunk in collection.surfaces.chunks)
    surfaces = len(collection.surfaces.surfaces)
    entries, links = terms.counts.counts.nnz, measures[0].links
    postings = int(column_counts(terms.keys) @ column_counts(terms.targets))
    paths = sum(one.paths for one in measures)
    del relation
    return (
        {
            "texts": {"bytes from the file": size, "bytes from memory": size + 4 * tokens, "look-ups": tokens},
            # Every entry is written once, and read for the document frequencies and for the weights.
            "key terms": {"bytes from memory": 4 * tokens + 3 * 8 * entries, "look-ups": 2 * entries},
            "matching": {"bytes from memory": 4 * postings + 5 * links, "increments": postings},
            # Every link is read once by row and once by column.
            "S and T": {"bytes from memory": 2 * 5 * links, "increments": paths // PATHS_AT_ONCE},
        },
        spent,
        surfaces * RECORD,
    )


def _job(folder: Path, settings: Settings) -> tuple[dict[str, float], Any, Any, Any, Any]:
    spent: dict[str, float] = {}

    def stage(name: str, work: Callable[[], Any]) -> Any:
        begun = time.process_time()
        result = work()
        spent[name] = time.process_time() - begun
        return result

    collection = stage("texts", lambda: month.READERS["arrow"](folder))
    terms = stage("key terms", lambda: collection.key_terms(settings))
    relation = stage("matching", lambda: month.relation_of(terms, settings))
    return spent, collection, terms, relation, stage("S and T", relation.measures)


def _row(stage: str, work: dict[str, int], spent: float, rates: dict[str, float]) -> dict[str, Any]:
    least = sum(number / rates[name] for name, number in work.items())
    return {"stage": stage, "work": work, "cpu_seconds": spent, "least_seconds": least, "times": spent / least}


def _rates(path: Path, vocabulary: int) -> dict[str, float]:
    """Return how many bytes, look-ups or increments a core does in a second at most."""
    large, cached = np.ones(LARGE // 8, dtype=np.int64), np.zeros(CACHED, dtype=np.uint8)
    table = np.ones(max(vocabulary, 1 << 20) // 8, dtype=np.int64)
    random = np.random.default_rng(1)
    places = random.integers(0, len(table), COUNT)
    slots = random.integers(0, CACHED, COUNT).astype(np.uint32)
    fresh = _quickest(lambda: np.empty(LARGE, dtype=np.uint8).fill(1), runs=1)
    for work in (lambda: _gather(table, places[:9]), lambda: _increment(cached, slots[:9]), lambda: _add(large[:9])):
        work()
    return {
        "bytes from the file": path.stat().st_size / _quickest(lambda: _read(path)),
        "bytes from memory": large.nbytes / _quickest(lambda: _add(large)),
        "look-ups": COUNT / _quickest(lambda: _gather(table, places)),
        "increments": COUNT / _quickest(lambda: _increment(cached, slots)),
        "bytes of fresh memory": LARGE / fresh,
    }


def _quickest(work: Callable[[], object], runs: int = 3) -> float:
    found = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return max(min(found), 1e-9)


def _read(path: Path) -> None:
    buffer = bytearray(1 << 22)
    with path.open("rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


@numba.njit(nogil=True)
def _add(values: NDArray[np.int64]) -> int:
    total = 0
    for value in values:
        total += value
    return total


@numba.njit(nogil=True)
def _gather(table: NDArray[np.int64], places: NDArray[np.int64]) -> int:
    total = 0
    for place in places:
        total += table[place]
    return total


@numba.njit(nogil=True)
def _increment(counters: NDArray[np.uint8], slots: NDArray[np.uint32]) -> None:
    for slot in slots:
        counters[slot] += np.uint8(1)


if __name__ == "__main__":
    main()
