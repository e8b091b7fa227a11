"""Changes of a running stream: the thresholds of a file, and standing searches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.machine.arrays import Ints
from infostream_dedup.model import LANGUAGES
from infostream_dedup.model.settings import Thresholds
from infostream_dedup.model.stream_records import Remembered
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import opening
from infostream_dedup.stream.store.store import Store

if TYPE_CHECKING:
    from infostream_dedup.stream.analysis import Frequencies


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


def retune(store: object, thresholds: Thresholds, *, first: int | None = None) -> Retuned:
    """Judge the documents from ``first`` on, by default the next one, by new thresholds; no earlier verdict changes."""
    if not isinstance(store, Store):
        raise ConfigurationError("a stream in memory keeps its thresholds; give it a store")
    with store.transaction():
        connection = store.connection
        opening.check_settings(connection, store.path)
        position, retunes = store.stored_position(), opening.changes_of(connection, opening.RETUNES)
        begin = position.documents if first is None else first
        if begin < position.documents:
            raise UsageError(
                f"document {begin} has been judged already; new thresholds hold from document {position.documents} on"
            )
        if retunes and begin < retunes[-1]["first"]:
            raise UsageError(f"other thresholds are recorded for document {retunes[-1]['first']}; choose a later one")
        settings = StreamSettings.of(opening.in_force(opening.first_settings_of(connection), retunes, begin))
        decided, left = thresholds_for(settings, thresholds)
        before = settings.as_dict()
        changes = {name: value for name, value in decided.items() if before[name] != value}
        settings.but(**tupled(changes))
        if changes:
            opening.add_change(connection, opening.RETUNES, {"changes": changes, "first": begin})
            opening.write_settings_checksum(connection)
        return Retuned(begin, changes, left)


# Standing searches: which documents have enough of the terms that somebody waits for, in any language


class Watches:
    """The searches of an engine, by the numbers of its terms.

    Changes hold from the ordinal ``first``; ``search`` is None if it ends. ``in_text`` compares with all terms of a
    document, not only with its key terms.
    """

    def __init__(self, changes: Sequence[Mapping[str, Any]], *, in_text: bool) -> None:
        self.changes = list(changes)
        self._in_text = in_text
        self._wanted = {
            term
            for one in changes
            for sets in (one["search"] or {"sets": {}})["sets"].values()
            for terms in sets
            for term in terms
        }
        self._numbers: dict[str, int] = {}
        self._seen = 0
        self._from = self._until = 0
        self._tables: dict[str, tuple[Ints, list[tuple[int, int]]]] = {}
        self._least: list[tuple[str, int]] = []

    def see(self, terms: Sequence[str]) -> None:
        """Learn the numbers of terms that have come since the last call."""
        fresh = terms[self._seen :] if self._seen < len(terms) else ()
        for number, term in enumerate(fresh, start=self._seen):
            if term in self._wanted:
                self._numbers[term] = number
                self._until = 0
        self._seen = len(terms)

    def hits(self, document: Remembered, frequencies: Frequencies) -> list[str]:
        """Names of the searches that a document answers, as added; a term too rare for a key term counts as one."""
        if not self._from <= document.ordinal < self._until:
            self._arrange(document.ordinal)
        table = self._tables.get(document.language)
        if table is None:
            return []
        theirs = document.targets if self._in_text else document.keys
        counted: dict[int, set[int]] = defaultdict(set)
        keyed = set()
        keys = set(document.keys.tolist())
        places = np.flatnonzero(np.isin(table[0], theirs))
        rare = frequencies.too_rare(LANGUAGES.index(document.language), table[0][places])
        for place, alone in zip(places.tolist(), rare.tolist(), strict=True):
            search, term = table[1][place]
            counted[search].add(term)
            if alone or int(table[0][place]) in keys:
                keyed.add(search)
        return [name for place, (name, k) in enumerate(self._least) if place in keyed and len(counted[place]) >= k]

    def _arrange(self, ordinal: int) -> None:
        self._least = []
        entries: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for place, (name, search) in enumerate(searches_in_force(self.changes, ordinal).items()):
            self._least.append((name, search["k"]))
            for language, sets in search["sets"].items():
                numbered = (
                    (self._numbers[term], place, number)
                    for number, terms in enumerate(sets)
                    for term in terms
                    if term in self._numbers
                )
                entries[language] += numbered
        self._tables = {
            language: (np.array([one for one, *_ in found], dtype=np.int64), [(a, b) for _, a, b in found])
            for language, found in entries.items()
        }
        self._from = ordinal
        self._until = min((one["first"] for one in self.changes if one["first"] > ordinal), default=1 << 62)


def searches_in_force(changes: Iterable[Mapping[str, Any]], ordinal: int) -> dict[str, dict[str, Any]]:
    """The searches that hold for a document, by name, in the order in which they were added."""
    found: dict[str, dict[str, Any]] = {}
    for one in changes:
        if one["first"] <= ordinal:
            found.pop(one["name"], None)
            if one["search"] is not None:
                found[one["name"]] = {"first": one["first"], **one["search"]}
    return found
