"""Runs of ``ingest --follow``."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def followed(*arguments: str, **options: Any) -> Iterator["subprocess.Popen[bytes]"]:
    """A run that follows its input, killed if it is not ended."""
    command = [sys.executable, "-m", "infostream_dedup", "ingest", *arguments, "--follow"]
    process = subprocess.Popen(command, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def ended(process: "subprocess.Popen[bytes]") -> tuple[bytes, str]:
    """What a run still printed after SIGTERM, and what it said."""
    process.send_signal(signal.SIGTERM)
    rest, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return rest, errors.decode()
