"""Files and folders that only their owner can write."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_ROOT: Final = 0


def owner_alone_writes(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user or to root and nobody else may write it.

    Always true on systems without owners of files.
    """
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid in (_ROOT, os.getuid()) and not status.st_mode & _OTHERS_WRITE


def is_private(path: Path) -> bool:
    """``owner_alone_writes`` for a path; false if it does not exist."""
    try:
        return owner_alone_writes(path.stat())
    except OSError:
        return False


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents, each with mode 0700; an existing one stays unchanged."""
    for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")


def make_private_file(path: Path) -> None:
    """Create an empty file that only its owner can read and write; an existing one stays unchanged."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
