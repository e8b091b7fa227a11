"""``classify``: judge pairs with a trained model."""

from __future__ import annotations

from typing import Any

import click

from infostream_dedup.cli.criteria_options import candidates_option, link_option
from infostream_dedup.cli.options import documents_argument, examples, general_options, reading_options
from infostream_dedup.cli.output import chosen_format, note, note_reading, print_rows
from infostream_dedup.cli.progress import progress_bar

__all__ = ["classify"]


@click.command(epilog=examples("classify march.jsonl --model ours.json"))
@documents_argument
@click.option(
    "--model",
    "models",
    type=click.Path(dir_okay=False),
    multiple=True,
    required=True,
    help="Model from 'train'; may be given several times, once per domain.",
)
@click.option("--domain", help="Judge every pair by the model of this domain.")
@click.option(
    "--rules", type=click.Path(dir_okay=False), help="Rules that assign domains by source or category (TSV or JSON)."
)
@click.option("--pairs", type=click.Path(dir_okay=False), help="Judge these pairs (JSONL: a, b) instead of candidates.")
@click.option("--explain", is_flag=True, help="Add what each criterion contributes, for and against.")
@click.option("--repeats", is_flag=True, help="Only pairs in which at least one document repeats the other.")
@candidates_option
@link_option
@reading_options
@general_options("table", "jsonl", "json", "csv")
def classify(
    documents: tuple[str, ...], models: tuple[str, ...], output_format: str | None, quiet: bool, **given: Any
) -> None:
    """Judge pairs of documents, each in both directions.

    Columns: a, b (ids, the earlier first), outcome (both original, a repeats b, b repeats a, each repeats the other),
    a_repeats_b and b_repeats_a (probability that the document adds nothing), domain (domain of the model used; empty
    for a model of any domain). --explain adds why (the strongest reasons of the likelier direction) and reasons (all,
    both directions). The outcome follows from the sum of the criteria; probabilities are fitted to it afterwards, so
    the border between the outcomes need not be at .5.
    """
    from infostream_dedup import api

    with progress_bar(quiet=quiet) as progress:
        found = api.classify(documents, models, progress=progress, **given)
    form = chosen_format(output_format, "table", "jsonl")
    columns = tuple(name for name in found.columns if form != "table" or name != "reasons")
    print_rows(({name: row[name] for name in columns} for row in found), form, columns=columns)
    note_reading(found.report, quiet=quiet)
    note(f"{found.judged} pairs judged, {found.repeating} repeat", quiet=quiet)
