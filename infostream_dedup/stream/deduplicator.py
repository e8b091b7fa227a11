"""The stream's public interface: batches in, verdicts out, nothing counted twice."""

from __future__ import annotations

import logging
import sqlite3
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Self, get_args

from infostream_dedup.documents import ReadingReport
from infostream_dedup.documents.block_reading import block_of_values
from infostream_dedup.documents.documents import DocumentBuilder, OtherFields, row_of
from infostream_dedup.documents.records import OnError, Place, Record
from infostream_dedup.documents.table_files import python_values
from infostream_dedup.errors import BadDataError, ConfigurationError, InfostreamError
from infostream_dedup.language.text.surface_pool import block_of
from infostream_dedup.machine.files import Closing
from infostream_dedup.machine.platform import collector_paused
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Document, DocumentBlock
from infostream_dedup.model.limits import OneOf, check_record
from infostream_dedup.model.stream_records import Batch, Verdict, Verdicts
from infostream_dedup.stream.decisions import SecondStage, check_model
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.entering import ReadBatch
from infostream_dedup.stream.preparation import batch_hash, content_hash, content_hashes
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.opening import settings_at
from infostream_dedup.stream.store.reader import Known, StoredBatch, kept_of
from infostream_dedup.stream.store.restoring import Loaded, Position
from infostream_dedup.stream.store.store import Store

if TYPE_CHECKING:
    from infostream_dedup.judging.criteria.classifier import Classifier
    from infostream_dedup.stream.search import Searcher, SearchHits


# Stores


