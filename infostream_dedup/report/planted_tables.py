"""Tables of planted copies in the report: a line for each language and edit, at the recommended k."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infostream_dedup.runs.batch.sweeping import SweepResult

__all__ = ["tabulate_planted"]


@dataclass(frozen=True, slots=True)
class PlantedLine:
    """One language and edit.

    Attributes:
        language: code.
        edit: what was changed.
        cells: the row for each rate of the table; ``None`` if no copy was planted.
    """

    language: str
    edit: str
    cells: list[dict[str, Any] | None]


@dataclass(frozen=True, slots=True)
class PlantedTable:
    """One representation.

    Attributes:
        name: stem, morph or pivot.
        k: the k at which pairs are linked.
        rates: shares of the text that were changed, ascending.
        lines: by language and edit.
    """

    name: str
    k: int
    rates: list[float]
    lines: list[PlantedLine]


def tabulate_planted(result: SweepResult) -> list[PlantedTable]:
    """Return a table for each representation; an empty list if nothing was planted."""
    tables = []
    for name, group in groupby(result.planted_at_k(), key=lambda row: row["representation"]):
        rows = list(group)
        rates = sorted({row["rate"] for row in rows})
        by_line: dict[tuple[str, str], dict[float, dict[str, Any]]] = {}
        for row in rows:
            by_line.setdefault((row["language"], row["edit"]), {})[row["rate"]] = row
        lines = [
            PlantedLine(language, edit, [cells.get(rate) for rate in rates])
            for (language, edit), cells in by_line.items()
        ]
        tables.append(PlantedTable(name, rows[0]["k"], rates, lines))
    return tables
