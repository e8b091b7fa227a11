"""``evaluate``: precision and recall against labelled pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infostream_dedup.cli.options import (
    between_option,
    documents_argument,
    examples,
    general_options,
    reading_options,
    representation_option,
    semantic_option,
    settings_options,
)
from infostream_dedup.cli.output import chosen_format, note, note_reading, print_json, print_rows
from infostream_dedup.cli.progress import progress_bar

if TYPE_CHECKING:
    from infostream_dedup.lab.evaluation.collection_scores import Evaluation

__all__ = ["evaluate"]


@click.command(epilog=examples("evaluate march.jsonl --labels pairs.jsonl"))
@documents_argument
@click.option(
    "--labels", type=click.Path(dir_okay=False), required=True, help="Labelled pairs (JSONL, CSV): a, b, label."
)
@click.option(
    "--kin", type=click.Path(dir_okay=False), help="Pairs of families that do not count as negatives (JSONL)."
)
@click.option("--lang", help="Only pairs of one language (ru) or of two (ru-uk).")
@click.option(
    "--kin-field",
    default="submission=translation",
    show_default=True,
    help="Also treat families whose documents share this value as kin; empty: do not.",
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
    help="Directions in which need(k) terms must match.  [default: both, or the preset's]",
)
@click.option("--positive", default="dup", show_default=True, help="Labels that count as true, comma-separated.")
@click.option(
    "--closed",
    is_flag=True,
    help="The labels are exhaustive: count every unlisted linked pair, and every label of kind template, as false.",
)
@click.option(
    "--kinds",
    metavar="KIND,...",
    help="Evaluate only these kinds of pairs of preset judged, such as copy.  [default: all listed]",
)
@between_option
@semantic_option
@representation_option
@settings_options
@reading_options
@general_options("table", "json", "jsonl", "csv")
def evaluate(documents: tuple[str, ...], labels: str, output_format: str | None, quiet: bool, **given: Any) -> None:
    """Measure precision, recall and F1 at every k against labelled pairs, with 95 % intervals of F1.

    If documents have a family, every linked pair from two families counts as false unless the families are kin;
    otherwise only labelled pairs count, unless --closed says that the labels are exhaustive. Pairs with other labels
    and unlisted pairs of one family are ignored. Columns linked and judged: number of linked pairs, and how many of
    them count. Below the rows: figures of preset judged, whatever the other options, and its groups compared with the
    groups that true pairs connect (BCubed, adjusted Rand index, F1 of pairs), where unlisted pairs count.
    """
    from infostream_dedup import api

    with progress_bar(quiet=quiet) as progress:
        found = api.evaluate(
            documents,
            labels,
            kin_field=given.pop("kin_field") or None,
            between=given.pop("between") or "nothing-better",
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
    for remark in found.notes:
        note(remark, quiet=quiet)
    note_reading(found.report, quiet=quiet)


def _verdict(found: Evaluation) -> str:
    """Describe the best row, the recommended row, preset judged and its groups in words."""
    lines = []
    for name, row in (("best", found.best), ("recommended", found.recommended)):
        if row is not None:
            refused = " (no k recommended: judged as this)" if row.refused else ""
            lines.append(f"{name}: {row.step_name} = {row.step:g}, F1 {_figure(row.scores.f1)}{refused}")
    if found.judged is not None:
        scores, (low, high) = found.judged.scores, found.judged.intervals.f1 or (None, None)
        asked = ", with the sentence encoder" if found.semantic else ""
        lines.append(
            f"preset judged{asked}: precision {_figure(scores.precision)}, recall {_figure(scores.recall)}, "
            f"F1 {_figure(scores.f1)} [{_figure(low)}-{_figure(high)}]; {scores.linked} pairs linked, "
            f"{scores.judged} of them judged"
        )
    if found.groups is not None:
        figures = ", ".join(f"{name} {_figure(value)}" for name, value in found.groups.as_dict().items())
        lines.append(f"its groups: {figures}")
    return "\n".join(lines)


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
