"""``train``: learn a classifier from judged pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infostream_dedup.cli.criteria_options import candidates_option, link_option
from infostream_dedup.cli.options import documents_argument, examples, general_options, reading_options
from infostream_dedup.cli.output import chosen_format, note, note_reading, print_rows
from infostream_dedup.cli.progress import progress_bar

if TYPE_CHECKING:
    from infostream_dedup.judging.criteria.classifier import Classifier

__all__ = ["train"]


@click.command(epilog=examples("train march.jsonl --labels pairs.jsonl --model ours.json"))
@documents_argument
@click.option(
    "--labels", type=click.Path(dir_okay=False), required=True, help="Judged pairs (JSONL, CSV): a, b, label."
)
@click.option("--model", type=click.Path(dir_okay=False), help="File for the model (JSON).")
@click.option(
    "--preset",
    type=click.Choice(["duplicate", "story"]),
    default="duplicate",
    show_default=True,
    help="Learn which document repeats which, or which documents report one event.",
)
@click.option("--criteria", help="Criteria to use instead of the preset's, comma-separated.")
@click.option("--positive", help="Labels that mean 'repeats', comma-separated.  [default: the preset's]")
@click.option("--domain", default="", help="Subject of the documents, e.g. law or sport; names the model.")
@click.option(
    "--statistics",
    type=click.Choice(["collection", "background"]),
    default="collection",
    show_default=True,
    help="Weight words by statistics of these documents, or of the general language (required by 'ingest --model').",
)
@click.option(
    "--authority",
    type=click.Path(dir_okay=False),
    help="Authority of sources, 0 to 1 (TSV or JSONL).  [default: learned from the share of originals]",
)
@click.option("--suggest", type=click.IntRange(min=1), help="Print this many pairs to label next.")
@click.option("--curve", type=click.Path(file_okay=False), help="Folder for a learning curve (CSV, SVG, PNG).")
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Training sets drawn per point of the curve.",
)
@candidates_option
@link_option
@reading_options
@general_options("table", "jsonl", "json", "csv")
def train(
    documents: tuple[str, ...],
    suggest: int | None,
    curve: str | None,
    output_format: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Learn from judged pairs which documents repeat each other.

    Prints the criteria with their weights or, with --suggest, the pairs whose labels would teach most: label them, and
    train again. A label may have a field repeats (a, b, both or none) to say which of the two documents repeats the
    other. Learning starts from the built-in evidence, so a few labels are enough.
    """
    if given["model"] is None and suggest is None and curve is None:
        raise click.UsageError("give --model, --suggest or --curve")
    from infostream_dedup import api

    considered = {name: given.pop(name) for name in ("candidates", "k")}
    draws = given.pop("draws")
    for name in ("criteria", "positive"):
        given[name] = given[name] or None
    with progress_bar(quiet=quiet) as progress:
        trained = api.train(documents, given.pop("labels"), progress=progress, **given)
    if curve is not None:
        from infostream_dedup.report.learning import write_learning_curve

        write_learning_curve(trained.learning_curve(draws=draws), curve)
    rows = trained.weights() if suggest is None else trained.suggest(suggest, **considered)
    print_rows(rows, chosen_format(output_format, "table", "jsonl"))
    note_reading(trained.report, quiet=quiet)
    note(_summary(trained.classifier), quiet=quiet)


def _summary(classifier: Classifier) -> str:
    facts = classifier.training
    folds = facts["folds"]
    summary = (
        f"learned from {facts['pairs']} judged pairs, {facts['repeats']} of them repeats; in five folds by story "
        f"{folds['tp']} were found, {folds['fn']} missed, {folds['fp']} reported wrongly: F1 {folds['f1']:.3f}"
    )
    if facts["rule"] == "either":
        ways = (f"{name.replace('_', ' ')} {counts['f1']:.3f}" for name, counts in facts["directions"].items())
        summary += f"; by direction: {', '.join(ways)}"
    if "by_time" in facts:
        later = facts["by_time"]
        first = f"{later['learned_from']} pair{'' if later['learned_from'] == 1 else 's'}"
        summary += (
            f"; learned from the first {first} by date, of the later ones {later['tp']} were found, "
            f"{later['fn']} missed, {later['fp']} reported wrongly: F1 {later['f1']:.3f}"
        )
    return summary
