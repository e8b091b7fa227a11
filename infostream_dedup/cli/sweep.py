"""``sweep``: S and T for every k."""

from __future__ import annotations

from typing import Any

import click

from infostream_dedup.cli.options import (
    documents_argument,
    general_options,
    pop_reading,
    pop_settings,
    reading_options,
    settings_options,
)
from infostream_dedup.cli.output import chosen_format, note, print_json, print_rows, print_table
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.model.settings import REPRESENTATIONS

__all__ = ["print_sweep", "sweep"]


class _Range(click.ParamType[range]):
    """``6`` or ``4-8``: whole numbers, both ends included."""

    name = "A-B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> range:
        if isinstance(value, range):
            return value
        first, _, last = str(value).partition("-")
        try:
            found = range(int(first), int(last or first) + 1)
        except ValueError:
            found = range(0)
        if not found or found[0] < 1:
            self.fail(f"{value!r} is not a number or a range such as 4-8", param, ctx)
        return found


@click.command()
@documents_argument
@click.option(
    "--representation",
    "representations",
    type=click.Choice(REPRESENTATIONS),
    multiple=True,
    help="May be given several times.  [default: every one available]",
)
@click.option("--k", "ks", type=_Range(), help="Show only these k, such as 6 or 4-8.")
@click.option(
    "--out", type=click.Path(file_okay=False), help="Write sweep.json, sweep.csv, plots and report.html here."
)
@settings_options
@reading_options
@general_options("table", "json", "jsonl", "csv")
def sweep(**given: Any) -> None:
    """Symmetry S and transitivity T for every k, and the k they recommend.

    Each row of the table is one k of one representation: links, links that are returned (reciprocal), two-step paths,
    closed paths, S = reciprocal / links, T = closed / paths. T over too many paths is sampled, with its standard error.
    """
    from infostream_dedup import api

    reading, settings = pop_reading(given), pop_settings(given)
    if given["ks"] is not None and settings.score == "share":
        raise click.BadParameter("the share score has thresholds, no k", param_hint="--k")
    if given["ks"] is not None and given["ks"][-1] > settings.n:
        raise click.BadParameter(f"{given['ks'][-1]} is more than the {settings.n} key terms", param_hint="--k")
    quiet = given["quiet"]
    with progress_bar(quiet=quiet) as progress:
        result, report = api.sweep_with_report(
            given["documents"],
            representations=given["representations"] or None,
            ks=given["ks"],
            settings=settings,
            examples=given["out"] is not None,
            engine=given["engine"],
            progress=progress,
            **reading,
        )
        if given["out"] is not None:
            api.write_report(result, given["out"])
    print_sweep(result, chosen_format(given["output_format"], "table", "json"))
    note(report.summary(), quiet=quiet)
    if given["out"] is not None:
        note(f"report: {given['out']}/report.html", quiet=quiet)


def print_sweep(result: Any, output_format: str) -> None:
    """The result on standard output; a table also says which k is recommended and why."""
    rows = [row.as_dict() for row in result.rows]
    if output_format == "json":
        print_json(result.as_dict())
    elif output_format != "table":
        print_rows(rows, output_format)
    else:
        # A column says something only where T was sampled somewhere.
        hidden = {"sampled"} if any(row["sampled"] for row in rows) else {"sampled", "transitivity_error"}
        print_table([{name: value for name, value in row.items() if name not in hidden} for row in rows])
        click.echo()
        for name, k in result.recommended_k.items():
            click.echo(f"{name}: {f'k = {k}' if k is not None else 'no k recommended'}: {result.reason[name]}")
        for name, why in result.missing.items():
            click.echo(f"{name}: not computed: {why}")
        for remark in result.notes:
            click.echo(remark)
