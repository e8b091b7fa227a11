"""One SHA-256 of links, S, T, groups, statuses over every runner and every cut; ends with an error where two differ.

    python -m benchmarks.one_digest sample news.jsonl.gz verbatim empty
    python -m benchmarks.one_digest 100000 --statuses no
    python -m benchmarks.one_digest sample --cluster

Collections are files, the bundled ``sample``, a number of made-up documents, ``verbatim`` (1,000 made-up documents with
a cluster of 700 copies among them) and ``empty`` (300 of them, each third without a text). Runners are the engine in
memory, the work folder with 1, 2 and 7 shards, and Spark with 1, 3 and 8 partitions, with and without adaptive
execution. Links are those of k >= 4; S, T and groups those of every k that all count. With ``--cluster`` Spark is a
master and two workers on this machine, else threads of this process.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.generator import generate, write_texts
from benchmarks.spark_demo import Cluster, session
from infostream_dedup import dedup, spark
from infostream_dedup.documents import read_documents, row_of
from infostream_dedup.model import Document, Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.linking import link
from infostream_dedup.runs.sharded.disk_runner import DiskRun, Input
from infostream_dedup.runs.sharded.linking import LinkTable
from infostream_dedup.runs.sharded.plan import Cut, Plan
from infostream_dedup.runs.sharded.sweeping import FoldedLinks
from infostream_dedup.runs.sharded.work_folder import WorkFolder
from infostream_dedup.runs.spark.flow import large_rows
from infostream_dedup.runs.spark.job import SparkCut, SparkRun, SpreadLinks
from infostream_dedup.sample import documents_path

SETTINGS = Settings(representation="stem")
K_MIN = 4
KS = range(K_MIN, SETTINGS.n + 1)
DISK_CUTS = (Cut(shards=1), Cut(chunk=3_000, shards=2, blocks=3), Cut(chunk=500, shards=7, blocks=4))
SPARK_CUTS = (
    (SparkCut(partitions=1, shards=1, question_parts=1, blocks=1), "true"),
    (SparkCut(partitions=3, shards=2, question_parts=2, blocks=3, chunk=2_000), "false"),
    (SparkCut(partitions=8, shards=7, question_parts=1, blocks=2, chunk=1_500), "true"),
)
_SCHEMA = "id string, text string, title string, lang string"

Numbers = tuple[Any, Any, Any, Any, Any]  # asking and answering documents, counts, measures, sizes of groups at k = 6


def main() -> None:
    """Print a row for every runner."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="+")
    parser.add_argument("--statuses", choices=("yes", "no"), default="yes", help="compare what dedup says, too")
    parser.add_argument("--cluster", action="store_true")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        master = "local[2]"
        if arguments.cluster:
            master = stack.enter_context(Cluster(Path(stack.enter_context(tempfile.TemporaryDirectory())))).address
        runs = stack.enter_context(session(master))
        stack.enter_context(large_rows(runs))
        for name in arguments.collections:
            documents = [replace(one, id=f"{place:09d}") for place, one in enumerate(_documents(name))]
            found = set()
            for runner, numbers, statuses in _runners(runs, documents):
                started = time.perf_counter()
                row = {"collection": name, "documents": len(documents), "runner": runner, "sha256": _digest(*numbers())}
                if arguments.statuses == "yes":
                    row["statuses"] = hashlib.sha256(json.dumps(sorted(statuses())).encode()).hexdigest()[:16]
                print(json.dumps({**row, "wall_seconds": round(time.perf_counter() - started, 1)}), flush=True)
                found.add((row["sha256"], row.get("statuses")))
            if len(found) > 1:
                sys.exit(f"{name}: runners differ")


def _documents(name: str) -> Iterator[Document]:
    if name == "sample":
        yield from read_documents(str(documents_path()))
    elif name == "verbatim":
        made_up = list(_documents("1000"))
        yield from (made_up[0] if place % 10 < 7 else one for place, one in enumerate(made_up))
    elif name == "empty":
        yield from (replace(one, text="") if place % 3 == 0 else one for place, one in enumerate(_documents("300")))
    elif name.isdigit():
        for place, text in enumerate(write_texts(generate(int(name), seed=11))):
            yield Document(id=str(place), text=text, lang="ru")
    else:
        yield from read_documents(name)


_Runner = tuple[str, Callable[[], Numbers], Callable[[], list[tuple[str, ...]]]]


