"""Passes batches to a stream and reports a bad document with its place in the input."""

from __future__ import annotations

import queue
import signal
import stat
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from infostream_dedup.documents import Annotation, BadRecords, Place, Reading, json_bytes, row_of
from infostream_dedup.documents.block_reading import Placed, PlacedBatch, block_of_placed, placed_documents
from infostream_dedup.documents.lines import KNOWN_ENDINGS
from infostream_dedup.errors import BadDataError, CannotWriteError, ConfigurationError, NoInputError
from infostream_dedup.language.text.surface_pool import block_of
from infostream_dedup.machine.files import make_private_file
from infostream_dedup.machine.sqlite_cache import checksum_of
from infostream_dedup.model import Document, DocumentBlock
from infostream_dedup.model.stream_records import Verdict
from infostream_dedup.stream.preparation import batch_hash, content_hashes

if TYPE_CHECKING:
    from infostream_dedup.judging.passages.boilerplate import Boilerplate
    from infostream_dedup.stream.deduplicator import Deduplicator


# Skips files of a folder whose verdicts earlier runs have reported


def unreported(batches: Iterable[PlacedBatch], intake: Intake, note: Callable[[str], None]) -> Iterator[PlacedBatch]:
    """Leave out batches whose verdicts earlier runs have reported, and the reported beginning of a file that grew."""
    # A batch counts as reported when the next one is requested; a file next to the store, the mark, records this. If it
    # is missing (the run was killed), the store's last batch may not have been reported in full, so it is repeated.
    path = getattr(intake.stream.store, "path", None)
    last, mark = intake.last_batch(), None if path is None else path.with_name(f"{path.name}.reported")
    reported_below = 0
    if last is not None:
        reported_below = last.end if mark is not None and read_mark(mark, note) == last.name else last.begin
    noted = False
    for batch in batches:
        block = block_of_placed(batch)
        rest = block.part(_reported(block, intake, reported_below), len(block))
        if len(rest) < len(batch) and not noted:
            note("continuing: skipping documents that earlier runs have reported")
            noted = True
        if rest or not batch:
            yield rest
            last = intake.last_batch()
            if last is not None and mark is not None:
                write_mark(mark, last.name)


def _reported(batch: DocumentBlock, intake: Intake, reported_below: int) -> int:
    ordinals = intake.ordinals_of(batch)
    return sum(1 for _ in takewhile(lambda ordinal: ordinal is not None and ordinal < reported_below, ordinals))


def read_mark(mark: Path, note: Callable[[str], None]) -> str | None:
    """Read the batch that a mark names; ``None`` if there is no mark."""
    try:
        batch, _, checksum = mark.read_bytes().decode("utf-8").removesuffix("\n").rpartition("\n")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        batch = checksum = ""
    if checksum != _checksum(batch):
        note(f"{mark}: damaged; the verdicts of the last batch are printed again")
        return None
    return batch


def write_mark(mark: Path, batch: str) -> None:
    """Replace a mark in one step."""
    part = mark.with_name(f"{mark.name}.part")
    try:
        part.unlink(missing_ok=True)
        make_private_file(part)
        part.write_bytes(f"{batch}\n{_checksum(batch)}\n".encode())
        part.replace(mark)
    except OSError as error:
        raise CannotWriteError(f"{mark}: cannot be written: {error.strerror}") from error


def _checksum(batch: str) -> str:
    return f"{checksum_of(batch):08x}"


# Documents of an input that continues: a folder that receives files, or standard input

_LOOK_AGAIN: Final = 0.2  # seconds between two checks for new files or a signal


