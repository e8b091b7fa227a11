"""Measures speed and memory of the stream engine with its store, on made-up news.

    python -m benchmarks.stream --documents 100000 --batch 1000 --single 1000 --out stream.json
    python -m benchmarks.stream --real mdnews.docs.jsonl.gz --documents 10000 --single 400 --out stream_real.json
    python -m benchmarks.stream --words russian --memory 100000 1000000 --out stream_memory.json

The first command fills a window with documents in batches, then adds more documents one by one. It does so twice, each
time in a separate process: ``cold`` with an empty cache of forms, ``warm`` with the cache that the cold run left. The
speed of batches is shown over the whole run and over its second half, when most words have been seen before. A single
document is timed twice: decided by the engine (``engine``), and stored as a batch of its own (``stored``), which the
disk must confirm each time.

The second command does the same with the documents of a file. Real news contain about ten new words per document,
made-up news eighty, most of them stems with random endings: the worst case for everything that looks up words. With
``--words russian`` the documents are made of the 400,000 most common forms of the language.

The third command sends streams of two lengths through the same small window and compares the memory held at the end,
to show what grows with the stream rather than the window. Shorter streams give different figures, because the caches
of words are still filling up. The window is a quarter of the shorter stream. Memory is that of the whole process,
including the dictionaries and the generator, so that growth in per cent looks smaller than the engine's own.

Documents have 225 words on average and are generated in chunks, each with its own stories, all with one vocabulary.
Generating them is not counted. Times are CPU seconds and wall seconds; the latter depend on what else is running.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import numpy as np

from benchmarks import in_own_process, timed, write_figures
from benchmarks.generator import Words, generate, write_texts
from infostream_dedup.documents import read_documents
from infostream_dedup.links.compiled.window_index import WindowIndex
from infostream_dedup.model import Document
from infostream_dedup.stream import engine as engine_module
from infostream_dedup.stream.analysis import Analyser, SurfaceTerms
from infostream_dedup.stream.decisions import Judge
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.store import Store

GOAL_BATCHES = 5000
GOAL_SINGLE_MILLISECONDS = 1.0
GOAL_GROWTH = 0.10
CHUNK = 25_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
STAGES: tuple[tuple[str, Any, str], ...] = (
    ("hashes and numbers", engine_module, "prepare"), ("scan and count", Analyser, "read"),
    ("terms of new words", SurfaceTerms, "codes"), ("key terms", engine_module, "choose_keys"),
    ("find candidates, enter", WindowIndex, "_advance"), ("judge", Judge, "found"),
    ("groups and the rest", StreamEngine, "judge"), ("write the batch", Store, "append"),
    ("commit and the rest", Deduplicator, "process"),
)  # fmt: skip
"""Name of each stage and the function that performs it; time in a nested stage counts only for that stage."""


def main() -> None:
    """Measure what is requested; print and store the figures."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        # Of the processes that follow.
        os.environ["INFOSTREAM_DEDUP_CACHE"] = str(folder / "cache")
        report = _measure_memory(arguments, folder) if arguments.memory else _measure_speed(arguments, folder)
    write_figures(arguments.out, **_options(arguments), **report)


