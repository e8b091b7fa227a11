"""``warm``: fill tables in advance."""

from __future__ import annotations

from infostream_dedup.cli.face import command
from infostream_dedup.cli.options import general_options
from infostream_dedup.cli.output import chosen_format, print_rows, progress_bar


@command(examples=["warm", "warm --format json"])
@general_options("table", "json", "jsonl", "csv")
def warm(output_format: str | None, quiet: bool) -> None:
    """Fill the tables of word forms and translations in the cache folder, so that the next command finds them there.

    For container images and machines that start often. Column: cpu_seconds.
    """
    from infostream_dedup import api

    with progress_bar(quiet=quiet) as progress:
        done = api.warm(progress=progress)
    print_rows([done.as_dict()], chosen_format(output_format, "table", "json"))