def followed(
    sources: Sequence[str],
    bad: BadRecords,
    reading: Reading,
    *,
    size: int,
    seconds: float,
    note: Callable[[str], None] = lambda _: None,
) -> Iterator[PlacedBatch]:
    """Yield batches of a continuing input until SIGTERM or SIGINT; documents read by then are still yielded."""
    if len(sources) != 1:
        raise ConfigurationError(f"--follow takes one folder or -, not {len(sources)} sources")
    with stopping() as stop:
        if sources[0] == "-":
            yield from _from_lines(bad, reading, stop, size=size, seconds=seconds)
        else:
            yield from _from_folder(Path(sources[0]), bad, reading, stop, note)


@contextmanager
def stopping() -> Iterator[threading.Event]:
    """Yield an event that is set when the process is asked to end."""
    stop = threading.Event()
    # Only the main thread may handle signals.
    ours = (signal.SIGTERM, signal.SIGINT) if threading.current_thread() is threading.main_thread() else ()
    # Set in another thread: this one may hold the lock of ``wait``.
    before = {number: signal.signal(number, lambda *_: start_new_thread(stop.set, ())) for number in ours}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _from_folder(
    folder: Path, bad: BadRecords, reading: Reading, stop: threading.Event, note: Callable[[str], None]
) -> Iterator[PlacedBatch]:
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
    mode: int
    inode: int
    size: int
    changed: int


@dataclass(frozen=True, slots=True)
class _Read:
    state: _State
    documents: int
    digest: bytes

    def left_out(self, found: list[Placed]) -> list[Placed]:
        """Leave out the documents at the beginning of a changed file if they are those that were read before."""
        return found[self.documents :] if _digest(found[: self.documents]) == self.digest else found


def _state_of(path: Path) -> _State | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return _State(stat.S_IFMT(found.st_mode), found.st_ino, found.st_size, found.st_mtime_ns)


def _unreadable(path: Path, state: _State) -> str:
    if not path.name.endswith(KNOWN_ENDINGS):
        return f"expected a name that ends in {', '.join(KNOWN_ENDINGS)}"
    return "" if stat.S_ISREG(state.mode) else "expected a regular file"


def _unless_removed(path: Path, documents: Iterator[Placed]) -> Iterator[Placed]:
    try:
        yield from documents
    except NoInputError:
        if path.exists():
            raise


def _digest(documents: Sequence[Placed]) -> bytes:
    return batch_hash(content_hashes(block_of_placed(documents)))


def _from_lines(
    bad: BadRecords, reading: Reading, stop: threading.Event, *, size: int, seconds: float
) -> Iterator[PlacedBatch]:
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


_CONFLICT: Final = "E_ID_CONFLICT"


class LastBatch(NamedTuple):
    """A batch of a store."""

    name: str  # its id
    begin: int  # ordinal of its first document
    end: int  # ordinal after its last document


