"""What other systems lack or do differently, taken away or put in its place."""

import ast
import ctypes
import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from infostream_dedup.machine import platform
from infostream_dedup.machine.files import held_part, remove_stale_parts
from infostream_dedup.sample import documents_path
from infostream_dedup.stream.store.connection import connect

ROOT = Path(__file__).parents[2]
# Windows as far as Linux can play it: modules, functions, signals and /proc are missing.
TAKEN = """
import os, pathlib, shutil, signal, sys, uuid
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("fork", "fchmod", "posix_fallocate", "O_CLOEXEC", "register_at_fork", "sched_getaffinity", "nice",
             "sysconf"):
    delattr(os, name)
for name in ("SIGALRM", "setitimer", "ITIMER_REAL", "SIGKILL", "SIGHUP"):
    delattr(signal, name)
from infostream_dedup.machine import platform
platform._PROC = pathlib.Path("/nonexistent")
"""


def run(folder: Path, *words: str, taken: bool) -> bytes:
    code = (TAKEN if taken else "") + "from infostream_dedup.__main__ import main; main()"
    settings = {"PYTHONPATH": str(ROOT)}
    told = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, env=os.environ | settings, capture_output=True
    )
    assert told.returncode == 0, (words, told.stderr.decode())
    return told.stdout


@pytest.mark.slow
def test_commands_give_the_same_bytes_where_nothing_of_unix_is_there(tmp_path):
    lines = documents_path().read_bytes().splitlines(keepends=True)
    first = json.loads(lines[0])["id"]
    commands = [
        ["dedup", "news.jsonl", "--out", "-"], ["ingest", "news.jsonl", "--store", "news.db"],
        ["ingest", "more.jsonl", "--store", "news.db"], ["search", "--store", "news.db", "--id", first],
        ["store", "backup", "news.db", "copy.db"], ["store", "verify", "copy.db"],
        ["sweep", "news.jsonl", "--workdir", "work", "--format", "json"],
    ]  # fmt: skip
    printed: dict[bool, list[bytes]] = {}
    for taken in (False, True):
        folder = tmp_path / str(taken)
        folder.mkdir()
        (folder / "news.jsonl").write_bytes(b"".join(lines[:40]))
        (folder / "more.jsonl").write_bytes(b"".join(lines[40:60]))
        printed[taken] = [run(folder, *words, taken=taken) for words in commands]
    assert printed[True] == printed[False]
    assert printed[True][1]


@pytest.mark.slow
def test_a_check_without_a_copy_of_the_process_foretells_the_same(tmp_path):
    lines = documents_path().read_bytes().splitlines(keepends=True)
    (tmp_path / "news.jsonl").write_bytes(b"".join(lines[:60]))
    run(tmp_path, "ingest", "news.jsonl", "--store", "news.db", taken=False)
    rows = [json.loads(line) for line in lines[60:90]]
    asked = json.dumps({"documents": rows, "on_conflict": "error"}) + "\n"
    answers = []
    for taken in (TAKEN, ""):
        start = "from pathlib import Path\nfrom infostream_dedup.service.checker import main\nmain(Path('news.db'))"
        command = [sys.executable, "-c", f"{taken}\n{start}"]
        told = subprocess.run(
            command, cwd=tmp_path, input=2 * asked.encode(), capture_output=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert told.returncode == 0, told.stderr.decode()
        answers.append([json.loads(line) for line in told.stdout.splitlines()])
    assert answers[0] == answers[1]
    assert answers[0][0] == answers[0][1]
    assert len(answers[0][0]["verdicts"]) == 30


def test_no_other_file_asks_for_the_system():
    modules = {"fcntl", "msvcrt", "resource", "pwd", "termios"}
    names = {"posix_fallocate", "SIGALRM", "setitimer", "sched_getaffinity", "sysconf", "getuid", "nice", "fsync",
             "O_CLOEXEC", "add_signal_handler", "kill", "NamedTemporaryFile", "malloc_trim", "WinDLL"}  # fmt: skip
    found = set()
    for path in (ROOT / "infostream_dedup").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute):
                found |= {(path.name, node.attr)} if node.attr in names else set()
            elif isinstance(node, ast.Import):
                found |= {(path.name, one.name) for one in node.names if one.name in modules}
            elif isinstance(node, ast.Constant) and str(node.value).startswith("/proc"):
                found.add((path.name, "/proc"))
    assert len(found) > 9
    assert {name for name, _ in found} == {"platform.py"}


