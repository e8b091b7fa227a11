"""Starts a Spark cluster on this machine, sweeps on it, and compares every number with the engine of one process.

    python -m benchmarks.spark_demo --documents 10868
    python -m benchmarks.spark_demo --documents 10868 --kill 20 40
    python -m benchmarks.spark_demo --documents 3000 --kill-stages

The cluster is a real one: a master and two workers on the loopback address, with executors of their own. It is stopped
at the end. ``--kill`` ends a worker, its executor and the Python processes of it with SIGKILL, so many seconds after
the sweep has begun; another worker takes its place. ``--kill-stages`` sweeps twice more: in every stage of Spark, as
soon as tasks of it run, it ends the Python process that has most memory, as a system does that is out of it, and then,
in every stage, an executor with its Python processes.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.generator import generate, write_texts
from infostream_dedup import sweep
from infostream_dedup.corpus import read_documents
from infostream_dedup.sample import documents_path

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def main() -> None:
    """Sweep both collections on the cluster and in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_868, help="made-up documents, besides the sample")
    parser.add_argument("--kill", type=float, nargs="*", default=[], help="seconds after which a worker is killed")
    parser.add_argument("--kill-stages", action="store_true", help="kill in every stage")
    arguments = parser.parse_args()
    sample = [_row(document.id, document.text, document.title, document.lang) for document in
              sorted(read_documents(str(documents_path())), key=lambda document: document.id)]  # fmt: skip
    made_up = [
        _row(f"{place:09d}", text, "", "ru")
        for place, text in enumerate(write_texts(generate(arguments.documents, seed=11)))
    ]
    with tempfile.TemporaryDirectory() as folder, Cluster(Path(folder)) as cluster, session(cluster.address) as spark:
        jobs: list[tuple[str, list[dict[str, str]], list[float], Callable[[], None] | None]] = [
            ("sample", sample, [], None),
            ("made-up", made_up, arguments.kill, None),
        ]
        if arguments.kill_stages:
            jobs.append(("most memory killed", made_up, [], cluster.kill_largest))
            jobs.append(("executors killed", made_up, [], cluster.kill_executor))
        for name, rows, seconds, strike in jobs:
            started, killed = time.perf_counter(), cluster.killed
            timers = [threading.Timer(one, cluster.kill_worker) for one in seconds]
            for timer in timers:
                timer.start()
            with _Stages(spark, strike) as stages:
                same = _compare(spark, rows)
            for timer in timers:
                timer.cancel()
            row = {"collection": name, "documents": len(rows), "same": same, "stages": stages.seen}
            row |= {"killed": cluster.killed - killed, "wall_seconds": round(time.perf_counter() - started, 1)}
            print(json.dumps(row), flush=True)
            if not same:
                sys.exit(f"{name}: Spark and the engine differ")


class _Stages:
    """Watches the stages that run, and strikes once in each while its tasks are at work.

    Args:
        spark: the session.
        strike: what to do; ``None`` only to count.
    """

    def __init__(self, spark: Any, strike: Callable[[], None] | None) -> None:
        self._tracker = spark.sparkContext.statusTracker()
        self._strike = strike
        self._struck: set[int] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def seen(self) -> int:
        """Number of stages that were seen at work."""
        return len(self._struck)

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
                if number in self._struck or stage is None or not stage.numActiveTasks:
                    continue
                self._struck.add(number)
                if self._strike is not None:
                    self._strike()


def _row(name: str, text: str, title: str, lang: str | None) -> dict[str, str]:
    return {"id": name, "text": text, "title": title, "lang": lang or "ru"}


def _compare(spark: Any, rows: list[dict[str, str]]) -> bool:
    from infostream_dedup import spark as on_spark

    frame = spark.createDataFrame(rows, "id string, text string, title string, lang string").repartition(8)
    cut = on_spark.SparkCut(partitions=4, shards=2, question_parts=2, blocks=2, chunk=2_000)
    found = on_spark.sweep(frame, representations=["stem"], order=["id"], cut=cut)
    expected = sweep(rows, representations=["stem"], estimate=False, examples=False)
    exact = {row.measures.k for row in found.rows} & {
        row.measures.k for row in expected.rows if not row.measures.sampled
    }
    numbers = [[row.as_dict() for row in result.rows if row.measures.k in exact] for result in (found, expected)]
    return numbers[0] == numbers[1] and len(exact) >= 9 and found.documents == expected.documents


class Cluster:
    """A master and two workers of one core, on the loopback address.

    Args:
        folder: for their files and logs.
    """

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            for one in [*descendants(process.pid), process.pid]:
                _signal(one, signal.SIGTERM)
        for process in self._processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def kill_worker(self) -> None:
        """End the oldest worker with all it started, at once, and start another one."""
        worker = self._workers.pop(0)
        for process in [worker.pid, *descendants(worker.pid)]:
            _signal(process, signal.SIGKILL)
        self.killed += 1
        self._start_worker()

    def kill_executor(self) -> None:
        """End the executor of a worker with its Python processes, at once; the worker starts another one."""
        worker = self._workers[self.killed % len(self._workers)]
        for process in descendants(worker.pid):
            _signal(process, signal.SIGKILL)
        self.killed += 1

    def kill_largest(self) -> None:
        """End the Python process of an executor that has most memory; its executor starts another one."""
        running = [
            one for worker in self._workers for one in descendants(worker.pid) if _name(one).startswith("python")
        ]
        if running:
            _signal(max(running, key=_memory), signal.SIGKILL)
            self.killed += 1

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
        for _ in range(600):
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

    root = str(Path(__file__).resolve().parents[1])
    spark = (
        SparkSession.builder.master(master)
        .appName("infostream-dedup")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "2g")
        .config("spark.executor.memory", "1g")
        .config("spark.executor.cores", "1")
        .config("spark.executorEnv.PYTHONPATH", root)
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
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
    """Pages in memory, 0 of a process that has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0


def _signal(process: int, number: signal.Signals) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    main()
