"""Measures what a stream holds in memory while a month passes: thirty days of news through a window of seven.

    python -m benchmarks.stream_month --days 30 --each 40000 --preset faithful --out stream-month.json

Another process makes the documents (Russian words, 225 on average), so that the memory measured is the stream's own.
The cache of forms is empty at first. A row for every day: documents so far and in the window, megabytes in use (what is
allocated) and resident (what the system has given), and documents a CPU second. The window is full after seven days;
growth is counted from the end of the eighth, when every document of the window has been decided with a full one, and as
a ratio to that day. With fewer than some 25,000 documents until then, caches of words are still filling up, and memory
grows more than in a real month.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import multiprocessing
import os
import platform
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.stream import BEGIN, generate_news, read_status
from infostream_dedup.model import Document
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings

WINDOW_DAYS = 7
FULL = WINDOW_DAYS + 1
BATCH = 1000


class _Heap(ctypes.Structure):
    """``struct mallinfo2`` of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keep",
        )
    ]


def main() -> None:
    """Run the stream and print a row for every day."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        # With words of earlier runs in the cache, the analyser would be loaded in the middle, which looks like growth.
        os.environ["INFOSTREAM_DEDUP_CACHE"] = str(Path(folder) / "cache")
        rows = []
        for row in _measured(arguments, Path(folder)):
            rows.append(row)
            print(json.dumps(row), flush=True)
    growth = grown(rows)
    print(json.dumps({"growth_after_day": FULL, **growth}))
    if arguments.out:
        machine = {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()}
        given = {name: getattr(arguments, name) for name in ("days", "each", "preset")}
        report = {"machine": machine, **given, "full_after_day": FULL, "rows": rows, "growth": growth}
        arguments.out.write_text(json.dumps(report, indent=1) + "\n")


def grown(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the most memory of any later day, as a ratio to that of the day after which the window is full."""
    if len(rows) <= FULL:
        return {}
    full, later = rows[FULL - 1], rows[FULL:]
    return {name: round(max(row[name] for row in later) / full[name], 3) for name in ("in_use", "resident")}


def _measured(arguments: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    given = {"preset": arguments.preset, "window_days": WINDOW_DAYS}
    settings = StreamSettings.of({**given, "across": "none"} if arguments.preset == "judged" else given)
    read_heap = ctypes.CDLL(None).mallinfo2
    read_heap.restype = _Heap
    context = multiprocessing.get_context("spawn")
    batches: Any = context.Queue(maxsize=4)
    writer = context.Process(target=_write, args=(batches, arguments.days, arguments.each), daemon=True)
    writer.start()
    with Deduplicator.open(folder / "s.db", settings) as stream:
        spent, documents = 0.0, 0
        for day in range(1, arguments.days + 1):
            for _ in range(0, arguments.each, BATCH):
                batch = batches.get()
                begun = time.process_time()
                stream.process(batch)
                spent += time.process_time() - begun
                documents += len(batch)
                del batch
            gc.collect()
            heap = read_heap()
            yield {
                "day": day,
                "documents": documents,
                "window": min(documents, WINDOW_DAYS * arguments.each),
                "in_use": round((heap.uordblks + heap.hblkhd) / 1e6, 1),
                "resident": round(read_status("VmRSS") * 1.048576, 1),
                "documents_per_cpu_second": round(documents / spent),
            }
    writer.join()


def _write(batches: Any, days: int, each: int) -> None:
    news, step = generate_news("russian"), timedelta(days=1) / each
    batch: list[Document] = []
    for number in range(days * each):
        batch.append(replace(next(news), time=BEGIN + number * step))
        if len(batch) == BATCH:
            batches.put(batch)
            batch = []


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--each", type=int, default=40_000, help="documents of a day, a multiple of 1,000")
    parser.add_argument("--preset", choices=["faithful", "judged"], default="faithful")
    parser.add_argument("--folder", type=Path, help="folder for the store while it is measured")
    parser.add_argument("--out", type=Path, help="JSON file for the rows")
    return parser.parse_args()


if __name__ == "__main__":
    main()
