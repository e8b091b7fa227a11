"""``ingest``: write batches to a store and give every document a verdict."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, Unpack, cast

from infostream_dedup.api.keyword_types import IngestKeywords
from infostream_dedup.api.keywords import parted, refuse_idle
from infostream_dedup.api.sources import UnbrokenIterator
from infostream_dedup.documents import Annotation, BadRecords, Reading, ReadingReport, check_quarantine
from infostream_dedup.documents.documents import refuse_idle_prefix, row_as_given
from infostream_dedup.documents.reading import chosen_reading
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.machine.files import Closing
from infostream_dedup.model import Document
from infostream_dedup.model.limits import Range, check_record
from infostream_dedup.model.stream_records import SOMETIMES_FIELDS, VERDICT_FIELDS, Verdict
from infostream_dedup.model.tabular import Tabular

if TYPE_CHECKING:
    from infostream_dedup.documents.block_reading import PlacedBatch
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.stream.deduplicator import Deduplicator, OnConflict
    from infostream_dedup.stream.intake import Intake
    from infostream_dedup.stream.settings import StreamSettings
    from infostream_dedup.stream.store import Store

_REPEATS: Final = ("exact", "duplicate")


@dataclass(frozen=True, slots=True)
class IngestedBatch:
    """A batch that has been committed to disk.

    Attributes:
        documents: as read.
        verdicts: one verdict for each document.
        columns: the columns that ``rows`` adds to each document; None if rows are verdicts.
        fields: fields of each verdict in ``rows``: the common ones, and those of preset ``judged`` or of a classifier.
    """

    documents: Sequence[Document]
    verdicts: Sequence[Verdict]
    columns: Annotation | None = None
    fields: Sequence[str] = VERDICT_FIELDS

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return the verdicts; with ``annotate``, the documents with their verdicts in columns."""
        rows = (verdict.as_dict(self.fields) for verdict in self.verdicts)
        return rows if self.columns is None else map(self.columns.row, self.documents, rows)

    def originals(self) -> Iterator[dict[str, Any]]:
        """Return the documents that repeat nothing: those neither ``exact`` nor ``duplicate``."""
        for document, verdict in zip(self.documents, self.verdicts, strict=True):
            if verdict.status not in _REPEATS:
                yield row_as_given(document)


class Ingestion(Closing, Tabular):
    """An iterator over the verdicts of an input. A batch is decided when its first verdict is read.

    The store is closed at the end of the input, or at the end of a ``with`` block. Dropped before anything was read or
    closed, it warns that nothing was ingested.

    Attributes:
        columns: names of the columns of ``IngestedBatch.rows``; ``None`` for documents, which may have other fields.
        report: what has been read so far.
    """

    def __init__(
        self,
        batches: Iterator[IngestedBatch],
        report: ReadingReport,
        resources: ExitStack,
        columns: Sequence[str] | None = None,
    ) -> None:
        self._batches: Iterator[IngestedBatch] = UnbrokenIterator(batches)
        self._resources = resources
        # Made when needed: it would keep this object alive, which is to warn as soon as it is dropped.
        self._verdicts: Iterator[Verdict] | None = None
        self._begun = False
        self._kept: list[dict[str, Any]] = []
        self.columns = columns
        self.report = report

    def close(self) -> None:
        """Close the store; batches not yet read are not ingested."""
        self._begun = True
        self._resources.close()

    def __del__(self) -> None:
        if not getattr(self, "_begun", True):
            told = "ingest() was called and its result never read, so nothing was ingested: read it, as list() does"
            warnings.warn(told, RuntimeWarning, stacklevel=2)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Verdict:
        if self._verdicts is None:
            self._verdicts = UnbrokenIterator(verdict for batch in self.batches() for verdict in batch.verdicts)
        return next(self._verdicts)

    def as_rows(self) -> list[dict[str, Any]]:
        """Ingest the rest of the input and return its verdicts as plain dicts, which are kept."""
        self._kept += [row for batch in self.batches() for row in batch.rows()]
        return self._kept

    def __repr__(self) -> str:
        return f"<Ingestion: {self.report.used:,} documents used so far>"

    def batches(self) -> Iterator[IngestedBatch]:
        """Yield the remaining batches, each on disk before it is yielded."""
        self._begun = True
        with self._resources:
            yield from self._batches