class _Ranges:
    """The locking of Windows: a byte belongs to one open file, and may be behind the end."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self.held: dict[tuple[int, int], int] = {}

    def locking(self, descriptor: int, mode: int, size: int) -> None:
        assert (mode, size) == (2, 1)
        place = (os.fstat(descriptor).st_ino, os.lseek(descriptor, 0, os.SEEK_CUR))
        if self.held.setdefault(place, descriptor) != descriptor:
            raise OSError(errno.EACCES, "locked")


def test_a_byte_is_locked_where_files_cannot_be(tmp_path, monkeypatch):
    ranges = _Ranges()
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", ranges)
    (tmp_path / "one").write_bytes(b"text")
    with (tmp_path / "one").open("r+b") as one, (tmp_path / "one").open("r+b") as other:
        one.seek(2)
        assert platform.lock_file(one.fileno()) is True
        assert one.read() == b"xt"
        assert platform.lock_file(other.fileno()) is False
        ending = threading.Timer(0.1, ranges.held.clear)
        ending.start()
        assert platform.lock_file(other.fileno(), wait=True) is True
        ending.join()
    assert (tmp_path / "one").read_bytes() == b"text"
    monkeypatch.setitem(sys.modules, "msvcrt", None)
    with (tmp_path / "one").open("rb") as one:
        assert platform.lock_file(one.fileno()) is None


class _Kernel:
    """Functions of Windows that know this process, one that has ended, and one that belongs to somebody else."""

    def __init__(self) -> None:
        self.closed = self.error = 0

        class OpenProcess:
            restype: type | None = None

            def __call__(_, right: int, inherit: bool, number: int) -> int | None:  # noqa: N805
                self.error = {os.getpid(): 0, 99: 1, 4: 5}.get(number, 87)
                return 77 if self.error <= 1 else None

        self.OpenProcess = OpenProcess()

    def WaitForSingleObject(self, handle, milliseconds) -> int:  # noqa: N802 - its name
        return 258 if self.error == 0 else 0

    def CloseHandle(self, handle) -> None:  # noqa: N802 - its name
        self.closed += 1


@pytest.fixture
def windows(monkeypatch) -> _Kernel:
    kernel = _Kernel()
    library = SimpleNamespace(c_void_p=ctypes.c_void_p, get_last_error=lambda: kernel.error)
    monkeypatch.setattr(platform, "WINDOWS", True)
    monkeypatch.setattr(platform, "_windows", lambda: (library, kernel))
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("sends Ctrl-C on Windows"))
    return kernel


def test_processes_are_looked_up_without_a_signal(windows):
    assert platform.process_lives(os.getpid())
    assert platform.process_lives(4)  # denied: it is somebody's
    assert not platform.process_lives(99)  # ended, but somebody still asks for its exit code
    assert not platform.process_lives(12345)
    assert not platform.process_lives(2**40)
    assert windows.closed == 2


def test_unfinished_files_of_windows(windows, tmp_path):
    (tmp_path / ".infostream-dedup-12345-1.part").write_bytes(b"stale")
    with held_part(tmp_path) as part:
        opened = {os.path.realpath(one) for one in Path("/proc/self/fd").iterdir()}
        assert str(part) not in opened, "an open file cannot be renamed there"
        assert remove_stale_parts(tmp_path) == 1
        part.replace(tmp_path / "done")
    assert [one.name for one in tmp_path.iterdir()] == ["done"]
    platform.sync_path(tmp_path)
    platform.sync_path(tmp_path / "done")


def test_what_is_written_passes_the_cache_of_the_drive(tmp_path, monkeypatch):
    asked, refused = [], []
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(os, "fsync", refused.append)
    monkeypatch.setattr(fcntl, "fcntl", lambda descriptor, command: asked.append(command))
    platform.sync_path(tmp_path)
    assert (asked, refused) == ([51], [])

    def fail(descriptor: int, command: int) -> None:
        raise OSError(errno.ENOTSUP, "not supported")

    monkeypatch.setattr(fcntl, "fcntl", fail)
    platform.sync_path(tmp_path)
    assert len(refused) == 1
    with_pragmas = connect(tmp_path / "store.db", mode="rwc", busy_seconds=1)
    told = [with_pragmas.execute(f"PRAGMA {name}").fetchone()[0] for name in ("fullfsync", "checkpoint_fullfsync")]
    with_pragmas.close()
    assert told == [1, 1]


def test_the_file_behind_an_output(tmp_path, monkeypatch):
    path = tmp_path / "verdicts.jsonl"
    with path.open("wb") as file:
        assert platform.path_of(file.fileno()).samefile(path)
        monkeypatch.setattr(platform, "_PROC", tmp_path / "missing")
        assert platform.path_of(file.fileno()) is None
        monkeypatch.setattr(fcntl, "F_GETPATH", 50, raising=False)
        monkeypatch.setattr(fcntl, "fcntl", lambda *_: os.fsencode(path).ljust(1024, b"\0"))
        assert platform.path_of(file.fileno()) == path


VM_STAT = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                                3410.
Pages active:                            246143.
Pages inactive:                          244250.
Pages speculative:                          983.
Pages throttled:                              0.
Pages wired down:                         98311.
Pages purgeable:                           2711.
"Translation faults":                 118293104.
"""


