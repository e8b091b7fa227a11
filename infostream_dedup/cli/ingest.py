"""``ingest``: read batches, print verdicts, keep the state in a store."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from infostream_dedup.cli.options import (
    boilerplate_option,
    documents_argument,
    examples,
    general_options,
    mode_option,
    prefix_option,
    reading_options,
)
from infostream_dedup.cli.output import chosen_format, note, note_reading, print_rows
from infostream_dedup.cli.printed_before import go_on_printing
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.cli.run_log import RUN
from infostream_dedup.cli.stream_options import pop_stream_settings, stream_options

if TYPE_CHECKING:
    from infostream_dedup.api import Ingestion

__all__ = ["ingest"]


@click.command(
    epilog=examples(
        "ingest monday.jsonl --store news.db",
        "ingest - --store news.db --keep originals < monday.jsonl",
        "ingest incoming --follow --store news.db",
    )
)
@documents_argument
@click.option(
    "--store",
    "store",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False),
    help="Store (SQLite); created if it does not exist.",
)
@click.option("--batch-size", type=click.IntRange(min=1), default=1000, show_default=True, help="Documents per batch.")
@click.option(
    "--batch-id",
    help="Name of the batch; the same name with different content is refused.  [default: derived from the content]",
)
@click.option(
    "--keep", type=click.Choice(["originals"]), help="Instead of verdicts, print the documents that repeat nothing."
)
@click.option("--annotate", is_flag=True, help="Print every document, with its verdict in additional columns.")
@prefix_option
@click.option(
    "--on-conflict",
    type=click.Choice(["error", "version"]),
    default="error",
    show_default=True,
    help="If a known id comes with different content: stop, or accept another version.",
)
@click.option(
    "--follow",
    is_flag=True,
    help="Keep waiting for input: DOCS is one folder (a batch per new file) or - (JSON Lines).",
)
@click.option(
    "--batch-seconds",
    type=click.FloatRange(min=0.01),
    default=1.0,
    show_default=True,
    help="With --follow: close a batch after this many seconds.",
)
@click.option(
    "--model",
    type=click.Path(dir_okay=False),
    help="Model from 'train --statistics background' that judges the pairs found by key terms; needs --keep-text.",
)
@mode_option
@boilerplate_option
@stream_options
@reading_options
@general_options("jsonl", "jsonl", "json", "csv", "table")
def ingest(
    documents: tuple[str, ...],
    store: str,
    keep: str | None,
    annotate: bool,
    prefix: str,
    output_format: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Decide for each document whether an earlier document in the window says the same.

    Columns: id, status (exact: the same text; duplicate; similar; new; insufficient_text: fewer than 3 key terms), of
    (the earlier document), group (id of its earliest document), relation (equal, contained, contains, template,
    updated), forward (key terms found in 'of'), backward, terms (the matching ones, heaviest first). With --preset
    judged also kind (how the document is related to 'of': copy, retold, contained, contains, template, updated,
    follow-up, related) and probability (that the two are copies or report one event). With --across pivot, the default
    of new stores of that preset, also translation_of (an earlier document in another language with the same text),
    translation (the shares of key terms that match in the pivot language, and the words: word, pivot, their_word, rung)
    and story (id of its earliest document; null until the story has appeared in two languages). With --model also
    probability (that the document repeats 'of') and criteria (the difference from 'of' by each criterion).

    --preset judged, the default of new stores, finds candidates by key terms and judges them by evidence, as 'pairs'
    does: exact means the same text; duplicate, a kind named in --join; similar, any other kind, but related only with
    .3 of the wording. With --preset faithful, key terms alone decide. It is the default if an option is given that only
    applies to key terms: --k-duplicate, --k-similar, --duplicate-rule, --least-shared, --no-templates, --model,
    --n, --target, --short, --representation stem. With both, a document that repeats fewer than a fifth of a group of
    ten or more is only similar, so that groups do not become chains (--chaining-density). The rule of the papers alone
    is --preset faithful --least-shared 0 --no-templates --chaining-density 0.

    Each batch is one transaction, on disk before its verdicts are printed. Repeating a batch gives the stored verdicts,
    so after any failure, run the same command again. Verdicts do not depend on the batch size.

    A document seen before, in this run or another, gets the same verdict again. A known id with different content is a
    bad record or, with --on-conflict version, another version. Following a folder again continues where the last run
    stopped: no verdict is printed twice. This also holds after a kill if JSON Lines are appended to a file (>>
    verdicts.jsonl): a row that was cut off is completed. A pipe cannot be read back, so after a kill the verdicts of
    the batch being printed are repeated.

    Give settings once: the store keeps them, and settings given later must be the same. --annotate never overwrites a
    field: documents that already have a field status, of, group, relation, forward, backward or terms are refused
    unless --prefix gives the columns other names.
    """
    from infostream_dedup import api

    if keep and annotate:
        raise click.UsageError("--keep and --annotate exclude each other")
    waits = click.get_current_context().get_parameter_source("batch_seconds") is ParameterSource.COMMANDLINE
    if waits and not given["follow"]:
        raise click.UsageError("--batch-seconds needs --follow")
    chosen = chosen_format(output_format, "jsonl", "jsonl")
    if given["follow"] and (keep or annotate) and chosen in ("csv", "xlsx", "table"):
        raise click.UsageError(
            f"--follow prints documents as they come, but the columns of {chosen} are known only at the end; leave out "
            "--format"
        )
    given |= pop_stream_settings(given)
    with (
        progress_bar(quiet=quiet) as progress,
        api.ingest(
            documents,
            store,
            annotate=annotate,
            prefix=prefix,
            progress=progress,
            note=partial(note, quiet=quiet),
            **given,
        ) as found,
    ):
        # Now, so that the summary of a run that fails or is interrupted has its counts, too.
        RUN.was_read(found.report)
        goes_on = given["follow"] and documents != ("-",) and chosen == "jsonl"
        columns = None if keep else found.columns
        print_rows(_rows(found, originals=keep is not None, goes_on=goes_on), chosen, columns=columns)
    note_reading(found.report, quiet=quiet)


def _rows(found: Ingestion, *, originals: bool, goes_on: bool) -> Iterator[Mapping[str, Any]]:
    for batch in found.batches():
        RUN.statuses.update(verdict.status for verdict in batch.verdicts)
        rows = batch.originals() if originals else batch.rows()
        # A killed run may have written part of the first batch.
        yield from go_on_printing(list(rows)) if goes_on else rows
        goes_on = False
        # A program that reads the pipe may act on a batch as soon as it is stored.
        sys.stdout.buffer.flush()
