"""``evaluate``: precision and recall against labelled pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infostream_dedup.cli.options import (
    between_option,
    documents_argument,
    general_options,
    judgeable_settings_options,
    reading_options,
    representation_option,
)
from infostream_dedup.cli.output import chosen_format, note_reading, print_json, print_rows
from infostream_dedup.cli.progress import progress_bar

if TYPE_CHECKING:
    from infostream_dedup.evaluation.protocol import Evaluation

__all__ = ["evaluate"]


@click.command()
@documents_argument
@click.option("--labels", type=click.Path(dir_okay=False), required=True, help="Labelled pairs (JSONL): a, b, label.")
@click.option(
    "--kin", type=click.Path(dir_okay=False), help="Pairs of families that do not count as negatives (JSONL)."
)
@click.option("--lang", help="Only pairs of one language (ru), or of two (ru-uk).")
@click.option(
    "--kin-field",
    default="submission=translation",
    show_default=True,
    help="Treat families whose documents have this value as kin too; empty: do not.",
)
@click.option(
    "--domain",
    "domains",
    multiple=True,
    help="Only these domains (field domain), comma-separated; !name excludes one, an empty name means no domain.",
)
@click.option(
    "--rule",
    type=click.Choice(["both", "either"]),
    help="Directions that must have need(k) terms.  [default: both, or the preset's]",
)
@click.option("--positive", default="dup", show_default=True, help="Labels that count as true, comma-separated.")
@between_option
@representation_option
@judgeable_settings_options
@reading_options
@general_options("table", "json", "jsonl", "csv")
def evaluate(documents: tuple[str, ...], labels: str, output_format: str | None, quiet: bool, **given: Any) -> None:
    """Measure precision, recall and F1 at every k against labelled pairs, with 95 % intervals of F1.

    If documents have a family, every linked pair from two families counts as false unless the families are kin;
    otherwise only labelled pairs count. Pairs with other labels and unlisted pairs of one family are ignored.

    With --preset judged there is a row for each probability instead of each k; translations have none and count in all
    rows. If only pairs of two languages count, there is a row for each share of key terms that met.
    """
    from infostream_dedup import api

    with progress_bar(quiet=quiet) as progress:
        found = api.evaluate(
            documents,
            labels,
            kin_field=given.pop("kin_field") or None,
            positive=given.pop("positive").split(","),
            progress=progress,
            **given,
        )
    form = chosen_format(output_format, "table", "json")
    rows = [row.as_dict() for row in found.rows]
    if form == "json":
        print_json(found.as_dict())
    else:
        print_rows(rows, form)
    if form == "table":
        click.echo(f"\n{_verdict(found)}")
    note_reading(found.report, quiet=quiet)


def _verdict(found: Evaluation) -> str:
    """Best and recommended row in words."""
    lines = []
    for name, row in (("best", found.best), ("recommended", found.recommended)):
        if row is not None:
            refused = " (no k recommended: judged as this)" if row.refused else ""
            f1 = "undefined" if row.scores.f1 is None else f"{row.scores.f1:.3f}"
            lines.append(f"{name}: {row.step_name} = {row.step:g}, F1 {f1}{refused}")
    return "\n".join(lines)
