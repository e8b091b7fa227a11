"""``passages provenance``: find out who published a group first, and what each copy changed."""

from __future__ import annotations

from typing import Any

import click

from infostream_dedup.cli.options import documents_argument, examples, general_options, reading_options
from infostream_dedup.cli.output import chosen_format, note, note_reading, print_rows, save_page
from infostream_dedup.cli.progress import progress_bar

__all__ = ["provenance"]


@click.command(epilog=examples("passages provenance annotated.parquet --html history.html"))
@documents_argument
@click.option(
    "--group",
    "groups",
    metavar="A,B,C",
    multiple=True,
    help="Ids of the documents of a group; may be given several times.",
)
@click.option("--prefix", default="", help="The --prefix given to 'dedup --annotate', if any.")
@click.option("--html", type=click.Path(dir_okay=False), help="Also write a page with the texts here.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Maximum number of groups, largest first.",
)
@click.option(
    "--original",
    is_flag=True,
    help="Print one message from each group instead: the first text, and what each other text adds.",
)
@reading_options
@general_options("jsonl", "jsonl", "json")
def provenance(
    documents: tuple[str, ...], html: str | None, original: bool, output_format: str | None, quiet: bool, **given: Any
) -> None:
    """Show who published a story first, and what each copy kept, cut, added and changed.

    Name groups by --group, or give DOCS written by 'dedup --annotate'. One row per copy: group, first, first_source,
    first_by (time; date: the earliest date, where a day without a time leaves the order open; order: the first in the
    input, as times are equal or unknown), id, source, published, title, url, copied_from (the earlier document with
    which it shares most), copied_share (share of its word triples), kept (sentences with the same words), kept_share
    (share of the first document's words), title_changed, cut, added (sentences), changed (before, after, numbers and
    names that were removed or added, positions of the words that differ).

    --original lists fragments in the order of one message: group, position, id, source, kind (first; added: a clause
    that no earlier document has; number: a known clause with a new number), span, text, numbers.
    """
    from infostream_dedup import api

    inputs = [name for name in documents if name != "-"]
    if original and html is not None:
        raise click.UsageError("the page of --html already contains the messages; leave out --original")
    named = given.pop("groups") or None
    if original:
        from infostream_dedup.api.provenance import original_messages

        message = original_messages(documents, groups=named, **given)
        print_rows(message, chosen_format(output_format, "jsonl", "jsonl"))
        note_reading(message.report, quiet=quiet)
        return
    with progress_bar(quiet=quiet) as progress:
        found = api.provenance(documents, groups=named, progress=progress, **given)
    if html is not None:
        from infostream_dedup.report.passages import provenance_page

        # Before the rows, because their reader may stop at the first ones.
        save_page(provenance_page(found.groups, found.boilerplate), html, inputs=inputs)
    print_rows(found, chosen_format(output_format, "jsonl", "jsonl"))
    if html is not None:
        note(f"report: {html}", quiet=quiet)
    note_reading(found.report, quiet=quiet, more=f"; {len(found.groups)} of {found.total} groups")
