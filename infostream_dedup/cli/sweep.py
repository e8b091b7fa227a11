"""``sweep``: measure symmetry and transitivity at every k."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

import click

from infostream_dedup.cli.moments import moment_of
from infostream_dedup.cli.options import (
    boilerplate_option,
    examples,
    general_options,
    reading_options,
    settings_options,
    work_folder_options,
)
from infostream_dedup.cli.output import chosen_format, note, note_reading, print_json, print_rows, print_table
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.model.settings import REPRESENTATIONS

if TYPE_CHECKING:
    from infostream_dedup.runs.batch.sweeping import SweepResult

__all__ = ["print_sweep", "sweep"]

_PAGE: Final = {"made": None, "ui_language": "en", "xlsx": False}
_WORDS: Final = "infostream_dedup.sweep.words"
_READ_BY_DEFAULT: Final = {
    "on_error": "fail",
    "quarantine": None,
    "max_errors": None,
    "id_type": "str",
    "columns": (),
    "make_ids": False,
    "other_languages": "stem",
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


_OUT: Final = "--out"


class _Remembering(click.Command):
    """A command that keeps the arguments it was called with."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_WORDS] = list(args)
        return super().parse_args(ctx, args)


def _command_line() -> str:
    """Return the command as typed, with file names without their folders, and without the output folder."""
    words = click.get_current_context().meta[_WORDS]
    kept = [
        _without_folder(word)
        for before, word in zip(["", *words], words, strict=False)
        if word.partition("=")[0] != _OUT and before != _OUT
    ]
    return shlex.join(["infostream-dedup", "sweep", *kept])


def _without_folder(word: str) -> str:
    option, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
    return option + equals + (PurePath(value).name if "/" in value or "\\" in value else value)


