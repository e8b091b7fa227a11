"""Choose where machine code is kept on disk: only in folders that nobody else can write, because it is executed."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import CodeType
from typing import Any

from infostream_dedup.machine.private_files import is_private, make_private_folder

__all__ = ["folder_of", "has_lasting_folder", "index_name", "is_lasting", "may_be_on_disk"]


def may_be_on_disk(function: Callable[..., Any]) -> bool:
    """Whether there is a file with machine code of a function, possibly of an older version; does not need numba."""
    code: CodeType = function.__code__
    if not has_lasting_folder(code.co_filename):
        return False
    folder = folder_of(code.co_filename)
    return folder is not None and (Path(folder) / index_name(function)).exists()


def index_name(function: Callable[..., Any]) -> str:
    """Return the name of numba's index of a function's machine code."""
    code: CodeType = function.__code__
    name = f"{Path(code.co_filename).stem}.{function.__qualname__}".replace("<", "").replace(">", "")
    version = f"py{sys.version_info[0]}{sys.version_info[1]}{getattr(sys, 'abiflags', '')}"
    return f"{name}-{code.co_firstlineno}.{version}.nbi"


def _lasting_folders(source: str) -> Iterator[Path]:
    """List where machine code may be kept: the user's choice, next to the source, the user's cache."""
    path = Path(source).resolve()
    name = _name_of(path)
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"]) / name
    yield path.parent / "__pycache__"
    from platformdirs import user_cache_dir

    folder = os.environ.get("INFOSTREAM_DEDUP_CACHE") or user_cache_dir("infostream-dedup")
    yield Path(folder) / "compiled" / name


def _name_of(path: Path) -> str:
    return f"{path.parent.name}-{blake2b(str(path.parent).encode(), digest_size=10).hexdigest()}"


@cache
def folder_of(source: str) -> str | None:
    """Return the first folder that this user and nobody else can write; ``None`` if there is none.

    The last choice is a new temporary folder, which is removed when the process ends.
    """
    return _first_usable(_lasting_folders(source)) or _temporary_folder(source)


def has_lasting_folder(source: str) -> bool:
    """Whether the machine code of a source file outlives the process."""
    folder = folder_of(source)
    return folder is not None and is_lasting(folder)


def is_lasting(folder: str) -> bool:
    """Whether some folder, other than the temporary one, outlives the process."""
    return not any(made in Path(folder).parents for made in _made)


def _first_usable(folders: Iterator[Path]) -> str | None:
    for folder in folders:
        try:
            make_private_folder(folder)
        except OSError:
            continue
        if is_private(folder) and os.access(folder, os.W_OK | os.X_OK):
            return str(folder)
    return None


_made: list[Path] = []


def _temporary_folder(source: str) -> str | None:
    """Create a folder with mode 0700 and an unpredictable name, one for all sources of a process."""
    if not _made:
        try:
            made = Path(tempfile.mkdtemp(prefix="infostream-dedup-"))
        except OSError:
            return None
        if not is_private(made):
            return None
        _made.append(made)
        process = os.getpid()
        atexit.register(lambda: shutil.rmtree(made, ignore_errors=True) if os.getpid() == process else None)
    folder = _made[0] / _name_of(Path(source).resolve())
    folder.mkdir(mode=0o700, exist_ok=True)
    return str(folder)
