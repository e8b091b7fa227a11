"""``pairs``: list documents that resemble each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infostream_dedup.cli.options import (
    between_option,
    boilerplate_option,
    documents_argument,
    examples,
    general_options,
    judgeable_settings_options,
    reading_options,
    representation_option,
    semantic_option,
    work_folder_options,
)
from infostream_dedup.cli.output import chosen_format, note_reading, print_rows
from infostream_dedup.cli.progress import progress_bar

if TYPE_CHECKING:
    from infostream_dedup.runs.batch.pairing import PairRow

__all__ = ["pairs"]


@click.command(
    epilog=examples(
        "pairs march.jsonl --sort strength --top 20",
        "pairs march.csv --format csv --csv-dialect excel > pairs.csv",
        "pairs march.jsonl --k 8 --representation stem",
    )
)
@documents_argument
@representation_option
@click.option("--k", type=click.IntRange(min=1), help="Number of terms that must match.  [default: 6, or the preset's]")
@click.option(
    "--k-min", type=click.IntRange(min=1), help="List all pairs with this many terms in either direction instead."
)
@click.option(
    "--terms", type=click.Choice(["all", "none"]), default="all", show_default=True, help="Include the matching terms."
)
@click.option("--cross-language", is_flag=True, help="Only pairs of two languages.")
@click.option("--between-files", is_flag=True, help="Only pairs of two files.")
@click.option(
    "--statistics",
    metavar="STORE:EPOCH",
    help="Weight terms by the statistics that a stream had before an epoch, and use the stream's settings.",
)
@click.option(
    "--min-probability",
    type=click.FloatRange(0, 1),
    help="With preset judged: minimum probability of a pair; 0 lists all candidates.  [default: 0.5; 0 with --k-min]",
)
@click.option("--explain", is_flag=True, help="With preset judged: add the reasons for the probability.")
@click.option(
    "--sort",
    type=click.Choice(["id", "strength"]),
    help="Order of the pairs; strength means probability or shares.  [default: id]",
)
@click.option("--top", type=click.IntRange(min=1), help="List only this many pairs, the strongest.")
@semantic_option
@between_option
@click.option(
    "--one-to-one",
    is_flag=True,
    help="With preset judged: at most one translation of each document into each other language.",
)
@boilerplate_option
@work_folder_options
@judgeable_settings_options
@reading_options
@general_options("table", "jsonl", "json", "csv")
def pairs(documents: tuple[str, ...], terms: str, output_format: str | None, quiet: bool, **given: Any) -> None:
    """List pairs of documents that say the same, report one story, or are linked by key terms.

    Columns: a, b (ids, the earlier first), forward (key terms of a found in b), backward, n_a, n_b (key terms of each),
    share_forward, share_backward (share of their weight), relation, terms (heaviest first). The relation at k is equal
    (both directions), contained (a is part of b), contains (b is part of a), or empty below need(k).

    Representation pivot adds met, the words that became the terms: objects with a, b (the word in each document), pivot
    (the equivalent they share) and rung (what translated them). In a table, met replaces terms.

    --preset judged, the default, takes a second look at pairs that share 3 of 12 key terms, or their whole text.
    Numbers, names, opening, length and key terms give each pair a probability; with wording, source and date they
    decide its kind (copy, retold, contained, contains, template, updated, follow-up, related). Pairs with a probability
    of at least .5 are listed, with the columns probability, kind, wording_forward (share of the word triples of a found
    in b), wording_backward and, with --explain, reasons.

    Pairs of two languages are listed by preset judged as kind translation, without probability and wording, if their 30
    heaviest key terms share .4 of their weight in the pivot language in both directions and neither document has a
    clearly better partner in the other's language, and if their numbers and lengths agree (--between plain asks only
    for the shares, --between none drops all of these pairs). Their counts and shares are those of the 30 terms. A work
    folder (--workdir) does not support translations: documents of several languages need --between none there.

    --preset faithful lists the pairs that are linked at k in at least one direction. It is the default
    if --k, --k-min, --n, --score, --target, --representation stem or pivot, or --statistics is given.
    """
    from infostream_dedup import api

    with progress_bar(quiet=quiet, stages=given["workdir"] is not None) as progress:
        found = api.pairs(documents, terms=terms == "all", progress=progress, **given)
    form = chosen_format(output_format, "table", "jsonl")
    print_rows((_for_the_eye(row) if form == "table" else row.as_dict() for row in found), form, columns=found.columns)
    note_reading(found.report, quiet=quiet)


def _for_the_eye(row: PairRow) -> dict[str, Any]:
    """Convert a row for the table: words that match across languages replace the terms."""
    shown = row.as_dict()
    if row.met is not None:
        words = [str(meeting) for meeting in row.met]
        shown |= {"terms": words} if "kind" in shown else {"met": words}
        del shown["met" if "kind" in shown else "terms"]
    if "reasons" in shown:
        shown["reasons"] = [f"{one['adds']:+.2f} {one['words']}" for one in shown["reasons"]]
    return shown
