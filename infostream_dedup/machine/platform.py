"""What Linux, macOS and Windows do differently: locks, processes, memory, durable files, signals, processors.

No other file asks for the system. What a system lacks is found missing when it is needed, so tests can take it away.
"""

from __future__ import annotations

import errno
import gc
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import asyncio


WINDOWS: bool = sys.platform == "win32"
MACOS: bool = sys.platform == "darwin"
_PROC: Path = Path("/proc")

# Locks, which end with the last process that has the file open

_LOCKED_BYTE: Final = 2**31 - 2
"""Windows keeps other processes from reading what is locked: this is behind the end of every file that we lock."""

_PAUSE: Final = 0.05


def lock_file(descriptor: int, *, wait: bool = False) -> bool | None:
    """Lock an open file; False if another holder has it, None where files cannot be locked."""
    try:
        import fcntl
    except ImportError:
        return _lock_byte(descriptor, wait=wait)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _lock_byte(descriptor: int, *, wait: bool) -> bool | None:
    try:
        system: Any = import_module("msvcrt")
    except ImportError:
        return None
    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    while True:
        try:
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            system.locking(descriptor, system.LK_NBLCK, 1)
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EDEADLK):
                return None
            if not wait:
                return False
        else:
            return True
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
        time.sleep(_PAUSE)


def can_rename_open_files() -> bool:
    """Whether a file can be renamed and removed while it is open."""
    return not WINDOWS


def has_file_modes() -> bool:
    """Whether the mode of a file says who may write it; elsewhere it is as open as its folder."""
    return not WINDOWS


# Files that survive a power cut


def sync(descriptor: int) -> None:
    """Bring what was written to the disk, not only to its cache: on macOS, ``fsync`` does not."""
    try:
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined, unused-ignore]
    except (ImportError, AttributeError, OSError):
        # OSError: a file system, for example of a network, that knows only the other way.
        os.fsync(descriptor)


def sync_path(path: Path) -> None:
    """Bring a closed file, or the names in a folder, to the disk; Windows writes names by itself."""
    if WINDOWS and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if WINDOWS else os.O_RDONLY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def reserve(descriptor: int, size: int) -> None:
    """Give a file its room now: on a full disk, writing to an array in the file would end the process."""
    allocate = getattr(os, "posix_fallocate", None)
    if sys.platform == "linux" and allocate is not None:
        allocate(descriptor, 0, size)


def path_of(descriptor: int) -> Path | None:
    """The file that a descriptor is open for; None if the system does not tell."""
    if WINDOWS:
        ctypes, kernel = _windows()
        name = ctypes.create_unicode_buffer(32768)
        handle = ctypes.c_void_p(import_module("msvcrt").get_osfhandle(descriptor))
        return Path(name.value) if kernel.GetFinalPathNameByHandleW(handle, name, len(name), 0) else None
    linked = _PROC / "self" / "fd" / str(descriptor)
    if linked.exists():
        return linked
    try:
        import fcntl

        found: bytes = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))  # type: ignore[attr-defined, unused-ignore]
    except (ImportError, AttributeError, OSError):
        return None
    return Path(os.fsdecode(found.rstrip(b"\0")))


# Processes

_MAY_WAIT: Final = 0x0010_0000
_ACCESS_DENIED: Final = 5


