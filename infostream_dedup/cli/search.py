"""``search``: documents of a store that are like a text."""

from __future__ import annotations

from typing import Any

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
def search(**given: Any) -> None:
    """Documents of the window that are like a text, the most alike first.

    A row: id, title, language, group, forward (key terms of the text found in the document), backward, relation (of the
    text to the document: equal, contained, contains; none where fewer terms met than a duplicate needs), terms (of the
    document, that met, heaviest first).

    Documents of other languages are asked for the text as the dictionaries translate it.
    """
    if (given["text"] is None) == (given["path"] is None):
        raise click.UsageError("give either --text or --file")
    text = given["text"] if given["path"] is None else read_text(given["path"])
    from infostream_dedup.stream.search import Searcher

    with progress_bar(quiet=given["quiet"]) as progress, Searcher.open(given["store"], progress=progress) as searcher:
        across = not given["same_language"]
        hits = searcher.search(text, k_min=given["k_min"], top=given["top"], across=across)
    print_rows((hit.as_dict() for hit in hits), chosen_format(given["output_format"], "table", "jsonl"))
    if not hits:
        note("no document of the window shares that many key terms with the text; see --k-min", quiet=given["quiet"])
