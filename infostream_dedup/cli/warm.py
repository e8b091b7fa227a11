"""``warm``: fill tables in advance."""

from __future__ import annotations

import click

from infostream_dedup.cli.options import examples, general_options
from infostream_dedup.cli.output import chosen_format, print_rows
from infostream_dedup.cli.progress import progress_bar

__all__ = ["warm"]


@click.command(epilog=examples("warm"))
@general_options("table", "json", "jsonl", "csv")
def warm(output_format: str | None, quiet: bool) -> None:
    """Fill the tables of word forms and translations in the cache folder, so that the next command finds them there.

    For container images and machines that start often. Column: cpu_seconds.
    """
    from infostream_dedup import api

    with progress_bar(quiet=quiet) as progress:
        done = api.warm(progress=progress)
    print_rows([done.as_dict()], chosen_format(output_format, "table", "json"))
