"""A Spark cluster on this machine whose processes can be killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


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
        """End the executor that has most memory with its Python processes, at once; its worker starts another one."""
        self._kill(max(self._executors(), key=_memory_of_all, default=[]))

    def kill_executor_over(self, size: int) -> None:
        """As ``kill_executor``, but only those that have more than so many bytes, as containers are ended."""
        for executor in self._executors():
            if _memory_of_all(executor) > size:
                self._kill(executor)

    def kill_largest(self) -> None:
        """End the Python process of an executor that has most memory; its executor starts another one."""
        running = [one for executor in self._executors() for one in executor if _name(one).startswith("python")]
        self._kill([max(running, key=_memory)] if running else [])

    def largest_executor(self) -> int:
        """Bytes in memory of the executor that has most, with its Python processes."""
        return max(map(_memory_of_all, self._executors()), default=0)

    def _executors(self) -> list[list[int]]:
        """Processes of each executor."""
        return [found for worker in self._workers if (found := descendants(worker.pid))]

    def _kill(self, processes: list[int]) -> None:
        for process in processes:
            _signal(process, signal.SIGKILL)
        self.killed += bool(processes)

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
        # Lost processes are noticed within seconds, not after the two minutes that suit a network of many machines.
        .config("spark.network.timeout", "20s")
        .config("spark.executor.heartbeatInterval", "2s")
        .config("spark.network.timeoutInterval", "5s")
        .config("spark.shuffle.io.retryWait", "1s")
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
    """Bytes in memory that are its own, 0 of a process that has ended."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE")


def _memory_of_all(processes: list[int]) -> int:
    return sum(map(_memory, processes))


def _signal(process: int, number: signal.Signals) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return
