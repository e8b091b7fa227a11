"""``dedup``: write a collection without its duplicates."""

from __future__ import annotations

from typing import Any

import click

from infostream_dedup.cli.options import (
    boilerplate_option,
    documents_argument,
    examples,
    general_options,
    judgeable_settings_options,
    prefix_option,
    reading_options,
    representation_option,
    semantic_option,
    work_folder_options,
)
from infostream_dedup.cli.output import chosen_format, csv_dialect, note_reading, print_rows
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.cli.run_log import RUN

__all__ = ["dedup"]


@click.command(
    epilog=examples(
        "dedup march.csv --out kept.csv",
        "dedup *.parquet --out annotated.parquet --annotate",
        "dedup news.xlsx --columns id=ID,text=Текст --annotate --out judged.xlsx",
    )
)
@documents_argument
@click.option(
    "--out",
    type=click.Path(dir_okay=False, allow_dash=True),
    required=True,
    help="Output: .jsonl, .csv (also .gz), .parquet, .xlsx; or -.",
)
@click.option(
    "--keep",
    type=click.Choice(["earliest", "longest"]),
    default="earliest",
    show_default=True,
    help="Which document of a group to keep.",
)
@click.option("--annotate", is_flag=True, help="Keep every document and add columns: status, of, group.")
@prefix_option
@click.option(
    "--duplicate-rule",
    type=click.Choice(["equal", "contained"]),
    default="equal",
    show_default=True,
    help="Require both directions, or accept documents contained in earlier ones; preset similar accepts any relation.",
)
@click.option(
    "--join",
    metavar="KIND,...",
    help="With preset judged: kinds of pairs that make a duplicate.  [default: copy; copy,retold without dates]",
)
@semantic_option
@click.option(
    "--count-copies",
    is_flag=True,
    help="Also count how many pairs of documents in one group are copies, and how many copies are in one group.",
)
@representation_option
@click.option("--k", type=click.IntRange(min=1), help="Number of terms that a duplicate must share.  [default: 6]")
@boilerplate_option
@work_folder_options
@judgeable_settings_options
@reading_options
@general_options("table", "json", "jsonl", "csv")
def dedup(
    documents: tuple[str, ...], out: str, prefix: str, output_format: str | None, quiet: bool, **given: Any
) -> None:
    """Write a collection without its duplicates; every column is kept.

    The status of a document is exact (same body as an earlier one), duplicate, similar, insufficient_text (fewer than 3
    key terms) or new. Exact and duplicate documents form groups; one document of each group is kept. --annotate never
    overwrites a field: documents that already have a field status, of or group are refused unless --prefix gives the
    columns other names.

    --preset judged, the default, takes a second look at the pairs that share key terms (see pairs --help). The later
    document of a pair is a duplicate if the pair's kind is named in --join, and similar if it has another kind; related
    pairs must also share .3 of the wording. --annotate then also adds kind (how the document is related to 'of') and
    probability. Translations never change a status.

    --count-copies adds pairs, copies, copy_precision and copy_recall (with 95 % intervals) to the summary: pairs in
    groups, copies in the collection (three tenths of the wording), the share of these pairs that are copies, and the
    share of copies that are in groups.

    --preset faithful: a document is duplicate if 6 of its key terms match in both directions, and similar if 4 match in
    either direction. It is the default if --k, --n, --score, --target, --representation stem or pivot, or another
    --duplicate-rule is given.
    """
    from infostream_dedup import api

    with progress_bar(quiet=quiet, stages=given["workdir"] is not None) as progress:
        summary = api.dedup(documents, out, prefix=prefix, csv_dialect=csv_dialect(), progress=progress, **given)
    if out != "-":
        print_rows([summary.as_dict()], chosen_format(output_format, "table", "json"))
    RUN.statuses.update(summary.statuses)
    note_reading(summary.report, quiet=quiet)
