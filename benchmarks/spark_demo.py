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
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Self

from benchmarks.generator import generate, write_texts
from infostream_dedup import sweep
from infostream_dedup.documents import read_documents
from infostream_dedup.runs.batch.sweeping import SweepResult
from infostream_dedup.sample import documents_path

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
CONFIGURATION = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.executor.memory": "1g",
    "spark.executor.cores": "1",
    "spark.sql.shuffle.partitions": "4",
    "spark.executorEnv.PYTHONPATH": str(Path(__file__).resolve().parents[1]),
    # Lost processes are noticed within seconds, not after the two minutes that suit a network of many machines.
    "spark.network.timeout": "20s",
    "spark.executor.heartbeatInterval": "2s",
    "spark.network.timeoutInterval": "5s",
    "spark.shuffle.io.retryWait": "1s",
}


class Cluster:
    """A master and two workers of one core, on the loopback address."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self._home = Path(pyspark.__file__).parent
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self._workers: list[subprocess.Popen[bytes]] = []
        self.killed = 0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]

    @property
    def address(self) -> str:
        """What a session connects to."""
        return f"spark://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        master = ("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(self._port))
        self._start(*master, "--webui-port", "0")
        self._wait_for_master()
        for _ in range(2):
            self._start_worker()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            for one in [*descendants(process.pid), process.pid]:
                _signal(one, signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def kill_worker(self) -> bool:
        """End the oldest worker with all it started, at once, and start another one."""
        worker = self._workers.pop(0)
        self._start_worker()
        return self._kill([worker.pid, *descendants(worker.pid)])

    def kill_executor(self) -> bool:
        """End the executor that has most memory with its Python processes, at once; its worker starts another one."""
        return self._kill(max(self._executors(), key=_memory_of_all, default=[]))

    def kill_executor_over(self, size: int) -> None:
        """As ``kill_executor``, but only those that have more than so many bytes, as containers are ended."""
        for executor in self._executors():
            if _memory_of_all(executor) > size:
                self._kill(executor)

    def kill_largest(self) -> bool:
        """End the Python process of an executor that has most memory; its executor starts another one."""
        running = [one for executor in self._executors() for one in executor if _name(one).startswith("python")]
        return self._kill([max(running, key=_memory)] if running else [])

    def largest_executor(self) -> int:
        """Bytes in memory of the executor that has most, with its Python processes."""
        return max(map(_memory_of_all, self._executors()), default=0)

    def _executors(self) -> list[list[int]]:
        """Processes of each executor."""
        return [found for worker in self._workers if (found := descendants(worker.pid))]

    def _kill(self, processes: list[int]) -> bool:
        for process in processes:
            _signal(process, signal.SIGKILL)
        self.killed += bool(processes)
        return bool(processes)

    def _start_worker(self) -> None:
        worker = ("org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0")
        self._workers.append(self._start(*worker, "-c", "1", "-m", "2g", self.address))

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        settings = {
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(self._folder / "workers"),
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
            "JDK_JAVA_OPTIONS": JAVA,
        }
        with (self._folder / "spark.log").open("ab") as log:
            process = subprocess.Popen(
                [str(self._home / "bin" / "spark-class"), *command],
                env={**os.environ, **settings},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._processes.append(process)
        return process

    def _wait_for_master(self) -> None:
        for _ in range(3_000):
            if self._processes[0].poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self._port), 1).close()
            except OSError:
                time.sleep(0.2)
            else:
                return
        raise RuntimeError("the Spark master did not start; is there Java 17 or newer?")


@contextmanager
def session(master: str) -> Iterator[Any]:
    """A session on a cluster, or with ``local[2]`` on threads of this process."""
    os.environ.setdefault("JDK_JAVA_OPTIONS", JAVA)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master(master).appName("infostream-dedup").config(map=CONFIGURATION).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        yield spark
    finally:
        spark.stop()


def descendants(process: int) -> list[int]:
    """Processes that a process has started, and those that these have, and so on."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            parents[int(status.parent.name)] = int(fields[1])
        except (OSError, ValueError, IndexError):
            continue
    found, new = [], [process]
    while new:
        new = [one for one, parent in parents.items() if parent in new]
        found += new
    return found


def _name(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _memory(process: int) -> int:
    """Bytes in memory that are its own, 0 of a process that has ended."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE")


def _memory_of_all(processes: list[int]) -> int:
    return sum(map(_memory, processes))


def _signal(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


KINDS = ("Python", "executor", "worker", "memory")  # what ``--kill-stages`` ends

_ENOUGH = 0.75
_MOST_OVER = 2
_TRIES = 4


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
        stages = demo.run("made-up", arguments.documents)["stages"]
        for timer in timers:
            timer.cancel()
        if arguments.kill_stages is not None:
            demo.run_struck(arguments.documents, stages, arguments.kill_stages or KINDS)


class Demo:
    """Sweeps on a cluster, each compared with the engine."""

    def __init__(self, cluster: Cluster, spark: Any) -> None:
        self._cluster = cluster
        self._spark = spark
        self._largest = 0

    def run(self, name: str, collection: str | int, strike: Strike | None = None) -> dict[str, Any]:
        """Sweep once, print a row, return it; its stages are those that were seen at work."""
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
        return row

    def run_struck(self, collection: str | int, stages: int, kinds: Sequence[str]) -> None:
        """Sweep for every kind of process and stage until the strike lands, and once with a limit of memory."""
        cluster = self._cluster
        ends = {"Python": cluster.kill_largest, "executor": cluster.kill_executor, "worker": cluster.kill_worker}
        for name, end in ends.items():
            for stage in range(stages if name in kinds else 0):
                what = f"{name} killed in stage {stage + 1}"
                # A stage that ends between two looks, as on a busy machine, is not struck.
                any(self.run(what, collection, _at_stage(stage, end))["killed"] for _ in range(_TRIES))
        if "memory" in kinds:
            # Measured anew: the executors of the first sweep may have compiled, which takes more memory than the sweep.
            self.run("undisturbed", collection)
            limit, first = int(_ENOUGH * self._largest), cluster.killed

            def over(_: int) -> None:
                if cluster.killed < first + _MOST_OVER:
                    cluster.kill_executor_over(limit)

            self.run(f"executors killed over {limit / 1e6:.0f} MB", collection, over)


Strike = Callable[[int], None]  # called over and over with the number of stages seen at work


def _at_stage(stage: int, end: Callable[[], bool]) -> Strike:
    done: list[int] = []

    def strike(seen: int) -> None:
        if seen > stage and not done and end():
            done.append(seen)

    return strike


class _Watch:
    """Watches the stages that run and the memory of executors."""

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

    def __exit__(self, *_: object) -> None:
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
        known = sorted(read_documents(documents_path()), key=lambda document: document.id)
        return [{"id": one.id, "text": one.text, "title": one.title, "lang": one.lang or "ru"} for one in known]
    texts = write_texts(generate(collection, seed=11))
    return [{"id": f"{place:09d}", "text": text, "title": "", "lang": "ru"} for place, text in enumerate(texts)]


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
