"""Starts a Spark cluster on this machine, sweeps on it, and compares every number with the engine of one process.

    python -m benchmarks.spark_demo --documents 10868
    python -m benchmarks.spark_demo --documents 10868 --kill 20 40
    python -m benchmarks.spark_demo --documents 1000 --kill-stages
    python -m benchmarks.spark_demo --documents 1000 --kill-stages worker memory

The cluster is a real one: a master and two workers on the loopback address, with executors of their own. It is stopped
at the end. ``--kill`` ends a worker, its executor and the Python processes of it with SIGKILL, so many seconds after
the sweep has begun; another worker takes its place. ``--kill-stages`` sweeps again and again, and ends something in one
stage of each sweep as soon as tasks of it run, the next sweep in the next stage: first the Python process that has most
memory, as a system does that is out of it, then an executor with its Python processes, then a worker with all it has
started. At last (``memory``) every executor is ended that has three quarters of the memory that an executor needed
before, as Kubernetes and YARN do with one over its limit, until two have been.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.generator import generate, write_texts
from benchmarks.spark_cluster import Cluster, session
from infostream_dedup import sweep
from infostream_dedup.documents import read_documents
from infostream_dedup.runs.batch.sweeping import SweepResult
from infostream_dedup.sample import documents_path

KINDS = ("Python", "executor", "worker", "memory")
"""What ``--kill-stages`` ends."""

_ENOUGH = 0.75
_MOST_OVER = 2


def main() -> None:
    """Sweep both collections on the cluster and in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_868, help="made-up documents, besides the sample")
    parser.add_argument("--kill", type=float, nargs="*", default=[], help="seconds after which a worker is killed")
    parser.add_argument("--kill-stages", nargs="*", choices=KINDS, help="kill in every stage; all kinds by default")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Cluster(Path(folder)) as cluster, session(cluster.address) as spark:
        demo = Demo(cluster, spark)
        demo.run("sample", "sample")
        timers = [threading.Timer(one, cluster.kill_worker) for one in arguments.kill]
        for timer in timers:
            timer.start()
        stages = demo.run("made-up", arguments.documents)
        for timer in timers:
            timer.cancel()
        if arguments.kill_stages is not None:
            demo.run_struck(arguments.documents, stages, arguments.kill_stages or KINDS)


class Demo:
    """Sweeps on a cluster, each compared with the engine.

    Args:
        cluster: with its workers.
        spark: a session on it.
    """

    def __init__(self, cluster: Cluster, spark: Any) -> None:
        self._cluster = cluster
        self._spark = spark
        self._largest = 0

    def run(self, name: str, collection: str | int, strike: Strike | None = None) -> int:
        """Sweep once, print a row; returns the number of stages that were seen at work.

        Args:
            name: for the row.
            collection: ``sample``, or a number of made-up documents.
            strike: what to end, and when.
        """
        started, killed = time.perf_counter(), self._cluster.killed
        with _Watch(self._spark, strike, self._cluster.largest_executor) as watch:
            same = _compare(self._spark, collection)
        self._largest = watch.largest
        row = {"collection": name, "documents": len(_documents(collection)), "same": same, "stages": watch.stages}
        row |= {"killed": self._cluster.killed - killed, "wall_seconds": round(time.perf_counter() - started, 1)}
        if watch.largest:
            row["megabytes_of_executor"] = round(watch.largest / 1e6)
        print(json.dumps(row), flush=True)
        if not same:
            sys.exit(f"{name}: Spark and the engine differ")
        return watch.stages

    def run_struck(self, collection: str | int, stages: int, kinds: Sequence[str]) -> None:
        """Sweep once for every kind of process and stage, and once with a limit of memory.

        Args:
            collection: as in ``run``.
            stages: how many there are.
            kinds: of ``KINDS``.
        """
        cluster = self._cluster
        ends = {"Python": cluster.kill_largest, "executor": cluster.kill_executor, "worker": cluster.kill_worker}
        for name, end in ends.items():
            for stage in range(stages if name in kinds else 0):
                self.run(f"{name} killed in stage {stage + 1}", collection, _at_stage(stage, end))
        if "memory" in kinds:
            # Measured anew: the executors of the first sweep may have compiled, which takes more memory than the sweep.
            self.run("undisturbed", collection)
            limit, first = int(_ENOUGH * self._largest), cluster.killed

            def over(_: int) -> None:
                if cluster.killed < first + _MOST_OVER:
                    cluster.kill_executor_over(limit)

            self.run(f"executors killed over {limit / 1e6:.0f} MB", collection, over)


Strike = Callable[[int], None]
"""Called over and over with the number of stages seen at work."""


def _at_stage(stage: int, end: Callable[[], None]) -> Strike:
    done: list[int] = []

    def strike(seen: int) -> None:
        if seen > stage and not done:
            done.append(seen)
            end()

    return strike


class _Watch:
    """Watches the stages that run and the memory of executors.

    Args:
        spark: the session.
        strike: called while stages are at work; ``None`` only to watch.
        measure: bytes of the largest executor.
    """

    def __init__(self, spark: Any, strike: Strike | None, measure: Callable[[], int]) -> None:
        self._tracker = spark.sparkContext.statusTracker()
        self._strike = strike
        self._measure = measure
        self._seen: set[int] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.largest = 0

    @property
    def stages(self) -> int:
        """Number of stages that were seen at work."""
        return len(self._seen)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(0.05):
            for number in self._tracker.getActiveStageIds():
                stage = self._tracker.getStageInfo(number)
                if stage is not None and stage.numActiveTasks:
                    self._seen.add(number)
            if self._strike is None:
                self.largest = max(self.largest, self._measure())
            elif self._seen:
                self._strike(len(self._seen))


@cache
def _documents(collection: str | int) -> list[dict[str, str]]:
    if isinstance(collection, str):
        return [_row(document.id, document.text, document.title, document.lang) for document in
                sorted(read_documents(str(documents_path())), key=lambda document: document.id)]  # fmt: skip
    texts = write_texts(generate(collection, seed=11))
    return [_row(f"{place:09d}", text, "", "ru") for place, text in enumerate(texts)]


def _row(name: str, text: str, title: str, lang: str | None) -> dict[str, str]:
    return {"id": name, "text": text, "title": title, "lang": lang or "ru"}


@cache
def _expected(collection: str | int) -> SweepResult:
    return sweep(_documents(collection), representations=["stem"], estimate=False, examples=False)


def _compare(spark: Any, collection: str | int) -> bool:
    from infostream_dedup import spark as on_spark

    rows, expected = _documents(collection), _expected(collection)
    frame = spark.createDataFrame(rows, "id string, text string, title string, lang string").repartition(8)
    cut = on_spark.SparkCut(partitions=4, shards=2, question_parts=2, blocks=2, chunk=2_000)
    found = on_spark.sweep(frame, representations=["stem"], order=["id"], cut=cut)
    exact = {row.measures.k for row in found.rows} & {
        row.measures.k for row in expected.rows if not row.measures.sampled
    }
    numbers = [[row.as_dict() for row in result.rows if row.measures.k in exact] for result in (found, expected)]
    return numbers[0] == numbers[1] and len(exact) >= 9 and found.documents == expected.documents


if __name__ == "__main__":
    main()
