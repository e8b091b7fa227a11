"""Make pictures accessible, and fit for dark pages: titles, descriptions, colours that follow the page."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from infostream_dedup.model.settings import REPRESENTATIONS
from infostream_dedup.report.part_tables import PartTables
from infostream_dedup.report.series import list_series
from infostream_dedup.report.wording import Wording
from infostream_dedup.runs.batch.sweeping import SweepResult
from infostream_dedup.terms.representation import representation as representation_named

__all__ = ["describe_curves", "describe_groups", "describe_parts", "described"]

_FONT: Final = ("'DejaVu Sans'", "'DejaVu Sans', system-ui, sans-serif")


def described(svg: str, name: str, title: str, description: str) -> str:
    """Give a picture a title and a description, unique identifiers, and the colours of the surrounding page.

    Colours are custom properties with the printed colour as default, so that the picture is also complete on its own.

    Args:
        svg: an ``<svg>`` element as matplotlib writes it.
        name: prefix of its identifiers, distinct on a page.
        title: title of the picture.
        description: description of what can be seen in the picture.
    """
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", svg)
    svg = svg.replace(*_FONT).replace("#ffffff", "var(--page, #ffffff)").replace("#dddddd", "var(--grid, #dddddd)")
    svg = svg.replace("#000000", "currentColor")
    for one in REPRESENTATIONS:
        colour = representation_named(one).colour
        svg = svg.replace(colour, f"var(--{one}, {colour})")
    opened, _, rest = svg.partition(">")
    label = f'role="img" aria-labelledby="{name}-title {name}-description" fill="currentColor"'
    words = (
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-description">{escape(description)}</desc>'
    )
    return f"{opened} {label}>{words}{rest}"


def describe_curves(result: SweepResult, quantity: str, wording: Wording) -> str:
    """Describe where each curve begins, ends and is highest."""
    sentences = []
    for series in list_series(result, wording):
        points = [(getattr(row.measures, quantity), row.measures.k) for row in series.rows]
        known = [(value, k) for value, k in points if value is not None and k is not None]
        if known:
            most, top = max(known, key=lambda point: (point[0], -point[1]))
            (first, start), (last, end) = known[0], known[-1]
            values = {"first": first, "last": last, "most": most}
            said = {name: wording.decimal(value, 3) for name, value in values.items()}
            sentences.append(wording("described_curve", name=series.name, start=start, end=end, top=top, **said))
    return " ".join(sentences)


def describe_groups(result: SweepResult, wording: Wording) -> str:
    """Describe how many groups each representation finds, and how large the largest is."""
    return " ".join(
        wording(
            "described_groups",
            name=name,
            groups=wording.count(sum(number for size, number in sizes.items() if size > 1)),
            largest=wording.count(max(sizes, default=0)),
        )
        for name, sizes in result.groups.items()
    )


def describe_parts(tables: PartTables, wording: Wording) -> str:
    """Describe the range of the share of duplicates."""
    sentences = []
    for table in tables.tables:
        known = [line.duplicates for line in table.lines if not line.whole and line.duplicates is not None]
        if known:
            name = f"{table.name}, {wording('axis_duplicates')}"
            low, high = wording.percent(min(known)), wording.percent(max(known))
            sentences.append(wording("described_part", name=name, low=low, high=high))
    return " ".join(sentences)
