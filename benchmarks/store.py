"""Measures the cost of durable state on made-up signatures: batches, look-ups of ids, an engine from a store on disk.

    python -m benchmarks.store --documents 100000 --out store.json

Documents have 12 key terms and 90 targets from a vocabulary of 60,000 terms (Zipf), like short news; all of them are in
the window. The file goes to a temporary folder or to ``--folder``; a disk that really syncs is the most informative.
"""

from __future__ import annotations

import argparse
import resource
import sqlite3
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import timed, write_figures
from infostream_dedup.model.stream_records import Batch, Decided, EpochFrequencies, Remembered, Verdict
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

VOCABULARY = 60_000
TARGETS = 90
KEYS = 12
EPOCH = 10_000
MINUTE = 60_000_000
MOST_SECONDS = 10  # maximum that the design allows for a restart with a million documents


def main() -> None:
    """Append, look up, load, restore; print and store the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--folder", type=Path, help="folder of the store during the measurement")
    parser.add_argument("--out", type=Path, help="JSON file for the figures")
    arguments = parser.parse_args()
    rows: dict[str, Any] = {}
    settings = StreamSettings(window_days=None)
    # Compile the code, or load it from disk, before the clock starts: a process that has read nothing would not.
    StreamEngine(settings)

    def measure(name: str, number: int, work: Callable[[], Any]) -> Any:
        result, taken = timed(work)
        rows[name] = {**taken, "microseconds_each": taken["wall_seconds"] / number * 1e6}
        print(f"{name:28}", *(f"{key} {value:.3f}" for key, value in rows[name].items()), flush=True)
        return result

    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "stream.db"
        with Store.open(path, settings_digest="benchmark") as store:
            append_all(store, arguments.documents, arguments.batch, rows)
            drawn = np.random.default_rng(7).integers(0, arguments.documents, size=10_000).tolist()
            ids = [f"document-{ordinal:09}" for ordinal in drawn]
            measure("look-up of an id", len(ids), lambda: [store.known(one) for one in ids])
        size = path.stat().st_size
        print(f"{size / arguments.documents:.0f} bytes a document, {size / 1e6:.0f} MB")
        with Store.open(path) as store:
            loaded = measure("load from the store", arguments.documents, store.load)
            restored = measure(
                "memory of the window", arguments.documents, lambda: StreamEngine.restore(settings, loaded)
            )
    # The restored engine must be complete, or the benchmark measures too little.
    if restored.next_ordinal != arguments.documents:
        raise RuntimeError(f"the engine continues at {restored.next_ordinal}, expected {arguments.documents}")
    stages = rows["load from the store"], rows["memory of the window"]
    rows["restart"] = {name: sum(stage[name] for stage in stages) for name in ("wall_seconds", "cpu_seconds")}
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"restart {rows['restart']['wall_seconds']:.2f} s; largest memory {most:.0f} MB")
    report = {"sqlite": sqlite3.sqlite_version, "documents": arguments.documents, "rows": rows}
    report["goal_seconds"] = MOST_SECONDS * arguments.documents / 1e6
    report |= {"bytes_per_document": size / arguments.documents, "largest_memory_mb": most}
    write_figures(arguments.out, **report)


def append_all(store: Store, documents: int, batch: int, rows: dict[str, Any]) -> None:
    """Measure only the time of `append`; the documents are generated before each call."""
    generator = np.random.default_rng(11)
    terms = [f"термин{number}" for number in range(VOCABULARY)]
    taken: list[dict[str, float]] = []
    counts = np.zeros(VOCABULARY, dtype=np.int64)
    for first in range(0, documents, batch):
        remembered = remembered_documents(generator, first, min(batch, documents - first))
        verdicts = [_verdict(one) for one in remembered]
        closed = []
        if first and first % EPOCH == 0:
            present = np.flatnonzero(counts)
            epoch = first // EPOCH - 1
            closed = [EpochFrequencies(epoch, "ru", EPOCH, EPOCH * 200, present, counts[present])]
            counts[:] = 0
        np.add.at(counts, np.concatenate([one.targets for one in remembered]), 1)
        decided = Decided(
            remembered=remembered,
            verdicts=verdicts,
            closed=closed,
            new_terms=terms if first == 0 else [],
            state={"documents": first},
        )
        written = Batch(f"batch-{first}", first.to_bytes(16, "big"), decided)
        taken.append(timed(partial(store.append, written))[1])
    whole = {name: sum(one[name] for one in taken) for name in taken[0]}
    rows["append"] = {
        **whole,
        "microseconds_each": whole["wall_seconds"] / documents * 1e6,
        "slowest_batch_seconds": max(one["wall_seconds"] for one in taken),
    }
    print(f"{'append':28}", *(f"{key} {value:.3f}" for key, value in rows["append"].items()), flush=True)


def remembered_documents(generator: np.random.Generator, first: int, number: int) -> list[Remembered]:
    """Generate documents with consecutive ordinals and, as in streams by default, without opening hashes."""
    drawn = (VOCABULARY * generator.random((number, TARGETS)) ** 3).astype(np.int64)
    documents = []
    for ordinal, row in enumerate(drawn, start=first):
        targets = np.unique(row)
        keys = generator.permutation(targets)[:KEYS]
        weights = np.sort(generator.integers(1, 20_000_000_000, size=len(keys)))[::-1]
        checksum = ordinal.to_bytes(16, "big")
        documents.append(
            Remembered(
                ordinal=ordinal,
                id=f"document-{ordinal:09}",
                version=0,
                source=f"source-{ordinal % 300}",
                clock=ordinal * MINUTE,
                published=ordinal * MINUTE,
                language="ru",
                content_hash=checksum,
                text_hash=checksum,
                opening_hash=b"",
                epoch=ordinal // EPOCH,
                length=200,
                keys=keys,
                weights=weights,
                targets=targets,
                numbers=np.arange(ordinal, ordinal + 5, dtype=np.int64),
                title=f"Заголовок сообщения номер {ordinal} о чём-нибудь",
                text=None,
            )
        )
    return documents


def _verdict(one: Remembered) -> Verdict:
    if one.ordinal % 4:
        return Verdict(id=one.id, status="new", group=one.id)
    earlier = f"document-{max(0, one.ordinal - 5):09}"
    terms = tuple(f"термин{number}" for number in one.keys.tolist())
    return Verdict(
        id=one.id, status="duplicate", of=earlier, group=earlier, relation="equal", forward=11, backward=10, terms=terms
    )


if __name__ == "__main__":
    main()
