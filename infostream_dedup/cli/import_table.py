"""``dictionaries import``, ``list`` and ``remove``: tables of word pairs supplied by users."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from infostream_dedup.cli.options import examples, general_options
from infostream_dedup.cli.output import chosen_format, note, print_rows
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.model import OUR_LANGUAGES

__all__ = ["import_table", "list_tables", "remove"]

_NAMED = 20
_COLUMNS = ("name", "pairs", "languages", "file")


@click.command("import", epilog=examples("dictionaries import pairs.tsv --from en --to uk --format tsv"))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--from", "source", type=click.Choice(OUR_LANGUAGES), required=True, help="Language of the left words.")
@click.option("--to", "target", type=click.Choice(OUR_LANGUAGES), required=True, help="Language of the right words.")
@click.option(
    "--format",
    "table_format",
    type=click.Choice(["tsv", "apertium", "wiktionary"]),
    required=True,
    help="Format of the file.",
)
@click.option(
    "--pos",
    "parts",
    type=click.Choice(["noun", "name", "adj"]),
    multiple=True,
    help="Parts of speech to take; may be given several times.  [default: noun, name]",
)
@click.option("--name", help="Name of the table.  [default: the file name with the languages]")
@click.option("--skip", is_flag=True, help="Skip broken rows and list them; otherwise the first one stops the import.")
@click.option("--output", "output_format", type=click.Choice(["table", "jsonl", "json", "csv"]), help="Output format.")
@click.option("--quiet", is_flag=True, help="Print no progress and no summary.")
def import_table(file: Path, source: Any, target: Any, output_format: str | None, quiet: bool, **given: Any) -> None:
    """Import a table of word pairs, for the dictionary rung of the ladder.

    FILE is your own table (tsv: a header with source and target, or with language codes, and optionally pos; several
    equivalents are separated by |), a bilingual Apertium dictionary (apertium: the .dix source, its left side in the
    language --from), or a wiktextract dump of a Wiktionary (wiktionary: JSONL, as on kaikki.org), plain or compressed
    with gzip. Only single words are imported. The file is read completely before anything is written; a
    table of the same name is replaced. If both contain a word, the bundled tables take precedence.

    Columns: name, pairs, replaced (whether a table of that name existed), left_out (valid rows that were not imported),
    broken (rows skipped), file.
    """
    from infostream_dedup.api import dictionaries

    with progress_bar(quiet=quiet) as progress:
        done = dictionaries.import_table(file, source, target, progress=progress, **given)
    row = {
        "name": done.name,
        "pairs": done.pairs,
        "replaced": done.replaced,
        "left_out": sum(done.left_out.values()),
        "broken": len(done.broken),
        "file": str(done.path),
    }
    print_rows([row], chosen_format(output_format, "table", "jsonl"))
    for reason, number in done.left_out.items():
        note(f"left out: {number} ({reason})", quiet=quiet)
    for error in done.broken[:_NAMED]:
        note(f"skipped: {error}", quiet=quiet)
    if len(done.broken) > _NAMED:
        note(f"skipped: {len(done.broken) - _NAMED} more", quiet=quiet)


@click.command("list", epilog=examples("dictionaries list"))
@general_options("table", "jsonl", "json", "csv")
def list_tables(output_format: str | None, quiet: bool) -> None:
    """List the imported tables.

    Columns: name, pairs, languages (pairs of codes), file.
    """
    from infostream_dedup.api import dictionaries

    rows = dictionaries.list_tables()
    if not rows:
        note("no imported tables; import one with: infostream-dedup dictionaries import FILE", quiet=quiet)
    print_rows(rows, chosen_format(output_format, "table", "jsonl"), columns=_COLUMNS)


@click.command(epilog=examples("dictionaries remove pairs.en-uk"))
@click.argument("name")
@click.option("--quiet", is_flag=True, help="Print nothing.")
def remove(name: str, quiet: bool) -> None:
    """Remove the imported table NAME (see list)."""
    from infostream_dedup.api import dictionaries

    note(f"removed {dictionaries.remove_table(name)}", quiet=quiet)
