"""Write a sweep as a workbook for spreadsheet programs; equal results give equal bytes."""

from __future__ import annotations

import io
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.documents.outputs import require_workbooks
from infostream_dedup.report.tables import Cover, Wording, cards_of, cover_lines, wording_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xlsxwriter import Workbook

    from infostream_dedup.runs.batch.sweeping import SweepResult


_DAY: Final = datetime(2000, 1, 1)
"""Stored as the creation date, so that the bytes do not depend on the day."""

_WIDEST: Final = 60


def workbook_of(result: SweepResult, cover: Cover) -> bytes:
    """Build the sheets of a report: what was measured, rows, parts, groups, sources, pairs."""
    xlsxwriter = require_workbooks()
    wording, target = wording_of(cover.language), io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(target, options) as book:
        book.set_properties({"title": wording("title"), "created": _DAY})
        _add_sheet(book, wording("title")[:31], _summary(result, cover, wording))
        _add_sheet(book, wording("links_found")[:31], result.as_rows())
        _add_sheet(book, wording("groups_of_duplicates")[:31], _groups(result))
        _add_sheet(book, wording("sources")[:31], _sources(result))
        _add_sheet(book, wording("shared_terms")[:31], _pairs(result))
    return target.getvalue()


def _summary(result: SweepResult, cover: Cover, wording: Wording) -> list[dict[str, Any]]:
    lines = cover_lines(result, cover, wording)
    for card in cards_of(result, wording):
        chosen = wording("no_k") if card.k is None else f"k = {card.k}"
        lines.append((f"{card.name}: {chosen}", wording.spoken(card.missing or card.reason)[0]))
    return [{"": name, " ": value} for name, value in lines]


def _groups(result: SweepResult) -> Iterable[dict[str, Any]]:
    for name, listing in result.listed.items():
        for number, group in enumerate(listing.groups, start=1):
            for one in group.documents:
                own = {field: getattr(one, field) for field in ("id", "title", "source", "published", "url")}
                yield {"representation": name, "k": listing.k, "group": number, "documents": group.size, **own}


def _sources(result: SweepResult) -> Iterable[dict[str, Any]]:
    for name, listing in result.listed.items():
        for one in listing.sources:
            counts = {"documents": one.documents, "grouped": one.grouped, "first": one.first, "copied": one.copied}
            yield {"representation": name, "k": listing.k, "source": one.source, **counts}


def _pairs(result: SweepResult) -> Iterable[dict[str, Any]]:
    for one in result.examples:
        sides = {
            f"{name}_{side}": getattr(one, f"{name}_{side}")
            for side in ("a", "b")
            for name in ("title", "source", "published", "url")
        }
        counts = {"forward": one.forward, "backward": one.backward, "terms": " ".join(one.terms)}
        yield {"representation": one.representation, "k": one.k, "a": one.a, "b": one.b, **counts, **sides}


def _add_sheet(book: Workbook, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add a sheet with a bold header that stays in view; no sheet is added without rows."""
    table = list(rows)
    if not table:
        return
    sheet, header = book.add_worksheet(name), book.add_format({"bold": True})
    columns: Sequence[str] = list(dict.fromkeys(column for row in table for column in row))
    for place, column in enumerate(columns):
        values = [row.get(column) for row in table]
        widest = max(len(str(value)) for value in (column, *values) if value is not None)
        sheet.set_column(place, place, min(widest + 2, _WIDEST))
        sheet.write_string(0, place, column, header)
        for line, value in enumerate(values, start=1):
            if value is None:
                continue
            if isinstance(value, bool):
                sheet.write_boolean(line, place, value)
            elif isinstance(value, int | float):
                sheet.write_number(line, place, value)
            else:
                sheet.write_string(line, place, str(value))
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, len(table), len(columns) - 1)
