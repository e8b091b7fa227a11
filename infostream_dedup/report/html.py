"""Renders a sweep as one self-contained HTML page: no scripts, no network references, everything escaped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from infostream_dedup.batch.sweeping import SweepResult
from infostream_dedup.links import GroupCounts
from infostream_dedup.report.published import PublishedSeries, published_beside, series_name

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["environment", "html_report"]


def html_report(result: SweepResult, figures: Mapping[str, str]) -> str:
    """Render the report as one page.

    Args:
        result: result of ``sweep``.
        figures: ``symmetry``, ``transitivity`` and ``groups`` as ``<svg>`` elements.
    """
    from markupsafe import Markup

    # We draw the SVG ourselves from our own numbers and names; matplotlib escapes its labels.
    svgs = {name: Markup(svg) for name, svg in figures.items()}  # noqa: S704
    return (
        environment()
        .get_template("report.html")
        .render(
            result=result,
            figures=svgs,
            series=_list_series(result),
            table=_tabulate_by_k(result),
            groups=_tabulate_groups(result),
            thresholds=[row for row in result.rows if row.measures.k is None],
            examples=_group_examples(result),
        )
    )


def environment() -> Environment:
    """Make an environment that escapes everything, with the filters ``ratio``, ``published`` and ``count``."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("infostream_dedup.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["ratio"] = lambda value: "-" if value is None else f"{value:.3f}"
    environment.filters["published"] = lambda value: "-" if value is None else f"{value:.2f}"
    environment.filters["count"] = lambda value: "-" if value is None else f"{value:,}".replace(",", " ")
    return environment


@dataclass(frozen=True, slots=True)
class _Series:
    """One group of columns.

    Attributes:
        name: name in the legend of the figures.
        published: columns of the paper to show beside it; ``None`` if the paper has no counterpart.
    """

    name: str
    published: PublishedSeries | None


def _list_series(result: SweepResult) -> list[_Series]:
    blocks = dict.fromkeys((row.representation, row.block) for row in result.rows)
    return [_Series(series_name(*block), published_beside(*block, blocks)) for block in blocks]


def _tabulate_by_k(result: SweepResult) -> list[tuple[int, dict[str, Any]]]:
    """Return the measures by k, then by series."""
    table: dict[int, dict[str, Any]] = {}
    for row in result.rows:
        if row.measures.k is not None:
            table.setdefault(row.measures.k, {})[series_name(row.representation, row.block)] = row.measures
    return sorted(table.items())


def _tabulate_groups(result: SweepResult) -> list[tuple[int, dict[str, GroupCounts]]]:
    """Return the groups by k, then by series; only those that were counted."""
    table: dict[int, dict[str, GroupCounts]] = {}
    for row in result.rows:
        if row.measures.k is not None and row.groups is not None:
            table.setdefault(row.measures.k, {})[series_name(row.representation, row.block)] = row.groups
    return sorted(table.items())


def _group_examples(result: SweepResult) -> list[tuple[str, list[tuple[int, list[Any]]]]]:
    by_representation = groupby(result.examples, key=lambda example: example.representation)
    return [
        (name, [(k, list(found)) for k, found in groupby(list(group), key=lambda example: example.k)])
        for name, group in by_representation
    ]
