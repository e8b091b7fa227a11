"""Read a collection into memory, or decide for a work folder on disk; rows of a result, with the reading report."""

from __future__ import annotations

import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import chain, islice
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from infostream_dedup.documents import Reading, ReadingReport, read_documents
from infostream_dedup.documents.documents import row_of
from infostream_dedup.documents.lines import STANDARD_STREAM
from infostream_dedup.documents.reading import is_read_from, paths_of
from infostream_dedup.documents.table_files import frame_columns, is_frame, loaded, python_values
from infostream_dedup.errors import InfostreamError, UsageError
from infostream_dedup.model import Document, DocumentBlock, Settings, single_documents
from infostream_dedup.model.tabular import Tabular, require_arrow

if TYPE_CHECKING:
    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.sources import Rereadable
    from infostream_dedup.runs.sharded.disk_runner import DiskRun
    from infostream_dedup.runs.sharded.plan import Plan

Row = TypeVar("Row")
_TOGETHER: Final = 256  # rows that are computed at a time, because one by one takes several times as long


class UnbrokenIterator(Iterator[Row]):
    """Computes rows; after a failure or an interruption, it does not pretend to be at its end, as a generator does."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)
        self._broken = False

    def __next__(self) -> Row:
        if self._broken:
            raise UsageError("reading these rows failed or was interrupted, so the rest is missing; repeat the call")
        try:
            return next(self._rows)
        except StopIteration:
            raise
        except BaseException:
            self._broken = True
            raise


class Listing(Tabular, Generic[Row]):
    """The rows of a result.

    Rows are computed as they are read, and kept, so that they can be read again; ``once`` reads them without keeping.

    Attributes:
        columns: names of the columns of each row, in order.
        report: what was read.
        warnings: sentences for people who use the rows.

    Example:
        >>> from infostream_dedup.documents import ReadingReport
        >>> listing = Listing([{"id": "1"}], ("id",), ReadingReport(read=1, used=1))
        >>> list(listing), listing.report.used
        ([{'id': '1'}], 1)
    """

    def __init__(
        self, rows: Iterable[Row], columns: tuple[str, ...], report: ReadingReport, *, warnings: Sequence[str] = ()
    ) -> None:
        self._rest: Iterator[Row] = UnbrokenIterator(rows)
        self._kept: list[Row] = []
        self._ended = False
        self._next: Iterator[Row] | None = None
        self._lock = RLock()  # threads may read at once
        self.columns = columns
        self.report = report
        self.warnings = tuple(warnings)

    def __iter__(self) -> Iterator[Row]:
        """All rows, from the first."""
        place = 0
        while self._has_row(place, _TOGETHER):
            some = self._kept[place:]
            yield from some
            place += len(some)

    def __next__(self) -> Row:
        with self._lock:
            if self._next is None:
                self._next = iter(self)
            return next(self._next)

    def _has_row(self, place: int, most: int = 1) -> bool:
        """Whether there is a row at a place; if none is kept yet, more are computed."""
        with self._lock:
            before = len(self._kept)
            if before <= place and not self._ended:
                self._kept.extend(islice(self._rest, most))
                self._ended = len(self._kept) < before + most
            return len(self._kept) > place

    def once(self) -> Iterator[Row]:
        """Yield the rows without keeping those that are still to be computed: the listing is then used up."""
        with self._lock:
            kept, rest, ended = self._kept, self._rest, self._ended
            self._kept, self._rest, self._ended = [], UsedUp(), False
        return chain(kept, () if ended else rest)

    def __len__(self) -> int:
        """Number of rows; all are computed."""
        return len(self.rows)

    def __bool__(self) -> bool:
        """Whether there is a row; no more than one is computed for it."""
        return self._has_row(0)

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        with self._lock:
            self._kept.extend(() if self._ended else self._rest)
            self._ended = True
            return self._kept

    def as_dicts(self) -> Iterator[dict[str, Any]]:
        """Yield the rows as plain dicts, one at a time."""
        return map(_as_dict, self)

    def as_rows(self) -> list[dict[str, Any]]:
        """Return the rows as plain dicts."""
        return [_as_dict(row) for row in self.rows]

    def __getstate__(self) -> dict[str, Any]:
        """The state for a copy or another process; all rows are computed."""
        return {**self.__dict__, "_kept": self.rows, "_rest": iter(()), "_next": None, "_lock": None}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state, _lock=RLock())

    def __repr__(self) -> str:
        # Do not compute rows only to display them.
        left = f"{len(self._kept):,} rows" if self._ended else "rows not read yet"
        return f"<{type(self).__name__}: {left}, of {', '.join(self.columns)}>"


class UsedUp(Iterator[Any]):
    """Stands for rows that were not kept."""

    def __next__(self) -> Any:
        raise UsageError("these rows were passed on by once(), which does not keep them; repeat the call")


def _as_dict(row: Any) -> dict[str, Any]:
    return dict(row) if isinstance(row, Mapping) else row.as_dict()


class LeftOutLines(NamedTuple):
    """What is left out of the texts that are compared.

    Attributes:
        listed: file of sentences that are left out; ``None`` for none.
        keep_repeated: whether lines stay that many documents repeat.
        take: receives each document without these lines, which stay.
    """

    listed: str | Path | None = None
    keep_repeated: bool = False
    take: Callable[[DocumentBlock], None] | None = None

    def left_out(self, documents: Iterable[Document | DocumentBlock]) -> Iterable[Document | DocumentBlock]:
        """Remove the listed sentences from documents; without a list, return them unchanged."""
        if self.listed is None:
            return documents
        from infostream_dedup.judging.passages.boilerplate import read_boilerplate

        return read_boilerplate(self.listed).left_out(chain.from_iterable(map(single_documents, documents)))


def read_collection(
    source: Any,
    reading: Reading,
    *,
    lines: LeftOutLines | None = None,
    evidence: EvidenceReader | None = None,
    progress: Progress | None = None,
) -> tuple[Collection, ReadingReport]:
    """Read a source as a collection without texts; by default, repeated lines are left out of evidence."""
    from infostream_dedup.runs.batch.collection import collect

    report = ReadingReport()
    hashes = evidence is not None
    documents = documents_to_collect(source, reading, report, lines=lines or LeftOutLines(keep_repeated=not hashes))
    return collect(documents, hashes=hashes, evidence=evidence, progress=progress), report


def documents_to_collect(
    source: Any, reading: Reading, report: ReadingReport, *, lines: LeftOutLines
) -> Iterator[Document | DocumentBlock]:
    """Yield what is compared of the documents of a source: in blocks, unless each has to be processed on the way."""
    from infostream_dedup.runs.batch.sources import rereadable

    with rereadable(source, reading, keep=isinstance(source, Iterator)) as documents:
        documents.report = report
        yield from compared_documents(documents, lines=lines)


def compared_documents(
    documents: Rereadable,
    *,
    lines: LeftOutLines,
    check: Callable[[Iterable[Document | DocumentBlock]], Iterable[Document | DocumentBlock]] | None = None,
) -> Iterator[Document | DocumentBlock]:
    """Yield what is compared of documents; ``check`` sees each as it was given."""
    from infostream_dedup.runs.batch.sources import without_repeated_lines

    first = lines.left_out(documents.first() if check is None else check(documents.first()))
    if lines.keep_repeated and lines.take is None:
        yield from first
        return

    def again() -> Iterable[Document | DocumentBlock]:
        return lines.left_out(documents.again_blocks())

    report = None if lines.keep_repeated else documents.report
    for whole, shortened in without_repeated_lines(first, again, report):
        if lines.take is not None:
            lines.take(shortened)
        yield whole if lines.keep_repeated else shortened


def read_list(source: Any, reading: Reading) -> tuple[list[Document], ReadingReport]:
    """Read all documents of a source, texts included, and report what was read."""
    report = ReadingReport()
    return list(read_documents(source, report=report, reading=reading)), report


def numbered_texts(source: Any) -> list[dict[str, Any]]:
    """Read texts, documents or a table with a column ``text`` as records numbered from 0; empty cells are texts too."""
    if isinstance(source, str | bytes | Mapping):
        raise UsageError(f"got one {type(source).__name__}; expected a list or column of texts")
    given = loaded(source)
    if is_frame(given):
        import pyarrow as pa

        names = frame_columns(given)
        name = "text" if len(names) > 1 else "".join(names)
        if name not in names:
            raise UsageError(f"the table has no column text; it has {', '.join(names) or 'none'}")
        given = pa.table(given).rename_columns({name: "text"}).to_pylist()
    found = [_numbered(one, number) for number, one in enumerate(given)]
    if not found:
        raise UsageError("there are no texts")
    return found


def _numbered(given: Any, number: int) -> dict[str, Any]:
    cell = given[0] if isinstance(given, list) and len(given) == 1 else given  # a row of a table of numpy
    row = row_of(cell) if isinstance(cell, Document) else cell if isinstance(cell, Mapping) else {"text": cell}
    read = python_values(row)
    text = read.get("text")
    if not isinstance(text, str) and text is not None and text == text:
        raise UsageError(f"text {number} is of type {type(text).__name__}; expected a string")
    return {**read, "id": f"{number:09}", "text": text if isinstance(text, str) else ""}


_log = logging.getLogger(__name__)
_GIGABYTE: Final = 10**9
_LARGE: Final = 5
_UNPACKED: Final = 7
"""How much larger texts are than a packed file, at most; also than a workbook or a table, which may be packed."""
_PLAIN: Final = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".txt")


class WorkPlace(NamedTuple):
    """Where a job works; fields as the keywords of ``sweep``."""

    workdir: str | Path | None = None
    memory: str | int | None = None
    window_days: float | None = None


@contextmanager
def disk_run(
    source: Any,
    reading: Reading,
    settings: Settings,
    representations: Sequence[str],
    *,
    place: WorkPlace,
    lines: LeftOutLines,
    refusal: str | None,
    hashes: bool = False,
    evidence: bool = False,
    documents: Rereadable | None = None,
    beside: Path | None = None,
    progress: Progress | None = None,
) -> Iterator[DiskRun | None]:
    """Yield a run in the work folder, which is locked while the block runs; None for work in memory."""
    with _work_folder(source, reading, place, refusal, beside) as chosen:
        if chosen is None:
            yield None
            return
        from infostream_dedup.runs.sharded.disk_runner import DiskRun, Input
        from infostream_dedup.runs.sharded.plan import Plan
        from infostream_dedup.runs.sharded.work_folder import WorkFolder

        path, memory = chosen
        plan = Plan(memory)
        _report_plan(source, reading, settings, representations, plan, path, progress, evidence=evidence)
        report = ReadingReport() if documents is None else documents.report

        def read() -> Iterable[Document | DocumentBlock]:
            if documents is None:
                return documents_to_collect(source, reading, report, lines=lines)
            return compared_documents(documents, lines=lines)

        def facts() -> dict[str, Any]:
            return {"report": asdict(report), "documents": None if documents is None else documents.mark}

        folder = WorkFolder(path)
        with folder.held():
            yield DiskRun(
                folder=folder,
                source=Input(read, _mark(source, reading, lines), facts, lambda: _checksum(reading.quarantine)),
                settings=settings,
                representations=representations,
                plan=plan,
                hashes=hashes,
                evidence=evidence,
                progress=progress,
            )


def _report_plan(
    source: Any,
    reading: Reading,
    settings: Settings,
    representations: Sequence[str],
    plan: Plan,
    folder: Path,
    progress: Progress | None,
    *,
    evidence: bool,
) -> None:
    from infostream_dedup.runs.sharded.plan import SAMPLE, documents_in, estimate

    paths = paths_of(source)
    sample = _sample(source, reading, SAMPLE)
    if not sample or not paths:
        return
    wanted = [settings.but(representation=name) for name in representations]
    found = estimate(sample, documents_in(paths, sample), wanted, plan, folder, evidence=evidence)
    found.check()
    if progress is not None:
        progress(str(found), 0, None)


@contextmanager
def _work_folder(
    source: Any, reading: Reading, place: WorkPlace, refusal: str | None, beside: Path | None
) -> Iterator[tuple[Path, int] | None]:
    """Yield the caller's work folder and its memory, or a private one if the collection would not fit into memory."""
    from infostream_dedup.machine.platform import available_memory
    from infostream_dedup.runs.sharded.plan import LEAST_MEMORY, memory_of

    if reading.sections:
        refusal = refusal or "sections (--sections) are compared in memory; leave out workdir (--workdir)"
    available = available_memory()
    half = max(LEAST_MEMORY, (available or 8 * _GIGABYTE) // 2)
    if place.workdir is not None:
        workdir = Path(place.workdir)
        if refusal is not None:
            raise UsageError(refusal)
        if place.window_days is not None and place.window_days <= 0:
            raise UsageError(f"window_days is {place.window_days}; expected more than 0 (--window-days)")
        if is_read_from(source, workdir, (".arrow", ".json")):
            raise UsageError(
                f"{workdir} is in a folder that is read, and the next run would take its files for documents; "
                "name a work folder elsewhere (--workdir)"
            )
        require_arrow("a work folder (--workdir)")
        yield workdir, half if place.memory is None else memory_of(place.memory)
        return
    for name in ("memory", "window_days"):
        if getattr(place, name) is not None:
            raise UsageError(f"{name} (--{name.replace('_', '-')}) needs a work folder; give workdir (--workdir)")
    if refusal is not None or available is None or not _exceeds(source, reading, available):
        yield None
        return
    require_arrow(f"a collection that does not fit into {available / _GIGABYTE:.1f} GB of memory")
    # Hidden, because `beside` may be in a folder that is read twice.
    folder = Path(tempfile.mkdtemp(prefix=".infostream-dedup-", dir=beside))
    _log.warning("the collection would not fit into %.1f GB of memory: working in %s", available / _GIGABYTE, folder)
    try:
        yield folder, half
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def refuse_on_disk(settings: Settings, *, pairs: bool = False) -> str | None:
    """Say why a job cannot run in a work folder; return ``None`` if it can."""
    if settings.score != "count" and not pairs:
        return "a work folder supports only the count score; leave out workdir (--workdir) or the share score"
    return None


def _exceeds(source: Any, reading: Reading, available: int) -> bool:
    """Whether working in memory would need more than is available; only the size of files can be estimated."""
    from infostream_dedup.runs.sharded.plan import SAMPLE, documents_in, in_memory

    paths = [path for path in paths_of(source) if Path(path).is_file()]
    unpacked = sum(Path(path).stat().st_size * (1 if path.lower().endswith(_PLAIN) else _UNPACKED) for path in paths)
    # Texts smaller than a fifth of the memory always fit, so most runs need no sample.
    if unpacked * _LARGE < available:
        return False
    sample = _sample(source, reading, SAMPLE)
    return bool(sample) and in_memory(documents_in(paths, sample)) > available


def _sample(source: Any, reading: Reading, size: int) -> list[Document]:
    """Return the first documents of files; nothing for other sources, which can be read only once."""
    paths = paths_of(source)
    if not paths or not all(Path(path).is_file() for path in paths):
        return []
    try:
        lenient = replace(reading, on_error="fail", quarantine=None, max_errors=None)
        return list(islice(read_documents(paths, reading=lenient), size))
    except InfostreamError:
        # The run itself reports the error.
        return []


def _checksum(quarantine: str | Path | None) -> str | None:
    """Return a checksum of the quarantine file: ``""`` if it is missing, ``None`` if none is kept."""
    if quarantine is None or (Path(quarantine).exists() and not Path(quarantine).is_file()):
        return None
    try:
        with Path(quarantine).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def _mark(source: Any, reading: Reading, lines: LeftOutLines) -> dict[str, Any] | None:
    """Return a mark that changes when a file is added, changed or replaced; ``None`` for other sources."""
    paths = paths_of(source)
    items = source if isinstance(source, list | tuple) else [source]
    if not paths or STANDARD_STREAM in map(str, items) or not all(Path(path).is_file() for path in paths):
        return None
    files = [*paths, *([] if lines.listed is None else [str(lines.listed)])]
    stats = [(name, Path(name).stat()) for name in files]
    return {
        "files": [[str(Path(name).absolute()), stat.st_size, stat.st_mtime_ns] for name, stat in stats],
        "boilerplate": lines.listed is not None,
        "keep_repeated_lines": lines.keep_repeated,
        "reading": {name: str(value) for name, value in asdict(reading).items()},
    }