def ingest(
    source: Any,
    store: str | Path,
    *,
    batch_size: int = 1000,
    batch_id: str | None = None,
    on_conflict: OnConflict = "item",
    follow: bool = False,
    batch_seconds: float = 1.0,
    queue: str | None = None,
    group: str | None = None,
    publish: str | None = None,
    webhook: str | None = None,
    webhook_secret: str | Path | None = None,
    annotate: bool = False,
    prefix: str = "",
    model: str | Path | None = None,
    boilerplate: str | Path | None = None,
    settings: StreamSettings | None = None,
    reading: Reading | None = None,
    mode: int | None = None,
    progress: Progress | None = None,
    note: Callable[[str], None] | None = None,
    **options: Unpack[IngestKeywords],
) -> Ingestion:
    """Decide for each document of a stream whether an earlier document of the window says the same.

    Each batch is one transaction, committed to disk before its verdicts are returned. A repeated batch or document gets
    its stored verdict, so the same call can be repeated after any failure. To process single batches in memory, see
    ``Deduplicator``.

    Args:
        source: the documents (see ``read_documents``), or the address of a broker: ``amqp://``, ``nats://``,
            ``redis://`` or ``kafka://``; a message is a document, several, or a body of ``POST /v1/batches``.
        store: the store; created if it does not exist.
        batch_size: number of documents per batch; verdicts do not depend on it.
        batch_id: id of the first batch (``#2``, ``#3`` ... is appended for further ones), so that the same id with
            different content is refused; by default the id is derived from the content.
        on_conflict: what to do with a known id and different content: ``error``, ``version`` to store it as a further
            version, or ``item``: a version if the document has the field ``item``, as those of ``collect`` have.
        follow: keep waiting for input: ``source`` is one folder (a batch per new file), ``-`` or a broker, which is
            otherwise read until it is empty; SIGTERM ends it.
        batch_seconds: with ``follow`` or a broker: close a batch after this many seconds.
        queue: queue, subject, stream or topic of the broker. Its messages are acknowledged once they are stored and
            their verdicts have been read. What cannot be read in three tries is added to ``STORE.dead.jsonl``.
        group: consumer group or durable consumer of the broker; by default named after the store's file.
        publish: queue, subject, stream or topic for the verdicts; after a crash, those of a batch may come twice.
        webhook: address to which alarms, merges, limits and hits of standing searches are posted.
        webhook_secret: file with the secret that signs them; by default the environment variable
            ``INFOSTREAM_DEDUP_WEBHOOK_SECRET``.
        annotate: ``IngestedBatch.rows`` are documents with their verdicts in columns; a document that already has
            such a column is refused.
        prefix: put before the names of these columns.
        model: classifier from ``train`` with background statistics, which judges the pairs that key terms find; needs
            ``keep_text``. The store keeps using it.
        boilerplate: file of sentences to ignore in the comparison (from ``boilerplate``). The store keeps using it.
        settings: all settings of the stream at once; by default the store's. A new store gets preset ``judged``
            (``StreamSettings.of``).
        reading: all reading options at once.
        mode: permissions of the store's files; by default 0600 for a new store and unchanged for an existing one.
        progress: called with the number of documents ingested.
        note: called with remarks, such as on a store of an earlier version or on files that ``follow`` skips.
        options: ``preset``, ``join``, ``across`` and further settings (fields of ``StreamSettings``; by default those
            of the store) and reading options by name.

    Returns:
        An iterator of ``Verdict`` with ``report`` and ``batches()``. Nothing is ingested until it is read, as
        ``list(...)`` does; it warns if it is dropped unread.

    Raises:
        ConfigurationError: the store was made with other settings, or an option is out of range or given twice.
        BadDataError, NoInputError: see ``read_documents``; ``E_ID_CONFLICT``, ``E_BATCH_CONFLICT``.
        CannotCreateError, CannotWriteError, StoreBusyError: the store cannot be written.

    Example:
        >>> import tempfile
        >>> from infostream_dedup import ingest
        >>> text = "Президент Зеленський відкрив у Харкові новий завод разом із мером Тереховим."
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = ingest([{"id": "1", "text": text}, {"id": "2", "text": text}], f"{folder}/stream.db")
        ...     [(verdict.id, verdict.status, verdict.of) for verdict in found]
        [('1', 'new', None), ('2', 'exact', '1')]
    """
    from infostream_dedup.stream.deduplicator import Deduplicator
    from infostream_dedup.stream.intake import Intake, stopping, unreported
    from infostream_dedup.stream.store.opening import set_mode

    refuse_idle_prefix(prefix, annotate=annotate)
    single, reads = parted(ingest, IngestKeywords, options)
    read = chosen_reading(reading, reads)
    check_quarantine(read.quarantine, [store, model, boilerplate])
    batch_size = Range(1).check("batch_size", batch_size)
    batch_seconds = Range(0.0).check("batch_seconds", batch_seconds)
    _check_mode(mode)
    if follow and batch_id is not None:
        raise UsageError(
            "batch_id (--batch-id) names a single input; with follow (--follow), batches are named by content"
        )
    broker = _broker_of(source, queue=queue, group=group, publish=publish)
    if broker is not None and (batch_id is not None or read.on_error != "fail"):
        raise UsageError("batch_id and on_error are for files: a broker's messages that cannot be read are set aside")
    listed = judge = None
    # Each loads packages that a stream without it does not need.
    if boilerplate is not None:
        from infostream_dedup.judging.passages.boilerplate import read_boilerplate

        listed = read_boilerplate(boilerplate)
    if model is not None:
        from infostream_dedup.judging.criteria.model_file import read_model

        judge = read_model(model)
    agreed = _settings(Path(store), settings, single, classified=judge is not None)
    bad = read.bad_records()
    tell = note or (lambda _: None)
    with ExitStack() as stack:
        # A missing input is refused before a store is made.
        if broker is None:
            batches = _batches(source, bad, read, follow=follow, size=batch_size, seconds=batch_seconds, note=tell)
        else:
            from infostream_dedup.stream.brokers import connection_to, consumed

            connection = stack.enter_context(connection_to(
                broker, Path(store), queue=cast("str", queue), group=group, publish=publish, follow=follow,
                size=batch_size, note=tell,
            ))  # fmt: skip
        stream = stack.enter_context(
            Deduplicator.open(
                store,
                agreed,
                on_conflict=on_conflict,
                progress=progress,
                model=judge,
                boilerplate=None if listed is None else listed.digest,
            )
        )
        if mode is not None:
            set_mode(Path(store), mode)
        fields = stream.settings.verdict_fields
        columns = Annotation((*fields[1:], *SOMETIMES_FIELDS), prefix=prefix) if annotate else None
        stack.enter_context(bad)
        intake = Intake(stream, bad, listed=listed, columns=columns, on_conflict=on_conflict)
        if webhook is not None:
            from infostream_dedup.api.webhook import pushed

            stack.enter_context(pushed(Path(store), webhook, webhook_secret, tell))
        if broker is not None:
            stop = stack.enter_context(stopping())
            pairs = consumed(connection, intake, read, stop, store=Path(store), seconds=batch_seconds, note=tell)
        else:
            if follow and not (source == "-" or (not isinstance(source, str | Path) and list(source) == ["-"])):
                batches = unreported(batches, intake, tell)
            # Documents that are set aside would be, in another order.
            pairs = intake.taken(batches, batch_id, ahead=_is_at_hand(source) and not bad.skips and not follow)
        stack.callback(pairs.close)
        decided: Iterator[IngestedBatch] = (
            IngestedBatch(documents, verdicts, columns, fields)
            for documents, verdicts in _counted(pairs, intake, progress)
        )
        if note is not None:
            decided = _alarmed(decided, stream, store, note, often=follow)
        return Ingestion(decided, bad.report, stack.pop_all(), None if annotate else fields)


