"""Tables of a report that show the parts of a collection side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from infostream_dedup.links import Measures
from infostream_dedup.report.wording import Wording
from infostream_dedup.runs.batch.sweeping import SweepResult

__all__ = ["PartLine", "PartTable", "PartTables", "part_name", "tabulate_parts"]

_REFUSED_K = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLine:
    """One part in one representation.

    Attributes:
        name: name of the part in the report.
        whole: whether it is the whole collection.
        documents: number of documents.
        recommended: its own recommended k; ``None`` if there is none.
        symmetry: S at that k.
        transitivity: T at that k.
        duplicates: share of its documents that repeat another one.
        symmetry_at: S at the k of the table.
        transitivity_at: T at the k of the table.
        curves: S and T at every k of the table, by ``symmetry`` and ``transitivity``.
    """

    name: str
    whole: bool
    documents: int
    recommended: int | None
    symmetry: float | None
    transitivity: float | None
    duplicates: float | None
    symmetry_at: float | None
    transitivity_at: float | None
    curves: dict[str, list[float | None]]


@dataclass(frozen=True, slots=True)
class PartTable:
    """All parts in one representation.

    Attributes:
        name: the representation.
        k: the k at which all parts are compared: the one recommended for the whole collection, or 6.
        ks: the k of the curves.
        lines: the whole collection, then its parts.
    """

    name: str
    k: int
    ks: list[int]
    lines: list[PartLine]


@dataclass(frozen=True, slots=True)
class PartTables:
    """The tables of all representations, with data for the figure above them.

    Attributes:
        figure_k: the k of each representation in the figure, in words.
        tables: one for each representation.
    """

    figure_k: str
    tables: list[PartTable]


def part_name(name: str | None, by: str | None, wording: Wording) -> str:
    """Return the name of a part in the report; ``None`` means documents without a source or date."""
    return name if name is not None else wording("part_none_source" if by == "source" else "part_none")


def tabulate_parts(result: SweepResult, wording: Wording) -> PartTables | None:
    """Arrange the parts side by side; return ``None`` if there are no parts, or if they have no k."""
    if result.by is None or all(row.measures.k is None for row in result.rows):
        return None
    names = dict.fromkeys(row.representation for row in result.rows)
    tables = [_table(result, name, wording) for name in names]
    return PartTables(", ".join(f"{table.k} ({table.name})" for table in tables), tables)


def _table(result: SweepResult, representation: str, wording: Wording) -> PartTable:
    k = result.recommended_k.get(representation) or min(_REFUSED_K, result.configuration["n"])
    ks = sorted(_by_k(result, representation))
    named = [(part_name(name, result.by, wording), part) for name, part in result.parts.items()]
    lines = [_line(wording("whole"), result, representation, k, ks, whole=True)]
    lines.extend(_line(name, part, representation, k, ks, whole=False) for name, part in named)
    return PartTable(representation, k, ks, lines)


def _line(name: str, part: SweepResult, representation: str, k: int, ks: Sequence[int], *, whole: bool) -> PartLine:
    rows, own = _by_k(part, representation), part.recommended_k.get(representation)
    at_own, at_k = None if own is None else rows.get(own), rows.get(k)
    return PartLine(
        name=name,
        whole=whole,
        documents=sum(part.documents.values()),
        recommended=own,
        symmetry=None if at_own is None else at_own.symmetry,
        transitivity=None if at_own is None else at_own.transitivity,
        duplicates=part.duplicates(representation),
        symmetry_at=None if at_k is None else at_k.symmetry,
        transitivity_at=None if at_k is None else at_k.transitivity,
        curves={
            quantity: [getattr(rows.get(one), quantity, None) for one in ks]
            for quantity in ("symmetry", "transitivity")
        },
    )


def _by_k(part: SweepResult, representation: str) -> dict[int, Measures]:
    return {
        row.measures.k: row.measures
        for row in part.rows
        if (row.representation, row.block) == (representation, "all") and row.measures.k is not None
    }
