"""Starts and ends the process of a job, and the lock that this process holds."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Final

from infostream_dedup.errors import CannotCreateError, InfostreamError, StoreBusyError
from infostream_dedup.judgements import Desk
from infostream_dedup.judgements.desk import end_job, end_orphans, is_job_open
from infostream_dedup.machine.platform import inherited, lock_file, python_command, python_environment


class JobLock:
    """Lock of one job. Any process that inherits ``descriptors`` holds it too, until it ends."""

    def __init__(self, descriptors: tuple[int, ...]) -> None:
        # Empty where files cannot be locked: there every service gets the lock.
        self.descriptors = descriptors

    @classmethod
    def take(cls, desk: Path) -> JobLock | None:
        """Take the lock that belongs to a desk; ``None`` if the process of a job holds it, or a service for one."""
        path = desk.with_name(f"{desk.name}.job")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
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


_GRACE_SECONDS: Final = 5.0
_PAUSE: Final = 0.05
_AGAIN_SECONDS: Final = 2.0


class JobRunner:
    """Runs one job at a time in a separate process of low priority, so that batches and readers do not wait."""

    def __init__(self, store: Path, desk: Path) -> None:
        self._store, self._desk = store, desk
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: threading.Thread | None = None
        self._number = 0
        self._closing = threading.Event()

    def begin(self) -> None:
        """End jobs that an earlier service left running. A job whose process still runs is another service's."""
        if not self._desk.exists():
            return
        try:
            lock = JobLock.take(self._desk)
        except CannotCreateError:
            # Where nobody can write, such as on a mounted backup, no job is left.
            return
        if lock is not None:
            self._end_orphans(lock)
            lock.release()

    def claim(self) -> JobLock:
        """Take the lock for a new job, and end jobs that nobody runs any more. This may wait: call it in a thread."""
        until = time.monotonic() + _GRACE_SECONDS
        while (lock := JobLock.take(self._desk)) is None:
            with Desk.open(self._desk) as desk, desk.reading() as connection:
                if is_job_open(connection) or time.monotonic() > until:
                    raise StoreBusyError("another job is running; wait for it, or stop it")
            # The process of a job that has reported its result is about to release the lock.
            time.sleep(_PAUSE)
        if lock.descriptors and self._desk.exists():
            self._end_orphans(lock)
        return lock

    def _end_orphans(self, lock: JobLock) -> None:
        try:
            with Desk.open(self._desk) as desk, desk.writing() as connection:
                end_orphans(connection)
        except BaseException:
            lock.release()
            raise

    def run(self, number: int, lock: JobLock) -> None:
        """Start the process of a job on the desk, and hand it the lock."""
        arguments = self._store, self._desk, number, *inherited(lock.descriptors)
        self._number = number
        self._process = subprocess.Popen(  # noqa: S603 - our own module and paths
            python_command("infostream_dedup.service.job_process", *arguments),
            env=python_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=inherited(lock.descriptors),
        )
        lock.release()
        self._watch = threading.Thread(target=self._wait, args=(self._process, number), daemon=True)
        self._watch.start()

    def stop(self, number: int) -> None:
        """End the process of a job if it does not soon stop by itself."""
        process = self._process
        if process is not None and self._number == number:
            threading.Timer(_GRACE_SECONDS, _terminate, args=(process,)).start()

    def close(self) -> None:
        """End the running process."""
        self._closing.set()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
        if self._watch is not None:
            self._watch.join()

    def _wait(self, process: subprocess.Popen[bytes], number: int) -> None:
        code = process.wait()
        message = None if code < 0 else f"exit code {code}; the log of the service says why"
        while True:
            try:
                with Desk.open(self._desk) as desk, desk.writing() as connection:
                    # This has no effect on a job that ended by itself.
                    end_job(connection, number, "stopped" if code < 0 else "failed", message=message)
                return
            except InfostreamError:
                # Such as a full disk, which may have ended the job as well. The next start ends what is still open.
                if self._closing.wait(_AGAIN_SECONDS):
                    return


def _terminate(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
