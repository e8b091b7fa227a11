"""Measures the time from a store on disk to an engine in memory, by stage, on made-up signatures.

    python -m benchmarks.stream_restart --documents 1000000 --out stream_restart.json

Documents have 12 key terms and 90 targets from a vocabulary of 60,000 terms (Zipf), like short news; all of them are in
the window. The store is in a temporary folder or in ``--folder``.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import timed, write_figures
from benchmarks.store import append_all
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

MOST_SECONDS = 10  # maximum that the design allows for a million documents


def main() -> None:
    """Write a store, then start an engine from it; print and store the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="folder of the store during the measurement")
    parser.add_argument("--out", type=Path, help="JSON file for the figures")
    arguments = parser.parse_args()
    rows: dict[str, dict[str, float]] = {}

    def measure(name: str, work: Callable[[], Any]) -> Any:
        result, rows[name] = timed(work)
        print(f"{name:24}", *(f"{key} {value:.2f}" for key, value in rows[name].items()), flush=True)
        return result

    settings = StreamSettings(window_days=None)
    # Compile the code, or load it from disk, before the clock starts: a process that has read nothing would not.
    StreamEngine(settings)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "stream.db"
        with Store.open(path, settings_digest="benchmark") as store:
            append_all(store, arguments.documents, 1000, {})
        with Store.open(path) as store:
            loaded = measure("load from the store", store.load)
            engine = measure("memory of the window", lambda: StreamEngine.restore(settings, loaded))
    # The restored engine must be complete, or the benchmark measures too little.
    if engine.next_ordinal != arguments.documents:
        raise RuntimeError(f"the engine continues at {engine.next_ordinal}, expected {arguments.documents}")
    wall = sum(row["wall_seconds"] for row in rows.values())
    rows["restart"] = {"wall_seconds": wall, "cpu_seconds": sum(row["cpu_seconds"] for row in rows.values())}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'restart':24} wall_seconds {wall:.2f}; largest memory {memory:.0f} MB")
    goal = MOST_SECONDS * arguments.documents / 1e6
    report = {"documents": arguments.documents, "goal_seconds": goal, "rows": rows, "largest_memory_mb": memory}
    write_figures(arguments.out, **report)


if __name__ == "__main__":
    main()