def _settings(
    store: Path, settings: StreamSettings | None, given: Mapping[str, Any], *, classified: bool
) -> StreamSettings | None:
    """Return all settings: those given, completed by those of the store; None if none was given."""
    from infostream_dedup.stream.settings import StreamSettings
    from infostream_dedup.stream.store.opening import settings_at

    check_record("settings", settings, StreamSettings)
    if settings is not None and given:
        raise ConfigurationError(f"settings and {', '.join(given)} are both given; put everything into settings")
    if not given:
        return settings
    stored = settings_at(store)
    if stored is None:
        new = StreamSettings.of({"preset": "faithful"} | dict(given) if classified else given)
        refuse_idle(given, new.terms, (new.terms.representation,), new)
        return new
    StreamSettings.of(stored).refuse_other(str(store), preset=given.get("preset"), across=given.get("across"))
    changed = StreamSettings.of({**stored, **given})
    refuse_idle(given, changed.terms, (changed.terms.representation,), changed)
    return changed


def _check_mode(mode: int | None) -> None:
    """Refuse permissions with which the owner could not read and write the store, such as 640 in decimal digits."""
    if mode is not None and not (isinstance(mode, int) and 0o600 <= mode <= 0o777 and mode & 0o600 == 0o600):
        raise ConfigurationError(f"mode is {mode!r}; expected permissions such as 0o640, which let the owner write")


