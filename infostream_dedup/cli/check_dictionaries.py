"""``dictionaries check``: check every row of the dictionaries, and measure their coverage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from infostream_dedup.cli.options import examples, general_options
from infostream_dedup.cli.output import chosen_format, note, print_rows, print_table
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.errors import BadDataError

if TYPE_CHECKING:
    from infostream_dedup.lab.lexicography.check import Checked

__all__ = ["check"]


@click.command(epilog=examples("dictionaries check"))
@click.option(
    "--folder", type=click.Path(path_type=Path, file_okay=False), help="Check this folder instead of the one in use."
)
@click.option("--doubts", is_flag=True, help="Also list doubts; otherwise they are only counted.")
@click.option("--coverage/--no-coverage", default=True, show_default=True, help="Measure what translation covers.")
@general_options("table", "jsonl", "json", "csv")
def check(folder: Path | None, doubts: bool, coverage: bool, output_format: str | None, quiet: bool) -> None:
    """Check every row of the dictionaries, and measure their coverage.

    The checks cover columns, letters, whether pymorphy3 or wordfreq knows the words, nominatives of nouns, repeated
    rows, words of the block-list, contradictions between translations.tsv and false_friends.tsv, and whether the words
    of a row translate into each other in both directions. Each defect is reported as file:line:field with advice; the
    exit code is then 65. Doubts are rare names that no installed resource confirms; they are not defects.

    Coverage is the share of the frequency mass (wordfreq) of the most frequent nouns that has an equivalent, by rung;
    skeletons, names spelt by rule alone and identities missing from the target's lexicon do not count. It is measured
    for the dictionaries in use, imported tables included, not for another --folder.

    Columns of jsonl, json and csv: kind (defect, doubt or coverage), then those of its kind.
    """
    from infostream_dedup.api import dictionaries

    form = chosen_format(output_format, "table", "jsonl")
    with progress_bar(quiet=quiet) as progress:
        found = dictionaries.check(folder, coverage=coverage, progress=progress)
    if form == "table":
        for one in found.checked.findings:
            if doubts or one.level == "defect":
                click.echo(f"{one}" if one.level == "defect" else f"{one} (doubt)")
        if found.coverage:
            print_table(found.coverage)
    else:
        rows = found.rows(doubts=doubts)
        names = list(dict.fromkeys(name for row in rows for name in row))
        print_rows(({name: row.get(name) for name in names} for row in rows) if form == "csv" else rows, form)
    note(_summary(found.checked), quiet=quiet)
    if number := len(found.checked.defects):
        raise BadDataError(
            f"{number} {'defect' if number == 1 else 'defects'} found; correct the rows named above",
            code="E_DICTIONARY",
            source=str(found.checked.folder),
        )


def _summary(found: Checked) -> str:
    doubts = len(found.findings) - len(found.defects)
    untried = "" if found.round_trips else "; round trips were not tried"
    return f"{found.files} files, {found.rows:,} rows: {len(found.defects)} defects, {doubts} doubts{untried}"
