"""``desk``: people's judgements, kept next to a store."""

from __future__ import annotations

from pathlib import Path

import click

from infostream_dedup.cli.options import examples, general_options, store_argument
from infostream_dedup.cli.output import chosen_format, note, note_remnants, print_rows, save_rows

__all__ = ["desk"]


@click.group()
def desk() -> None:
    """Manage the judgements that people made in the service, kept next to the store as STORE.desk.

    Judgements are added and withdrawn, never overwritten. The commands work while the service runs.
    """


@desk.command("export", epilog=examples("desk export news.db --out labels.jsonl", "desk export news.db --who oksana"))
@store_argument
@click.option("--who", metavar="NAME", help="Export only this person's judgements.")
@click.option("--out", type=click.Path(dir_okay=False), help="Write the labels here instead of printing them.")
@general_options("table", "jsonl", "json", "csv")
def export_command(file: Path, who: str | None, out: str | None, output_format: str | None, *, quiet: bool) -> None:
    """Export judgements as labels for evaluate, train, compare and audit.

    The latest judgement of each person counts, then the majority, or the judgement that settled the pair. A pair
    without a majority has the label null, which those commands leave out. Pairs that an audit asked for have the field
    asked; audit then counts no others.
    """
    from infostream_dedup.api.desk import export_labels
    from infostream_dedup.documents.outputs import row_format

    if out is not None and output_format == "table":
        raise click.UsageError("a table is for the terminal only; for a file use --format jsonl, json or csv")
    rows = export_labels(file, who=who)
    form = chosen_format(output_format, "table", "jsonl") if out is None else output_format or row_format(out)
    # JSON Lines contain only the fields given; tables have all columns in every row.
    shown = rows if form == "jsonl" else [{name: row.get(name) for name in _COLUMNS} for row in rows]
    if out is None:
        print_rows(shown, form, columns=_COLUMNS)
    else:
        # The desk is next to the store.
        save_rows(shown, out, form, columns=_COLUMNS, inputs=(str(file), f"{file.resolve()}.desk"))
    note(f"{len(rows)} pairs", quiet=quiet)


@desk.command("import", epilog=examples("desk import news.db ask.jsonl --person oksana"))
@store_argument
@click.argument("labels", type=click.Path(dir_okay=False))
@click.option("--person", metavar="NAME", required=True, help="Name of the person who judged.")
@general_options("table", "table")
def import_command(file: Path, labels: str, person: str, output_format: str | None, *, quiet: bool) -> None:
    """Import a labels file (JSONL, CSV or .xlsx: a, b, label).

    Rows with a label become judgements; rows without one become pairs to judge (queue audit). Rows imported before are
    skipped, unless a later import has replaced them.
    """
    from infostream_dedup.api.desk import import_labels

    del output_format
    judged, asked = import_labels(file, labels, person=person)
    note(f"{judged} judgements added, {asked} pairs to be judged", quiet=quiet)


@desk.command("backup", epilog=examples("desk backup news.db copy.desk"))
@store_argument
@click.argument("copy", type=click.Path(dir_okay=False))
@general_options("table", "table")
def backup_command(file: Path, copy: str, output_format: str | None, *, quiet: bool) -> None:
    """Copy the desk while others write to it. The copy is written completely or not at all."""
    from infostream_dedup.api.desk import backup_desk

    del output_format
    note(f"{copy}: {backup_desk(file, copy):,} bytes", quiet=quiet)


@desk.command("forget", epilog=examples("desk forget news.db doc-17"))
@store_argument
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@general_options("table", "table")
def forget_command(file: Path, ids: tuple[str, ...], output_format: str | None, *, quiet: bool) -> None:
    """Remove what the desk quotes from documents: example pairs in job results, and requests to judge them.

    Judgements stay: they contain ids of documents but none of their content. 'store forget' does this by itself.
    """
    from infostream_dedup.api.desk import forget_and_wipe

    del output_format
    changed, clean = forget_and_wipe(file, ids)
    note(f"{changed} rows changed or removed", quiet=quiet)
    if not clean:
        note_remnants(quiet=quiet)


_COLUMNS = ("a", "b", "label", "judges", "repeats", "asked")