def _check_day(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    try:
        return None if value is None else date.fromisoformat(value).isoformat()
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a day such as 2026-11-22", ctx, param) from None


@click.command(
    cls=_Remembering,
    epilog=examples(
        "sweep march.jsonl",
        "sweep march.jsonl --out report",
        "sweep year.jsonl --by month --out report --ui-language uk",
        "sweep --store news.db",
    ),
)
@click.argument("documents", metavar="[DOCS...]", nargs=-1)
@click.option(
    "--store",
    "store",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Instead of DOCS, sweep the documents that 'ingest' stored here.",
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
    "--by",
    type=click.Choice(["file", "source", "day", "week", "month"]),
    help="Sweep each part separately: rows get a column part, and the report shows parts side by side.",
)
@click.option("--made", metavar="DATE", callback=_check_day, help="With --out: day to print on the report.")
@click.option(
    "--ui-language",
    type=click.Choice(["uk", "ru", "en"]),
    default="en",
    show_default=True,
    help="With --out: language of the report.",
)
@click.option("--xlsx", is_flag=True, help="With --out: also write report.xlsx (extra xlsx).")
@click.option(
    "--estimate/--no-estimate",
    default=None,
    help="Estimate without labels how good the links are at each k, and recommend k by that.  [default: unless on "
    "disk, or in a store without evidence]",
)
@click.option(
    "--confirmed",
    is_flag=True,
    help="Also measure the links of pairs that the evidence of preset judged accepts, as block confirmed.",
)
@click.option(
    "--planted",
    is_flag=True,
    help="Also plant edited copies of texts, and count how many are linked to their originals.",
)
@click.option(
    "--exact",
    is_flag=True,
    help="Count the links at k = 1 to 3 in all documents; otherwise those of a large collection are estimated from "
    "20,000 documents.",
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

    Each row is one k of one representation: links, links in both directions (reciprocal), two-step paths, closed paths,
    S = reciprocal / links, T = closed / paths. With too many paths, T is sampled and has a standard error.
    With too many links, at k = 1 to 3 of a large collection, they and S are estimated too, unless --exact.
    S and T measure how consistent the links are, not whether they are right.

    With --by, each file, source, day, week or month is swept separately, with its own statistics; the recommendations
    in JSON and below a table are those for the whole collection.

    Without labels, copies are counted (copy_precision, copy_recall), and other duplicates estimated (precision,
    recall), the latter only if nothing contradicts the estimate (reliable). --no-estimate leaves out both.

    --planted shows what the links can find: of edited copies of your own texts (cuts, additions, word forms, numbers,
    all of these, at rates of .1, .3 and .5), the share linked to their originals.

    groups, grouped, largest: number of groups of two or more documents joined by links in both directions, number of
    documents in these groups, and in the largest of them.

    With --workdir, a collection of any size is swept with a part of it in memory at a time. The numbers are the same;
    example pairs are not drawn.

    With --store, the documents of a stream are swept without their texts, by the key terms chosen when they arrived.
    The settings are then those of the store; only --n and --target may be smaller.
    """
    from infostream_dedup import api

    page = {name: given.pop(name) for name in _PAGE}
    if out is None and page != _PAGE:
        raise click.UsageError("--made, --ui-language and --xlsx need --out")
    if bool(documents) == (store is not None):
        raise click.UsageError("give either DOCS or --store")
    with progress_bar(quiet=quiet, stages=given["workdir"] is not None) as progress:
        given |= {"examples": out is not None, "progress": progress}
        if store is None:
            if since is not None or until is not None:
                raise click.UsageError("--since and --until need --store")
            result = api.sweep(documents, **given)
        else:
            result = _sweep_store(store, since, until, given)
    try:
        print_sweep(result, chosen_format(output_format, "table", "json"))
    finally:
        # Also if the reader of the numbers stops at the first lines.
        if out is not None:
            from infostream_dedup.report import write_report

            write_report(result, out, command=_command_line(), **page)
    note_reading(result.report, quiet=quiet)
    if store is not None:
        note(f"{store}: {sum(result.documents.values())} documents", quiet=quiet)
    if out is not None:
        note(f"report: {Path(out, 'report.html')}", quiet=quiet)


def _sweep_store(store: str, since: str | None, until: str | None, given: dict[str, Any]) -> SweepResult:
    from infostream_dedup import api

    zone = given.pop("tz")
    changed = [name for name, default in _READ_BY_DEFAULT.items() if given.pop(name) != default]
    if changed:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in changed)
        raise click.UsageError(f"--store reads no DOCS: leave out {options}")
    if any(given.pop(name) is not None for name in ("workdir", "memory", "window_days")):
        raise click.UsageError("--workdir, --memory and --window-days need DOCS")
    if given.pop("by") is not None:
        raise click.UsageError("--by needs DOCS; for a part of a store give --since and --until")
    if given.pop("boilerplate") is not None:
        raise click.UsageError("--boilerplate needs DOCS: the texts of a store are not kept")
    if given.pop("planted"):
        raise click.UsageError("--planted needs DOCS: the texts of a store are not kept")
    if given.pop("confirmed"):
        raise click.UsageError("--confirmed needs DOCS: the texts of a store are not kept")
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
    rows = result.as_rows() if result.by is None else [{"part": row["part"], **row} for row in result.as_rows()]
    if output_format == "json":
        print_json(result.as_dict())
    elif output_format != "table":
        print_rows(rows, output_format)
    else:
        # An error column is empty unless something was sampled; intervals are in the other formats.
        errors = ("transitivity_error", "symmetry_error", "links_error")
        hidden = {"sampled", *(name for name in errors if all(row[name] is None for row in rows))}
        hidden |= {name for row in rows for name in row if name.endswith(("_low", "_high", "_code"))}
        print_table([{name: value for name, value in row.items() if name not in hidden} for row in rows])
        click.echo()
        for name, k in result.recommended_k.items():
            click.echo(f"{name}: {f'k = {k}' if k is not None else 'no k recommended'}: {result.reason[name]}")
        for name, why in result.missing.items():
            click.echo(f"{name}: not computed: {why}")
        for remark in result.notes:
            click.echo(remark)
        _print_planted(result)


def _print_planted(result: SweepResult) -> None:
    """Print the planted copies that are linked at the recommended k, a column for each rate."""
    if not result.planted:
        return
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in result.planted_at_k():
        key = (row["representation"], row["language"], row["edit"])
        line = rows.setdefault(key, {name: row[name] for name in ("representation", "k", "language", "edit", "copies")})
        line[f"at {row['rate']:g}"] = row["recovered"]
    click.echo("\nplanted copies that are linked to their originals:")
    print_table(list(rows.values()))
