"""``demo``: a sweep over the bundled sample."""

from __future__ import annotations

import click

from infostream_dedup.cli.output import note, note_reading
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.cli.sweep import print_sweep

__all__ = ["demo"]


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    default="infostream-dedup-demo",
    show_default=True,
    help="Folder for the report.",
)
@click.option("--quiet", is_flag=True, help="Print no progress and no summary.")
def demo(out: str, quiet: bool) -> None:
    """Run a sweep over the bundled sample: news items in Russian, Ukrainian and English."""
    from infostream_dedup import api

    with progress_bar(quiet=quiet) as progress:
        result = api.demo(out, progress=progress)
    print_sweep(result, "table")
    note_reading(result.report, quiet=quiet)
    note(f"report: {out}/report.html", quiet=quiet)