def process_lives(number: int) -> bool:
    """Whether a process of this machine has not ended."""
    if WINDOWS:
        # os.kill would send Ctrl-C there.
        ctypes, kernel = _windows()
        if number >= 2**32:
            return False
        kernel.OpenProcess.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(kernel.OpenProcess(_MAY_WAIT, False, number))
        if not handle:
            denied: bool = ctypes.get_last_error() == _ACCESS_DENIED
            return denied
        lives: bool = kernel.WaitForSingleObject(handle, 0) != 0
        kernel.CloseHandle(handle)
        return lives
    try:
        os.kill(number, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def is_child_of(parent: int) -> bool:
    """Whether the process that started this one has not ended; on Windows, another may stand between the two."""
    return process_lives(parent) if WINDOWS else os.getppid() == parent


def can_fork() -> bool:
    """Whether this process can be copied; on macOS the system's libraries may fail in the copy."""
    return hasattr(os, "fork") and not MACOS


def inherited(descriptors: tuple[int, ...]) -> tuple[int, ...]:
    """The open files that a started process can be given."""
    return () if WINDOWS else descriptors


def lower_priority(step: int) -> None:
    """Let other processes go first, where the system can be told."""
    if hasattr(os, "nice"):
        os.nice(step)


def processor_count() -> int:
    """Processors that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def processor_flags() -> frozenset[str]:
    """What the processor can do, in Linux's words; empty if unknown."""
    told = _PROC / "cpuinfo"
    if told.exists():
        return frozenset(told.read_text(encoding="utf-8").split())
    try:
        features = import_module("numpy._core._multiarray_umath").__cpu_features__
    except (ImportError, AttributeError):
        return frozenset()
    linux = {"FMA3": "fma", "AVX512VPOPCNTDQ": "avx512_vpopcntdq"}
    return frozenset(linux.get(name, name.lower()) for name, there in features.items() if there)


def allow_open_files(wanted: int) -> None:
    """Raise the number of files that this process may open, as far as it is allowed to."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


# Memory


def used_resources() -> tuple[float, int | None]:
    """CPU seconds of this process, and its largest memory in bytes."""
    try:
        import resource
    except ImportError:
        return time.process_time(), _windows_peak() if WINDOWS else None
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if MACOS else 1024)


def free_memory() -> int | None:
    """Bytes that processes can still get without others being swapped out; all of the machine's if unknown."""
    told = _PROC / "meminfo"
    if told.exists():
        found = re.search(r"^MemAvailable:\s*(\d+) kB", told.read_text(encoding="ascii"), re.MULTILINE)
        if found is not None:
            return int(found[1]) * 1024
    if WINDOWS:
        ctypes, kernel = _windows()
        status = (ctypes.c_uint64 * 8)(64)  # MEMORYSTATUSEX: its size, and in [2] the bytes available
        return int(status[2]) if kernel.GlobalMemoryStatusEx(status) else None
    if MACOS:
        import subprocess

        try:
            told_by = subprocess.run(["/usr/bin/vm_stat"], capture_output=True, text=True, check=True)
            return free_of(told_by.stdout)
        except (OSError, subprocess.CalledProcessError, TypeError):
            pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def free_of(vm_stat: str) -> int:
    """Free bytes by what ``vm_stat`` of macOS prints; inactive pages hold files that can be read again."""
    size = re.search(r"page size of (\d+) bytes", vm_stat)
    pages = re.findall(r"^Pages (?:free|inactive|speculative):\s+(\d+)", vm_stat, re.MULTILINE)
    if size is None or not pages:
        raise TypeError("vm_stat prints something else")
    return int(size[1]) * sum(map(int, pages))


def trim_heap() -> None:
    """Return freed memory to the system, where the C library can (glibc): after a month of texts, 1.5 GB."""
    # Arrays of up to 32 MB are allocated within the heap, which keeps what they leave behind.
    import ctypes

    trim = None if WINDOWS else getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def limit_own_memory(more: int) -> None:
    """Take at most so many bytes beyond what this process has, and leave no core; elsewhere than on Linux, no limit."""
    try:
        import resource

        used = int((_PROC / "self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return
    resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_own_seconds(more: float) -> None:
    """End this process, without a core, after so many further seconds of CPU time; on Windows, no limit."""
    try:
        import resource
    except ImportError:
        return
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    # Whole seconds, of which one may be over at once.
    end = int(used_resources()[0] + more) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (end if hard == resource.RLIM_INFINITY else min(end, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1
_LARGE: Final = 1024 * 1024


def keep_heap_small() -> None:
    """Let a process that runs for weeks give memory back at once, where the C library can (glibc).

    By default each thread has a heap of its own, and after the first large body that is freed, bodies of up to 32 MB
    come from these heaps, which small objects then keep from shrinking: the process grows with the largest requests it
    has seen, once for every thread. Pages of a large body now return when it is freed.
    """
    import ctypes

    choose = None if WINDOWS else getattr(ctypes.CDLL(None), "mallopt", None)
    if choose is not None:
        for option, value in ((_ARENA_MAX, 2), (_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, 4 * _LARGE)):
            choose(option, value)


def _windows_peak() -> int | None:
    ctypes, kernel = _windows()
    counters = (ctypes.c_size_t * 9)(72)  # PROCESS_MEMORY_COUNTERS: its size, and in [1] the largest working set
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    process = ctypes.c_void_p(kernel.GetCurrentProcess())
    return int(counters[1]) if kernel.K32GetProcessMemoryInfo(process, counters, 72) else None


def _windows() -> tuple[Any, Any]:
    """The module ctypes, and the functions of the system."""
    ctypes: Any = import_module("ctypes")
    return ctypes, ctypes.WinDLL("kernel32", use_last_error=True)


# Signals


def signal_later(number: int, seconds: float) -> None:
    """Raise a signal in this process after a while; whoever handles it by then gets it."""
    if not hasattr(signal, "setitimer"):
        timer = threading.Timer(seconds, signal.raise_signal, (number,))
        timer.daemon = True
        timer.start()
        return
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(number))
    signal.setitimer(signal.ITIMER_REAL, seconds)


def on_requests_to_end(loop: asyncio.AbstractEventLoop, end: Callable[[], None]) -> None:
    """Call a function in an event loop at SIGTERM and SIGINT."""
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, end)
        except NotImplementedError:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(end))


# Memory that this process may still use, and what it returns


_GROUP: Final = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Return the bytes free on this machine and within the limit of its container; ``None`` if unknown."""
    known = [size for size in (free_memory(), _left_in_group()) if size is not None]
    return min(known) if known else None


def _left_in_group() -> int | None:
    try:
        limit = (_GROUP / "memory.max").read_text(encoding="ascii").strip()
        used = int((_GROUP / "memory.current").read_text(encoding="ascii"))
        return None if limit == "max" else max(0, int(limit) - used)
    except (OSError, ValueError):
        return None


# Pause garbage collection


@contextmanager
def collector_paused() -> Iterator[None]:
    """Create millions of objects without searching them for cycles, which may take longer; also a decorator."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# Other Python processes of this package


_HOME: Final = str(Path(__file__).resolve().parents[2])  # the folder that the package was imported from


def this_python() -> str:
    """The interpreter that runs this process."""
    return sys.executable


def python_command(module: str, *arguments: object) -> list[str]:
    """Command line of another Python that runs a module, and never one that lies in the working folder (``-P``)."""
    return [this_python(), "-P", "-m", module, *map(str, arguments)]


def python_environment() -> dict[str, str]:
    """Environment of another Python: it imports from the folders of this one, but not from the working folder."""
    # The working folder often holds strangers' files; a ``secrets.py`` among them must not run. It stays only where the
    # package itself comes from it, as in a checkout.
    try:
        here = str(Path.cwd().resolve())
    except OSError:  # it has been deleted
        here = ""
    folders = [one for one in sys.path if one and (os.path.realpath(one) != here or here == _HOME)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "PYTHONSAFEPATH": "1"}
