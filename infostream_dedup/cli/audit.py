"""``audit``: estimate precision and recall of links from a few judgements."""

from __future__ import annotations

from typing import Any

import click

from infostream_dedup.cli.options import (
    documents_argument,
    examples,
    general_options,
    reading_options,
    representation_option,
    settings_options,
)
from infostream_dedup.cli.output import chosen_format, note, note_reading, print_json, print_rows, save_rows
from infostream_dedup.cli.progress import progress_bar

__all__ = ["audit"]

_LONG = ("text_a", "text_b", "url_a", "url_b", "audit")
"""Columns for which a terminal has no room."""


@click.command(epilog=examples("audit march.jsonl --pairs 50 --out ask.jsonl", "audit march.jsonl --judged ask.jsonl"))
@documents_argument
@click.option("--pairs", type=click.IntRange(min=1), default=50, show_default=True, help="Number of pairs to choose.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    help="Write the pairs to judge here: JSON Lines, or by its ending .csv or .xlsx.",
)
@click.option(
    "--judged",
    type=click.Path(dir_okay=False),
    help="Read these judgements (JSONL, CSV or .xlsx: a, b, label) and show the figures.",
)
@click.option("--positive", default="dup", show_default=True, help="Labels that mark duplicates, comma-separated.")
@click.option(
    "--k", type=click.IntRange(min=3), default=6, show_default=True, help="Number of key terms that a link needs."
)
@representation_option
@settings_options
@reading_options
@general_options("table", "jsonl", "json", "csv")
def audit(
    documents: tuple[str, ...],
    out: str | None,
    judged: str | None,
    output_format: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Measure precision and recall with a few judgements of your own.

    First choose pairs: audit DOCS --pairs 50 --out ask.jsonl. They are sampled by wording and link so that judging
    them narrows the intervals as much as possible. Fill in the label of every row (dup or different), then run:
    audit DOCS --judged ask.jsonl (or with what 'desk export' wrote, after 'desk import' and judging). The rows show
    what was counted, what was estimated, and what your judgements say, with 95 % intervals. Use the same settings
    both times.
    """
    from infostream_dedup import api

    if out is not None and judged is not None:
        raise click.UsageError("--out writes pairs to judge, --judged reads them back: give only one of the two")
    if out is not None and output_format == "table":
        raise click.UsageError("a table is for the terminal only; for a file use --format jsonl, json or csv")
    with progress_bar(quiet=quiet) as progress:
        found = api.audit(documents, judged=judged, progress=progress, **given)
    form = chosen_format(output_format, "table", "jsonl")
    if out is not None:
        save_rows(found.rows, out, output_format, columns=found.columns, inputs=documents)
    elif form == "json":
        print_json(found.as_dict())
    elif form == "table":
        print_rows([{name: row[name] for name in found.columns if name not in _LONG} for row in found.rows], form)
    else:
        print_rows(found.rows, form, columns=found.columns)
    note("\n".join(found.notes), quiet=quiet)
    note_reading(found.report, quiet=quiet)
