"""``compare``: run the methods of the literature side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from infostream_dedup.cli.options import documents_argument, examples, general_options, reading_options
from infostream_dedup.cli.output import (
    chosen_format,
    note,
    note_reading,
    print_json,
    print_rows,
    print_table,
    save_rows,
)
from infostream_dedup.cli.progress import progress_bar

if TYPE_CHECKING:
    from infostream_dedup.lab.evaluation.comparison import Comparison

__all__ = ["compare"]

_DISAGREEMENTS: Final = "disagreements.jsonl"
_EXAMPLES: Final = 20
_PIPE_WIDTH: Final = 200

_COLUMNS: Final = (
    "method",
    "pairs",
    "precision",
    "recall",
    "f1",
    "low",
    "high",
    "linked",
    "judged",
    "alike",
    "bcubed_f1",
    "ari",
    "pairwise_f1",
    "only",
    "symmetry",
    "transitivity",
    "seconds",
    "cpu_seconds",
    "growth",
    "bytes_per_document",
)


@click.command(
    epilog=examples(
        "compare march.jsonl",
        "compare march.jsonl --labels pairs.jsonl --methods simhash,minhash,key-terms-morph --out report",
    )
)
@documents_argument
@click.option("--labels", type=click.Path(dir_okay=False), help="Labelled pairs (JSONL, CSV): a, b, label.")
@click.option(
    "--methods",
    "methods",
    multiple=True,
    help="Only these methods, comma-separated; parameters follow colons, as in three-plus-two:n=3.  [default: all]",
)
@click.option(
    "--protocol",
    type=click.Choice(["labels", "pool"]),
    help="Evaluate with labels, or with the pairs that several methods find.  [default: labels if given]",
)
@click.option(
    "--pool",
    type=click.Choice(["a0-a10", "all"], case_sensitive=False),
    default="a0-a10",
    show_default=True,
    help="Methods whose pairs form the pool: those of the paper, or all compared methods.",
)
@click.option(
    "--kin", type=click.Path(dir_okay=False), help="Pairs of families that do not count as negatives (JSONL)."
)
@click.option(
    "--kin-field",
    default="submission=translation",
    show_default=True,
    help="Also treat families whose documents share this value as kin; empty: do not.",
)
@click.option("--lang", help="Evaluate only pairs of one language (ru) or of two (ru-uk).")
@click.option(
    "--domain",
    "domains",
    multiple=True,
    help="Evaluate only these domains (field domain), comma-separated; !name excludes one.",
)
@click.option("--positive", default="dup", show_default=True, help="Labels that count as true, comma-separated.")
@click.option(
    "--closed",
    is_flag=True,
    help="The labels are exhaustive: count every unlisted linked pair, and every label of kind template, as false.",
)
@click.option(
    "--growth", is_flag=True, help="Also run every method on half of the documents to see how its time grows."
)
@click.option(
    "--count-copies",
    is_flag=True,
    help="Also count how many pairs of each method are copies, and how many of all copies it finds.",
)
@click.option(
    "--sample-disagreements",
    type=click.IntRange(min=1),
    metavar="N",
    help="Write N unlabelled pairs on which methods disagree, for an expert to label.",
)
@click.option(
    "--out-labels",
    type=click.Path(dir_okay=False, allow_dash=True),
    help=f"File for those pairs (JSONL).  [default: {_DISAGREEMENTS} in the --out folder, or here]",
)
@click.option("--out", type=click.Path(file_okay=False), help="Folder for tables, plots and report.html with examples.")
@reading_options
@general_options("table", "json", "csv", "jsonl")
def compare(
    documents: tuple[str, ...],
    sample_disagreements: int | None,
    out_labels: str | None,
    out: str | None,
    output_format: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Run every method of the source papers on your documents; show what each finds, how well, and at what cost.

    Columns: pairs, precision, recall, f1 (with its 95 % interval low, high), linked (pairs of the languages and domains
    considered) and judged (those of them that count), bcubed_f1, ari and pairwise_f1 of the groups that the pairs
    connect, only (pairs that no other method finds), symmetry and transitivity of the relation, seconds, CPU seconds,
    bytes per signature. Reading, which all methods share, comes first and is timed separately.

    --count-copies adds copies, copy_precision and copy_recall (with 95 % intervals), as in sweep: no labels are needed.

    Without labels the pool decides: pairs found by MD5 to Opt Freq (A0 to A10) together whose texts have a
    String::Similarity of at least 0.80.
    """
    from infostream_dedup import api

    wanted = sample_disagreements or 0
    if out_labels is not None and not wanted:
        raise click.UsageError(
            "--out-labels names the file for sampled pairs; set their number with --sample-disagreements N"
        )
    with progress_bar(quiet=quiet) as progress:
        found = api.compare(
            documents,
            methods=[name.strip() for part in given.pop("methods") for name in part.split(",")] or None,
            pool=given.pop("pool").lower(),
            kin_field=given.pop("kin_field") or None,
            examples=out is not None,
            disagreements=max(wanted, _EXAMPLES if out is not None else 0),
            progress=progress,
            **given,
        )
    target = out_labels or str(Path(out or "") / _DISAGREEMENTS)
    rows = [pair.as_dict() for pair in found.disagreements[:wanted]]
    try:
        _print(found, chosen_format(output_format, "table", "json"))
    finally:
        # Also if the reader of the numbers stops at the first lines.
        if out is not None:
            from infostream_dedup.report import write_comparison

            write_comparison(found, out)
        if wanted:
            save_rows(rows, target, inputs=[*documents, *filter(None, [given["labels"]])])
    _say(found, quiet=quiet)
    if wanted:
        note(f"{len(rows)} pairs to judge: {target}", quiet=quiet)
    note_reading(found.report, quiet=quiet)
    if out is not None:
        note(f"report: {Path(out, 'report.html')}", quiet=quiet)


