"""Documents of an input that continues: a folder that receives files, or standard input."""

from __future__ import annotations

import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from infostream_dedup.corpus.endings import KNOWN_ENDINGS
from infostream_dedup.errors import ConfigurationError, NoInputError

if TYPE_CHECKING:
    from infostream_dedup.corpus import BadRecords, Place, Reading
    from infostream_dedup.model import Document

    Placed = tuple[Document, Place]

__all__ = ["followed"]

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
        sources: one folder, or ``-``.
        bad: collects and counts the bad records of all files.
        reading: how files are read.
        size: maximum documents of a batch from standard input; each file of a folder is a batch.
        seconds: maximum time to wait for a batch from standard input.
        note: called once for each file of a folder that is not read.

    Yields:
        Documents with their places.

    Raises:
        ConfigurationError: there is not exactly one source.
        NoInputError: the source is not a folder.
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
    from infostream_dedup.corpus import placed_documents

    if not folder.is_dir():
        raise NoInputError(f"{folder}: not a folder; --follow waits for files in a folder, or for lines on -")
    seen: dict[str, tuple[int, int]] = {}
    done: set[str] = set()
    while not stop.is_set():
        for path in sorted(folder.iterdir()):
            if stop.is_set():
                return
            if path.name in done or path.name.startswith("."):
                continue
            if not path.name.endswith(KNOWN_ENDINGS):
                done.add(path.name)
                note(f"{path}: not read; expected a name that ends in {', '.join(KNOWN_ENDINGS)}")
                continue
            now = (path.stat().st_size, path.stat().st_mtime_ns)
            # A file that has not grown since the last check is complete; renaming it into the folder is safer still.
            if seen.get(path.name) == now:
                done.add(path.name)
                yield list(placed_documents(str(path), bad, reading))
            seen[path.name] = now
        stop.wait(_LOOK_AGAIN)


def _from_lines(
    bad: BadRecords, reading: Reading, stop: threading.Event, *, size: int, seconds: float
) -> Iterator[list[Placed]]:
    from infostream_dedup.corpus import placed_documents

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
