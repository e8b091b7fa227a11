"""Measures what new terms cost a store that has many: with the index of terms, and with SQLite's own index instead.

    python -m benchmarks.term_index --terms 1000000 --out term_index.json

Batches of 5, 200 and 2,000 new terms are added to stores with a million made-up words; then 100 words are looked up, as
a search does. Both stores synchronise with the disk after each batch; the figures are means.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from infostream_dedup.stream.store.schema import create_tables
from infostream_dedup.stream.store.term_index import TermIndex, index_terms

BATCHES = (5, 200, 2000)
REPEATED = 30
WORDS = 100
_INSERT = "INSERT INTO term (number, term) VALUES (?, ?)"


def main() -> None:
    """Fill both stores, add batches, look words up; print and store the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--terms", type=int, default=1_000_000)
    parser.add_argument("--folder", help="where to write the stores; by default a temporary folder")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    megabytes: dict[str, float] = {}
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for kind, index in (("SQLite's index", _no_index), ("index of terms", index_terms)):
            path = Path(folder) / f"{len(rows)}.db"
            with closing(_store(path, unique=index is _no_index)) as connection:
                rows += [{"index": kind, **row} for row in _measured(connection, index, arguments.terms)]
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            megabytes[kind] = round(path.stat().st_size / 1e6, 1)
    for row in rows:
        print(*row.values())
    print("megabytes:", megabytes)
    machine = {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()}
    if arguments.out:
        figures = {"machine": machine, "terms": arguments.terms, "megabytes": megabytes, "rows": rows}
        arguments.out.write_text(json.dumps(figures, indent=1) + "\n")


def _store(path: Path, *, unique: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "cache_size = -32768"):
        connection.execute(f"PRAGMA {pragma}")
    create_tables(connection)
    if unique:
        connection.execute("CREATE UNIQUE INDEX term_text ON term (term)")
    return connection


def _add_one(add: Callable[[list[str]], None], batches: list[list[str]]) -> None:
    add(batches.pop())


def _measured(
    connection: sqlite3.Connection, index: Callable[[sqlite3.Connection, int], None], terms: int
) -> Iterator[dict[str, Any]]:
    words, number = _made_up_words(), 0

    def add(more: list[str]) -> None:
        nonlocal number
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(_INSERT, enumerate(more, start=number))
        number += len(more)
        index(connection, number)
        connection.execute("COMMIT")

    add(list(islice(words, terms)))
    for more in BATCHES:
        batches = [list(islice(words, more)) for _ in range(REPEATED)]
        clock, processor = _means(partial(_add_one, add, batches))
        yield {"step": f"{more} new terms", "clock_ms": clock, "processor_ms": processor}
    asked = [row[0] for row in connection.execute("SELECT term FROM term WHERE number % ? = 7", (terms // WORDS,))]
    found = TermIndex()
    clock, processor = _means(lambda: _looked_up(connection, index, asked, TermIndex()))
    yield {"step": f"{len(asked)} words, first search", "clock_ms": clock, "processor_ms": processor}
    if index is index_terms:
        clock, processor = _means(lambda: _looked_up(connection, index, asked, found))
        yield {"step": f"{len(asked)} words, later searches", "clock_ms": clock, "processor_ms": processor}


def _looked_up(
    connection: sqlite3.Connection, index: Callable[..., None], asked: Sequence[str], kept: TermIndex
) -> None:
    if index is index_terms:
        found = kept.numbers_of(connection, asked)
    else:
        query = f"SELECT term, number FROM term WHERE term IN ({', '.join('?' * len(asked))})"  # noqa: S608
        found = dict(connection.execute(query, asked))
    if len(found) != len(asked):
        raise AssertionError(f"{len(found)} of {len(asked)} words found")


def _means(work: Callable[[], None]) -> tuple[float, float]:
    times = []
    for _ in range(REPEATED):
        clock, processor = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - clock, time.process_time() - processor))
    clocks, processors = zip(*times, strict=True)
    return round(statistics.mean(clocks) * 1e3, 2), round(statistics.mean(processors) * 1e3, 2)


def _made_up_words() -> Iterator[str]:
    random, seen = Random(1), set()  # noqa: S311 - words, not secrets
    while True:
        word = "".join(random.choices("абвгдежзиклмнопрстуфх", k=random.randint(5, 11)))
        if word not in seen:
            seen.add(word)
            yield word


def _no_index(connection: sqlite3.Connection, terms: int) -> None:
    """SQLite updates its own index."""


if __name__ == "__main__":
    main()
