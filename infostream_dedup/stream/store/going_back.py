"""Go back to a backup of a store, also while others have the store open."""

from __future__ import annotations

import sqlite3
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Final

from infostream_dedup.documents.documents import as_compared
from infostream_dedup.errors import (
    BadDataError,
    CannotCreateError,
    ConfigurationError,
    NoInputError,
    StoreBusyError,
    UsageError,
)
from infostream_dedup.machine.arrays import INT64, numbers_of
from infostream_dedup.machine.files import held_part, remove_stale_parts
from infostream_dedup.machine.platform import sync_path
from infostream_dedup.model.settings import Thresholds
from infostream_dedup.model.stream_records import Batch, Remembered
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.retuning import thresholds_for, tupled
from infostream_dedup.stream.settings import KEY_TERMS_DECIDE, StreamSettings
from infostream_dedup.stream.store import opening
from infostream_dedup.stream.store.connection import begin_wal, connect, naming_failures, place_of
from infostream_dedup.stream.store.removal import forget
from infostream_dedup.stream.store.restoring import RESTORED, position_of
from infostream_dedup.stream.store.store import Store

_NAMED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class WentBack:
    """What `go_back` did."""

    batches: int  # number of batches of the store now
    documents: int  # number of its documents
    discarded: int  # number of batches that the backup lacked
    forgotten: int  # number of documents forgotten since the backup was made, and forgotten again
    kept: str  # where the store is kept as it was before; empty if nothing was discarded


def go_back(path: Path, backup: Path, *, discard_newer: bool) -> WentBack:
    """Give a store the content of a backup in one transaction, which others see whole or not at all."""
    path, backup = path.resolve(), backup.resolve()
    if path.exists() and backup.exists() and path.samefile(backup):
        raise UsageError(f"{backup} is the store itself; name a backup")
    if not path.parent.is_dir():
        raise CannotCreateError(f"cannot create {path}: there is no directory {path.parent}")
    remove_stale_parts(path.parent)
    with held_part(path.parent) as part:
        if not backup.exists():
            raise NoInputError(f"{backup}: there is no backup; 'store backup' makes one")
        with closing(opening.open_store(backup, read_only=True)) as source, naming_failures(backup):
            opening.copy_into(source, backup, part, "the backup is damaged ({}); take an older one")
        present, moved = _present(path, discard_newer=discard_newer)
        with closing(connect(part, mode="rw", busy_seconds=opening.BUSY_SECONDS)) as copy:
            if present is not None:
                with closing(present):
                    return _replace(present, path, copy, part, discard_newer=discard_newer)
            _mark(copy)
            position = position_of(copy)
        sync_path(part)
        part.replace(path)
        sync_path(path.parent)
    return WentBack(batches=position.batches, documents=position.documents, discarded=0, forgotten=0, kept=moved)


def _present(path: Path, *, discard_newer: bool) -> tuple[Connection | None, str]:
    try:
        if path.exists():
            return opening.open_store(path), ""
    except BadDataError as error:
        if not discard_newer:
            raise StoreBusyError(
                f"{error}; which batches the backup lacks cannot be told: with --discard-newer, the damaged "
                "file is kept under another name"
            ) from error
    kept, moved = _dated(path), ""
    # A log without its file is moved too: SQLite would replay it over the backup.
    for ending in ("-shm", "-wal", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).rename(kept.with_name(kept.name + ending))
            moved = str(kept)
    return None, moved


