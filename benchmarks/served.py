"""A service as a process of its own, for benchmarks: started, killed, started again on the same port."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import httpx

__all__ = ["ServedStore", "quantile"]

_START_SECONDS: Final = 1_800.0


class ServedStore:
    """``serve`` over a store.

    Args:
        store: the store; made by the service if it does not exist.
        options: further options of ``serve``.
    """

    def __init__(self, store: Path, *options: str) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = int(taken.getsockname()[1])
        self.store, self._options = store, options
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> float:
        """Start it, and return the seconds until it was ready."""
        begin = time.monotonic()
        command = [sys.executable, "-m", "infostream_dedup", "serve", "--store", str(self.store), *self._options]
        self.process = subprocess.Popen([*command, "--port", str(self.port)], stderr=subprocess.DEVNULL)
        with httpx.Client(base_url=self.address, timeout=60) as client:
            while time.monotonic() - begin < _START_SECONDS:
                if self.process.poll() is not None:
                    raise RuntimeError(f"the service ended with {self.process.returncode}")
                with contextlib.suppress(httpx.TransportError):
                    if client.get("/ready").status_code == 200:
                        return time.monotonic() - begin
                time.sleep(0.1)
        raise RuntimeError("the service is not ready")

    def kill(self) -> None:
        """Kill it without a warning, and wait until it is gone."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to end."""
        self._end(signal.SIGTERM)

    def memory(self) -> int:
        """Resident bytes of the process."""
        if self.process is None:
            return 0
        status = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(line.split()[1]) * 1024

    def cpu_seconds(self) -> float:
        """User and system seconds of the process so far."""
        if self.process is None:
            return 0.0
        fields = Path(f"/proc/{self.process.pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def _end(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(timeout=120)


def quantile(values: list[float], share: float) -> float:
    """The value below which a share of the values is, in milliseconds, of seconds."""
    ordered = sorted(values)
    return round(1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)], 1)
