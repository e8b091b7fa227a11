"""Give a running stream the thresholds of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.opening import check_settings, first_settings_of, write_settings_checksum
from infostream_dedup.stream.store.retuning import RETUNES, add_change, changes_of, in_force
from infostream_dedup.stream.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infostream_dedup.model.settings import Thresholds
    from infostream_dedup.stream.deduplicator import BatchStore


@dataclass(frozen=True, slots=True)
class Retuned:
    """What a file changes."""

    first: int  # ordinal of the first document that is judged by the new thresholds
    changes: dict[str, Any]  # settings and their new values; empty if the file says what is in force already
    left: tuple[str, ...]  # what the file says that this stream does not read

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"first": self.first, "changes": self.changes, "left": list(self.left)}


def thresholds_for(settings: StreamSettings, thresholds: Thresholds) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The settings of a stream that a file decides, and what it says that the stream does not read."""
    if settings.preset == "judged":
        if "join" not in thresholds.judged:
            raise ConfigurationError(
                f"{thresholds.path}: has no join under [judged], which is all that a stream of preset judged reads; k"
                " decides in preset faithful"
            )
        left = tuple(f"k of {name}" for name in thresholds.ks) + tuple(set(thresholds.judged) - {"join"})
        return {"join": list(thresholds.judged["join"])}, left
    k = thresholds.k_for(settings.terms)
    left = tuple(f"[judged] {name}" for name in thresholds.judged)
    return {"k_duplicate": k, "k_similar": min(k, settings.k_similar)}, left


def tupled(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as their record has them, from plain values."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()}


def retune(store: BatchStore, thresholds: Thresholds, *, first: int | None = None) -> Retuned:
    """Judge the documents from ``first`` on, by default the next one, by new thresholds; no earlier verdict changes."""
    if not isinstance(store, Store):
        raise ConfigurationError("a stream in memory keeps its thresholds; give it a store")
    with store.transaction():
        connection = store.connection
        check_settings(connection, store.path)
        position, retunes = store.stored_position(), changes_of(connection, RETUNES)
        begin = position.documents if first is None else first
        if begin < position.documents:
            raise UsageError(
                f"document {begin} has been judged already; new thresholds hold from document {position.documents} on"
            )
        if retunes and begin < retunes[-1]["first"]:
            raise UsageError(f"other thresholds are recorded for document {retunes[-1]['first']}; choose a later one")
        settings = StreamSettings.of(in_force(first_settings_of(connection), retunes, begin))
        decided, left = thresholds_for(settings, thresholds)
        before = settings.as_dict()
        changes = {name: value for name, value in decided.items() if before[name] != value}
        settings.but(**tupled(changes))
        if changes:
            add_change(connection, RETUNES, {"changes": changes, "first": begin})
            write_settings_checksum(connection)
        return Retuned(begin, changes, left)