def test_free_memory_of_macos():
    assert platform.free_of(VM_STAT) == 16384 * (3410 + 244250 + 983)
    with pytest.raises(TypeError):
        platform.free_of("Mach")


def test_memory_without_proc(monkeypatch, tmp_path):
    monkeypatch.setattr(platform, "_PROC", tmp_path)
    assert platform.free_memory() == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    monkeypatch.delattr(os, "sysconf")
    assert platform.free_memory() is None
    monkeypatch.setitem(sys.modules, "resource", None)
    seconds, peak = platform.used_resources()
    assert seconds > 0
    assert peak is None


def test_flags_of_a_processor_without_proc(monkeypatch, tmp_path):
    known = platform.processor_flags()
    monkeypatch.setattr(platform, "_PROC", tmp_path)
    levels = {"avx2", "fma", "bmi2", "avx512bw", "avx512vl", "avx512dq", "avx512_vpopcntdq"}
    assert platform.processor_flags() & levels in (known & levels, known & levels - {"bmi2"}), (
        "older numpy knows no bmi2"
    )


def test_a_signal_is_repeated_without_an_alarm(monkeypatch):
    came = []
    monkeypatch.delattr(signal, "setitimer")
    before = signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    try:
        platform.signal_later(signal.SIGTERM, 0.05)
        assert came == []
        deadline = time.monotonic() + 10
        while not came and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert came == [signal.SIGTERM]


def test_a_loop_without_signal_handlers_is_ended(monkeypatch):
    calls = []

    class Loop:
        def add_signal_handler(self, *_: object) -> None:
            raise NotImplementedError

        def call_soon_threadsafe(self, function) -> None:
            function()

    before = [(number, signal.getsignal(number)) for number in (signal.SIGTERM, signal.SIGINT)]
    try:
        platform.on_requests_to_end(Loop(), lambda: calls.append(1))
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    assert calls == [1, 1]
