"""Runs the command line as a user does: in a process of its own."""

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from infostream_dedup import Deduplicator, read_documents
from infostream_dedup.sample import documents_path

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def run(tmp_path: Path, run_command: Run) -> Run:
    """``run("sweep", "a.jsonl", stdin=b"", TZ="...")`` in the test's folder; see ``run_command``."""
    return partial(run_command, tmp_path)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the sample, which no test changes."""
    path = tmp_path_factory.mktemp("store") / "s.db"
    with Deduplicator.open(path) as stream:
        stream.process(read_documents(documents_path()))
    return path
