"""Standing searches: which documents have enough of the terms that somebody waits for, in any language.

The terms of a search are fixed when it is added, in every language that the dictionaries know them in. Each document is
compared with them by its own terms as it arrives, so that hits depend neither on batches nor on later documents.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from infostream_dedup.model.stream_records import Remembered


class Watches:
    """The searches of an engine, by the numbers of its terms.

    Args:
        changes: all changes of searches in order: ``first`` (ordinal from which it holds), ``name``, and ``search``,
            None if it ends.
        in_text: compare with all terms of a document, not only with its key terms.
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
        self._tables: dict[str, tuple[NDArray[np.int64], list[tuple[int, int]]]] = {}
        self._least: list[tuple[str, int]] = []

    def see(self, terms: Sequence[str]) -> None:
        """Learn the numbers of terms that have come since the last call."""
        fresh = terms[self._seen :] if self._seen < len(terms) else ()
        for number, term in enumerate(fresh, start=self._seen):
            if term in self._wanted:
                self._numbers[term] = number
                self._until = 0
        self._seen = len(terms)

    def hits(self, document: Remembered) -> list[str]:
        """Names of the searches that a document answers, in the order in which they were added."""
        if not self._from <= document.ordinal < self._until:
            self._arrange(document.ordinal)
        table = self._tables.get(document.language)
        if table is None:
            return []
        theirs = document.targets if self._in_text else document.keys
        counted: dict[int, set[int]] = defaultdict(set)
        keyed = set()
        keys = set(document.keys.tolist())
        for place in np.flatnonzero(np.isin(table[0], theirs)).tolist():
            search, term = table[1][place]
            counted[search].add(term)
            if int(table[0][place]) in keys:
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
