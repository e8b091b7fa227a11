"""Which verdicts would documents get if they arrived now? A separate process answers; it stores nothing.

Deciding changes its engine, which follows the store: a fork with one thread and no open file answers each question.
Where a process cannot be copied, an engine answers one question.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import orjson

from infostream_dedup.errors import BadDataError, InfostreamError, StoreMovedError
from infostream_dedup.language.morphology.form_cache import load
from infostream_dedup.machine.platform import can_fork, python_command, python_environment
from infostream_dedup.model import OUR_LANGUAGES, Document
from infostream_dedup.model.stream_records import Batch
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.stream.deduplicator import Deduplicator, MemoryStore, OnConflict
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.connection import FilePlace, place_of
from infostream_dedup.stream.store.reader import Known
from infostream_dedup.stream.store.restoring import Loaded, Position, position_of

QUESTIONS: Final = (
    "Мэр Харькова открыл новый мост через реку. Горожане пришли посмотреть на салют.",
    "Мер Харкова відкрив новий міст через річку. Містяни прийшли подивитися на салют.",
    "The mayor opened a new bridge across the river. Thousands came to see the fireworks.",
)

_SECONDS: Final = 60.0
_IDLE_SECONDS: Final = 600.0


class Checker:
    """Starts the process at the first question, and ends it after ten minutes without one."""

    def __init__(self, store: Path, most: int) -> None:
        self._store, self._most = store, most
        self._place = FilePlace(store)
        self._waiting = 0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="check")
        self._process: subprocess.Popen[bytes] | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def verdicts(self, documents: Sequence[Any], on_conflict: OnConflict) -> list[dict[str, Any]]:
        """Return the verdicts that the documents would get now, in their order."""
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
        if self._process is None or self._process.poll() is not None or self._place.is_elsewhere():
            # Its window and settings are those of the file that the path named when it began.
            self._end()
            self._place = FilePlace(self._store)
            self._process = subprocess.Popen(  # noqa: S603 - our own module and path
                python_command("infostream_dedup.service.checker", self._store),
                env=python_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101 - it is a pipe
        assert stdout is not None  # noqa: S101 - it is a pipe
        with suppress(BrokenPipeError):  # it may have said why it ends
            stdin.write(orjson.dumps(question) + b"\n")
            stdin.flush()
        line = stdout.readline()
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
                    with suppress(BrokenPipeError):
                        pipe.close()
            process.wait()


class _NothingStored(MemoryStore):
    """A store that is only read; its file is open only during transactions, in a copy from its beginning."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._position = Position(0, 0, 0, 0)
        self._opened: Store | None = None
        self._ahead: Store | None = None

    def open_ahead(self) -> None:
        """Open the file before the question comes: opening it takes a fifth of an answer."""
        with suppress(InfostreamError):  # which the question will meet
            self._ahead = Store.open(self._path, read_only=True)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Read a single state of the store."""
        store, self._ahead = self._ahead, None
        try:
            if store is not None:
                place_of(store.connection).check()
        except StoreMovedError:
            store = None
        with store or Store.open(self._path, read_only=True) as self._opened, self._opened.reading():
            yield
        self._opened = None

    @property
    def position(self) -> Position:
        return self._position

    def changed(self) -> bool:
        return position_of(self._store.connection) != self._position

    def load(self, *, since: Position | None = None) -> Loaded | None:
        loaded = self._store.load(since=since)
        self._position = loaded.position
        return loaded

    def known_of(self, ids: Sequence[str]) -> dict[str, list[Known]]:
        return self._store.known_of(ids)

    def kept(self, ordinal: int) -> Document:
        return self._store.kept(ordinal)

    def wording(self, ordinals: Sequence[int]) -> list[bytes]:
        return self._store.wording(ordinals)

    def append(self, batch: Batch) -> None:
        """Store nothing; so repeated batches are judged document by document."""

    @property
    def _store(self) -> Store:
        if self._opened is None:
            raise RuntimeError("the store is read inside transactions only")
        return self._opened


def main(path: Path) -> None:
    """Answer questions, one JSON line each, until the input ends: an interrupt of the service ends it that way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with Store.open(path, read_only=True) as store:
        settings = StreamSettings.of(store.settings)
    kept = _NothingStored(path)
    stream = Deduplicator(kept, settings)
    if can_fork() and settings.model is None:
        # Dictionaries that a fork loads are lost with it.
        warming = [{"id": n + text, "text": text} for n in "12" for text in QUESTIONS]
        Deduplicator.open(None, settings).process(warming)
        load(OUR_LANGUAGES, cached=True)
        stream.be_ready()
        # Otherwise the collector of a fork would touch, and so copy, every object.
        gc.collect()
        gc.freeze()
    copy: _Copy | None = None
    while True:
        stream.be_ready()  # here, so that no question waits for it
        asked, copy = copy, _Copy(stream, kept, settings.verdict_fields) if can_fork() else None
        if asked is not None and not asked.has_answered():
            # It was killed; without an answer the client would wait forever.
            os.write(1, orjson.dumps({"message": "the check was killed from outside"}) + b"\n")
        line = sys.stdin.buffer.readline()
        if not line:
            return
        if copy is None:
            _answer(stream, orjson.loads(line), settings.verdict_fields)
            # This engine has taken the documents for stored.
            stream = Deduplicator(_NothingStored(path), settings)
        elif not copy.ask(line):  # It was killed while it waited.
            copy = _Copy(stream, kept, settings.verdict_fields)
            copy.ask(line)


class _Copy:
    """A copy of this process that answers one question when it comes, and ends; the next is made meanwhile."""

    def __init__(self, stream: Deduplicator, kept: _NothingStored, fields: Sequence[str]) -> None:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        (asked, self._ask), (self._told, tell) = os.pipe(), os.pipe()
        if os.fork() == 0:
            os.close(self._ask)
            kept.open_ahead()
            with open(asked, "rb") as pipe:  # noqa: PTH123 - a descriptor
                line = pipe.read()
            if line:  # or the process that copied itself has ended
                _answer(stream, orjson.loads(line), fields)
                os.write(tell, b"1")
            os._exit(0)
        os.close(asked)
        os.close(tell)

    def ask(self, line: bytes) -> bool:
        """Whether the copy was there to be asked."""
        try:
            with open(self._ask, "wb") as pipe:  # noqa: PTH123 - a descriptor
                pipe.write(line)
        except BrokenPipeError:
            os.close(self._told)
            return False
        return True

    def has_answered(self) -> bool:
        with open(self._told, "rb") as answer:  # noqa: PTH123 - a descriptor
            return bool(answer.read(1))


def _answer(stream: Deduplicator, question: dict[str, Any], fields: Sequence[str]) -> None:
    """Write an answer, whatever went wrong: a fork must not continue as a second process."""
    try:
        verdicts = stream.process(question["documents"], on_conflict=question["on_conflict"])
        answer: dict[str, Any] = {"verdicts": [verdict.as_dict(fields) for verdict in verdicts]}
    except BadDataError as error:
        answer = {"message": error.message, "code": error.code, "line": error.line, "field": error.field}
    except InfostreamError as error:
        answer = {"message": str(error)}
    except BaseException as error:
        answer = {"message": type(error).__name__}
    os.write(1, orjson.dumps(answer) + b"\n")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except InfostreamError as error:
        os.write(1, orjson.dumps({"message": str(error)}) + b"\n")
