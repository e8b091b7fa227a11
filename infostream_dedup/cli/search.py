"""``search``: documents of a store that are like a text."""

from __future__ import annotations

import click

from infostream_dedup.cli.options import general_options
from infostream_dedup.cli.output import chosen_format, note, print_rows
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.cli.text_file import read_text

__all__ = ["search"]


@click.command()
@click.option("--store", "store", metavar="FILE", required=True, type=click.Path(dir_okay=False), help="From 'ingest'.")
@click.option("--text", help="The text itself.")
@click.option("--file", "path", type=click.Path(dir_okay=False, allow_dash=True), help="A UTF-8 text file, or -.")
@click.option("--k-min", type=click.IntRange(min=1), help="Terms that must meet in either direction.  [default: 4]")
@click.option("--top", type=click.IntRange(min=0), default=20, show_default=True, help="Most rows; 0 for all.")
@click.option("--same-language", is_flag=True, help="Do not translate the text for documents of other languages.")
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
    """Documents of the window that are like a text, the most alike first.

    A row: id, title, language, group, forward (key terms of the text found in the document), backward, relation (of the
    text to the document: equal, contained, contains; none where fewer terms met than a duplicate needs), terms (of the
    document, that met, heaviest first).

    Documents of other languages are asked for the text as the dictionaries translate it.
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
