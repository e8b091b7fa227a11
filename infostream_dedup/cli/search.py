"""``search``: find documents of a store that resemble a text."""

from __future__ import annotations

from typing import Any, Final

import click

from infostream_dedup.cli.moments import moment_of
from infostream_dedup.cli.options import examples, general_options, semantic_option
from infostream_dedup.cli.output import chosen_format, note, print_rows
from infostream_dedup.cli.text_file import read_text

__all__ = ["search"]

_NOT_IN_TABLE: Final = ("ordinal", "url", "met")
"""Columns that a table omits."""


@click.command(
    epilog=examples(
        'search --store news.db --text "Рада прийняла закон про пенсії"', "search --store news.db --id doc-17 --top 5"
    )
)
@click.option(
    "--store", "store", metavar="FILE", required=True, type=click.Path(dir_okay=False), help="Store made by 'ingest'."
)
@click.option("--text", help="Text to search for.")
@click.option(
    "--file", "path", type=click.Path(dir_okay=False, allow_dash=True), help="UTF-8 file with the text, or -."
)
@click.option("--id", help="Search for this stored document instead of a text.")
@click.option("--url", help="Search for the stored document with this address.")
@click.option(
    "--k-min", type=click.IntRange(min=1), help="Number of terms that must match in either direction.  [default: 4]"
)
@click.option(
    "--top", type=click.IntRange(min=0), default=20, show_default=True, help="Maximum number of rows; 0: all."
)
@click.option("--same-language", is_flag=True, help="Do not translate the text to find documents in other languages.")
@click.option("--languages", metavar="LANG,...", help="Only documents in these languages, such as uk,en.")
@click.option("--source", "sources", multiple=True, help="Only documents of this source; may be given several times.")
@click.option("--all", "everything", is_flag=True, help="Search the whole store, not only the window.")
@click.option(
    "--since", metavar="DATE", help="Only documents that arrived at or after this moment of the stream's clock."
)
@click.option("--until", metavar="DATE", help="Only documents that arrived before this moment.")
@semantic_option
@click.option("--tz", metavar="ZONE", help="Time zone of --since and --until without one.  [default: UTC]")
@general_options("table", "jsonl", "json", "csv")
def search(
    store: str,
    text: str | None,
    path: str | None,
    languages: str | None,
    sources: tuple[str, ...],
    same_language: bool,
    output_format: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Find documents of a store that resemble a text, the most similar first.

    Rows are ordered by share_forward (the share, by weight, of the text's key terms that the document contains), then
    by share_backward. forward and backward count the key terms. relation: how the text relates to the document (equal,
    contained, contains; empty if fewer terms match than a duplicate needs). kind: what the document is to the text, as
    in 'pairs' (copy, retold, contained, contains, follow-up, related; translation in another language), and probability
    that the two are copies or report one event; in a store whose preset is not judged, kind is copy (the same text) or
    translation, and there is no probability. terms: matching terms of the document, heaviest first. met: matching words
    of the text and of the document.

    Documents in other languages are found through the dictionaries' translation of the text. Without --all, --since or
    --until the window of the stream is searched; an index of closed epochs makes searching the rest just as fast.
    Standard error says what was searched. --semantic changes kinds and probabilities, not the order; for documents
    without a stored text ('ingest --keep-text') the encoder only sees the headline.
    """
    from infostream_dedup import api

    if (text is not None) + (path is not None) + sum(given[name] is not None for name in ("id", "url")) != 1:
        raise click.UsageError("give either --text, --file, --id or --url")
    zone = given.pop("tz")
    given |= {name: moment_of(given[name], zone, name) for name in ("since", "until")}
    hits = api.search(
        store,
        text if path is None else read_text(path),
        across=not same_language,
        languages=languages,
        sources=sources or None,
        **given,
    )
    form = chosen_format(output_format, "table", "jsonl")
    rows = [hit.as_dict() for hit in hits]
    if form == "table":
        rows = [{name: value for name, value in row.items() if name not in _NOT_IN_TABLE} for row in rows]
    print_rows(rows, form, columns=hits.columns)
    note(hits.searched.sentence(), quiet=quiet)
    if not hits:
        note(f"none of them shares that many key terms with the text; see --k-min{_more(given)}", quiet=quiet)


def _more(given: dict[str, Any]) -> str:
    return "" if given["everything"] else " and --all"
