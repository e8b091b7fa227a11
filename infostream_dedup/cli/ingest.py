"""``ingest``: batches in, verdicts out, kept in a store."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click

from infostream_dedup.cli.options import (
    boilerplate_option,
    documents_argument,
    general_options,
    pop_reading,
    reading_options,
)
from infostream_dedup.cli.output import chosen_format, note, print_rows
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.cli.stream_options import pop_stream_settings, stream_options

if TYPE_CHECKING:
    from infostream_dedup.criteria.classifier import Classifier
    from infostream_dedup.matching import Progress
    from infostream_dedup.model import Document
    from infostream_dedup.model.stream_records import Verdict
    from infostream_dedup.passages.boilerplate import Boilerplate
    from infostream_dedup.stream.deduplicator import Deduplicator

__all__ = ["ingest"]

_REPEATS: Final = ("exact", "duplicate")


@click.command()
@documents_argument
@click.option(
    "--store", "store", metavar="FILE", required=True, type=click.Path(dir_okay=False), help="Made if absent."
)
@click.option("--batch-size", type=click.IntRange(min=1), default=1000, show_default=True, help="Documents of a batch.")
@click.option(
    "--batch-id", help="Names the batch, so that the same id with other content is refused.  [default: its content]"
)
@click.option(
    "--keep", type=click.Choice(["originals"]), help="Pass on the documents that repeat nothing, no verdicts."
)
@click.option("--annotate", is_flag=True, help="Pass on every document with its verdict in columns.")
@click.option(
    "--on-conflict",
    type=click.Choice(["error", "version"]),
    default="error",
    show_default=True,
    help="A known id with other content: stop, or take it as a further version.",
)
@click.option(
    "--follow", is_flag=True, help="Go on waiting: DOCS is one folder (a batch per new file) or - (JSON Lines)."
)
@click.option(
    "--batch-seconds",
    type=click.FloatRange(min=0.01),
    default=1.0,
    show_default=True,
    help="With --follow: a batch is closed after this time.",
)
@click.option(
    "--model",
    type=click.Path(dir_okay=False),
    help="From 'train --statistics background': judges what key terms find; needs --keep-text.",
)
@boilerplate_option
@stream_options
@reading_options
@general_options("jsonl", "jsonl", "json", "csv", "table")
def ingest(**given: Any) -> None:
    """Say of each document whether an earlier one of the window says the same.

    A row: id, status (exact: the same text; duplicate; similar; new; insufficient_text: fewer than 3 key terms), of
    (the earlier document), group (id of its earliest document), relation (equal, contained, contains, template,
    updated), forward (key terms found in 'of'), backward, terms (that met, heaviest first). With --model
    also probability (that the document repeats 'of') and criteria (how far it differs from 'of' in each).

    Each batch is one transaction, on disk before its verdicts are printed. The same batch again gives the stored
    verdicts, so after any failure run the same command again. Verdicts do not depend on the size of batches.
    """
    from infostream_dedup.cli.following import followed
    from infostream_dedup.corpus import ReadingReport, read_documents
    from infostream_dedup.stream.deduplicator import Deduplicator

    listed = _boilerplate(given.pop("boilerplate"))
    settings, changed = pop_stream_settings(given)
    reading, report = pop_reading(given), ReadingReport()
    model = _model(given["model"])
    if given["keep"] and given["annotate"]:
        raise click.UsageError("--keep and --annotate exclude each other")
    with (
        progress_bar(quiet=given["quiet"]) as progress,
        Deduplicator.open(
            given["store"],
            settings if changed else None,
            on_conflict=given["on_conflict"],
            progress=progress,
            model=model,
            boilerplate=None if listed is None else listed.digest,
        ) as stream,
    ):
        if given["follow"]:
            batches = followed(
                given["documents"], report, reading, size=given["batch_size"], seconds=given["batch_seconds"]
            )
        else:
            batches = _batches(read_documents(given["documents"], report=report, **reading), given["batch_size"])
        decided = _decided(stream, batches, given["batch_id"], listed, progress)
        rows = _rows(decided, originals=given["keep"] is not None, annotate=given["annotate"], judged=model is not None)
        print_rows(rows, chosen_format(given["output_format"], "jsonl", "jsonl"))
    note(report.summary(), quiet=given["quiet"])


def _boilerplate(path: str | None) -> Boilerplate | None:
    if path is None:
        return None
    from infostream_dedup.passages.boilerplate_file import read_boilerplate

    return read_boilerplate(path)


def _model(path: str | None) -> Classifier | None:
    if path is None:
        return None
    from infostream_dedup.criteria.model_file import read_model

    return read_model(path)


def _batches(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    following = iter(documents)
    while batch := list(islice(following, size)):
        yield batch


def _decided(
    stream: Deduplicator,
    batches: Iterable[Sequence[Document]],
    batch_id: str | None,
    listed: Boilerplate | None,
    progress: Progress | None,
) -> Iterator[tuple[Sequence[Document], list[Verdict]]]:
    """Verdicts batch by batch, each on disk."""
    done = 0
    for number, batch in enumerate(batches, start=1):
        name = batch_id if batch_id is None or number == 1 else f"{batch_id}#{number}"
        compared = batch if listed is None else list(listed.left_out(batch))
        yield batch, stream.process(compared, batch_id=name)
        done += len(batch)
        if progress is not None:
            progress("ingesting", done, None)


def _rows(
    decided: Iterable[tuple[Sequence[Document], list[Verdict]]], *, originals: bool, annotate: bool, judged: bool
) -> Iterator[dict[str, Any]]:
    from infostream_dedup.corpus import row_of

    for batch, verdicts in decided:
        for document, verdict in zip(batch, verdicts, strict=True):
            if annotate:
                yield {**row_of(document), **verdict.as_dict(judged=judged)}
            elif not originals:
                yield verdict.as_dict(judged=judged)
            elif verdict.status not in _REPEATS:
                yield row_of(document)
        # Whoever reads the pipe may act on a batch as soon as it is stored.
        sys.stdout.buffer.flush()