def _mark(copy: Connection, *, after: int = 0) -> None:
    """Note the moment in the copy: others notice by it that all they know may be wrong."""
    moment = max(time.time_ns() // 1000, after + 1)
    copy.execute("BEGIN IMMEDIATE")
    copy.execute("REPLACE INTO state (name, value) VALUES (?, ?)", (RESTORED, str(moment)))
    opening.write_settings_checksum(copy)
    copy.execute("COMMIT")


def _dated(path: Path) -> Path:
    return path.with_name(f"{path.stem}.before-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}{path.suffix}")


def _replace(present: Connection, path: Path, copy: Connection, part: Path, *, discard_newer: bool) -> WentBack:
    digest = "SELECT settings_digest FROM store"
    if present.execute(digest).fetchone() != copy.execute(digest).fetchone():
        raise ConfigurationError(f"{path} was made with other settings than the backup; restore it under another name")
    forgotten = _forgotten_since(present, part)
    if forgotten:
        forget(copy, part, forgotten)
        copy.execute("VACUUM")
    _mark(copy, after=position_of(present).restored)
    lacking: list[str] = []
    kept, begun, is_locked = "", time.monotonic(), False

    def step(status: int, _: int, __: int) -> None:
        # After the first step nobody else can write, and others still see the former content.
        nonlocal kept, is_locked
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            if time.monotonic() > begun + opening.BUSY_SECONDS:
                raise StoreBusyError(f"{path}: another process is writing; run the same command again later")
        elif not is_locked:
            is_locked = True
            place_of(present).check()
            if _forgotten_since(present, part):
                raise StoreBusyError(f"{path}: documents were forgotten meanwhile; run the same command again")
            lacking.extend(_lacking(present, part))
            if lacking and not discard_newer:
                raise _newer(path, lacking)
            if lacking:
                target = _dated(path)
                opening.copy_store(present, path, target, mode=path.stat().st_mode & 0o777)
                kept = str(target)

    with closing(connect(path, mode="rw", busy_seconds=opening.BUSY_SECONDS)) as target, naming_failures(path):
        begin_wal(target, path, busy_seconds=opening.BUSY_SECONDS)
        (pages,) = copy.execute("PRAGMA page_count").fetchone()
        # At least two steps: the last one commits.
        copy.backup(target, pages=min(opening.PAGES_AT_ONCE, pages // 2), progress=step, sleep=0.05)
        place_of(target).check()
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        position = position_of(target)
    return WentBack(
        batches=position.batches,
        documents=position.documents,
        discarded=len(lacking),
        forgotten=len(forgotten),
        kept=kept,
    )


def _lacking(present: Connection, part: Path) -> list[str]:
    return _beside(
        present,
        part,
        "SELECT batch_id FROM main.batch AS one WHERE NOT EXISTS (SELECT 1 FROM other.batch AS two WHERE"
        " (two.sequence, two.batch_id, two.content_hash) = (one.sequence, one.batch_id, one.content_hash))"
        " ORDER BY sequence",
    )


def _forgotten_since(present: Connection, part: Path) -> list[str]:
    return _beside(
        present,
        part,
        "SELECT DISTINCT id FROM other.document WHERE NOT forgotten"
        " AND id IN (SELECT id FROM main.document WHERE forgotten) ORDER BY ordinal",
    )


def _beside(present: Connection, part: Path, query: str) -> list[str]:
    present.execute("ATTACH ? AS other", (str(part),))
    try:
        return [name for (name,) in present.execute(query)]
    finally:
        present.execute("DETACH other")


def _newer(path: Path, lacking: Sequence[str]) -> StoreBusyError:
    named = ", ".join(map(repr, lacking[:_NAMED])) + (", ..." if len(lacking) > _NAMED else "")
    count = "a batch that was" if len(lacking) == 1 else f"{len(lacking):,} batches that were"
    return StoreBusyError(
        f"{path}: the backup lacks {count} stored after it ({named}); --discard-newer goes back all the same and keeps "
        "the present store as a dated backup: then send them again"
    )


# Judge a stored stream anew, by other thresholds or another preset, into a store of its own

_KEPT: Final = (
    "SELECT title, url, content_hash, packed, forgotten FROM document LEFT JOIN body USING (ordinal)"
    " WHERE ordinal >= ? AND ordinal < ? ORDER BY ordinal"
)


@dataclass(frozen=True, slots=True)
class Forked:
    """What was judged anew."""

    documents: int  # number of documents
    preset: str  # preset of the new store
    changed: int  # number of documents with another status
    settings: dict[str, Any]  # settings that differ from those of the old store

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def fork(path: Path, new: Path, *, preset: str = "faithful", thresholds: Thresholds | None = None) -> Forked:
    """Judge all documents of a store anew, by key terms or, if ``judged``, by texts; it appears when it is complete."""
    if new.exists():
        raise ConfigurationError(f"{new} exists already; name a new store")
    with Store.open(path, create=False, read_only=True) as old, old.reading():
        before = StreamSettings.of(old.settings)
        settings = _settings(before, preset, path)
        if thresholds is not None:
            decided, _ = thresholds_for(settings, thresholds)
            settings = settings.but(**tupled(decided))
        _check_kept(old, path, judged=preset == "judged")
        with tempfile.TemporaryDirectory(dir=new.resolve().parent, prefix=f".{new.name}.") as folder:
            file = Path(folder, "store")
            with Store.open(file, settings_digest=settings.digest, settings=settings.as_dict()) as store:
                changed = _judge_anew(old, store, settings, openings=before.preset == preset)
                gone = old.connection.execute("SELECT DISTINCT id FROM document WHERE forgotten = 1")
                store.forget(*(name for (name,) in gone))
                store.wipe()
                store.backup(new)
        plain = before.as_dict()
        differing = {name: value for name, value in settings.as_dict().items() if plain[name] != value}
        return Forked(old.stored_position().documents, preset, changed, differing)


def _settings(before: StreamSettings, preset: str, path: Path) -> StreamSettings:
    if before.model is not None:
        raise ConfigurationError(f"{path} is judged by a model; it cannot be forked")
    if preset == before.preset:
        return before
    default = {one.name: one.default for one in fields(StreamSettings)}
    if preset == "judged":
        return before.but(preset=preset, across="pivot", **{name: default[name] for name in KEY_TERMS_DECIDE})
    # Preset judged keeps numbers among its evidence, not where key terms alone would look for them.
    return before.but(preset=preset, across="none", join=default["join"], templates=False)


def _check_kept(old: Store, path: Path, *, judged: bool) -> None:
    """Refuse a store in which something of a document is missing, other than what was forgotten on request."""
    table, what, advice = (
        ("body", "text", "preset judged reads texts, which only a store made with --keep-text has; use preset faithful")
        if judged
        else ("signature", "key terms", "'store expire' has deleted them; ingest the documents into a new store")
    )
    kept = f"SELECT count(*) FROM document WHERE forgotten = 0 AND ordinal NOT IN (SELECT ordinal FROM {table})"  # noqa: S608
    (number,) = old.connection.execute(kept).fetchone()
    if number:
        raise ConfigurationError(f"{path}: {number} documents have no {what}: {advice}")


def _judge_anew(old: Store, store: Store, settings: StreamSettings, *, openings: bool) -> int:
    """Judge batch by batch, by their openings if both presets mean the same by them; count what has another status."""
    loaded = old.load()
    engine = StreamEngine(settings, wording=store.wording)
    terms, changed = list(old.terms()), 0
    engine.take_rules(loaded.state, loaded.position.documents)
    columns = "batch_id, content_hash, first_ordinal, documents, answers, first_term, terms"
    batches = old.connection.execute(f"SELECT {columns} FROM batch ORDER BY sequence").fetchall()  # noqa: S608
    for name, digest, first, documents, answers, first_term, new_terms in batches:
        remembered = list(_remembered(old, first, first + documents, keep_text=settings.keep_text))
        if settings.preset == "judged":
            decided = engine.decide(
                [as_compared(old.kept(one.ordinal)) for one in remembered],
                versions=[one.version for one in remembered],
                content_hashes=[one.content_hash for one in remembered],
            )
        else:
            if not openings:
                remembered = [replace(one, opening_hash=b"") for one in remembered]
            decided = engine.decide_anew(remembered, terms[first_term : first_term + new_terms])
        ordinals = None if answers is None else numbers_of(answers, INT64).tolist()
        store.append(Batch(name, digest, decided, ordinals))
        statuses = old.documents(first, first + documents).statuses
        changed += sum(was != one.status for was, one in zip(statuses, decided.verdicts, strict=True))
    return changed


def _remembered(old: Store, first: int, end: int, *, keep_text: bool) -> Iterator[Remembered]:
    kept = old.connection.execute(_KEPT, (first, end)).fetchall()
    for one, (title, url, content_hash, packed, _) in zip(old.documents(first, end), kept, strict=True):
        text = zlib.decompress(packed).decode("utf-8", "surrogatepass") if keep_text and packed is not None else None
        yield replace(one, title=title, url=url, content_hash=content_hash, text=text)
