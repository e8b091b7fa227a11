"""One self-contained HTML page: no script, no network reference, everything escaped."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from infostream_dedup.batch.sweeping import SweepResult
from infostream_dedup.report.published import PUBLISHED

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["html_report"]


def html_report(result: SweepResult, figures: Mapping[str, str]) -> str:
    """The report as one page.

    Args:
        result: of ``sweep``.
        figures: ``symmetry``, ``transitivity`` and ``groups`` as ``<svg>`` elements.
    """
    from markupsafe import Markup

    # The SVG is drawn by us from numbers and names of ours; matplotlib escapes its labels.
    drawn = {name: Markup(svg) for name, svg in figures.items()}  # noqa: S704
    return (
        _environment()
        .get_template("report.html")
        .render(
            result=result,
            figures=drawn,
            representations=list(dict.fromkeys(row.representation for row in result.rows)),
            published=PUBLISHED,
            table=_by_k(result),
            thresholds=[row for row in result.rows if row.measures.k is None],
            examples=_examples(result),
        )
    )


def _environment() -> Environment:
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


def _by_k(result: SweepResult) -> list[tuple[int, dict[str, Any]]]:
    """Measures by k, then by representation (block ``all``)."""
    table: dict[int, dict[str, Any]] = {}
    for row in result.rows:
        if row.block == "all" and row.measures.k is not None:
            table.setdefault(row.measures.k, {})[row.representation] = row.measures
    return sorted(table.items())


def _examples(result: SweepResult) -> list[tuple[str, list[tuple[int, list[Any]]]]]:
    by_representation = groupby(result.examples, key=lambda example: example.representation)
    return [
        (name, [(k, list(found)) for k, found in groupby(list(group), key=lambda example: example.k)])
        for name, group in by_representation
    ]
