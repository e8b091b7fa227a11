"""``search``: documents of a store that resemble a text."""

from __future__ import annotations

import click

from infostream_dedup.cli.options import general_options
from infostream_dedup.cli.output import chosen_format, note, print_rows
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.cli.text_file import read_text

__all__ = ["search"]


@click.command()
@click.option(
    "--store", "store", metavar="FILE", required=True, type=click.Path(dir_okay=False), help="Store made by 'ingest'."
)
@click.option("--text", help="Text to search for.")
@click.option(
    "--file", "path", type=click.Path(dir_okay=False, allow_dash=True), help="UTF-8 file with the text, or -."
)
@click.option("--k-min", type=click.IntRange(min=1), help="Terms that must meet in either direction.  [default: 4]")
@click.option(
    "--top", type=click.IntRange(min=0), default=20, show_default=True, help="Maximum number of rows; 0: all."
)
@click.option("--same-language", is_flag=True, help="Do not translate the text to find documents in other languages.")
@general_options("table", "jsonl", "json", "csv")
def search(
    store: str,
    text: str | None,
    path: str | None,
    k_min: int | None,
    top: int,
    same_language: bool,
    output_format: str | None,
    quiet: bool,
) -> None:
    """Find documents of the window that resemble a text, the most similar first.

    Columns: id, title, language, group, forward (key terms of the text found in the document), backward, relation (of
    the text to the document: equal, contained, contains; empty if fewer terms met than a duplicate needs), terms (of
    the document, that met, heaviest first).

    In other languages the text is searched for as translated by the dictionaries.
    """
    from infostream_dedup import api

    if (text is None) == (path is None):
        raise click.UsageError("give either --text or --file")
    asked = text if path is None else read_text(path)
    with progress_bar(quiet=quiet) as progress:
        hits = api.search(store, asked or "", k_min=k_min, top=top, across=not same_language, progress=progress)
    print_rows((hit.as_dict() for hit in hits), chosen_format(output_format, "table", "jsonl"))
    if not hits:
        note("no document of the window shares that many key terms with the text; see --k-min", quiet=quiet)
