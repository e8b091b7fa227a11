"""Fixtures that every test may use."""

import gc
import io
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

RunIn = Callable[..., "subprocess.CompletedProcess[bytes]"]
LIMIT = 900  # seconds that a command may take
CORPORA = Path(__file__).resolve().parents[2] / "shared" / "data"

# `make test` draws the same few cases each time; `make test-all` draws many new ones.
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

SLOW = {"attack", "browser", "spark"}  # folders of tests of which each is slow


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the folders that are left to ``make test-all``, and the smoke tests as slow."""
    for item in items:
        if item.path.relative_to(Path(__file__).parent).parts[0] in SLOW or item.get_closest_marker("smoke"):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """What was collected lives as long as the session: no collection of garbage has to walk through it."""
    gc.freeze()


@pytest.fixture(scope="session")
def writer_script() -> Path:
    """The script that writes a made-up stream into a store, in a process of its own."""
    return Path(__file__).parent / "store" / "synthetic_stream.py"


@pytest.fixture(scope="session")
def synthetic() -> ModuleType:
    from tests.store import synthetic_stream

    return synthetic_stream


@pytest.fixture(scope="session")
def faults() -> Callable[[Any], list[Any]]:
    from infostream_dedup.stream.store.checking import checks

    return lambda store: [check for check in checks(store.connection) if check.faults]


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


@pytest.fixture
def run_command() -> RunIn:
    """Runs the command line in this process, or in its own if ``anew`` or with another environment."""
    begun_with = _environment()  # not that of the first test: libraries that are imported add to it

    def start(
        folder: Path, *arguments: str, stdin: bytes = b"", anew: bool = False, **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        if anew or environment or begun_with != _environment():
            return run_anew(folder, arguments, stdin, environment)
        return run_here(folder, arguments, stdin)

    return start


def run_here(folder: Path, arguments: tuple[str, ...], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run a command in this process."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        given.write(stdin)
        given.seek(0)
        code = called(folder, arguments, given.fileno(), out.fileno(), errors.fileno())
        out.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read(), errors.read())


def called(folder: Path, arguments: Sequence[str], *descriptors: int) -> object:
    """Run a command here with these standard streams; give its exit code, put back what it changes in the process."""
    from infostream_dedup.cli import main

    logger = logging.getLogger("infostream_dedup")
    before = (os.environ.copy(), Path.cwd(), os.umask(0), [*logger.handlers], sys.argv)
    os.umask(before[2])
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    with _standard_streams(*descriptors):
        try:
            os.chdir(folder)
            sys.argv = ["infostream-dedup", *map(os.fspath, arguments)]
            main()
        except SystemExit as leaving:
            return leaving.code
        finally:
            sys.argv, logger.handlers[:] = before[4], before[3]
            os.umask(before[2])
            os.chdir(before[1])
            for number, handler in handlers.items():
                signal.signal(number, handler)
            if os.environ != before[0]:
                os.environ.clear()
                os.environ.update(before[0])
    return 1


@contextmanager
def _standard_streams(*descriptors: int) -> Iterator[None]:
    """Let these be standard input, output and error, for Python and for others."""
    kept = [os.dup(number) for number in range(3)]
    streams = (sys.stdin, sys.stdout, sys.stderr)
    for stream in streams[1:]:
        stream.flush()
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(
            io.FileIO(number, "w" if number else "r", closefd=False),
            "utf-8",
            write_through=number == 2,
            line_buffering=os.isatty(number),
        )
        for number in range(3)
    )
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
        sys.stdin, sys.stdout, sys.stderr = streams
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


def succeeded(answer: subprocess.CompletedProcess[bytes]) -> subprocess.CompletedProcess[bytes]:
    assert answer.returncode == 0, answer.stderr.decode()
    return answer


def failed(answer: subprocess.CompletedProcess[bytes], code: int, *said: str) -> subprocess.CompletedProcess[bytes]:
    """The answer of a command that ended with this code and said these words."""
    error = answer.stderr.decode()
    assert answer.returncode == code, error
    for words in said:
        assert words in error
    return answer


def rows_of(answer: subprocess.CompletedProcess[bytes]) -> list[Any]:
    """The JSON lines that a command printed."""
    return [json.loads(line) for line in succeeded(answer).stdout.splitlines()]


def run_anew(
    folder: Path, arguments: tuple[str, ...], stdin: bytes, environment: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "infostream_dedup", *arguments], input=stdin, capture_output=True, cwd=folder,
        env={**os.environ, "PYTHONWARNINGS": "error", **environment}, timeout=LIMIT, check=False,
    )  # fmt: skip