def _broker_of(source: Any, **given: str | None) -> str | None:
    """The address of the broker to read from, if it is one; what is missing or idle then is refused."""
    sources = source if isinstance(source, list | tuple) else [source]
    found = [one for one in sources if isinstance(one, str) and "://" in one]
    if found:
        from infostream_dedup.stream.brokers import is_broker

        found = [one for one in found if is_broker(one)]
    if not found:
        if idle := [name for name, value in given.items() if value is not None]:
            raise UsageError(
                f"{idle[0]} (--{idle[0]}) needs the address of a broker as input, such as amqp://localhost/"
            )
        return None
    if len(sources) > 1:
        raise UsageError("a broker is the only input; start one process for each")
    if not given["queue"]:
        raise UsageError("queue (--queue) is missing: name the queue, subject, stream or topic of the broker")
    return str(found[0])


def _batches(
    source: Any, bad: BadRecords, read: Reading, *, follow: bool, size: int, seconds: float, note: Callable[[str], None]
) -> Iterator[PlacedBatch]:
    from infostream_dedup.documents.block_reading import placed_batches
    from infostream_dedup.stream.intake import followed

    if follow:
        sources = [source] if isinstance(source, str | Path) else list(source)
        return followed([str(one) for one in sources], bad, read, size=size, seconds=seconds, note=note)
    return placed_batches(source, bad, read, size)


def _is_at_hand(source: Any) -> bool:
    """Whether nothing waits for the input: it is files, or in memory."""
    sources = [source] if isinstance(source, str | Path) else source if isinstance(source, list | tuple) else ()
    return bool(sources) and all(not isinstance(one, str | Path) or Path(one).is_file() for one in sources)


def _counted(
    decided: Iterator[tuple[Sequence[Document], list[Verdict]]], intake: Intake, progress: Progress | None
) -> Iterator[tuple[Sequence[Document], list[Verdict]]]:
    """Tell how many documents are on disk."""
    done = 0
    try:
        for documents, verdicts in decided:
            yield documents, verdicts
            done += len(documents)
            if progress is not None:
                progress("ingesting", done, None)
    finally:
        intake.stream.note_left_out(intake.bad.report)


def _alarmed(
    given: Iterator[IngestedBatch], stream: Deduplicator, store: str | Path, note: Callable[[str], None], *, often: bool
) -> Iterator[IngestedBatch]:
    """Tell which epochs closed meanwhile raised alarms: at the end, or after each batch of a run that has none."""
    from infostream_dedup.stream.health import alarms_since
    from infostream_dedup.stream.store.restoring import open_epoch

    stored = cast("Store", stream.store)

    def tell(known: int) -> int:
        with stored.reading() as connection:
            for alarm in alarms_since(stored, known):
                note(f"{alarm} (store health {store})")
            return open_epoch(connection)

    with stored.reading() as connection:
        known = open_epoch(connection)
    for batch in given:
        yield batch
        if often:
            known = tell(known)
    tell(known)
