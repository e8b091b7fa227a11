"""``warm``: compile in advance."""

from __future__ import annotations

from infostream_dedup.cli.face import command
from infostream_dedup.cli.options import general_options
from infostream_dedup.cli.output import chosen_format, note, print_rows, progress_bar


@command(examples=["warm", "warm --format json"])
@general_options("table", "json", "jsonl", "csv")
def warm(output_format: str | None, quiet: bool) -> None:
    """Compile the loops of all commands now, so that no later command has to wait for compilation.

    For container images and machines that start often. Small inputs never wait: plain code reads up to 500 documents.
    Columns: compiled (loops compiled now), loaded (on disk already), cpu_seconds.

    The machine code goes to the __pycache__ of the installed package if you can write there, otherwise to the folder
    that INFOSTREAM_DEDUP_CACHE names, or to the user's cache.
    """
    from infostream_dedup import api

    with progress_bar(quiet=quiet) as progress:
        done = api.warm(progress=progress)
    print_rows([done.as_dict()], chosen_format(output_format, "table", "json"))
    note(f"machine code: {', '.join(done.folders)}", quiet=quiet)
