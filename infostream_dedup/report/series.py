"""The rows of a sweep arranged for a report: one series for each representation and block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from infostream_dedup.report.published import PublishedSeries, published_beside
from infostream_dedup.report.wording import Wording
from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow

__all__ = ["Card", "Series", "cards_of", "list_series", "overview_of", "title_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One representation and block.

    Attributes:
        representation: its representation.
        block: its block.
        name: name of the series in the report.
        recommended: the k to highlight; ``None`` if none is recommended.
        published: the series of the paper to show beside it; ``None`` if there is none.
        rows: its rows, by ascending k.
        estimated: whether its rows estimate how good the links are.
    """

    representation: str
    block: str
    name: str
    recommended: int | None
    published: PublishedSeries | None
    rows: list[SweepRow]
    estimated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The recommendation of one representation.

    Attributes:
        name: name of the representation, with its block unless that is ``all``.
        k: the recommended k, if there is one.
        reason: reason for the recommendation.
        missing: reason why it was not computed; ``None`` if it was.
        duplicates: share of the documents that repeat another; ``None`` if that was not counted.
        groups_k: the k at which groups were counted for ``duplicates``.
        quality: what was counted and estimated at the recommended k, one sentence each.
    """

    name: str
    k: int | None = None
    reason: str = ""
    missing: str | None = None
    duplicates: float | None = None
    groups_k: int = 6
    quality: tuple[str, ...] = ()


def title_of(representation: str, block: str, wording: Wording) -> str:
    """Return the name of a series in the report."""
    return representation if block == "all" else f"{representation}, {wording(f'block_{block}')}"


def list_series(result: SweepResult, wording: Wording) -> list[Series]:
    """Return the series of a sweep in the order of its rows."""
    blocks = dict.fromkeys((row.representation, row.block) for row in result.rows)
    found = []
    for representation, block in blocks:
        rows = [
            row
            for row in result.rows
            if (row.representation, row.block) == (representation, block) and row.measures.k is not None
        ]
        series = Series(
            representation=representation,
            block=block,
            name=title_of(representation, block, wording),
            recommended=result.recommended_k.get(
                f"{representation}:cross" if block == "cross" else representation if block == "all" else ""
            ),
            published=published_beside(representation, block, blocks),
            rows=rows,
            estimated=any("copies" in row.estimated for row in rows),
        )
        found.append(series)
    return found


def overview_of(series: list[Series]) -> list[tuple[int, dict[str, SweepRow]]]:
    """Return the rows of all series by k, then by name."""
    table: dict[int, dict[str, SweepRow]] = {}
    for one in series:
        for row in one.rows:
            if row.measures.k is not None:
                table.setdefault(row.measures.k, {})[one.name] = row
    return sorted(table.items())


def cards_of(result: SweepResult, wording: Wording) -> list[Card]:
    """Return the recommendation for each representation, and for links between languages."""
    cards = []
    for name, k in result.recommended_k.items():
        representation, _, block = name.partition(":")
        cards.append(
            Card(
                name=title_of(representation, block or "all", wording),
                k=k,
                reason=result.reason[name],
                duplicates=None if block else result.duplicates(representation),
                groups_k=k or min(6, result.configuration["n"]),
                quality=_quality(result, representation, block or "all", k, wording),
            )
        )
    return [*cards, *(Card(name=name, missing=why) for name, why in result.missing.items())]


def _quality(result: SweepResult, representation: str, block: str, k: int | None, wording: Wording) -> tuple[str, ...]:
    """Say what was counted and estimated about the links at one k; empty if nothing was."""
    for row in result.rows:
        if (row.representation, row.block, row.measures.k) == (representation, block, k) and row.estimated:
            estimated = "" if _told_apart(result, representation) else _estimated(row.estimated, wording)
            bands = _by_band(result.without_labels.get(representation), k, wording) if block == "all" else ""
            lines = (_counted(row.estimated, wording), bands, estimated)
            return tuple(line for line in lines if line)
    return ()


def _counted(columns: Mapping[str, Any], wording: Wording) -> str:
    names = ("copy_precision", "copy_precision_low", "copy_precision_high", "copy_recall", "copies")
    precision, low, high, recall, copies = (columns.get(name) for name in names)
    if precision is None or recall is None:
        return ""
    percent = wording.percent
    return wording(
        "quality_copies",
        precision=percent(precision),
        low=percent(low),
        high=percent(high),
        recall=percent(recall),
        copies=wording.count(copies),
    )


def _by_band(summary: Mapping[str, Any] | None, k: int | None, wording: Wording) -> str:
    """Say how many copies of each band of wording are linked; empty if there are none."""
    steps = summary["copies"]["steps"] if summary is not None else []
    bands: dict[str, float | None] = next((step["recall_by_wording"] for step in steps if step["step"] == k), {})
    said = [
        wording("quality_band", low=low, high=high, recall=wording.percent(recall))
        for (low, high), recall in ((name.split("-"), recall) for name, recall in bands.items())
        if recall is not None
    ]
    return wording("quality_bands", bands="; ".join(said)) if said else ""


def _estimated(columns: Mapping[str, Any], wording: Wording) -> str:
    code, percent = columns.get("reliable_code"), wording.percent
    if code == "reliable":
        names = ("precision", "recall", "f1")
        return wording("quality_reliable", **{name: percent(columns.get(name)) for name in names})
    if code == "upper_bound":
        return wording("quality_upper_bound", high=percent(columns.get("precision_high")))
    return wording("quality_refused") if code == "refused" else ""


def _told_apart(result: SweepResult, representation: str) -> bool:
    """Whether links within languages have their own rows; then only those are estimated."""
    return any((row.representation, row.block) == (representation, "mono") for row in result.rows)
