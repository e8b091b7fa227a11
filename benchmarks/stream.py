"""Speed and memory of the stream engine with its store, on made-up news.

    python -m benchmarks.stream --documents 100000 --batch 1000 --single 1000 --out stream.json
    python -m benchmarks.stream --real mdnews.docs.jsonl.gz --documents 10000 --single 400 --out stream_real.json
    python -m benchmarks.stream --words russian --memory 100000 1000000 --out stream_memory.json

The first line fills a window with documents in batches, then gives more documents one by one. It does so twice, each
time in a process of its own: ``cold`` with an empty cache of forms, ``warm`` with the one that the cold run left. Speed
of batches is shown over the whole run and over its second half, in which most words have been met. A single document
is timed twice: decided by the engine (``engine``), and put into the store as a batch of its own (``stored``), where the
disk has to confirm each one.

The second line does the same with the documents of a file. Real news bring some ten new words a document, made-up words
eighty, most of them endings put to stems at random: they are the worst case for everything that looks up words. With
``--words russian`` the documents are made of the 400,000 commonest forms of the language.

The third line puts streams of two lengths through the same small window and compares the memory held at the end: what
grows with the stream and not with the window. Shorter streams show other figures, for what is remembered of words is
still filling up in both. The window is a quarter of the shorter stream. Memory is that of the whole process, with
dictionaries and the maker of documents, so that growth in per cent looks smaller than the engine's own.

Documents have 225 words in the mean and are made in chunks, each with stories of its own and one vocabulary for all.
Making them is not counted. Times are CPU seconds and seconds on the clock; the latter depend on what else runs.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import numpy as np

from benchmarks.generator import Words, generate, write_texts
from infostream_dedup.corpus import read_documents
from infostream_dedup.model import Document
from infostream_dedup.store.store import Store
from infostream_dedup.stream import engine as engine_module
from infostream_dedup.stream.analysis import Analyser
from infostream_dedup.stream.decisions import Judge
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.surface_terms import SurfaceTerms
from infostream_dedup.window.window_index import WindowIndex

GOAL_BATCHES = 5000
GOAL_SINGLE_MILLISECONDS = 1.0
GOAL_GROWTH = 0.10
CHUNK = 25_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
STAGES: tuple[tuple[str, Any, str], ...] = (
    ("hashes and numbers", engine_module, "prepare"),
    ("scan and count", Analyser, "read"),
    ("terms of new words", SurfaceTerms, "codes"),
    ("key terms", engine_module, "choose_keys"),
    ("find candidates, enter", WindowIndex, "_advance"),
    ("judge", Judge, "found"),
    ("groups and the rest", StreamEngine, "decide"),
    ("write the batch", Store, "append"),
    ("commit and the rest", Deduplicator, "process"),
)
"""Name of each stage and the function that does it; what a function calls inside counts for the inner stage."""


def main() -> None:
    """Measure what is asked for; print and keep the figures."""
    arguments = _arguments()
    if arguments.run is not None:
        print(json.dumps(_run(**json.loads(arguments.run))))
        return
    machine = {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()}
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        report = _memory(arguments, folder) if arguments.memory else _speed(arguments, folder)
    report = {"machine": machine, "representation": arguments.representation, **report}
    if arguments.out:
        arguments.out.write_text(json.dumps(report, indent=1) + "\n")


def _speed(arguments: argparse.Namespace, folder: str) -> dict[str, Any]:
    rows = {}
    for name in ("cold", "warm"):
        rows[name] = row = _in_own_process(
            folder,
            path=str(Path(folder) / f"{name}.db"),
            documents=arguments.documents,
            batch=arguments.batch,
            single=arguments.single,
            window=None,
            representation=arguments.representation,
            real=None if arguments.real is None else str(arguments.real.resolve()),
            words=arguments.words,
        )
        print(f"{name}: {row['documents_per_cpu_second']:.0f} documents per CPU second,", end=" ")
        print(f"second half {row['second_half_per_cpu_second']:.0f} ({row['second_half_per_second']:.0f} by the clock)")
        for kind, figures in row["single_milliseconds"].items():
            print(f"  one document, {kind}:", ", ".join(f"{key} {value:.2f} ms" for key, value in figures.items()))
        for stage, share in row["shares"].items():
            print(f"  {stage:22} {share:6.1%}")
    goals = {"documents_per_second": GOAL_BATCHES, "single_p50_milliseconds": GOAL_SINGLE_MILLISECONDS}
    kind = f"{arguments.words} words" if arguments.real is None else arguments.real.name
    return {"news": kind, "documents": arguments.documents, "batch": arguments.batch, "goals": goals, "rows": rows}


def _memory(arguments: argparse.Namespace, folder: str) -> dict[str, Any]:
    few, many = sorted(arguments.memory)
    window = few // 4
    rows = {}
    # The first run fills the cache of forms, so that the others do the same work.
    for name, documents in (("first", window), ("few", few), ("many", many)):
        path = str(Path(folder) / f"{name}.db")
        rows[name] = _in_own_process(
            folder,
            path=path,
            documents=documents,
            batch=arguments.batch,
            single=0,
            window=window,
            representation=arguments.representation,
            real=None,
            words=arguments.words,
        )
        print(f"{documents} documents, window {window}: {rows[name]['held_megabytes']:.0f} MB held, ", end="")
        print(f"{rows[name]['most_megabytes']:.0f} MB at most, {rows[name]['terms']} terms", flush=True)
    growth = {kind: rows["many"][kind] / rows["few"][kind] - 1 for kind in ("held_megabytes", "most_megabytes")}
    print("growth:", ", ".join(f"{kind} {value:+.1%}" for kind, value in growth.items()), f"(goal {GOAL_GROWTH:.0%})")
    return {
        "words": arguments.words,
        "window": window,
        "documents": [few, many],
        "goal": GOAL_GROWTH,
        "growth": growth,
        "rows": rows,
    }


def _in_own_process(folder: str, **work: Any) -> dict[str, Any]:
    environment = {**os.environ, "INFOSTREAM_DEDUP_CACHE": str(Path(folder) / "cache")}
    command = [sys.executable, "-m", "benchmarks.stream", "--run", json.dumps(work)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
    row: dict[str, Any] = json.loads(done.stdout)
    return row


def _run(
    *,
    path: str,
    documents: int,
    batch: int,
    single: int,
    window: int | None,
    representation: str,
    real: str | None,
    words: Words,
) -> dict[str, Any]:
    settings = StreamSettings.of(
        {"representation": representation, "window_days": None, "window_documents": window or documents}
    )
    # Compiled code is made, or read from the disk, before the clock starts.
    StreamEngine(settings)
    spent = _watch_stages()
    news = _news(words) if real is None else read_documents(real)
    cpu, wall = [], []
    with Deduplicator.open(path, settings) as stream:
        for _ in range(0, documents, batch):
            given = list(islice(news, batch))
            begun = time.process_time(), time.perf_counter()
            stream.process(given)
            cpu.append(time.process_time() - begun[0])
            wall.append(time.perf_counter() - begun[1])
            del given
        shares = {stage: seconds / sum(cpu) for stage, seconds in spent.items()}
        ones = (
            {"stored": _percentiles(_each(islice(news, single), lambda one: stream.process([one])))} if single else {}
        )
        if single:
            engine = stream._current_engine()
            ones["engine"] = _percentiles(_each(islice(news, single), lambda one: engine.decide([one])))
        half = len(cpu) // 2
        terms = len(stream._current_engine().numbers) if not single else 0
        del news
        gc.collect()
        memory = {"held_megabytes": _status("VmRSS"), "most_megabytes": _status("VmHWM")}
    return {
        "documents_per_cpu_second": documents / sum(cpu),
        "documents_per_second": documents / sum(wall),
        "second_half_per_cpu_second": batch * (len(cpu) - half) / sum(cpu[half:]),
        "second_half_per_second": batch * (len(wall) - half) / sum(wall[half:]),
        "single_milliseconds": ones,
        "shares": shares,
        "terms": terms,
        "store_bytes": Path(path).stat().st_size,
        **memory,
    }


def _news(words: Words) -> Iterator[Document]:
    """A stream without end, in chunks of constant memory; ten seconds between documents."""
    number = 0
    for seed in range(1 << 30):
        for text in write_texts(generate(CHUNK, seed=seed), words=words):
            time_ = BEGIN + timedelta(seconds=10 * number)
            yield Document(id=f"d{number}", text=text, source=f"site{number % 97}", time=time_, lang="ru")
            number += 1


def _each(documents: Iterator[Document], work: Callable[[Document], Any]) -> list[tuple[float, float]]:
    found = []
    for document in list(documents):
        begun = time.process_time(), time.perf_counter()
        work(document)
        found.append((time.process_time() - begun[0], time.perf_counter() - begun[1]))
    return found


def _percentiles(seconds: list[tuple[float, float]]) -> dict[str, float]:
    cpu, wall = (np.array(column) * 1000 for column in zip(*seconds, strict=True))
    return {
        f"{kind}_p{share}": float(np.percentile(values, share))
        for kind, values in (("cpu", cpu), ("wall", wall))
        for share in (50, 99)
    }


def _watch_stages() -> dict[str, float]:
    """CPU seconds by stage from now on; time inside an inner stage counts for that one only."""
    spent: dict[str, float] = defaultdict(float)
    inside = [0.0]

    def watched(stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            inside.append(0.0)
            begun = time.process_time()
            try:
                return work(*given, **named)
            finally:
                took = time.process_time() - begun
                spent[stage] += took - inside.pop()
                inside[-1] += took

        return run

    for stage, owner, name in STAGES:
        setattr(owner, name, watched(stage, getattr(owner, name)))
    return spent


def _status(name: str) -> float:
    """Megabytes that the process holds (VmRSS) or held at most (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000, help="of the window")
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--single", type=int, default=1000, help="documents given one by one afterwards")
    parser.add_argument("--memory", type=int, nargs=2, metavar=("FEW", "MANY"), help="lengths of two streams")
    parser.add_argument("--real", type=Path, help="file of documents to take instead of made-up ones")
    parser.add_argument("--words", choices=get_args(Words), default="made-up", help="of news that are made up")
    parser.add_argument("--representation", choices=("morph", "stem"), default="morph")
    parser.add_argument("--folder", type=Path, help="where stores and the cache lie while they are measured")
    parser.add_argument("--out", type=Path, help="JSON with the figures")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