def _print(found: Comparison, output_format: str) -> None:
    rows = [row.as_dict() for row in found.rows]
    if output_format == "json":
        print_json(found.as_dict())
    elif output_format != "table":
        print_rows(rows, output_format)
    else:
        shown = [name for name in _COLUMNS if any(row.get(name) is not None for row in rows)]
        print_table([{name: row.get(name) for name in shown} for row in rows])
        _print_dice(found)


def _print_dice(found: Comparison) -> None:
    """Print Dice coefficients in hundredths, with methods by number, if the lines are wide enough."""
    from rich.console import Console

    names = found.names
    click.echo()
    width = Console().width if sys.stdout.isatty() else _PIPE_WIDTH
    if max(map(len, names)) + 4 + 5 * len(names) > width:
        click.echo(f"the Dice matrix of {len(names)} methods is too wide for this table: see --format json or --out")
        return
    rows = [
        {
            "Dice, %": f"{number} {name}",
            **{
                str(column): None if value is None else round(100 * value)
                for column, value in enumerate(found.dice[number - 1], start=1)
            },
        }
        for number, name in enumerate(names, start=1)
    ]
    print_table(rows)


def _say(found: Comparison, *, quiet: bool) -> None:
    """Print remarks on the table."""
    if found.pool is not None:
        pool = found.pool
        note(
            f"pool: {pool.pairs} pairs of {len(pool.methods)} methods, {pool.verified} of them verified "
            f"(String::Similarity >= {pool.threshold:.2f})",
            quiet=quiet,
        )
    for name, why in found.missing.items():
        note(f"{name}: not run: {why}", quiet=quiet)
    for remark in found.notes:
        note(remark, quiet=quiet)
    cost = found.reading
    note(f"reading, shared by all: {cost.seconds:.2f} s, {cost.cpu_seconds:.2f} CPU s", quiet=quiet)
