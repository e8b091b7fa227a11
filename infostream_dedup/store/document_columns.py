"""Read documents column by column, which keeps restarts fast."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from infostream_dedup.machine.collector import collector_paused
from infostream_dedup.store.blobs import INT32, INT64, UINT32, RaggedBuilder
from infostream_dedup.store.remembered_table import EvidenceTable, PivotTable, RememberedTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["REPEATS", "table_of"]

REPEATS: Final = (
    "(status IN ('exact', 'duplicate') OR coalesce(relation, '') IN ('template', 'updated')"
    " OR coalesce(kind, '') IN ('template', 'updated'))"
)
"""``Verdict.repeats`` in SQL: 0 or 1 for a row of table ``document``."""

_ROWS_AT_ONCE: Final = 500
"""Few enough that fetched rows are still in the processor's cache when they are concatenated."""


class _Column(Protocol):
    def extend(self, values: Sequence[Any]) -> None: ...

    def finish(self) -> Any: ...


class _Numbers:
    def __init__(self) -> None:
        self._values = array("q")

    def extend(self, values: Sequence[int]) -> None:
        self._values.extend(values)

    def finish(self) -> NDArray[np.int64]:
        return np.frombuffer(self._values, dtype=np.int64)


class _Values:
    def __init__(self) -> None:
        self._values: list[Any] = []

    def extend(self, values: Iterable[Any]) -> None:
        self._values.extend(values)

    def finish(self) -> list[Any]:
        return self._values


class _Repeated(_Values):
    """Share equal values: a million copies of a source's name would outweigh everything else."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[Any, Any] = {}

    def extend(self, values: Iterable[Any]) -> None:
        super().extend(map(self._seen.setdefault, values, values))


_Columns = tuple[tuple[str, str, Callable[[], _Column]], ...]

_COLUMNS: Final[_Columns] = (
    ("ordinals", "document.ordinal", _Numbers),
    ("ids", "id", _Values),
    ("versions", "version", _Numbers),
    ("sources", "source", _Repeated),
    ("clocks", "clock", _Numbers),
    ("published", "published", _Values),
    ("languages", "language", _Repeated),
    ("text_hashes", "coalesce(text_hash, x'')", _Values),
    ("opening_hashes", "coalesce(opening_hash, x'')", _Values),
    ("epochs", "epoch", _Numbers),
    ("lengths", "length", _Numbers),
    ("keys", "coalesce(signature.keys, x'')", lambda: RaggedBuilder(INT32)),
    ("weights", "coalesce(signature.weights, x'')", lambda: RaggedBuilder(INT64)),
    ("targets", "coalesce(targets, x'')", lambda: RaggedBuilder(INT32)),
    ("numbers", "coalesce(numbers, x'')", lambda: RaggedBuilder(INT64)),
    ("statuses", "status", _Repeated),
    ("repeats", REPEATS, _Numbers),
    # Most documents are alone in their group, so its name need not be read twice.
    ("groups", "nullif(group_id, id)", _Values),
)
_EVIDENCE_COLUMNS: Final[_Columns] = (
    ("keys", "coalesce(evidence.keys, x'')", lambda: RaggedBuilder(INT32)),
    ("weights", "coalesce(evidence.weights, x'')", lambda: RaggedBuilder(INT64)),
    ("records", "coalesce(record, x'')", lambda: RaggedBuilder(UINT32)),
    ("urls", "url", _Values),
)
_PIVOT_COLUMNS: Final[_Columns] = (
    ("keys", "coalesce(pivot.keys, x'')", lambda: RaggedBuilder(INT32)),
    ("weights", "coalesce(pivot.weights, x'')", lambda: RaggedBuilder(INT64)),
    ("members", "coalesce(members, x'')", lambda: RaggedBuilder(INT64)),
    ("canonical", "coalesce(canonical, x'')", lambda: RaggedBuilder(INT32)),
    ("further", "coalesce(further, x'')", lambda: RaggedBuilder(INT32)),
    ("links", "coalesce(links, x'')", lambda: RaggedBuilder(INT64)),
)
_PARTS: Final = {"signature": _COLUMNS, "evidence": _EVIDENCE_COLUMNS, "pivot": _PIVOT_COLUMNS}
"""Tables with a row for some documents, and the columns that they complete."""


def table_of(connection: sqlite3.Connection, first: int, end: int) -> RememberedTable:
    """Read the documents with ordinals from `first` to `end` (exclusive)."""
    found = _read(connection, first, end)
    table = found["signature"]
    table["evidence"] = EvidenceTable(**found["evidence"])
    table["pivot"] = PivotTable(**found["pivot"])
    groups = list(table["ids"])
    for place, group in enumerate(table["groups"]):
        if group is not None:
            groups[place] = group
    table["groups"] = _groups_now(connection, groups, table["ordinals"])
    return RememberedTable(**table)


def _read(connection: sqlite3.Connection, first: int, end: int) -> dict[str, dict[str, Any]]:
    """Read all columns of documents in one pass; those of a table without rows are left empty."""
    parts = {"signature": _COLUMNS} | {
        part: named for part, named in _PARTS.items() if _has_rows(connection, part, first, end)
    }
    expressions = ", ".join(expression for named in parts.values() for _, expression, _ in named)
    joins = " ".join(f"LEFT JOIN {part} ON {part}.ordinal = document.ordinal" for part in parts)
    cursor = connection.execute(
        f"SELECT {expressions} FROM document {joins}"  # noqa: S608
        " WHERE document.ordinal >= ? AND document.ordinal < ? ORDER BY document.ordinal",
        (first, end),
    )
    built = {part: {name: kind() for name, _, kind in named} for part, named in _PARTS.items()}
    columns = [built[part][name] for part, named in parts.items() for name, _, _ in named]
    documents = 0
    with collector_paused():
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            documents += len(rows)
            for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
                column.extend(cells)
    for part in _PARTS.keys() - parts.keys():
        for name, column in built[part].items():
            column.extend([None if name == "urls" else b""] * documents)
    return {part: {name: column.finish() for name, column in named.items()} for part, named in built.items()}


def _has_rows(connection: sqlite3.Connection, part: str, first: int, end: int) -> bool:
    asked = f"SELECT EXISTS (SELECT 1 FROM {part} WHERE ordinal >= ? AND ordinal < ?)"  # noqa: S608
    return bool(connection.execute(asked, (first, end)).fetchone()[0])


def _groups_now(connection: sqlite3.Connection, groups: list[str], ordinals: NDArray[np.int64]) -> list[str]:
    """Find the group of each document after all merges.

    Args:
        connection: open connection to the store.
        groups: each document's first group.
        ordinals: the documents; merges before a document do not affect it, because a group's name may be used again.
    """
    merges: dict[str, list[tuple[int, int, str]]] = {}
    for number, ordinal, other, group in connection.execute(
        "SELECT number, ordinal, other, group_id FROM event WHERE kind = 'merge' ORDER BY number"
    ):
        merges.setdefault(other, []).append((number, ordinal, group))

    def now(group: str, since: int) -> str:
        last = -1
        while later := [one for one in merges.get(group, ()) if one[0] > last and one[1] >= since]:
            last, _, group = later[0]
        return group

    return list(map(now, groups, ordinals.tolist())) if merges else groups
