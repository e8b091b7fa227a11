"""Renders a sweep as one self-contained HTML page: no scripts, no network references, everything escaped."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.report.tables import (
    Cover,
    Wording,
    advised,
    cards_of,
    cover_lines,
    list_series,
    overview_of,
    tabulate_parts,
    tabulate_planted,
    wording_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment

    from infostream_dedup.runs.batch.answering import Answer
    from infostream_dedup.runs.batch.sweeping import SweepResult


def html_report(result: SweepResult, figures: Mapping[str, str], cover: Cover) -> str:
    """Render the report as one page."""
    from markupsafe import Markup

    wording = wording_of(cover.language)
    series = list_series(result, wording, paper=cover.paper)
    # We draw the SVG ourselves from our own numbers and names, with its labels escaped.
    svgs = {name: Markup(svg) for name, svg in figures.items()}  # noqa: S704
    return (
        environment(wording)
        .get_template("report.html")
        .render(
            result=result,
            answer=result.answer,
            named_kinds=lambda answer: _named_kinds(answer, wording),
            paper=cover.paper,
            language=cover.language,
            cover=cover_lines(result, cover, wording),
            cards=cards_of(result, wording),
            advice=advised(result, wording),
            figures=svgs,
            series=series,
            overview=overview_of(series),
            confirmed=any(one.block == "confirmed" for one in series),
            parts=tabulate_parts(result, wording),
            planted=tabulate_planted(result),
            thresholds=[row for row in result.rows if row.measures.k is None],
            drawn={(example.representation, example.k) for example in result.examples},
            examples=_group_examples(result),
        )
    )


def _named_kinds(answer: Answer, wording: Wording) -> str:
    named = [f"{wording(f'kind_{kind}')} {wording.count(number)}" for kind, number in answer.kinds.items() if kind]
    return f" ({', '.join(named)})" if named else ""


def environment(wording: Wording | None = None) -> Environment:
    """Make an environment that escapes everything, with the words and number formats of a language."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise MissingExtraError("jinja2", "report", "a report") from error

    words = wording_of("en") if wording is None else wording
    environment = Environment(
        loader=PackageLoader("infostream_dedup.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["_"] = words
    environment.filters |= {name: getattr(words, name) for name in ("percent", "count", "moment", "spoken")}
    environment.filters["ratio"] = lambda value: words.decimal(value, 3)
    environment.filters["published"] = lambda value: words.decimal(value, 2)
    return environment


def _group_examples(result: SweepResult) -> list[tuple[str, list[tuple[int, list[Any]]]]]:
    by_representation = groupby(result.examples, key=lambda example: example.representation)
    return [
        (name, [(k, list(found)) for k, found in groupby(list(group), key=lambda example: example.k)])
        for name, group in by_representation
    ]
