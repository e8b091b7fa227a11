"""Locks on open files, which end with the last process that has the file open."""

from __future__ import annotations


def lock_file(descriptor: int) -> bool | None:
    """Lock an open file against other holders, without waiting.

    Returns:
        Whether nobody else holds the lock; ``None`` where files cannot be locked (Windows, some file systems).
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