class MemoryStore:
    """Verdicts of the window's documents and batches, for streams that end with the process."""

    def __init__(self) -> None:
        self._documents: dict[str, list[Known]] = {}
        self._order: deque[tuple[int, str]] = deque()
        self._kept: dict[int, Document] = {}
        self._wording: dict[int, bytes] = {}
        self._batches: dict[str, StoredBatch] = {}
        self._ends: deque[tuple[int, str]] = deque()
        self._next = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do nothing: there are no other writers, and ``append`` is the only change."""
        yield

    def changed(self) -> bool:
        """Return ``False``: nobody else can write."""
        return False

    @property
    def position(self) -> Position:
        """Number of documents so far; the other figures are 0."""
        return Position(0, self._next, 0, 0)

    def load(self, *, since: Position | None = None) -> Loaded | None:  # noqa: ARG002 - as of ``Store``
        """Return nothing: there is no state to continue from."""
        if self._next:
            raise InfostreamError("a batch failed halfway, and this stream exists only in memory; start a new one")
        return None

    def batch(self, batch_id: str) -> StoredBatch | None:
        """Return a stored batch, or ``None`` if the id is unknown."""
        return self._batches.get(batch_id)

    def known_of(self, ids: Sequence[str]) -> dict[str, list[Known]]:
        """Return all versions of some distinct documents, oldest first; unknown ids are absent."""
        return {id_: list(self._documents[id_]) for id_ in ids if id_ in self._documents}

    def kept(self, ordinal: int) -> Document:
        """Return a document of the window with its text, if texts are kept."""
        return self._kept[ordinal]

    def wording(self, ordinals: Sequence[int]) -> list[bytes]:
        """Return the word triples of documents of the window."""
        return [self._wording[ordinal] for ordinal in ordinals]

    def append(self, batch: Batch) -> None:
        """Keep one batch, and forget what has left the window."""
        remembered, verdicts, answers = batch.decided.remembered, batch.decided.verdicts, batch.answers
        for document, verdict in zip(remembered, verdicts, strict=True):
            known = Known(document.ordinal, document.version, document.content_hash, verdict)
            self._documents.setdefault(document.id, []).append(known)
            self._order.append((document.ordinal, document.id))
            if document.text is not None:
                self._kept[document.ordinal] = kept_of(document)
            if document.evidence is not None:
                self._wording[document.ordinal] = document.evidence.triples
        self._next += len(remembered)
        given = tuple(verdicts) if answers is None else tuple(map(self._verdict_at(answers).__getitem__, answers))
        self._batches[batch.id] = StoredBatch(batch.id, batch.hash, given)
        # An empty batch is kept as long as the document after it.
        self._ends.append((self._next + (not remembered), batch.id))
        self._forget_before(batch.decided.oldest)

    def _verdict_at(self, ordinals: Iterable[int]) -> dict[int, Verdict]:
        wanted = set(ordinals)
        held = (known for versions in self._documents.values() for known in versions)
        return {known.ordinal: known.verdict for known in held if known.ordinal in wanted}

    def _forget_before(self, oldest: int) -> None:
        while self._order and self._order[0][0] < oldest:
            ordinal, gone = self._order.popleft()
            self._kept.pop(ordinal, None)
            self._wording.pop(ordinal, None)
            versions = self._documents[gone]
            versions.pop(0)
            if not versions:
                del self._documents[gone]
        while self._ends and self._ends[0][0] <= oldest:
            del self._batches[self._ends.popleft()[1]]

    def close(self) -> None:
        """Do nothing."""


BatchStore = Store | MemoryStore

OnConflict = Literal["item", "error", "version"]
"""What to do with a known id and other content; ``item``: another version of documents with that field, else stop."""

_SOURCE: Final = "<batch>"
_log = logging.getLogger(__name__)


_WORTH_A_THREAD: Final = 4  # fewer documents are read sooner than another thread begins


class _Ahead(NamedTuple):
    engine: StreamEngine  # reads it
    given: Sequence[Document]
    read: Future[ReadBatch]


@dataclass(slots=True)
class _Plan:
    documents: Sequence[Document]
    hashes: list[bytes] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    answers: list[int | Known] = field(default_factory=list)
    """For each document of the batch its index among the new ones, or the stored document."""


class Deduplicator(Closing):
    """Judges a stream batch by batch; each batch is one transaction of its store.

    A batch that is repeated gets the stored verdicts. So does a document with a known id and the same content. If a
    batch fails, nothing of it is stored, and it can be processed again. Threads may share a stream; they take turns.

    Args:
        store: keeps the batches.
        settings: everything that decides verdicts.
        on_conflict: what to do with a document whose id is known with other content: ``error``, ``version`` to take
            it as another version, or ``item`` to do so if it has the field ``item``, as from ``collect``.
        progress: called while code is being compiled.
        model: judges the candidates that key terms find; its digest is in the settings.

    Raises:
        ConfigurationError: the settings ask for another model, or the model cannot judge a stream.

    Example:
        >>> with Deduplicator.open("stream.db") as dedup:                               # doctest: +SKIP
        ...     verdicts = dedup.process(batch, batch_id="2026-11-21T10:05")
    """

    def __init__(
        self,
        store: BatchStore,
        settings: StreamSettings,
        *,
        on_conflict: OnConflict = "item",
        progress: Progress | None = None,
        model: Classifier | None = None,
    ) -> None:
        self.settings = settings
        self._store = store
        self._on_conflict = _checked_conflict(on_conflict)
        self._progress = progress
        self._second = _second_stage(store, settings, model)
        self._builder = DocumentBuilder()
        self._engine: StreamEngine | None = None
        self._searcher: Searcher | None = None
        self._beside = ThreadPoolExecutor(1)
        self._ahead: _Ahead | None = None
        self._is_alone = True
        self._turn = RLock()

    @classmethod
    def open(
        cls,
        path: str | Path | None,
        settings: StreamSettings | None = None,
        *,
        on_conflict: OnConflict = "item",
        progress: Progress | None = None,
        model: Classifier | None = None,
        boilerplate: str | None = None,
        across: str | None = None,
    ) -> Self:
        """Open a stream, or begin one.

        Args:
            path: the store, created if missing; ``None`` for a stream in memory.
            settings: must equal those the store was created with; by default these, or the defaults for a new store.
        """
        check_record("settings", settings, StreamSettings)
        stored = None if path is None else settings_at(Path(path))
        kept = None if stored is None else StreamSettings.of(stored)
        chosen = settings or kept or StreamSettings.of({} if model is None else {"preset": "faithful"})
        if kept is not None:
            kept.refuse_other(str(path), preset=chosen.preset, across=across or chosen.across)
        elif across is not None:
            chosen = chosen.but(across=across)
        chosen = _with_boilerplate(_with_model(chosen, model), boilerplate)
        store: BatchStore = MemoryStore()
        if path is not None:
            store = Store.open(path, settings_digest=chosen.digest, settings=chosen.as_dict())
        return cls(store, chosen, on_conflict=on_conflict, progress=progress, model=model)

    def close(self) -> None:
        """Close the store."""
        with self._turn:
            self._beside.shutdown()
            self._store.close()

    @property
    def store(self) -> BatchStore:
        """The store that keeps the batches."""
        return self._store

    def process(
        self,
        batch: Iterable[Document | Mapping[str, Any]],
        *,
        batch_id: str | None = None,
        on_conflict: OnConflict | None = None,
        on_error: OnError = "fail",
        following: Sequence[Document] = (),
    ) -> Verdicts:
        """Judge the documents of a batch in their order, each against all earlier ones in the window.

        Everything is on disk when this returns. With ``on_error="skip"``, documents that cannot be read, or whose id is
        known with other content, get no verdict: their errors are in ``quarantined``, with their number as ``line``.
        ``following``: the documents of the next batch, if a reader has them already; another thread analyses them
        meanwhile.
        """
        OneOf(*get_args(OnError)).check("on_error", on_error)
        _check_batch_id(batch_id)
        is_list = hasattr(batch, "__iter__") or hasattr(batch, "__getitem__")
        if not is_list or isinstance(batch, Mapping | Document | str):
            raise ConfigurationError(f"{type(batch).__name__} is not a batch; expected a list of documents or mappings")
        conflict = self._on_conflict if on_conflict is None else _checked_conflict(on_conflict)
        if on_error == "skip":
            with self._turn:
                good, bad = built_documents(batch, self._document)
                whole, conflicts = self._without_conflicts(good, conflict)
                verdicts = self.process(whole, batch_id=batch_id, on_conflict=conflict, following=following)
            verdicts.quarantined = sorted([*bad, *conflicts], key=lambda error: error.line or 0)
            return verdicts
        with self._turn, collector_paused():
            given = batch if isinstance(batch, DocumentBlock) else [*batch]
            read = self._read_ahead_of(given)
            documents = block_of_values(given, self._document) if read is None else read.prepared.given
            hashes = content_hashes(documents) if read is None else read.prepared.content_hashes
            digest = batch_hash(hashes)
            name = digest.hex() if batch_id is None else batch_id
            with self._store.transaction():
                engine = self._current_engine()
                ahead, self._ahead = self._ahead, None
                done = self._store.batch(name)
                if done is None:
                    # A batch was read ahead because all its documents are new.
                    known = ahead is not None and read is not None
                    plan = _all_new(documents, hashes) if known else self._plan(documents, hashes, conflict)
                if done is None or ahead is not None:
                    # The engine is now ahead of the store. If the batch fails, the next starts from the stored state.
                    self._engine = None
                if done is None:
                    if ahead is None or read is None:
                        read = engine.read(plan.documents, versions=plan.versions, content_hashes=plan.hashes)
                    self._read_ahead(engine, documents, following)
                    decided = self._decide(engine, name, digest, plan, read)
            if done is None:
                self._engine = engine
                return Verdicts(decided)
        if done.content_hash != digest:
            raise BadDataError(
                f"batch {name!r} already exists with different content; give each batch its own id",
                code="E_BATCH_CONFLICT",
                source=_SOURCE,
            )
        return Verdicts(done.verdicts)

    def _read_ahead(self, engine: StreamEngine, documents: DocumentBlock, following: Sequence[Document]) -> None:
        """Let another thread read the next batch, if it is certain which of its documents are new: all."""
        if len(following) < _WORTH_A_THREAD or not self._is_alone or not isinstance(following[0], Document):
            return
        coming = block_of(following)
        ids, made = set(coming.ids), filter(None, map(coming.whole, range(len(coming))))
        plain = len(ids) == len(coming) and all(isinstance(one.extra, OtherFields) for one in made)
        if plain and ids.isdisjoint(documents.ids) and not self._store.known_of(coming.ids):
            self._ahead = _Ahead(engine, following, self._beside.submit(engine.read, coming))

    def _read_ahead_of(self, given: Sequence[Any]) -> ReadBatch | None:
        """What the other thread has read, if it is these documents."""
        ahead = self._ahead
        if ahead is None:
            return None
        # The readers' documents are the same objects, so comparing them costs nothing.
        failure, is_it = ahead.read.exception(), ahead.given == given
        if failure is None and is_it and ahead.engine is self._engine:
            return ahead.read.result()
        self._engine = self._ahead = None
        if failure is not None and is_it:
            raise failure
        return None

    def search(self, text: str = "", **asked: Any) -> SearchHits:
        """Find stored documents that resemble a text, as the store is after the last batch; changes nothing.

        Searches read the index that the store keeps, so the window is not held twice, and number their words apart from
        the stream's terms: verdicts and bytes of later batches are those of a stream that was never searched.
        """
        from infostream_dedup.stream.search import Searcher

        if not isinstance(self._store, Store):
            raise ConfigurationError("a stream in memory cannot be searched; give it a store")
        with self._turn:
            if self._searcher is None or self._searcher.retunes != self._store.stored_position().retunes:
                self._searcher = Searcher(self._store)
            return self._searcher.search(text, **asked)

    def note_left_out(self, report: ReadingReport) -> None:
        """Report the repeated lines that this process has left out of documents."""
        if self._engine is not None:
            self._engine.texts.left_out.note(report)

    def best_of(self, group: str) -> str | None:
        """Return the id of the group's best document in the window by ``settings.show``; ``None`` if there is none."""
        with self._turn, self._store.transaction():
            return self._current_engine().best_of(group)

    def be_ready(self) -> None:
        """Catch up with the store, and leave room for further documents: forks of this process copy nothing then."""
        with self._turn, self._store.transaction():
            self._current_engine().be_ready()

    def _document(self, item: Document | Mapping[str, Any], number: int) -> Document:
        if isinstance(item, Document) and isinstance(item.extra, OtherFields):
            # A reader made and checked it.
            return item
        place = Place(_SOURCE, number)
        if isinstance(item, Document):
            record = Record(row_of(item), place, item.time)
        elif isinstance(item, Mapping):
            record = Record(python_values(item), place)
        else:
            raise place.error("E_TYPE", f"{type(item).__name__}, expected a document or a mapping")
        return self._builder.build(record)

    def _without_conflicts(
        self, documents: Sequence[tuple[int, Document]], on_conflict: OnConflict
    ) -> tuple[list[Document], list[BadDataError]]:
        """Set aside the documents whose id exists with different content, in the store or earlier in the batch."""
        known = self._store.known_of(list({document.id: None for _, document in documents}))
        contents = {name: {one.content_hash for one in versions} for name, versions in known.items()}
        good, bad = [], []
        for number, document in documents:
            content = content_hash(document)
            if content in contents.setdefault(document.id, {content}) or takes_versions(document, on_conflict):
                good.append(document)
            else:
                message = "the id already exists with different content"
                bad.append(Place(_SOURCE, number).error("E_ID_CONFLICT", message, "id"))
        return good, bad

    def _current_engine(self) -> StreamEngine:
        engine, self._engine = self._engine, None
        if engine is not None and self._store.changed():
            engine = self._catch_up(engine)
        if engine is None:
            loaded = self._store.load()
            if loaded is None:
                engine = StreamEngine(self.settings, second=self._second, wording=self._store.wording)
            else:
                engine = self._restored(loaded)
        self._engine = engine
        return engine

    def _restored(self, loaded: Loaded) -> StreamEngine:
        engine = StreamEngine.restore(self.settings, loaded, second=self._second, wording=self._store.wording)
        if engine.rules_changed and isinstance(self._store, Store):
            _log.warning(
                "%s: the key terms of its %s documents were chosen by other rules or dictionaries than those of new"
                " ones; the stream continues, but may miss repeats of old documents until they leave the window; to"
                " treat all documents alike, ingest them into a new store",
                self._store.path,
                f"{loaded.position.documents:,}",
            )
        return engine

    def _catch_up(self, engine: StreamEngine) -> StreamEngine | None:
        """Update the engine with what others have stored; ``None`` if it must be restored from scratch."""
        if self._ahead is not None:
            # What it has read comes later now. While others write, too, this would happen again and again.
            self._ahead, self._is_alone = None, False
            return None
        before = self._store.position
        loaded = self._store.load(since=before)
        # What was forgotten, or was there before the store went back to a backup, is still in the engine's memory.
        if loaded is None or loaded.position[3:] != before[3:] or not engine.catch_up(loaded):
            return None
        return engine

    def _plan(self, documents: DocumentBlock, hashes: Sequence[bytes], on_conflict: OnConflict) -> _Plan:
        ids = list(dict.fromkeys(documents.ids))
        known = self._store.known_of(ids)
        if not known and len(ids) == len(documents):
            return _all_new(documents, hashes)
        new: list[Document] = []
        plan = _Plan(new, [])
        latest: dict[str, list[tuple[bytes, int | Known]]] = {}
        for number, (name, digest) in enumerate(zip(documents.ids, hashes, strict=True)):
            versions = latest.get(name)
            if versions is None:
                versions = latest[name] = [(one.content_hash, one) for one in known.get(name, ())]
            answer = next((answer for content, answer in versions if content == digest), None)
            if answer is None:
                document, answer = documents[number], len(new)
                if versions and not takes_versions(document, on_conflict):
                    message = f"{name!r} already exists with different content; give each document its own id"
                    raise Place(_SOURCE, number + 1).error("E_ID_CONFLICT", message, "id")
                new.append(document)
                plan.hashes.append(digest)
                plan.versions.append(len(versions))
                versions.append((digest, answer))
            plan.answers.append(answer)
        return plan

    def _decide(self, engine: StreamEngine, name: str, digest: bytes, plan: _Plan, read: ReadBatch) -> list[Verdict]:
        first = engine.next_ordinal
        decided = engine.judge(read)
        if len(plan.documents) == len(plan.answers):
            self._store.append(Batch(name, digest, decided))
            return decided.verdicts
        ordinals = [answer.ordinal if isinstance(answer, Known) else first + answer for answer in plan.answers]
        self._store.append(Batch(name, digest, decided, ordinals))
        return [answer.verdict if isinstance(answer, Known) else decided.verdicts[answer] for answer in plan.answers]