def _measure_speed(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    rows = {}
    for name in ("cold", "warm"):
        rows[name] = row = in_own_process(_run, folder / f"{name}.db", arguments)
        print(f"{name}: {row['documents_per_cpu_second']:.0f} documents per CPU second,", end=" ")
        print(f"second half {row['second_half_per_cpu_second']:.0f} ({row['second_half_per_second']:.0f} by the clock)")
        for kind, figures in row["single_milliseconds"].items():
            print(f"  one document, {kind}:", ", ".join(f"{key} {value:.2f} ms" for key, value in figures.items()))
        for stage, share in row["shares"].items():
            print(f"  {stage:22} {share:6.1%}")
    goals = {"documents_per_second": GOAL_BATCHES, "single_p50_milliseconds": GOAL_SINGLE_MILLISECONDS}
    kind = f"{arguments.words} words" if arguments.real is None else arguments.real.name
    return {"news": kind, "documents": arguments.documents, "batch": arguments.batch, "goals": goals, "rows": rows}


def _measure_memory(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    few, many = sorted(arguments.memory)
    window = few // 4
    rows = {}
    more: dict[str, Any] = {"window": window, "single": 0, "real": None}
    # The first run fills the cache of forms, so that the other two do the same work.
    for name, documents in (("first", window), ("few", few), ("many", many)):
        chosen = argparse.Namespace(**{**vars(arguments), **more, "documents": documents})
        rows[name] = in_own_process(_run, folder / f"{name}.db", chosen)
        print(f"{documents} documents, window {window}: {rows[name]['held_megabytes']:.0f} MB held, ", end="")
        print(f"{rows[name]['most_megabytes']:.0f} MB at most, {rows[name]['terms']} terms", flush=True)
    growth = {kind: rows["many"][kind] / rows["few"][kind] - 1 for kind in ("held_megabytes", "most_megabytes")}
    print("growth:", ", ".join(f"{kind} {value:+.1%}" for kind, value in growth.items()), f"(goal {GOAL_GROWTH:.0%})")
    return {
        "words": arguments.words, "window": window, "documents": [few, many], "goal": GOAL_GROWTH, "growth": growth,
        "rows": rows,
    }  # fmt: skip


def _options(arguments: argparse.Namespace) -> dict[str, str]:
    across = {"across": arguments.across} if arguments.preset == "judged" else {}
    return {"representation": arguments.representation, "preset": arguments.preset, **across}


def _run(path: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    documents, batch, single = arguments.documents, arguments.batch, arguments.single
    window = {"window_days": None, "window_documents": arguments.window or documents}
    settings = StreamSettings.of({**_options(arguments), **window})
    # Compile the code, or load it from disk, before the clock starts.
    with Deduplicator.open(f"{path}.first", settings) as stream:
        stream.process([{"id": "1", "text": "Слово.", "lang": "ru"}])
    spent = _watch_stages()
    news = generate_news(arguments.words) if arguments.real is None else read_documents(arguments.real)
    with Deduplicator.open(path, settings) as stream:
        batches = (list(islice(news, batch)) for _ in range(0, documents, batch))
        cpu, wall = _time_each(batches, stream.process)
        shares = {stage: seconds / sum(cpu) for stage, seconds in spent.items()}
        ones = {}
        if single:
            ones["stored"] = _percentiles(*_time_each(list(islice(news, single)), lambda one: stream.process([one])))
            engine = stream._current_engine()
            ones["engine"] = _percentiles(*_time_each(list(islice(news, single)), lambda one: engine.decide([one])))
        half = len(cpu) // 2
        terms = len(stream._current_engine().numbers) if not single else 0
        del news
        gc.collect()
        memory = {"held_megabytes": read_status("VmRSS"), "most_megabytes": read_status("VmHWM")}
    return {
        "documents_per_cpu_second": documents / sum(cpu), "documents_per_second": documents / sum(wall),
        "second_half_per_cpu_second": batch * (len(cpu) - half) / sum(cpu[half:]),
        "second_half_per_second": batch * (len(wall) - half) / sum(wall[half:]), "single_milliseconds": ones,
        "shares": shares, "terms": terms, "store_bytes": path.stat().st_size, **memory,
    }  # fmt: skip


def generate_news(words: Words) -> Iterator[Document]:
    """Yield an endless stream, generated in chunks of constant memory, with ten seconds between documents."""
    number = 0
    for seed in range(1 << 30):
        for text in write_texts(generate(CHUNK, seed=seed), words=words):
            time_ = BEGIN + timedelta(seconds=10 * number)
            yield Document(id=f"d{number}", text=text, source=f"site{number % 97}", time=time_, lang="ru")
            number += 1


def _time_each(things: Iterable[Any], work: Callable[[Any], Any]) -> tuple[list[float], list[float]]:
    """CPU seconds and wall seconds of the work on each thing, not those of making the thing."""
    seconds = [timed(partial(work, one))[1] for one in things]
    return [one["cpu_seconds"] for one in seconds], [one["wall_seconds"] for one in seconds]


def _percentiles(cpu: list[float], wall: list[float]) -> dict[str, float]:
    return {
        f"{kind}_p{share}": float(np.percentile(values, share)) * 1000
        for kind, values in (("cpu", cpu), ("wall", wall))
        for share in (50, 99)
    }


def _watch_stages() -> dict[str, float]:
    """Start measuring CPU seconds by stage; time in a nested stage counts only for that stage."""
    spent: dict[str, float] = defaultdict(float)
    inside = [0.0]

    def watch(stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
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
        setattr(owner, name, watch(stage, getattr(owner, name)))
    return spent


def read_status(name: str) -> float:
    """Return the megabytes that the process holds (VmRSS) or held at its peak (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000, help="number of documents in the window")
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--single", type=int, default=1000, help="number of documents then added one by one")
    parser.add_argument("--memory", type=int, nargs=2, metavar=("FEW", "MANY"), help="lengths of two streams")
    parser.add_argument("--real", type=Path, help="file of documents to use instead of made-up ones")
    parser.add_argument("--words", choices=get_args(Words), default="made-up", help="words of made-up news")
    parser.add_argument("--representation", choices=("morph", "stem"), default="morph")
    parser.add_argument("--preset", choices=("faithful", "judged"), default="faithful")
    parser.add_argument("--across", choices=("pivot", "none"), default="none", help="with preset judged")
    parser.add_argument("--folder", type=Path, help="folder of the stores and the cache during the measurement")
    parser.add_argument("--out", type=Path, help="JSON file for the figures")
    parser.set_defaults(window=None)
    return parser.parse_args()


if __name__ == "__main__":
    main()
