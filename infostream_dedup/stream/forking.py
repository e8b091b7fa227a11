"""Judge a stored stream anew, by other thresholds or another preset, into a store of its own."""

from __future__ import annotations

import tempfile
import zlib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.documents.documents import as_compared
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.machine.arrays import INT64, numbers_of
from infostream_dedup.model.stream_records import Batch, Remembered
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.retuning import thresholds_for, tupled
from infostream_dedup.stream.settings import KEY_TERMS_DECIDE, StreamSettings
from infostream_dedup.stream.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infostream_dedup.model.settings import Thresholds

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
    """Judge all documents of a store anew: by their stored key terms, or with preset ``judged`` by their texts.

    The new store appears under its name when it is complete.
    """
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