def _runners(runs: Any, documents: list[Document]) -> Iterator[_Runner]:
    yield "engine", lambda: _of_engine(documents), lambda: _statuses(documents)
    for on_disk in DISK_CUTS:
        name, statuses = f"work folder, {on_disk.shards} shards", partial(_statuses, documents, disk=True)
        yield name, partial(_of_disk, documents, on_disk), statuses
    rows = [(one.id, one.text, one.title, one.lang) for one in documents]
    for cut, adaptive in SPARK_CUTS:
        runs.conf.set("spark.sql.adaptive.enabled", adaptive)
        frame = runs.createDataFrame(rows, _SCHEMA)
        name = f"Spark, {cut.partitions} partitions, {cut.shards} shards, adaptive {adaptive}"
        yield name, partial(_of_spark, frame, cut), partial(_statuses_of_spark, frame, cut)


def _of_engine(documents: list[Document]) -> Numbers:
    relation = link(collect(documents, hashes=False).key_terms(SETTINGS), SETTINGS, k_min=K_MIN).relation()
    counts = relation.matrix.counts.tocoo()
    return counts.row, counts.col, counts.data, *_measured(relation)


def _of_disk(documents: list[Document], cut: Cut) -> Numbers:
    with tempfile.TemporaryDirectory() as folder:
        work = WorkFolder(Path(folder) / "work")
        with work.held():
            source = Input(lambda: iter(documents), {"test": len(documents)})
            linked = DiskRun(
                folder=work, source=source, settings=SETTINGS, representations=["stem"], plan=Plan(2 << 30, cut)
            ).linked("stem")
            return *_written_out(linked.nodes, linked.link_table(K_MIN)), *_measured(FoldedLinks(linked, K_MIN))


def _of_spark(frame: Any, cut: SparkCut) -> Numbers:
    run = SparkRun(frame, SETTINGS, order=["id"], cut=cut)
    relation = SpreadLinks(run, K_MIN)
    rows = sorted(relation.links.collected(), key=lambda blob: blob.place)
    found = *_written_out(run.nodes, LinkTable([blob.batch for blob in rows])), *_measured(relation)
    relation.links.dropped()
    run.dropped()
    return found


def _measured(relation: Any) -> tuple[Any, Any]:
    return relation.measures(KS), relation.group_sizes([6])[0]


def _written_out(nodes: Any, table: LinkTable) -> tuple[Any, Any, Any]:
    """Links between documents from those between nodes of equal documents."""
    indptr, members = nodes.members()
    several = np.flatnonzero(nodes.inside >= K_MIN)
    ones: list[NDArray[Any]] = [several]
    others: list[NDArray[Any]] = [several]
    counts: list[NDArray[Any]] = [nodes.inside[several]]
    for rows in table.chunks():
        ones.append(np.repeat(rows.nodes, np.diff(rows.indptr)))
        others.append(rows.columns)
        counts.append(rows.counts)
    one, other, count = np.concatenate(ones), np.concatenate(others), np.concatenate(counts)
    times = nodes.weights[one] * nodes.weights[other]
    row = np.repeat(np.arange(len(one)), times)
    within = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
    a = members[indptr[one[row]] + within // nodes.weights[other[row]]]
    b = members[indptr[other[row]] + within % nodes.weights[other[row]]]
    return a[a != b], b[a != b], count[row][a != b]


def _statuses(documents: list[Document], *, disk: bool = False) -> list[tuple[str, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        out, source = Path(folder) / "out.jsonl", Path(folder) / "in.jsonl"
        lines = (
            json.dumps({name: value for name, value in row_of(one).items() if name in _SCHEMA}) for one in documents
        )
        source.write_text("\n".join(lines), encoding="utf-8")
        beyond: dict[str, Any] = {"workdir": Path(folder) / "work", "memory": "2GB"} if disk else {}
        dedup(str(source), out, annotate=True, preset="faithful", representation="stem", **beyond)
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return [_status(row) for row in rows]


def _statuses_of_spark(frame: Any, cut: SparkCut) -> list[tuple[str, ...]]:
    return [_status(row) for row in spark.dedup(frame, order=["id"], cut=cut, representation="stem").collect()]


def _status(row: Any) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("id", "status", "of", "group"))


def _digest(a: Any, b: Any, counts: Any, measures: Any, sizes: Any) -> str:
    order = np.lexsort((b, a))
    whole = hashlib.sha256(json.dumps([[row.as_dict() for row in measures], sorted(sizes.tolist())]).encode())
    for column in (a.astype("<i8"), b.astype("<i8"), counts.astype("u1")):
        whole.update(column[order].tobytes())
    return whole.hexdigest()[:16]


if __name__ == "__main__":
    main()
