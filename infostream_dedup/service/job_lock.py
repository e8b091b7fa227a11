"""A lock that a job's process holds while it runs, so that other services over the same store leave the job alone."""

from __future__ import annotations

import os
from pathlib import Path

from infostream_dedup.errors import CannotCreateError
from infostream_dedup.machine.file_lock import lock_file

__all__ = ["JobLock"]


class JobLock:
    """Lock of one job. Any process that inherits ``descriptors`` holds it too, until it ends.

    Attributes:
        descriptors: what a process must inherit; empty where files cannot be locked, and every service gets the lock.
    """

    def __init__(self, descriptors: tuple[int, ...]) -> None:
        self.descriptors = descriptors

    @classmethod
    def take(cls, desk: Path) -> JobLock | None:
        """Acquire the desk's job lock; ``None`` if a job or a service already holds it.

        Raises:
            CannotCreateError: its file cannot be written.
        """
        path = desk.with_name(f"{desk.name}.job")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise CannotCreateError(f"{path}: {error.strerror or error}") from error
        locked = lock_file(descriptor)
        if locked:
            return cls((descriptor,))
        os.close(descriptor)
        return cls(()) if locked is None else None

    def release(self) -> None:
        """Let go of the lock in this process."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = ()
