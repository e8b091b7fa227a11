"""Measures what evidence adds to `dedup`: ``python -m benchmarks.dedup [--documents N] [--runs R] [--profile]``.

A made-up stream of real Russian word forms (benchmarks/generator.py) is read once; then presets `faithful` and `judged`
take turns in one process, after a turn on 2,000 documents that loads what both need. CPU seconds of all threads, user
and system, the least of the runs; `judged` without dates joins copies and retellings.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import sys

from benchmarks.generator import generate, write_texts
from infostream_dedup import Document, dedup

PRESETS = ("faithful", "judged")
_WARM = 2000


def documents_of(number: int) -> list[Document]:
    """A made-up collection."""
    texts = write_texts(generate(number, seed=11), words="russian")
    return [Document(id=str(place), text=text, lang="ru") for place, text in enumerate(texts)]


def seconds_of(documents: list[Document], preset: str) -> tuple[float, str]:
    """CPU seconds of one run, and what it found."""
    begin = sum(os.times()[:2])
    found = dedup(documents, preset=preset)
    return sum(os.times()[:2]) - begin, repr(found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--profile", action="store_true", help="print where the last run of `judged` spends its time")
    given = parser.parse_args()
    documents = documents_of(given.documents)
    print(f"{len(documents)} documents, {sum(len(one.text) for one in documents) / len(documents):.0f} characters each")
    for preset in PRESETS:
        seconds_of(documents[:_WARM], preset)
    least: dict[str, float] = {}
    for _ in range(given.runs):
        for preset in PRESETS:
            seconds, found = seconds_of(documents, preset)
            least[preset] = min(seconds, least.get(preset, seconds))
            print(f"{preset:10} {seconds:8.2f} CPU s  {found}", flush=True)
    print(f"ratio {least['judged'] / least['faithful']:.2f} (goal 1.6), load {os.getloadavg()[0]:.1f}")
    if given.profile:
        profile = cProfile.Profile()
        profile.runcall(dedup, documents, preset="judged")
        pstats.Stats(profile, stream=sys.stdout).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    main()
