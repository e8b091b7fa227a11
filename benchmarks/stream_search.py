"""Measures ``search`` over a whole store and across languages, on made-up documents of dictionary words.

    python -m benchmarks.stream_search --documents 100000 --out stream_search.json

The store has equally many documents of three languages, each with 12 key terms and about 85 terms of its language, one
a minute, in epochs of 10,000; a query is a text of 60 words. The first query of each language loads the dictionaries
and the index; only the others count. ``--window`` also restores a stream whose window holds all documents, for its
memory.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.store import EPOCH, VOCABULARY, remembered_documents
from infostream_dedup.language.lexicon.translation_tables import concepts
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language
from infostream_dedup.model.stream_records import Batch, Decided, EpochFrequencies, Remembered, Verdict
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.search import Searcher
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

MOST_MILLISECONDS = 50
"""Maximum that the design allows for a question over 1,000,000 documents, asked of an open store."""

MOST_SECONDS = 2
"""The same from the command line."""

QUERIES = 200
WORDS = 60


def main() -> None:
    """Write a store, then search it; print and store the figures."""
    arguments = _arguments()
    settings = StreamSettings(window_days=None) if arguments.window else StreamSettings()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "stream.db"
        with Store.open(path, settings_digest=settings.digest, settings=settings.as_dict()) as store:
            figures: dict[str, Any] = {"index_cpu_seconds": _fill(store, arguments.documents, endless=arguments.window)}
            kept = "SELECT sum(length(packed)), sum(documents) FROM search_index"
            size, documents = store.connection.execute(kept).fetchone()
        figures |= {"store_bytes": path.stat().st_size, "index_bytes": size, "index_documents": documents}
        figures |= _time_searches(path) | _time_commands(path)
        if arguments.window:
            figures["window_megabytes"] = _window_memory(path)
    print(*(f"{name} {value}" for name, value in figures.items()), sep="\n")
    if arguments.out:
        machine = {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()}
        goals = {"goal_milliseconds": MOST_MILLISECONDS, "goal_seconds": MOST_SECONDS}
        report = {"machine": machine, "documents": arguments.documents, **goals}
        arguments.out.write_text(json.dumps(report | figures, indent=1) + "\n")


def _time_searches(path: Path) -> dict[str, Any]:
    queries, found = _generate_queries(), 0
    before = _own_megabytes()
    with Searcher.open(path, everything=True) as searcher:
        first = [_time_search(searcher, queries[place]) for place in range(len(OUR_LANGUAGES))]
        taken = [_time_search(searcher, query) for query in queries[len(OUR_LANGUAGES) :]]
        for query in queries[:: len(OUR_LANGUAGES) + 1]:
            found += len({hit.language for hit in searcher.search(query, k_min=2)}) > 1
        memory = {"searcher_megabytes": _own_megabytes() - before, "searcher_index_bytes": searcher.nbytes}
    # Searches that find nothing in other languages would not measure translation.
    if found < len(queries) // (2 * len(OUR_LANGUAGES) + 2):
        raise RuntimeError(f"{found} queries found documents of several languages")
    figures: dict[str, Any] = {"first_wall_milliseconds": [wall for wall, _ in first], **memory}
    for clock, times in zip(("wall", "cpu"), zip(*taken, strict=True), strict=True):
        figures |= {f"p{share}_{clock}_milliseconds": float(np.percentile(times, share)) for share in (50, 95, 100)}
    return figures


def _time_search(searcher: Searcher, query: str) -> tuple[float, float]:
    """Return wall and CPU milliseconds of a search; on a busy machine the former say little."""
    wall, cpu = time.perf_counter(), time.process_time()
    searcher.search(query)
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def _time_commands(path: Path) -> dict[str, Any]:
    """Wall and CPU seconds of the command line, of the second run of each: the first may compile."""
    figures: dict[str, Any] = {}
    command = [sys.executable, "-m", "infostream_dedup", "search", "--store", str(path), "--quiet", "--text"]
    for name, more in (("window", []), ("all", ["--all"]), ("all_same_language", ["--all", "--same-language"])):
        for _ in range(2):
            before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([*command, _generate_queries()[0], *more], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            figures[f"command_{name}"] = {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": cpu}
    return figures


def _window_memory(path: Path) -> float:
    """Megabytes that an engine takes whose window holds all documents."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        return other.submit(_restore, path).result()