def _all_new(documents: DocumentBlock, hashes: Sequence[bytes]) -> _Plan:
    return _Plan(documents, list(hashes), [0] * len(documents), list(range(len(documents))))


def _with_boilerplate(settings: StreamSettings, given: str | None) -> StreamSettings:
    if given is None and settings.boilerplate is not None:
        raise ConfigurationError("the stream was started with a boilerplate list; give the same list (--boilerplate)")
    return settings.but(boilerplate=given)


def built_documents(
    items: Iterable[Any], build: Callable[[Any, int], Document]
) -> tuple[list[tuple[int, Document]], list[BadDataError]]:
    """Return the documents that can be built, each with its number from 1, and the errors of the others."""
    good, bad = [], []
    for number, item in enumerate(items, 1):
        try:
            good.append((number, build(item, number)))
        except BadDataError as error:
            bad.append(error)
    return good, bad


def takes_versions(document: Document, on_conflict: str) -> bool:
    """Whether a document whose id is known with other content is another version of it."""
    return on_conflict == "version" or (on_conflict == "item" and bool(document.extra.get("item")))


def _checked_conflict(given: OnConflict) -> OnConflict:
    if given not in get_args(OnConflict):
        raise ConfigurationError(f"on_conflict is {given!r}; expected item, error or version")
    return given