@dataclass(frozen=True, slots=True)
class Intake:
    """Passes batches to a stream."""

    stream: Deduplicator  # judges the documents
    bad: BadRecords  # takes documents whose id is known with other content
    listed: Boilerplate | None = None  # sentences to leave out of the comparison, if any
    columns: Annotation | None = None  # columns that will be added to the documents, if any
    on_conflict: str = "item"  # as for the stream: whether an id may recur with other content

    def take(
        self, batch: PlacedBatch, batch_id: str | None, following: PlacedBatch = ()
    ) -> tuple[Sequence[Document], list[Verdict]]:
        """Let the stream judge a batch; ``following``: the next one, if it has been read."""
        block = block_of_placed(batch)
        documents: Sequence[Document] = block
        compared = self._compared(block)
        refused = sorted(self._refused(compared)) if self.bad.skips and self.on_conflict != "version" else ()
        if refused:
            for number in refused:
                self._set_aside(block[number], block.place(number))
            documents, compared = (
                [one for n, one in enumerate(own) if n not in refused] for own in (documents, compared)
            )
        if self.columns is not None:
            documents = list(self.columns.checked(documents))
        try:
            coming = block_of_placed(following) if self.listed is None else ()
            return documents, self.stream.process(compared, batch_id=batch_id, following=coming)
        except BadDataError as error:
            if error.code == _CONFLICT and error.line is not None and not self.bad.skips:
                raise _conflict(block.ids[error.line - 1], block.place(error.line - 1)) from error
            raise

    def taken(
        self, batches: Iterable[PlacedBatch], batch_id: str | None, *, ahead: bool = False
    ) -> Generator[tuple[Sequence[Document], list[Verdict]]]:
        """Let the stream judge batch by batch, the first by its id; ``ahead``: the next one is read before."""
        for number, (batch, following) in enumerate(_with_next(batches, ahead=ahead), start=1):
            yield self.take(batch, batch_id if batch_id is None or number == 1 else f"{batch_id}#{number}", following)

    def last_batch(self) -> LastBatch | None:
        """The last batch of the store that brought documents; ``None`` if there is none, and for a stream in memory."""
        from infostream_dedup.stream.store import Store

        store = self.stream.store
        if not isinstance(store, Store):
            return None
        with store.reading() as connection:
            row = connection.execute(
                "SELECT batch_id, first_ordinal, first_ordinal + documents FROM batch WHERE documents > 0"
                " ORDER BY sequence DESC LIMIT 1"
            ).fetchone()
        return None if row is None else LastBatch(*row)

    def ordinals_of(self, documents: Sequence[Document]) -> Iterator[int | None]:
        """Ordinal of each document that is already in the stream with the same content; ``None`` for a new one."""
        compared = block_of(self._compared(documents))
        known = self.stream.store.known_of(list(dict.fromkeys(compared.ids)))
        for name, content in zip(compared.ids, content_hashes(compared), strict=True):
            yield next((one.ordinal for one in known.get(name, ()) if one.content_hash == content), None)

    def _compared(self, documents: Sequence[Document]) -> Sequence[Document]:
        return documents if self.listed is None else list(self.listed.left_out(documents))

    def _refused(self, documents: Sequence[Document]) -> Iterator[int]:
        from infostream_dedup.stream.deduplicator import takes_versions

        block = block_of(documents)
        stored = self.stream.store.known_of(list(dict.fromkeys(block.ids)))
        contents = {name: {one.content_hash for one in versions} for name, versions in stored.items()}
        for number, (name, content) in enumerate(zip(block.ids, content_hashes(block), strict=True)):
            known = contents.setdefault(name, set())
            if known and content not in known and not takes_versions(block[number], self.on_conflict):
                yield number
            else:
                known.add(content)

    def conflicts(self, batch: Sequence[Placed]) -> Iterator[tuple[int, BadDataError]]:
        """Positions of documents whose id is already in the stream with other content, each with its error."""
        if self.on_conflict != "version":
            for number in self._refused(self._compared([document for document, _ in batch])):
                document, place = batch[number]
                yield number, _conflict(document.id, place)

    def _set_aside(self, document: Document, place: Place) -> None:
        self.bad.report.take_back(place.source)
        error = _conflict(document.id, place)
        # Rows of tables have no bytes of their own.
        error.raw = error.raw or json_bytes(row_of(document))
        self.bad.add(error)


def _with_next(batches: Iterable[PlacedBatch], *, ahead: bool) -> Iterator[tuple[DocumentBlock, PlacedBatch]]:
    """Yield batches, each with the one after it if that is read ahead; an error comes in the place of its batch."""
    coming = map(block_of_placed, batches)
    if not ahead:
        yield from ((batch, ()) for batch in coming)
        return
    batch = next(coming, None)
    while batch is not None:
        failed, following = None, None
        try:
            following = next(coming, None)
        except Exception as error:
            failed = error
        yield batch, following or ()
        if failed is not None:
            raise failed
        batch = following


def _conflict(name: str, place: Place) -> BadDataError:
    return place.error(
        _CONFLICT,
        f"{name!r} already exists with different content; give each document its own id, or accept further versions "
        "(--on-conflict version)",
        "id",
    )