def _restore(path: Path) -> float:
    """Megabytes that a new process takes for the engine, beside those of one with an empty window."""
    StreamEngine(StreamSettings())
    before = _own_megabytes()
    with Store.open(path, read_only=True) as store:
        engine = StreamEngine.restore(StreamSettings.of(store.settings), store.load())
    return _own_megabytes() - before + 0 * len(engine.window)


def _own_megabytes() -> float:
    """Memory of this process that belongs to it alone: mapped files do not count."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("RssAnon:")[1].split()[0]) * 1024 / 1e6


def _list_words() -> list[list[str]]:
    """Return the single words of each language, the most common concepts first."""
    return [[one.words[name][0] for one in concepts() if " " not in one.words[name][0]] for name in OUR_LANGUAGES]


def _fill(store: Store, documents: int, batch: int = 1000, *, endless: bool = False) -> float:
    """Write the documents; return the CPU seconds that the batches took which closed an epoch, beyond the others'."""
    terms, generator = _list_terms(), np.random.default_rng(11)
    counts: dict[Language, list[Remembered]] = defaultdict(list)
    taken: dict[bool, list[float]] = {False: [], True: []}
    for first in range(0, documents, batch):
        made = remembered_documents(generator, first, min(batch, documents - first))
        remembered = [_translate_document(one, one.ordinal % len(OUR_LANGUAGES)) for one in made]
        closes = bool(first) and first % EPOCH == 0
        decided = Decided(
            remembered=remembered,
            verdicts=[Verdict(id=one.id, status="new", group=one.id) for one in remembered],
            closed=_frequencies(first // EPOCH - 1, counts) if closes else [],
            new_terms=terms if first == 0 else [],
            oldest=0 if endless else max(0, first - 7 * 24 * 60),
        )
        for one in remembered:
            counts[one.language].append(one)
        before = time.process_time()
        store.append(Batch(f"batch-{first}", first.to_bytes(16, "big"), decided))
        taken[closes].append(time.process_time() - before)
    usual = float(np.median(taken[False]))
    return sum(one - usual for one in taken[True])


def _frequencies(epoch: int, counts: dict[Language, list[Remembered]]) -> list[EpochFrequencies]:
    found = []
    for language, documents in sorted(counts.items()):
        terms, df = np.unique(np.concatenate([one.targets for one in documents]), return_counts=True)
        found.append(EpochFrequencies(epoch, language, len(documents), 200 * len(documents), terms, df))
    counts.clear()
    return found


def _list_terms() -> list[str]:
    """Return terms: number ``3 * place + language`` is a word from the language's list; further ones are made up."""
    words, share = _list_words(), len(OUR_LANGUAGES)
    terms: dict[str, None] = {}
    for number in range(VOCABULARY):
        own, place = words[number % share], number // share
        # A word that two languages spell alike is a single term of a stream.
        made_up = place >= len(own) or own[place] in terms
        terms[f"термин{number}" if made_up else own[place]] = None
    return list(terms)


def _translate_document(one: Remembered, language: int) -> Remembered:
    share = len(OUR_LANGUAGES)
    targets = np.unique(one.targets // share * share + language)
    keys = targets[: len(one.keys)]
    return replace(one, language=LANGUAGES[language], keys=keys, weights=one.weights[: len(keys)], targets=targets)


def _generate_queries() -> list[str]:
    words, generator = _list_words(), np.random.default_rng(3)
    texts = []
    for number in range(QUERIES + len(OUR_LANGUAGES)):
        own = words[number % len(OUR_LANGUAGES)]
        drawn = (len(own) * generator.random(WORDS) ** 2).astype(np.int64)
        texts.append(" ".join(own[place] for place in drawn.tolist()))
    return texts


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--window", action="store_true", help="also measure a window that holds all documents")
    parser.add_argument("--folder", type=Path, help="folder of the store during the measurement")
    parser.add_argument("--out", type=Path, help="JSON file for the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