def _check_batch_id(batch_id: str | None) -> None:
    if batch_id is not None and not isinstance(batch_id, str):
        raise ConfigurationError(f"the batch id {batch_id!r} is not a text")
    if batch_id == "":
        raise ConfigurationError("the batch id is empty; give each batch its own id, or none")
    if any(unicodedata.category(one) == "Cc" for one in batch_id or ""):
        raise ConfigurationError(f"the batch id {batch_id!a} has a control character; give an id that can be printed")
    try:
        (batch_id or "").encode()
    except UnicodeEncodeError:
        raise ConfigurationError(f"the batch id {batch_id!a} is not UTF-8 text") from None


def _with_model(settings: StreamSettings, model: Classifier | None) -> StreamSettings:
    if model is None:
        if settings.model is not None:
            raise ConfigurationError("the stream was started with a model; give the same model (--model)")
        return settings
    from infostream_dedup.judging.criteria.model_file import model_digest

    check_model(model)
    return settings.but(model=model_digest(model))


def _second_stage(store: BatchStore, settings: StreamSettings, model: Classifier | None) -> SecondStage | None:
    if _with_model(settings, model).model != settings.model:
        raise ConfigurationError("the settings name another model; open the stream with that one")
    if model is None:
        return None
    return SecondStage(model, store.kept)


# The groups of a store's window, each with its representative document


def representatives(
    store: Store, connection: sqlite3.Connection, *, best: str, source_ranks: Sequence[str], top: int
) -> list[dict[str, Any]]:
    """Return rows ``group, total, best, source, title`` of groups of several documents, the largest first.

    ``total`` counts all documents the group ever had; ``best`` is one of those in the window. Groups that have left the
    window are omitted.
    """
    chosen = StreamSettings.of(store.settings).but(show=best, source_ranks=tuple(source_ranks))
    engine = StreamEngine.restore(chosen, store.load(), wording=store.wording)
    groups = connection.execute("SELECT group_id, documents FROM v_groups ORDER BY documents DESC, ordinal")
    found = ((group, total, engine.best_of(group)) for group, total in groups.fetchall())
    rows = []
    for group, total, name in islice((one for one in found if one[2] is not None), top or None):
        source, title = connection.execute(
            "SELECT source, title FROM document WHERE id = ? ORDER BY version DESC", (name,)
        ).fetchone()
        rows.append({"group": group, "total": total, "best": name, "source": source, "title": title})
    return rows
