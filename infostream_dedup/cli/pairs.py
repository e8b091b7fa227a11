"""``pairs``: who resembles whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infostream_dedup.cli.options import (
    boilerplate_option,
    documents_argument,
    general_options,
    pop_given_settings,
    pop_reading,
    reading_options,
    representation_option,
    settings_options,
)
from infostream_dedup.cli.output import chosen_format, note, print_rows
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.model.settings import Settings

if TYPE_CHECKING:
    from infostream_dedup.batch.epoch_statistics import EpochStatistics
    from infostream_dedup.batch.pairing import PairRow

__all__ = ["pairs"]

_COLUMNS = ("a", "b", "forward", "backward", "n_a", "n_b", "share_forward", "share_backward", "relation", "terms")


@click.command()
@documents_argument
@representation_option
@click.option("--k", type=click.IntRange(min=1), help="Terms that must meet.  [default: 6, or the preset's]")
@click.option("--k-min", type=click.IntRange(min=1), help="All pairs with this many terms in either direction.")
@click.option(
    "--terms", type=click.Choice(["all", "none"]), default="all", show_default=True, help="With the terms that met."
)
@click.option("--cross-language", is_flag=True, help="Only pairs of two languages.")
@click.option("--between-files", is_flag=True, help="Only pairs of two files.")
@click.option(
    "--statistics",
    metavar="STORE:EPOCH",
    help="Weigh by what a stream had counted before an epoch, with the stream's settings.",
)
@boilerplate_option
@settings_options
@reading_options
@general_options("table", "jsonl", "json", "csv")
def pairs(**given: Any) -> None:
    """Pairs of documents that are linked at k in at least one direction.

    A row: a, b (ids, a the earlier), forward (key terms of a found in b), backward, n_a, n_b (key terms of each),
    share_forward, share_backward (share of their weight), relation, terms (heaviest first). The relation at k is equal
    (both directions), contained (a lies inside b), contains (a holds b), or empty below need(k). With representation
    pivot a column met follows, the words behind the terms: objects with a, b (the word in each document), pivot (the
    equivalent they share) and rung (what translated them); in a table it stands instead of terms.
    """
    from infostream_dedup import api

    reading = pop_reading(given)
    settings, statistics = _settings(given)
    if given["k_min"] is not None and given["k_min"] > settings.n:
        raise click.BadParameter(f"no pair can have {given['k_min']} of {settings.n} terms", param_hint="--k-min")
    with progress_bar(quiet=given["quiet"]) as progress:
        rows, report = api.pairs_with_report(
            given["documents"],
            settings=settings,
            k_min=given["k_min"],
            terms=given["terms"] == "all",
            cross_language=given["cross_language"],
            between_files=given["between_files"],
            statistics=statistics,
            boilerplate=given["boilerplate"],
            engine=given["engine"],
            progress=progress,
            **reading,
        )
    output_format = chosen_format(given["output_format"], "table", "jsonl")
    columns = _COLUMNS if given["terms"] == "all" else _COLUMNS[:-1]
    if settings.representation == "pivot" and given["terms"] == "all":
        columns = (*columns, "met")
    shown = (_shown(row) if output_format == "table" else row.as_dict() for row in rows)
    print_rows(shown, output_format, columns=columns)
    note(report.summary(), quiet=given["quiet"])


def _settings(given: dict[str, Any]) -> tuple[Settings, EpochStatistics | None]:
    chosen = {**pop_given_settings(given), "representation": given["representation"], "k": given["k"]}
    if given["statistics"] is None:
        return Settings.of(**chosen), None
    if chosen["preset"] is not None:
        raise click.UsageError("--statistics takes the settings of the stream; leave out --preset")
    from infostream_dedup.batch.epoch_statistics import epoch_statistics

    statistics = epoch_statistics(given["statistics"])
    return statistics.settings(chosen), statistics


def _shown(row: PairRow) -> dict[str, Any]:
    """A row for the eye: words that met across languages say which terms did, too."""
    shown = row.as_dict()
    if row.met is not None:
        del shown["terms"]
        shown["met"] = [str(meeting) for meeting in row.met]
    return shown
