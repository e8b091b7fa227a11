"""Measures runs beyond one process's memory against the engine that keeps all in memory, in one run.

    python -m benchmarks.cluster --documents 10000 100000 --out cluster.json
    python -m benchmarks.cluster --documents 1272217 --memory 2GB --skip engine spark

Every runner has a process of its own, which reads the same texts from a file. CPU seconds are those of the process
with its children, without imports and compilation: a toy collection goes through every stage first. Gigabytes are
10^9 bytes, the peak of resident memory; ``own_gigabytes`` without files that are only mapped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import in_own_process, save_texts, write_figures
from benchmarks.generator import MONTH, Corpus, Texts, generate, write_texts
from benchmarks.spark_demo import descendants
from infostream_dedup.model import Document, Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.linking import link
from infostream_dedup.runs.sharded.disk_runner import DiskRun, Input
from infostream_dedup.runs.sharded.plan import Cut, Plan, memory_of
from infostream_dedup.runs.sharded.sweeping import FoldedLinks
from infostream_dedup.runs.sharded.work_folder import WorkFolder

SETTINGS = Settings(representation="stem")
K_MIN = 4
KS = range(K_MIN, SETTINGS.n + 1)
_SPELLED_AT_ONCE = 200_000


def main() -> None:
    """Make the texts, run every runner, print and store the rows."""
    arguments = _arguments()
    rows = []
    for documents in arguments.documents:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            save_texts(_texts(documents), Path(folder))
            for name, runner in RUNNERS.items():
                if name not in arguments.skip:
                    found = in_own_process(runner, Path(folder), arguments)
                    rows.append({"documents": documents, "runner": name, **found})
                    print(json.dumps(rows[-1]), flush=True)
    for row in rows:
        same = {one["sha256"] for one in rows if one["documents"] == row["documents"]}
        assert len(same) == 1, f"runners differ at {row['documents']} documents"
    for line in _ratios(rows):
        print(json.dumps(line))
    write_figures(arguments.out, rows=rows, ratios=_ratios(rows))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--memory", default="8GB", help="of the disk runner")
    parser.add_argument("--shards", type=int, help="of the disk runner and Spark; by the memory by default")
    parser.add_argument("--blocks", type=int, help="likewise")
    parser.add_argument(
        "--again", action="store_true", help="run Spark twice in one session; the row is the second run"
    )
    parser.add_argument("--skip", choices=list(RUNNERS), nargs="*", default=[])
    parser.add_argument("--folder", help="for the texts and work folders; that for temporary files by default")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _texts(documents: int) -> Iterator[str]:
    """The texts one after another, so that millions take little memory; every month has stories of its own."""
    for month, begin in enumerate(range(0, documents, MONTH)):
        yield from _spelled(generate(min(MONTH, documents - begin), seed=11 + month))


def _spelled(corpus: Corpus) -> Iterator[str]:
    for begin in range(0, len(corpus), _SPELLED_AT_ONCE):
        end = begin + _SPELLED_AT_ONCE
        indptr = corpus.indptr[begin : end + 1]
        tokens = corpus.tokens[indptr[0] : indptr[-1]]
        yield from write_texts(Corpus(indptr - indptr[0], tokens, corpus.stories[begin:end], corpus.lemmas))


def _documents(folder: Path) -> Iterator[Document]:
    for place, text in enumerate(Texts.of(folder)):
        yield Document(id=f"d{place}", text=text, lang="ru")


class _Clock:
    """CPU and wall seconds by stage."""

    def __init__(self, *, tree: bool = False) -> None:
        self.stages: dict[str, float] = {}
        self._read = _cpu_of_tree if tree else _cpu
        self._started = time.perf_counter()
        self._cpu = self._read()
        self._stage = ""
        self._own = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        """Sample the memory that is not mapped from files: mapped files make room where others need it."""
        while True:
            status = Path("/proc/self/status").read_text(encoding="ascii")
            self._own = max(self._own, int(status.partition("RssAnon:")[2].split()[0]) * 1024)
            time.sleep(0.1)

    def stage(self, name: str) -> None:
        now = self._read()
        if self._stage:
            self.stages[self._stage] = round(self.stages.get(self._stage, 0.0) + now - self._cpu, 2)
        self._cpu, self._stage = now, name

    def row(self) -> dict[str, Any]:
        self.stage("")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
        cpu = round(sum(self.stages.values()), 2)
        wall = round(time.perf_counter() - self._started, 1)
        memory = {"gigabytes": round(peak, 2), "own_gigabytes": round(self._own / 1e9, 2)}
        return {"cpu_seconds": cpu, "wall_seconds": wall, **memory, "stages": self.stages}


def _cpu() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _cpu_of_tree() -> float:
    """CPU seconds of this process and of all that it has started, the Java ones included, dead or alive."""
    ticks = os.sysconf("SC_CLK_TCK")
    total = 0.0
    for process in [os.getpid(), *descendants(os.getpid())]:
        try:
            status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        total += sum(map(int, status.rpartition(")")[2].split()[11:15])) / ticks
    return total


def _toy() -> list[Document]:
    return [
        Document(id=str(place), text=f"Снег идёт в городе номер {place % 3} весь день", lang="ru") for place in range(9)
    ]


def _run_engine(folder: Path, _: argparse.Namespace) -> dict[str, Any]:
    def job(documents: Any, clock: _Clock) -> dict[str, Any]:
        clock.stage("texts")
        collection = collect(documents, hashes=False)
        clock.stage("key terms")
        key_terms = collection.key_terms(SETTINGS)
        clock.stage("links")
        relation = link(key_terms, SETTINGS, k_min=K_MIN).relation()
        clock.stage("totals")
        measures = relation.measures(KS)
        clock.stage("groups")
        return {"links": measures[0].links, "sha256": _digest(measures, relation.group_sizes([6])[0])}

    job(_toy(), _Clock())
    clock = _Clock()
    return {**job(_documents(folder), clock), **clock.row()}


def _run_disk(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    def job(documents: Any, clock: _Clock, name: str) -> dict[str, Any]:
        work = WorkFolder(folder / name)
        with work.held():
            run = DiskRun(
                folder=work,
                source=Input(lambda: documents, {"benchmark": name}),
                settings=SETTINGS,
                representations=["stem"],
                plan=Plan(memory_of(arguments.memory), Cut(shards=arguments.shards, blocks=arguments.blocks)),
            )
            clock.stage("counts")
            run.counted()
            linked = run.linked("stem")
            clock.stage("statistics")
            len(linked.vocabulary)
            clock.stage("key terms")
            linked.keys.paths.keys()
            clock.stage("nodes")
            len(linked.nodes)
            clock.stage("links")
            linked.links(K_MIN)
            clock.stage("totals")
            relation = FoldedLinks(linked, K_MIN)
            measures = relation.measures(KS)
            clock.stage("groups")
            sizes = relation.group_sizes([6])[0]
            clock.stage("")
            disk = sum(path.stat().st_size for path in work.path.iterdir())
            return {
                "links": measures[0].links,
                "sha256": _digest(measures, sizes),
                "disk_gigabytes": round(disk / 1e9, 2),
            }

    job(_toy(), _Clock(), "toy")
    clock = _Clock()
    return {**job(_documents(folder), clock, "work"), **clock.row()}


def _run_spark(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    from benchmarks.spark_demo import session
    from infostream_dedup.runs.spark.flow import large_rows
    from infostream_dedup.runs.spark.job import SparkCut, SparkRun, SpreadLinks

    cut = SparkCut(partitions=2, shards=arguments.shards or 2, question_parts=1, blocks=arguments.blocks or 1)

    def job(frame: Any, clock: _Clock) -> dict[str, Any]:
        run = SparkRun(frame, SETTINGS, order=["id"], cut=cut)
        clock.stage("counts and statistics")
        len(run.vocabulary)
        clock.stage("key terms")
        len(run.key_counts.keys)
        clock.stage("nodes")
        len(run.nodes)
        clock.stage("links and totals")
        relation = SpreadLinks(run, K_MIN)
        measures = relation.measures(KS)
        clock.stage("groups")
        found = {"links": measures[0].links, "sha256": _digest(measures, relation.group_sizes([6])[0])}
        clock.stage("")
        relation.links.dropped()
        run.dropped()
        return found

    with session("local[2]") as spark, large_rows(spark):
        for name, documents in (("toy", _toy()), ("texts", _documents(folder))):
            pq.write_table(_table(documents), folder / f"{name}.parquet", row_group_size=5_000)
        job(spark.read.parquet(str(folder / "toy.parquet")), _Clock(tree=True))
        clock = _Clock(tree=True)
        first = {**job(spark.read.parquet(str(folder / "texts.parquet")), clock), **clock.row()}
        if not arguments.again:
            return first
        clock = _Clock(tree=True)
        again = {**job(spark.read.parquet(str(folder / "texts.parquet")), clock), **clock.row()}
        return {**again, "first_cpu_seconds": first["cpu_seconds"]}


def _table(documents: Iterable[Document]) -> pa.Table:
    rows = [(f"{place:09d}", one.text) for place, one in enumerate(documents)]
    names, texts = zip(*rows, strict=True)
    return pa.table({"id": names, "text": texts, "lang": ["ru"] * len(rows)})


def _digest(measures: Any, sizes: Any) -> str:
    text = json.dumps([[row.as_dict() for row in measures], sorted(sizes.tolist())])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _ratios(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """CPU of each runner over that of the engine on the same texts."""
    engines = {row["documents"]: row["cpu_seconds"] for row in rows if row["runner"] == "engine"}
    found = []
    for row in rows:
        if row["runner"] != "engine" and (engine := engines.get(row["documents"])):
            ratio = round(row["cpu_seconds"] / engine, 2)
            found.append({"documents": row["documents"], "runner": row["runner"], "over_engine": ratio})
    return found


RUNNERS = {"engine": _run_engine, "disk": _run_disk, "spark": _run_spark}


if __name__ == "__main__":
    main()
