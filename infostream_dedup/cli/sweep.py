"""``sweep``: symmetry and transitivity for every k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from infostream_dedup.cli.moments import moment_of
from infostream_dedup.cli.options import (
    boilerplate_option,
    general_options,
    reading_options,
    settings_options,
    work_folder_options,
)
from infostream_dedup.cli.output import chosen_format, note, note_reading, print_json, print_rows, print_table
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.model.settings import REPRESENTATIONS

if TYPE_CHECKING:
    from infostream_dedup.batch.sweeping import SweepResult

__all__ = ["print_sweep", "sweep"]

_READ_BY_DEFAULT: Final = {
    "on_error": "fail",
    "quarantine": None,
    "max_errors": None,
    "id_type": "str",
    "columns": (),
    "make_ids": False,
    "other_languages": "detect",
    "encoding": None,
}


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
@click.argument("documents", metavar="[DOCS...]", nargs=-1)
@click.option(
    "--store",
    "store",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Sweep what 'ingest' stored here instead of DOCS.",
)
@click.option("--since", metavar="DATE", help="With --store: start at this moment of the stream's clock.")
@click.option("--until", metavar="DATE", help="With --store: stop before this moment.")
@click.option(
    "--representation",
    "representations",
    type=click.Choice(REPRESENTATIONS),
    multiple=True,
    help="How words become terms; may be given several times.  [default: all available]",
)
@click.option("--k", "ks", type=_Range(), help="Show only these k, e.g. 6 or 4-8.")
@click.option(
    "--out", type=click.Path(file_okay=False), help="Folder for sweep.json, sweep.csv, plots and report.html."
)
@click.option(
    "--estimate",
    is_flag=True,
    help="Say without labels how good the links are at each k, and recommend k by that.",
)
@click.option(
    "--confirmed",
    is_flag=True,
    help="Also measure the links of pairs that the evidence of preset judged accepts, as block confirmed.",
)
@boilerplate_option
@work_folder_options
@settings_options
@reading_options
@general_options("table", "json", "jsonl", "csv")
def sweep(
    documents: tuple[str, ...],
    store: str | None,
    since: str | None,
    until: str | None,
    out: str | None,
    output_format: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Measure symmetry S and transitivity T at every k, and recommend a k.

    Each row is one k of one representation: links, links that are returned (reciprocal), two-step paths, closed paths,
    S = reciprocal / links, T = closed / paths. Where there are too many paths, T is sampled and has a standard error.
    S and T tell how close the links are to an equivalence, not how precise or complete they are.

    With --estimate, copies are counted without labels (copy_precision, copy_recall) and other duplicates estimated
    (precision, recall), the latter only where nothing speaks against the estimate (reliable).

    groups, grouped, largest: groups of at least two documents that returned links join, the documents in them, and the
    documents in the largest.

    With --workdir, a collection of any size is swept with a part of it in memory at a time. The numbers are the same;
    example pairs are not drawn.

    With --store, the documents of a stream are swept without their texts, by the key terms that they were given when
    they came in. Settings are then those of the store; only --n and --target may be smaller.
    """
    from infostream_dedup import api

    if bool(documents) == (store is not None):
        raise click.UsageError("give either DOCS or --store")
    with progress_bar(quiet=quiet, stages=given["workdir"] is not None) as progress:
        given |= {"examples": out is not None, "progress": progress}
        if store is None:
            if since is not None or until is not None:
                raise click.UsageError("--since and --until go with --store")
            result = api.sweep(documents, **given)
        else:
            result = _sweep_store(store, since, until, given)
        if out is not None:
            from infostream_dedup.report import write_report

            write_report(result, out)
    print_sweep(result, chosen_format(output_format, "table", "json"))
    note_reading(result.report, quiet=quiet)
    if store is not None:
        note(f"{store}: {sum(result.documents.values())} documents", quiet=quiet)
    if out is not None:
        note(f"report: {out}/report.html", quiet=quiet)


def _sweep_store(store: str, since: str | None, until: str | None, given: dict[str, Any]) -> SweepResult:
    from infostream_dedup import api

    zone = given.pop("tz")
    changed = [name for name, default in _READ_BY_DEFAULT.items() if given.pop(name) != default]
    if changed:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in changed)
        raise click.UsageError(f"--store reads no DOCS: leave out {options}")
    if any(given.pop(name) is not None for name in ("workdir", "memory", "window_days")):
        raise click.UsageError("--workdir, --memory and --window-days go with DOCS")
    if given.pop("boilerplate") is not None:
        raise click.UsageError("--boilerplate goes with DOCS: the texts of a store are not kept")
    if given.pop("estimate"):
        raise click.UsageError("--estimate goes with DOCS: the texts of a store are not kept")
    if given.pop("confirmed"):
        raise click.UsageError("--confirmed goes with DOCS: the texts of a store are not kept")
    representations = given.pop("representations")
    if len(representations) > 1:
        raise click.UsageError("a store has one representation")
    return api.sweep_store(
        store,
        since=moment_of(since, zone, "since"),
        until=moment_of(until, zone, "until"),
        representation=next(iter(representations), None),
        **given,
    )


def print_sweep(result: SweepResult, output_format: str) -> None:
    """Print the result; a table is followed by the recommended k and the reasons."""
    rows = [row.as_dict() for row in result.rows]
    if output_format == "json":
        print_json(result.as_dict())
    elif output_format != "table":
        print_rows(rows, output_format)
    else:
        # The error column is empty unless T was sampled somewhere; intervals are in the other formats.
        hidden = {"sampled"} if any(row["sampled"] for row in rows) else {"sampled", "transitivity_error"}
        hidden |= {name for row in rows for name in row if name.endswith(("_low", "_high"))}
        print_table([{name: value for name, value in row.items() if name not in hidden} for row in rows])
        click.echo()
        for name, k in result.recommended_k.items():
            click.echo(f"{name}: {f'k = {k}' if k is not None else 'no k recommended'}: {result.reason[name]}")
        for name, why in result.missing.items():
            click.echo(f"{name}: not computed: {why}")
        for remark in result.notes:
            click.echo(remark)
