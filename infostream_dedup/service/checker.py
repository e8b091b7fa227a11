"""Asks a separate process which verdicts documents would get if they arrived now."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import orjson

from infostream_dedup.errors import BadDataError
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.stream.deduplicator import OnConflict

__all__ = ["Checker"]

_SECONDS: Final = 60.0
_IDLE_SECONDS: Final = 600.0


class Checker:
    """Starts the process at the first question, and ends it after ten minutes without one.

    The process holds a second copy of the window in memory.

    Args:
        store: the store that documents are checked against.
        most: maximum number of pending questions.
    """

    def __init__(self, store: Path, most: int) -> None:
        self._store, self._most = store, most
        self._waiting = 0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="check")
        self._process: subprocess.Popen[bytes] | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def verdicts(self, documents: Sequence[Any], on_conflict: OnConflict) -> list[dict[str, Any]]:
        """Return the verdicts that the documents would get now, in their order.

        Args:
            documents: as received.
            on_conflict: see ``Deduplicator``.

        Raises:
            BadDataError: a document's id exists with different content.
            ProblemError: ``too-slow``: the window is still being restored, try again; ``queue-full``: too many
                questions are pending.
        """
        if self._waiting > self._most:
            raise ProblemError(503, "queue-full", retry_after=10, limit=self._most)
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._pool.submit, self._end)
        # An abandoned question still counts as pending, because the process will answer it.
        self._waiting += 1
        asked = asyncio.wrap_future(
            self._pool.submit(self._ask, {"on_conflict": on_conflict, "documents": list(documents)})
        )
        asked.add_done_callback(self._answered)
        try:
            answer = await asyncio.wait_for(asyncio.shield(asked), _SECONDS)
        except TimeoutError:
            raise ProblemError(503, "too-slow", retry_after=30) from None
        if "verdicts" in answer:
            found: list[dict[str, Any]] = answer["verdicts"]
            return found
        if "code" not in answer:
            raise ProblemError(503, "starting", answer["message"], retry_after=5)
        raise BadDataError(
            answer["message"], code=answer["code"], source="<batch>", line=answer["line"], field=answer["field"]
        )

    def close(self) -> None:
        """End the process."""
        process = self._process
        if process is not None:
            process.terminate()
        self._pool.submit(self._end)
        self._pool.shutdown(wait=True)

    def _answered(self, _: object) -> None:
        self._waiting -= 1

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(  # noqa: S603 - our own module and path
                [sys.executable, "-m", "infostream_dedup.service.check_process", str(self._store)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 - it is a pipe
        assert stdout is not None  # noqa: S101 - it is a pipe
        try:
            stdin.write(orjson.dumps(question) + b"\n")
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            self._end()
            return {"message": "the checking process has ended; try again"}
        answer: dict[str, Any] = orjson.loads(line)
        return answer

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait()
