"""``ingest``: batches in, verdicts out, kept in a store."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from infostream_dedup.cli.intake import Intake
from infostream_dedup.cli.options import (
    boilerplate_option,
    checked_prefix,
    documents_argument,
    general_options,
    mode_option,
    pop_reading,
    prefix_option,
    reading_options,
)
from infostream_dedup.cli.output import chosen_format, note, print_rows
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.cli.stream_options import pop_stream_settings, stream_options

if TYPE_CHECKING:
    from infostream_dedup.cli.following import Placed
    from infostream_dedup.corpus import Annotation
    from infostream_dedup.criteria.classifier import Classifier
    from infostream_dedup.matching import Progress
    from infostream_dedup.model import Document
    from infostream_dedup.model.stream_records import Verdict
    from infostream_dedup.passages.boilerplate import Boilerplate

__all__ = ["ingest"]

_REPEATS: Final = ("exact", "duplicate")
_VERDICT: Final = ("status", "of", "group", "relation", "forward", "backward", "terms")
"""What ``--annotate`` adds to a document; its id it has."""


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
@prefix_option
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
@mode_option
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

    A document that came before, in this run or another, gets the verdict it was given then. An id that came before with
    other content is a bad record, or with --on-conflict version a further version. A folder that is followed again goes
    on: of what earlier runs have taken in, only the verdicts of the last batch are printed again.

    Settings are given once: the store keeps them, and those given again must be the same. --annotate writes over
    nothing: a document that has a field status, of, group, relation, forward, backward or terms already is refused,
    unless --prefix gives the columns other names.
    """
    from infostream_dedup.cli.following import followed
    from infostream_dedup.cli.not_told import NotTold
    from infostream_dedup.corpus import BadRecords, placed_documents
    from infostream_dedup.store.files_beside import set_mode
    from infostream_dedup.stream.deduplicator import Deduplicator

    listed, columns = _boilerplate(given.pop("boilerplate")), _columns(given)
    settings = pop_stream_settings(given, Path(given["store"]))
    reading, model = pop_reading(given), _model(given["model"])
    if given["follow"] and given["batch_id"] is not None:
        raise click.UsageError("--batch-id names what is given at once; with --follow batches are named by content")
    bad = BadRecords(**{name: reading.pop(name) for name in ("on_error", "quarantine", "max_errors")})
    size = given["batch_size"]
    batches = (
        followed(
            given["documents"],
            bad,
            reading,
            size=size,
            seconds=given["batch_seconds"],
            tell=partial(note, quiet=given["quiet"]),
        )
        if given["follow"]
        else _batches(placed_documents(given["documents"], bad, **reading), size)
    )
    with (
        progress_bar(quiet=given["quiet"]) as progress,
        Deduplicator.open(
            given["store"],
            settings,
            on_conflict=given["on_conflict"],
            progress=progress,
            model=model,
            boilerplate=None if listed is None else listed.digest,
        ) as stream,
        bad,
    ):
        if given["mode"] is not None:
            set_mode(Path(given["store"]), given["mode"])
        taken = Intake(stream, bad, listed=listed, columns=columns, on_conflict=given["on_conflict"])
        if given["follow"] and given["documents"] != ("-",):
            batches = NotTold(taken, quiet=given["quiet"]).of(batches)
        decided = _decided(taken, batches, given["batch_id"], progress)
        rows = _rows(decided, columns, originals=given["keep"] is not None, judged=model is not None)
        print_rows(rows, chosen_format(given["output_format"], "jsonl", "jsonl"))
    note(bad.report.summary(), quiet=given["quiet"])


def _columns(given: dict[str, Any]) -> Annotation | None:
    if given["keep"] and given["annotate"]:
        raise click.UsageError("--keep and --annotate exclude each other")
    prefix = checked_prefix(given)
    if not given["annotate"]:
        return None
    from infostream_dedup.corpus import Annotation

    judged = () if given["model"] is None else ("probability", "criteria")
    return Annotation((*_VERDICT, *judged), prefix=prefix)


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


def _batches(documents: Iterable[Placed], size: int) -> Iterator[list[Placed]]:
    following = iter(documents)
    while batch := list(islice(following, size)):
        yield batch


def _decided(
    intake: Intake, batches: Iterable[Sequence[Placed]], batch_id: str | None, progress: Progress | None
) -> Iterator[tuple[Sequence[Document], list[Verdict]]]:
    """Verdicts batch by batch, each on disk."""
    done = 0
    for number, batch in enumerate(batches, start=1):
        name = batch_id if batch_id is None or number == 1 else f"{batch_id}#{number}"
        yield intake.take(batch, name)
        done += len(batch)
        if progress is not None:
            progress("ingesting", done, None)


def _rows(
    decided: Iterable[tuple[Sequence[Document], list[Verdict]]],
    columns: Annotation | None,
    *,
    originals: bool,
    judged: bool,
) -> Iterator[dict[str, Any]]:
    from infostream_dedup.corpus import row_of

    for batch, verdicts in decided:
        for document, verdict in zip(batch, verdicts, strict=True):
            if columns is not None:
                yield columns.row(document, verdict.as_dict(judged=judged))
            elif not originals:
                yield verdict.as_dict(judged=judged)
            elif verdict.status not in _REPEATS:
                yield row_of(document)
        # Whoever reads the pipe may act on a batch as soon as it is stored.
        sys.stdout.buffer.flush()
