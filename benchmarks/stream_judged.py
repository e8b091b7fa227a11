"""Measures a stream of preset ``judged`` with its store, alone or against another checkout of the project.

    python -m benchmarks.stream_judged NEWS.jsonl.gz [MORE ...] --across pivot --against ../before

All documents of the files are shuffled by a seed, or left in the order of the first file with ``--in-order``, and
processed in batches of 1,000. Each measurement runs in a process of its own; the checkouts take turns, and the first
turn of each, which fills the cache of forms and compiles, does not count. Figures are documents per CPU second (user
and system) after the first batch, in which code is loaded, and over all batches; CPU seconds from opening the store
again to the verdict on one more document; and a checksum of all verdicts, which must be the same in both checkouts. The
least time of the runs is taken.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
BATCH = 1000
SEED = 18


def main() -> None:
    """Measure what is requested and print a table."""
    given = _arguments()
    if given.run:
        print(json.dumps(_run(given)))
        return
    checkouts = {"here": HERE} | ({"against": given.against.resolve()} if given.against else {})
    least: dict[str, dict[str, Any]] = {}
    for turn in range(given.runs + 1):
        for name, folder in checkouts.items():
            found = _in_own_process(folder)
            if turn:
                best = least.setdefault(name, found)
                for figure in ("after_first", "all", "restart"):
                    best[figure] = min(best[figure], found[figure])
            print(f"{name}, turn {turn}: {found}, load {os.getloadavg()[0]:.0f}", file=sys.stderr, flush=True)
    for name, found in least.items():
        documents = found["documents"]
        print(
            f"{name:8} {(documents - BATCH) / found['after_first']:7,.0f} documents per CPU second after the first"
            f" {BATCH:,}, {documents / found['all']:7,.0f} over all, restart {found['restart']:.2f} s,"
            f" verdicts {found['verdicts']}"
        )
    if given.against:
        here, before = least["here"], least["against"]
        ratios = ", ".join(f"{name} {here[name] / before[name]:.2f}" for name in ("after_first", "all", "restart"))
        print(f"ratio of CPU time to the other checkout: {ratios}")


def _in_own_process(folder: Path) -> dict[str, Any]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]),
    }
    command = [sys.executable, __file__, *sys.argv[1:], "--run"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment, cwd=folder)
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def _run(given: argparse.Namespace) -> dict[str, Any]:
    from infostream_dedup.corpus import read_documents
    from infostream_dedup.stream.deduplicator import Deduplicator
    from infostream_dedup.stream.settings import StreamSettings

    documents = [one for path in given.files for one in islice(read_documents(str(path)), given.documents)]
    documents = list({one.id: one for one in documents}.values())
    if not given.in_order:
        random.Random(SEED).shuffle(documents)  # noqa: S311 - an order
    settings = StreamSettings.of({"across": given.across, "window_days": None})
    seconds, verdicts = [], hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.db"
        with Deduplicator.open(path, settings) as stream:
            for begin in range(0, len(documents), BATCH):
                started = _cpu()
                found = stream.process(documents[begin : begin + BATCH])
                seconds.append(_cpu() - started)
                for one in found:
                    verdicts.update(json.dumps(one.as_dict(settings.verdict_fields), sort_keys=True).encode())
        started = _cpu()
        with Deduplicator.open(path) as stream:
            stream.process([{"id": "one more", "text": "Слово.", "lang": "ru"}])
        restart = _cpu() - started
    return {
        "documents": len(documents),
        "after_first": sum(seconds[1:]),
        "all": sum(seconds),
        "restart": restart,
        "verdicts": verdicts.hexdigest()[:12],
    }


def _cpu() -> float:
    return sum(os.times()[:2])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=lambda path: Path(path).resolve(), help="files of documents")
    parser.add_argument("--across", choices=("pivot", "none"), default="pivot")
    parser.add_argument("--documents", type=int, help="most documents of each file; all by default")
    parser.add_argument("--in-order", action="store_true", help="do not shuffle")
    parser.add_argument("--runs", type=int, default=2, help="turns that count")
    parser.add_argument("--against", type=Path, help="another checkout of the project")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
