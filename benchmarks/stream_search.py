"""Measures the latency of ``search`` across languages, on made-up documents of dictionary words.

    python -m benchmarks.stream_search --documents 100000 --out stream_search.json

The window contains equally many documents of three languages, each with 12 key terms and about 85 terms of its
language; a query is a text of 60 words. The first query of each language loads the dictionaries; only the others count.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.store import VOCABULARY, remembered_documents
from infostream_dedup.lexicon.translation_tables import concepts
from infostream_dedup.model import LANGUAGES
from infostream_dedup.model.stream_records import Batch, Decided, Remembered, Verdict
from infostream_dedup.store import Store
from infostream_dedup.stream.search import Searcher
from infostream_dedup.stream.settings import StreamSettings

MOST_MILLISECONDS = 50
"""Maximum that the design allows for a search among 100,000 documents."""

QUERIES = 200
WORDS = 60


def main() -> None:
    """Write a store, then search it; print and store the figures."""
    arguments = _arguments()
    settings = StreamSettings(window_days=None)
    taken: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "stream.db"
        with Store.open(path, settings_digest=settings.digest, settings=settings.as_dict()) as store:
            _fill(store, arguments.documents)
        with Searcher.open(path) as searcher:
            queries = _generate_queries()
            first = [_time_search(searcher, queries[place]) for place in range(len(LANGUAGES))]
            found = 0
            for query in queries[len(LANGUAGES) :]:
                taken.append(_time_search(searcher, query))
                found += len({hit.language for hit in searcher.search(query, k_min=2)}) > 1
    # Searches that find nothing in other languages would not measure translation.
    if found < len(taken) // 2:
        raise RuntimeError(f"{found} of {len(taken)} queries found documents of several languages")
    figures: dict[str, float | list[float]] = {"first_wall_milliseconds": [wall for wall, _ in first]}
    for clock, times in zip(("wall", "cpu"), zip(*taken, strict=True), strict=True):
        figures |= {f"p{share}_{clock}_milliseconds": float(np.percentile(times, share)) for share in (50, 95, 100)}
    print(*(f"{name} {value}" for name, value in figures.items()), sep="\n")
    if arguments.out:
        machine = {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()}
        report = {"machine": machine, "documents": arguments.documents, "goal_milliseconds": MOST_MILLISECONDS}
        arguments.out.write_text(json.dumps(report | figures, indent=1) + "\n")


def _time_search(searcher: Searcher, query: str) -> tuple[float, float]:
    """Return wall and CPU milliseconds of a search; on a busy machine the former say little."""
    wall, cpu = time.perf_counter(), time.process_time()
    searcher.search(query)
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def _list_words() -> list[list[str]]:
    """Return the single words of each language, the most common concepts first."""
    return [[one.words[name][0] for one in concepts() if " " not in one.words[name][0]] for name in LANGUAGES]


def _fill(store: Store, documents: int, batch: int = 1000) -> None:
    terms, share = _list_terms(), len(LANGUAGES)
    generator = np.random.default_rng(11)
    for first in range(0, documents, batch):
        made = remembered_documents(generator, first, min(batch, documents - first))
        remembered = [_translate_document(one, one.ordinal % share) for one in made]
        verdicts = [Verdict(id=one.id, status="new", group=one.id) for one in remembered]
        named = terms if first == 0 else ()
        store.append(
            Batch(
                f"batch-{first}",
                first.to_bytes(16, "big"),
                Decided(remembered=remembered, verdicts=verdicts, new_terms=named),
            )
        )


def _list_terms() -> list[str]:
    """Return terms: number ``3 * place + language`` is a word from the language's list; further ones are made up."""
    words, share = _list_words(), len(LANGUAGES)
    terms: dict[str, None] = {}
    for number in range(VOCABULARY):
        own, place = words[number % share], number // share
        # A word that two languages spell alike is a single term of a stream.
        made_up = place >= len(own) or own[place] in terms
        terms[f"термин{number}" if made_up else own[place]] = None
    return list(terms)


def _translate_document(one: Remembered, language: int) -> Remembered:
    share = len(LANGUAGES)
    targets = np.unique(one.targets // share * share + language)
    keys = targets[: len(one.keys)]
    return replace(
        one, language=LANGUAGES[language], epoch=0, keys=keys, weights=one.weights[: len(keys)], targets=targets
    )


def _generate_queries() -> list[str]:
    words, generator = _list_words(), np.random.default_rng(3)
    texts = []
    for number in range(QUERIES + len(LANGUAGES)):
        own = words[number % len(LANGUAGES)]
        drawn = (len(own) * generator.random(WORDS) ** 2).astype(np.int64)
        texts.append(" ".join(own[place] for place in drawn.tolist()))
    return texts


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="folder of the store during the measurement")
    parser.add_argument("--out", type=Path, help="JSON file for the figures")
    return parser.parse_args()


if __name__ == "__main__":
    main()
