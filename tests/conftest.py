"""Fixtures that every test may use."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

RunIn = Callable[..., "subprocess.CompletedProcess[bytes]"]
SERVER = Path(__file__).with_name("command_server.py")
LIMIT = 900
"""Seconds that a command may take."""
CORPORA = Path(__file__).resolve().parents[2] / "shared" / "data"

# A case that first waits for the compiler says nothing about the code under test. `make test` draws the same cases
# each time; `make test-slow` draws new ones.
settings.register_profile("same cases", deadline=None, derandomize=True)
settings.register_profile("new cases", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same cases"))


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Folder of the real labelled corpora; the test is skipped where they do not lie beside the project."""
    if not CORPORA.is_dir():
        pytest.skip(f"the labelled corpora are not here ({CORPORA})")
    return CORPORA


@pytest.fixture(scope="session", autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests neither read nor write the form cache of the person who runs them; all workers of a run share one."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    os.environ["INFOSTREAM_DEDUP_CACHE"] = str(folder / "infostream-dedup-cache")


@pytest.fixture(scope="session")
def run_command() -> Iterator[RunIn]:
    """``run_command(folder, "sweep", "a.jsonl", stdin=b"", TZ="UTC")``: exit code, standard output, standard error.

    Runs the command line in a process of its own. It is a child of one that has loaded the package, unless an
    environment is given: then it is a new interpreter.
    """
    started: list[Commands] = []

    def start(
        folder: Path, *arguments: str, stdin: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        if not environment:
            if not started:
                started.append(Commands())
            if started[0].serves():
                return started[0].run(arguments, stdin, folder)
        return run_anew(folder, arguments, stdin, environment)

    yield start
    for one in started:
        one.close()


class Commands:
    """Runs commands in children of a process that has already loaded the package."""

    def __init__(self) -> None:
        self._environment = _environment()
        self._server = subprocess.Popen(
            [sys.executable, str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**self._environment, "PYTHONWARNINGS": "error"},
        )

    def serves(self) -> bool:
        """Whether the environment is still that of the start; a test may have changed it."""
        return self._environment == _environment()

    def run(self, arguments: tuple[str, ...], stdin: bytes, folder: Path) -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end."""
        with tempfile.TemporaryDirectory() as own:
            streams = [Path(own) / name for name in ("in", "out", "errors")]
            for path, content in zip(streams, (stdin, b"", b""), strict=True):
                path.write_bytes(content)
            umask = os.umask(0)
            os.umask(umask)
            request = {
                "arguments": [*map(os.fspath, arguments)],
                "folder": str(folder),
                "umask": umask,
                "streams": [*map(str, streams)],
            }
            code = os.waitstatus_to_exitcode(self._answer(json.dumps(request)))
            return subprocess.CompletedProcess(arguments, code, streams[1].read_bytes(), streams[2].read_bytes())

    def _answer(self, request: str) -> int:
        self._server.stdin.write(f"{request}\n".encode())
        self._server.stdin.flush()
        ready, _, _ = select.select([self._server.stdout], [], [], LIMIT)
        line = self._server.stdout.readline() if ready else b""
        if not line:
            pytest.fail("the command did not end in time" if not ready else "the server of commands has ended")
        return int(line)

    def close(self) -> None:
        """End the process."""
        self._server.stdin.close()
        self._server.stdout.close()
        try:
            self._server.wait(timeout=10)
        finally:
            self._server.kill()


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


def run_anew(
    folder: Path, arguments: tuple[str, ...], stdin: bytes, environment: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a new process."""
    return subprocess.run(
        [sys.executable, "-m", "infostream_dedup", *arguments],
        input=stdin,
        capture_output=True,
        cwd=folder,
        env={**os.environ, "PYTHONWARNINGS": "error", **environment},
        timeout=LIMIT,
        check=False,
    )
