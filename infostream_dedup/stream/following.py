"""Documents of an input that continues: a folder that receives files, or standard input."""

from __future__ import annotations

import queue
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from infostream_dedup.documents.endings import KNOWN_ENDINGS
from infostream_dedup.errors import ConfigurationError, NoInputError
from infostream_dedup.stream.fingerprints import batch_hash, content_hash

if TYPE_CHECKING:
    from infostream_dedup.documents import BadRecords, Place, Reading
    from infostream_dedup.model import Document

    Placed = tuple[Document, Place]


_LOOK_AGAIN: Final = 0.2
"""Seconds between two checks for new files or a signal."""


def followed(
    sources: Sequence[str],
    bad: BadRecords,
    reading: Reading,
    *,
    size: int,
    seconds: float,
    note: Callable[[str], None] = lambda _: None,
) -> Iterator[list[Placed]]:
    """Yield batches of a continuing input until SIGTERM or SIGINT; documents read by then are still yielded.

    Args:
        seconds: maximum time to wait for a batch from standard input.
    """
    if len(sources) != 1:
        raise ConfigurationError(f"--follow takes one folder or -, not {len(sources)} sources")
    with _stopping() as stop:
        if sources[0] == "-":
            yield from _from_lines(bad, reading, stop, size=size, seconds=seconds)
        else:
            yield from _from_folder(Path(sources[0]), bad, reading, stop, note)


@contextmanager
def _stopping() -> Iterator[threading.Event]:
    """Yield an event that is set when the process is asked to end."""
    stop = threading.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    for number in before:
        signal.signal(number, lambda *_: stop.set())
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _from_folder(
    folder: Path, bad: BadRecords, reading: Reading, stop: threading.Event, note: Callable[[str], None]
) -> Iterator[list[Placed]]:
    from infostream_dedup.documents import placed_documents

    if not folder.is_dir():
        raise NoInputError(f"{folder}: not a folder; --follow waits for files in a folder, or for lines on -")
    passed: set[str] = set()
    last: dict[str, _State] = {}
    read: dict[str, _Read] = {}
    while not stop.is_set():
        for path in sorted(folder.iterdir()):
            if stop.is_set():
                return
            if path.name in passed or path.name.startswith("."):
                continue
            state = _state_of(path)
            if state is None:
                continue
            if wrong := _unreadable(path, state):
                passed.add(path.name)
                note(f"{path}: not read; {wrong}")
                continue
            if not state.size:
                # Nothing has been written yet.
                continue
            before = read.get(path.name)
            # A file that has not grown since the last check is complete; renaming it into the folder is safer still.
            if last.get(path.name) == state and (before is None or before.state != state):
                found = list(_unless_removed(path, placed_documents(str(path), bad, reading)))
                read[path.name] = _Read(state, len(found), _digest(found))
                yield found if before is None else before.left_out(found)
            last[path.name] = state
        stop.wait(_LOOK_AGAIN)


@dataclass(frozen=True, slots=True)
class _State:
    """Fingerprint of a file from its directory entry; changes when the file is written or replaced."""

    mode: int
    inode: int
    size: int
    changed: int


@dataclass(frozen=True, slots=True)
class _Read:
    """What a file held when it was read."""

    state: _State
    documents: int
    digest: bytes

    def left_out(self, found: list[Placed]) -> list[Placed]:
        """Leave out the documents at the beginning of a changed file if they are those that were read before."""
        return found[self.documents :] if _digest(found[: self.documents]) == self.digest else found


def _state_of(path: Path) -> _State | None:
    """Return the state of a file; ``None`` if there is no such file (any more)."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return _State(stat.S_IFMT(found.st_mode), found.st_ino, found.st_size, found.st_mtime_ns)


def _unreadable(path: Path, state: _State) -> str:
    """Say why an entry of the folder is not read; empty if it is read."""
    if not path.name.endswith(KNOWN_ENDINGS):
        return f"expected a name that ends in {', '.join(KNOWN_ENDINGS)}"
    return "" if stat.S_ISREG(state.mode) else "expected a regular file"


def _unless_removed(path: Path, documents: Iterator[Placed]) -> Iterator[Placed]:
    """Yield the documents of a file; none if it was removed before it could be opened."""
    try:
        yield from documents
    except NoInputError:
        if path.exists():
            raise


def _digest(documents: Sequence[Placed]) -> bytes:
    return batch_hash([content_hash(document) for document, _ in documents])


def _from_lines(
    bad: BadRecords, reading: Reading, stop: threading.Event, *, size: int, seconds: float
) -> Iterator[list[Placed]]:
    from infostream_dedup.documents import placed_documents

    arrived: queue.Queue[Placed | BaseException | None] = queue.Queue(2 * size)

    def read() -> None:
        try:
            for placed in placed_documents("-", bad, reading):
                arrived.put(placed)
            arrived.put(None)
        except BaseException as error:
            arrived.put(error)

    threading.Thread(target=read, daemon=True).start()
    while True:
        batch, end = _batch(arrived, stop, size, seconds)
        if batch:
            yield batch
        if isinstance(end, BaseException):
            raise end
        if end is True:
            return


def _batch(
    arrived: queue.Queue[Placed | BaseException | None], stop: threading.Event, size: int, seconds: float
) -> tuple[list[Placed], bool | BaseException]:
    """Documents that arrived in time, and whether they are the last ones, or the error that followed them."""
    batch: list[Placed] = []
    closes: float | None = None
    while len(batch) < size:
        try:
            one = arrived.get(timeout=_LOOK_AGAIN if closes is None else max(closes - time.monotonic(), 0.001))
        except queue.Empty:
            if stop.is_set():
                return batch, True
            if closes is not None and time.monotonic() >= closes:
                break
            continue
        if one is None:
            return batch, True
        if isinstance(one, BaseException):
            return batch, one
        closes = closes or time.monotonic() + seconds
        batch.append(one)
    return batch, False
