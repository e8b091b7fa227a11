"""Pages of reports: self-contained HTML without scripts, everything escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.judging.passages.original_message import original_message
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
from infostream_dedup.runs.batch.sweeping import SweepResult

if TYPE_CHECKING:
    from jinja2 import Environment

    from infostream_dedup.judging.passages.boilerplate import Boilerplate
    from infostream_dedup.judging.passages.passage_table import TextComparison, TextStretch
    from infostream_dedup.judging.passages.provenance import Provenance
    from infostream_dedup.runs.batch.answering import Answer


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


# Shared passages, and the origin of texts, as self-contained HTML pages: no scripts, everything escaped.


def passages_page(comparison: TextComparison, names: tuple[str, str]) -> str:
    """Render both texts side by side; passages link to their copies, translated words to translations."""
    sides = [
        {
            "name": names[place],
            "letter": letter,
            "other": "ba"[place],
            "language": comparison.languages[place],
            "coverage": getattr(comparison, f"coverage_{letter}"),
            "translated": getattr(comparison.translated, f"share_{letter}"),
            "parts": _parts(getattr(comparison, f"pieces_{letter}")),
        }
        for place, letter in enumerate("ab")
    ]
    titles = comparison.translated.names()
    return environment().get_template("passages.html").render(comparison=comparison, sides=sides, titles=titles)


def _parts(stretches: list[TextStretch]) -> list[list[tuple[TextStretch, bool]]]:
    """Gather the stretches of each passage, and of what is between passages."""
    seen: set[int] = set()
    marked = []
    for stretch in stretches:
        marked.append((stretch, stretch.word not in seen))
        seen.add(stretch.word)
    return [list(part) for _, part in groupby(marked, key=lambda one: one[0].passage)]


_MOST_MEMBERS: Final = 50  # larger groups mostly repeat the same text, and compiling one message from them takes long


def provenance_page(groups: Sequence[tuple[str, Provenance]], boilerplate: Boilerplate | None = None) -> str:
    """Render the first document of each group, and every copy with kept, changed and added text marked."""
    messages = [
        original_message([group.first, *(copy.document for copy in group.copies)], boilerplate)
        if len(group.copies) < _MOST_MEMBERS
        else []
        for _, group in groups
    ]
    return environment().get_template("provenance.html").render(groups=groups, messages=messages)
