"""Measures a stream of preset ``judged`` with its store, alone or against another checkout of the project.

    python -m benchmarks.stream_judged NEWS.jsonl.gz [MORE ...] --across pivot --against ../before

All documents of the files are shuffled by a seed, or left in the order of the first file with ``--in-order``, and
processed in batches of 1,000. Each measurement runs in a process of its own; the checkouts take turns, and the first
turn of each, which fills the cache of forms and compiles, does not count. Figures are documents per CPU second (user
and system) after the first batch, in which code is loaded, over all batches, and over their second half; CPU seconds
from opening the store again to the verdict on one more document; and a checksum of all verdicts, which must be the same
in both checkouts. The least time of the runs is taken.

    python -m benchmarks.stream_judged NEWS.jsonl.gz [MORE ...] --minutes 1 --window-days 7 --most 20000

With ``--minutes``, documents get dates that many minutes apart, so that a window of days fills up: then look at the
second half of the batches.

    python -m benchmarks.stream_judged NEWS.jsonl.gz --across none --by-time --window-days 7 --against OLD --faithful

With ``--faithful``, the other checkout runs preset ``faithful``, which very old ones know only as the default; goals
for ``judged`` are ratios to it, because machines and their hours differ more than programs.
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
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
BATCH = 1000
FIGURES = ("after_first", "all", "second_half", "restart")
SEED = 18
START = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    """Measure what is requested and print a table."""
    given = _arguments()
    if given.run is not None:
        print(json.dumps(_run(given)))
        return
    checkouts = {"here": HERE} | ({"against": given.against.resolve()} if given.against else {})
    with tempfile.TemporaryDirectory() as caches:
        least = _least(given, checkouts, Path(caches))
    for name, found in least.items():
        documents = found["documents"]
        print(
            f"{name:8} {(documents - BATCH) / found['after_first']:7,.0f} documents per CPU second after the first"
            f" {BATCH:,}, {documents / found['all']:7,.0f} over all, {_of_second_half(found):7,.0f} in the second half,"
            f" restart {found['restart']:.2f} s, verdicts {found['verdicts']}"
        )
    if given.against and given.faithful:
        here, before = least["here"], least["against"]
        after_first = (
            (here["documents"] - BATCH) / here["after_first"] * before["after_first"] / (before["documents"] - BATCH)
        )
        second_half = _of_second_half(here) / _of_second_half(before)
        print(
            f"judged here has {after_first:.2f} of the speed of faithful there ({second_half:.2f} in the second half)"
        )
    elif given.against:
        here, before = least["here"], least["against"]
        ratios = ", ".join(f"{name} {here[name] / before[name]:.2f}" for name in FIGURES)
        print(f"ratio of CPU time to the other checkout: {ratios}")


def _least(given: argparse.Namespace, checkouts: dict[str, Path], caches: Path) -> dict[str, dict[str, Any]]:
    """The least figures of each checkout."""
    least: dict[str, dict[str, Any]] = {}
    for turn in range(given.runs + 1):
        for name, folder in checkouts.items():
            # Of one cache, checkouts with different dictionaries would replace the content turn by turn.
            run = "faithful" if given.faithful and name == "against" else "judged"
            found = _in_own_process(folder, run=run, cache=caches / name)
            if turn:
                best = least.setdefault(name, found)
                for figure in FIGURES:
                    best[figure] = min(best[figure], found[figure])
            print(f"{name}, turn {turn}: {found}, load {os.getloadavg()[0]:.0f}", file=sys.stderr, flush=True)
    return least


def _in_own_process(folder: Path, *, run: str, cache: Path) -> dict[str, Any]:
    environment = {
        **os.environ,
        "INFOSTREAM_DEDUP_CACHE": str(cache),
        "PYTHONPATH": os.pathsep.join([str(folder), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]),
    }
    command = [sys.executable, __file__, *sys.argv[1:], "--run", run]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def _run(given: argparse.Namespace) -> dict[str, Any]:
    from infostream_dedup.documents import read_documents
    from infostream_dedup.stream.deduplicator import Deduplicator

    documents = [one for path in given.files for one in islice(read_documents(str(path)), given.documents)]
    documents = list({one.id: one for one in documents}.values())
    if given.by_time:
        dated = [(one.time.timestamp(), one) for one in documents if one.time is not None]
        documents = [one for _, one in sorted(dated, key=itemgetter(0))]
    elif not given.in_order:
        random.Random(SEED).shuffle(documents)  # noqa: S311 - an order
    documents = documents[: given.most]
    if given.minutes is not None:
        documents = [
            replace(one, time=START + timedelta(minutes=given.minutes) * number) for number, one in enumerate(documents)
        ]
    settings = _faithful(given) if given.run == "faithful" else _judged(given)
    seconds, verdicts = [], hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.db"
        with Deduplicator.open(path, settings) as stream:
            for begin in range(0, len(documents), BATCH):
                started = _cpu()
                found = stream.process(documents[begin : begin + BATCH])
                seconds.append(_cpu() - started)
                for one in found:
                    fields = () if given.run == "faithful" else (settings.verdict_fields,)
                    verdicts.update(json.dumps(one.as_dict(*fields), sort_keys=True).encode())
        started = _cpu()
        with Deduplicator.open(path) as stream:
            stream.process([{"id": "one more", "text": "Слово.", "lang": "ru"}])
        restart = _cpu() - started
    return {
        "documents": len(documents),
        "after_first": sum(seconds[1:]),
        "all": sum(seconds),
        "second_half": sum(seconds[len(seconds) // 2 :]),
        "restart": restart,
        "verdicts": verdicts.hexdigest()[:12],
    }


def _of_second_half(found: dict[str, Any]) -> float:
    """Documents per CPU second in the second half of the batches."""
    batches = -(-found["documents"] // BATCH)
    return float(found["documents"] - batches // 2 * BATCH) / float(found["second_half"])


def _judged(given: argparse.Namespace) -> Any:
    from infostream_dedup.stream.settings import StreamSettings

    return StreamSettings.of({"across": given.across, "window_days": given.window_days})


def _faithful(given: argparse.Namespace) -> Any:
    from infostream_dedup.errors import ConfigurationError
    from infostream_dedup.stream.settings import StreamSettings

    window = {"window_days": given.window_days}
    try:
        return StreamSettings.of({**window, "preset": "faithful"})
    except ConfigurationError:
        # A checkout from before there were presets.
        return StreamSettings.of(window)


def _cpu() -> float:
    return sum(os.times()[:2])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=lambda path: Path(path).resolve(), help="files of documents")
    parser.add_argument("--across", choices=("pivot", "none"), default="pivot")
    parser.add_argument("--documents", type=int, help="most documents of each file; all by default")
    parser.add_argument("--most", type=int, help="most documents of all files; all by default")
    parser.add_argument("--minutes", type=float, help="minutes between the dates that documents get")
    parser.add_argument("--in-order", action="store_true", help="do not shuffle")
    parser.add_argument("--by-time", action="store_true", help="dated documents only, in the order of their dates")
    parser.add_argument("--runs", type=int, default=2, help="turns that count")
    parser.add_argument("--against", type=Path, help="another checkout of the project")
    parser.add_argument("--faithful", action="store_true", help="run preset faithful in the other checkout")
    parser.add_argument("--window-days", type=float, help="days in the window; everything by default")
    parser.add_argument("--run", choices=("judged", "faithful"), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
