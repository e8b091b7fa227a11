"""Measures the way from texts to key terms against ``re.findall`` and a dict in the same run, on made-up or real text.

    python -m benchmarks.text --documents 20000 --out text.json
    python -m benchmarks.text --real news.jsonl.gz --repeat 3

CPU seconds are those of all threads together; MB are 10^6 bytes of UTF-8. ``--repeat`` reads the same texts several
times, which enlarges the collection but not its vocabulary.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import read_texts, timed, write_figures
from benchmarks.generator import generate, write_texts

WORD = re.compile(r"\w\w+")
CHUNK = 150  # number of documents scanned at a time


def main() -> None:
    """Generate or read the texts, run every stage, print and store the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--real", type=Path, help="gzipped JSON Lines with title and text, instead of made-up texts")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3, help="number of runs, of which the best counts")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if arguments.real:
        texts = read_texts(arguments.real)
    else:
        texts = list(write_texts(generate(arguments.documents, seed=arguments.seed)))
    texts *= arguments.repeat
    size = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{len(texts)} documents, {size:.1f} MB")
    rows: list[dict[str, Any]] = []

    def measure(stage: str, work: Callable[[], Any], tokens: Callable[[Any], int] | None = None) -> Any:
        best: dict[str, Any] = {}
        for _ in range(arguments.runs):
            result, taken = timed(work)
            best = min(best or taken, taken, key=lambda one: one["cpu_seconds"])
        row = {"stage": stage, **best, "mb_per_cpu_second": size / best["cpu_seconds"]}
        if tokens is not None:
            row["mtokens_per_cpu_second"] = tokens(result) / best["cpu_seconds"] / 1e6
        rows.append(row)
        print(f"  {stage:42}", *(f"{name} {value:.3f}" for name, value in row.items() if name != "stage"), flush=True)
        return result

    _measure_all(texts, measure)
    by_stage = {row["stage"]: row["cpu_seconds"] for row in rows}
    for stage in ("scan, new vocabulary", "scan, known vocabulary"):
        print(f"  {stage}: {by_stage['re.findall and a dict'] / by_stage[stage]:.1f} times re.findall and a dict")
    write_figures(arguments.out, documents=len(texts), mb=size, rows=rows)


def _measure_all(texts: list[str], measure: Callable[..., Any]) -> None:
    from infostream_dedup.language.text.scanner import Scanner, detect
    from infostream_dedup.language.text.surface_pool import texts_of
    from infostream_dedup.model import Settings
    from infostream_dedup.terms.compiled import SurfaceCounter, count_terms, select_key_terms

    settings = Settings(representation="stem")

    def whole(workers: int) -> Any:
        counter = SurfaceCounter(workers)
        for text in texts:
            counter.add(text, None)
        return counter.finish()

    def tokens_of(found: Any) -> int:
        return sum(int(chunk.lengths.sum()) for chunk in found.chunks)

    toy = SurfaceCounter(1)
    toy.add("слово", None)
    select_key_terms(count_terms(toy.finish(), settings), settings)
    measure("re.findall and a dict", lambda: _findall(texts), int)
    places = range(0, len(texts), CHUNK)
    encoded = measure("texts to Arrow", lambda: [texts_of(texts[first : first + CHUNK]) for first in places])

    def scan(scanner: Scanner) -> int:
        return sum(int(scanner.scan(part).lengths.sum()) for part in encoded)

    measure("scan, new vocabulary", lambda: scan(Scanner()), int)
    known = Scanner()
    scan(known)
    measure("scan, known vocabulary", lambda: scan(known), int)
    measure("languages", lambda: [detect(part) for part in encoded])
    measure("texts to surfaces, 1 thread", lambda: whole(1), tokens_of)
    tokens = measure("texts to surfaces, 2 threads", lambda: whole(2), tokens_of)
    counts = measure("surfaces to counts of stems", lambda: count_terms(tokens, settings))
    measure("counts to key terms", lambda: select_key_terms(counts, settings))


def _findall(texts: list[str]) -> int:
    class Ids(dict[str, int]):
        def __missing__(self, word: str) -> int:
            self[word] = number = len(self)
            return number

    number_of = Ids().__getitem__
    return sum(len(list(map(number_of, WORD.findall(text.casefold())))) for text in texts)


if __name__ == "__main__":
    main()
